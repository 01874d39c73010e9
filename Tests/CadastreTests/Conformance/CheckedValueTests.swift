import Cadastre
import Foundation
import Testing

/// Values from outside the program: each gives a typed error, and nothing is written.
@Suite struct CheckedValueTests {
  private typealias Person = Conforming.Person
  private typealias Dog = Conforming.Dog
  private let realm: Realm

  init() throws {
    realm = try Conforming.realm()
    try realm.write { realm.create(Person.self, value: ["id": 1]) }
  }

  struct Case: CustomTestStringConvertible {
    let json: String
    let message: String
    var testDescription: String { String(json.prefix(60)) }
  }

  private static let cases = [
    Case(json: #"{"id": 2, "name": 5}"#, message: "for 'Person.name'"),
    Case(json: #"{"id": "x"}"#, message: "invalid value 'x'"),
    Case(json: #"{"id": 2.5}"#, message: "for 'Person.id'"),
    Case(json: #"{"id": 99999999999999999999}"#, message: "for 'Person.id'"),
    Case(json: #"{"id": 2, "small": 300}"#, message: "for 'Person.small'"),
    Case(json: #"{"id": 2, "level": 9}"#, message: "for 'Person.level'"),
    Case(json: #"{"id": 2, "tag": "pink"}"#, message: "'pink'"),
    Case(json: #"{"id": 2, "name": null}"#, message: "invalid value null for 'Person.name'"),
    Case(json: #"{"id": 2, "numbers": [1, "a"]}"#, message: "for 'Person.numbers'"),
    Case(json: #"{"id": 2, "numbers": {"a": 1}}"#, message: "for 'Person.numbers'"),
    Case(json: #"{"id": 2, "address": {"street": 7}}"#, message: "for 'Address.street'"),
    Case(json: #"{"id": 2, "address": "Rue A"}"#, message: "for 'Person.address'"),
    Case(json: #"{"id": 2, "dogs": [{"age": "old"}]}"#, message: "for 'Dog.age'"),
    Case(json: #"{"id": 2, "scores": {"a.b": 1}}"#, message: "for 'Person.scores'"),
    Case(json: #"{"id": 1}"#, message: "a primary key that no other object has"),
    Case(json: #"{"id": 2, "friend": {"id": 2}}"#, message: "a primary key"),
    Case(json: #"[1, "a", 1, 1, null, 1]"#, message: "for 'Person.address'"),
    Case(json: "[" + String(repeating: "1,", count: 40) + "1]", message: "17 values at most"),
  ]

  @Test(arguments: cases)
  func `a value that does not fit is an error`(fault: Case) throws {
    let value = try JSONSerialization.jsonObject(with: Data(fault.json.utf8))
    let error = #expect(throws: InvalidValueError.self) {
      try realm.write { try realm.create(checking: Person.self, value: value) }
    }
    #expect(error?.description.contains(fault.message) == true, "\(error?.description ?? "")")
    #expect(realm.objects(Person.self).count == 1 && realm.objects(Dog.self).isEmpty)
  }

  @Test func `values that are too large or nested too deep are errors`() throws {
    let large = String(repeating: "x", count: 17 << 20)
    let error = #expect(throws: InvalidValueError.self) {
      try realm.write {
        try realm.create(checking: Person.self, value: ["id": 2, "dogs": [["name": large]]])
      }
    }
    #expect(error?.property == "name" && error?.className == "Dog")
    let person = Person(value: ["id": 3, "name": large])
    #expect(throws: InvalidValueError.self) { try realm.write { try realm.add(checking: person) } }
    #expect(throws: InvalidValueError.self) {
      try realm.write { try realm.add(checking: Person(value: ["id": 1])) }
    }
    let holder = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Mixed.self]))
    for depth in [100, 101, 400] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let made = Result {
        try holder.write { try holder.create(checking: Mixed.self, value: ["any": value]) }
      }
      #expect((depth > 100) == (throwing(made) is InvalidValueError), "\(depth)")
    }
    #expect(throws: InvalidValueError.self) {
      try holder.write { try holder.create(checking: Mixed.self, value: ["any": ["$k": 1]]) }
    }
    #expect(throws: InvalidValueError.self) {
      try holder.write { try holder.create(checking: Mixed.self, value: ["set": [[1]]]) }
    }
    #expect(holder.objects(Mixed.self).count == 1)
  }

  private func throwing(_ result: Result<Mixed, any Error>) -> (any Error)? {
    if case .failure(let error) = result { error } else { nil }
  }

  @Test func `values that fit are written, by update too`() throws {
    let json = #"""
      {"id": 1, "name": "Ada", "small": 7, "level": 3, "tag": "red", "unknown": [],
      "address": {"street": "Rue A"}, "dogs": [{"name": "a"}], "numbers": [1, 2],
      "scores": {"x": 1}, "best": null}
      """#
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    try realm.write { try realm.create(checking: Person.self, value: value, update: .modified) }
    let person = try #require(realm.objects(Person.self).first)
    #expect(person.name == "Ada" && person.small == 7 && person.level == .high)
    #expect(person.address?.street == "Rue A" && person.dogs.count == 1 && person.tag == .red)
  }

  @Test func `properties are set by name with a check`() throws {
    let person = try #require(realm.objects(Person.self).first)
    try realm.write {
      try person.setValue(checking: "Ada", forKey: "name")
      try person.setValue(checking: ["street": "x"], forKey: "address")
      for (key, value) in [("name", 5), ("nothing", 1), ("id", 2), ("level", 77)] {
        #expect(throws: InvalidValueError.self) {
          try person.setValue(checking: value, forKey: key)
        }
      }
    }
    #expect(person.name == "Ada" && person.address?.street == "x" && person.id == 1)
  }

  @Test func `a condition with an invalid pattern or region is an error`() throws {
    let people = realm.objects(Person.self)
    #expect(throws: QueryPredicateError.self) {
      try people.filter(parsing: "name MATCHES %@", arguments: ["("])
    }
    #expect(try people.where(checking: { $0.name == "" }).count == 1)
  }

  class Mixed: Object {
    @Persisted var any: AnyRealmValue
    @Persisted var set: MutableSet<AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

/// Asynchronous writes of many tasks.
@Suite struct AsyncWriteConformanceTests {
  actor Counter {
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func add(_ id: Int) async throws {
      let realm = try Realm(configuration: configuration)
      try await realm.asyncWrite {
        _ = realm.create(Conforming.Person.self, value: ["id": id])
      }
    }

    func waitFirst() async throws -> Bool {
      let realm = try Realm(configuration: configuration)
      return try await realm.asyncWrite { realm.isPerformingAsynchronousWriteOperations }
    }
  }

  private let configuration: Realm.Configuration

  init() {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = Conforming.types
    self.configuration = configuration
  }

  @Test(.timeLimit(.minutes(60)))
  func `two hundred tasks write one after the other`() async throws {
    let counter = Counter(configuration)
    let held = try Realm(configuration: configuration, isolation: nil)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<200 { group.addTask { try await counter.add(id) } }
      try await group.waitForAll()
    }
    held.refresh()
    #expect(held.objects(Conforming.Person.self).count == 200)
    #expect(try await counter.waitFirst())
  }

  @Test(.timeLimit(.minutes(60)))
  func `a task that is cancelled does not wait for the lock`() async throws {
    let holder = try Realm(configuration: configuration, isolation: nil)
    holder.beginWrite()
    let counter = Counter(configuration)
    let task = Task { try await counter.add(1) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    holder.cancelWrite()
    try await counter.add(2)
    holder.refresh()
    #expect(holder.objects(Conforming.Person.self).map(\.id) == [2])
  }
}

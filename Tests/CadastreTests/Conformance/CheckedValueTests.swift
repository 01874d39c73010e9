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
    Case(
      json: #"{"id": 2, "small": 300}"#,
      message: "for 'Person.small': expected Int8, a whole number from -128 to 127"),
    Case(
      json: #"{"id": 2, "level": 9}"#,
      message: "for 'Person.level': expected Level, one of 1, 2, 3"),
    Case(
      json: #"{"id": 2, "tag": "pink"}"#,
      message: "for 'Person.tag': expected Tag, one of 'red', 'green', 'blue', or null"),
    Case(json: #"{"id": 2, "levels": [1, 9]}"#, message: "for 'Person.levels[1]': expected Level"),
    Case(json: #"{"id": 2, "tags": ["red", 1]}"#, message: "for 'Person.tags[1]': expected Tag"),
    Case(
      json: #"{"id": 2, "weights": [1.5, {}]}"#,
      message: "for 'Person.weights[1]': expected Weight, which is stored as a value of type double"
    ),
    Case(json: #"{"id": 2, "name": null}"#, message: "invalid value null for 'Person.name'"),
    Case(
      json: #"{"id": 2, "numbers": [1, "a"]}"#,
      message: "invalid value 'a' of type 'String' for 'Person.numbers[1]': expected Int, "
        + "a whole number from -9223372036854775808 to 9223372036854775807"),
    Case(json: #"{"id": 2, "numbers": {"a": 1}}"#, message: "for 'Person.numbers'"),
    Case(json: #"{"id": 2, "address": {"street": 7}}"#, message: "for 'Address.street'"),
    Case(json: #"{"id": 2, "address": "Rue A"}"#, message: "for 'Person.address'"),
    Case(
      json: #"{"id": 2, "dogs": [{"age": 1}, {"age": "old"}]}"#,
      message: "for 'Dog.age' at 'dogs[1].age': expected Int"),
    Case(json: #"{"id": 2, "dogs": [{"age": 1}, 7]}"#, message: "for 'Person.dogs[1]'"),
    Case(json: #"{"id": 2, "scores": {"a.b": 1}}"#, message: "for 'Person.scores': expected a key"),
    Case(json: #"{"id": 2, "scores": {"a": 1, "b": []}}"#, message: "for 'Person.scores['b']'"),
    Case(
      json: #"{"id": 2, "pets": {"a": {"born": "x"}}}"#,
      message: "for 'Dog.born' at 'pets['a'].born': expected a value of type date"),
    Case(
      json: #"{"id": 2, "friend": {"id": 3, "numbers": [0, 1, null]}}"#,
      message: "invalid value null for 'Person.numbers[2]' at 'friend.numbers[2]'"),
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

  private static func whole() throws -> [String: Any] {
    let json = #"""
      {"id": 7, "name": "Ada", "small": 1, "level": 2, "dogs": [], "numbers": [], "levels": [],
      "weights": [], "tags": [], "scores": {}, "pets": {}}
      """#
    return try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  @Test(
    arguments: [
      (
        "nmae", "\"x\"",
        "unknown key 'nmae' of an object of type 'Person': expected one of id, name"
      ),
      ("small", nil, "missing value for 'Person.small': expected Int8"),
      ("numbers", nil, "missing value for 'Person.numbers': expected an array"),
      ("numbers", "null", "invalid value null for 'Person.numbers'"),
      ("address", #"{"city": "Orly"}"#, "missing value for 'Address.street' at 'address.street'"),
      ("best", #"{"name": "Rex", "age": 1}"#, "missing value for 'Dog.photo' at 'best.photo'"),
      (
        "dogs", #"[{"name": "a", "age": 1, "photo": "", "colour": "red"}]"#,
        "unknown key 'colour' of an object of type 'Dog' at 'dogs[0].colour'"
      ),
      ("address", #"["Rue A", "Orly"]"#, "expected an object with the keys street, city"),
      (
        "place", #"{"type": "Point", "coordinates": [200, 95]}"#,
        "invalid value [200.0, 95.0] for 'Place.coordinates' at 'place.coordinates': expected a "
          + "longitude"
      ),
      ("place", #"{"type": "Point", "coordinates": [1]}"#, "invalid value [1.0]"),
      ("place", #"{"type": "Point", "coordinates": [1, 2, 3, 4]}"#, "[1.0, 2.0, 3.0, 4.0]"),
      ("place", #"{"type": "Line", "coordinates": [1, 2]}"#, "for 'Place.type' at 'place.type'"),
      ("place", #"{"coordinates": [1, 2]}"#, "missing value for 'Place.type' at 'place.type'"),
    ] as [(String, String?, String)])
  func `strict values are complete, and name nothing else`(
    key: String, json: String?, message: String
  ) throws {
    var value = try Self.whole()
    value[key] = try json.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
    }
    let error = #expect(throws: InvalidValueError.self) {
      try realm.write { try realm.create(checking: Person.self, value: value, mode: .strict) }
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(realm.objects(Person.self).count == 1 && realm.objects(Dog.self).isEmpty)
  }

  @Test func `strict values that fit are written, and an update may leave properties out`() throws {
    var value = try Self.whole()
    value["place"] = ["type": "Point", "coordinates": [16.5, 48]] as [String: Any]
    value["best"] = ["name": "Rex", "age": 3, "photo": ""] as [String: Any]
    value["friend"] = 1
    try realm.write { try realm.create(checking: Person.self, value: value, mode: .strict) }
    let ada = try #require(realm.object(ofType: Person.self, forPrimaryKey: 7))
    #expect(ada.place.map { Array($0.coordinates) } == [16.5, 48] && ada.best?.age == 3)
    #expect(ada.friend?.id == 1)
    try realm.write {
      try realm.create(
        checking: Person.self, value: ["id": 7, "name": "Eve"], update: .modified, mode: .strict)
      #expect(throws: InvalidValueError.self) {
        try realm.create(
          checking: Person.self, value: ["id": 8, "name": "Eve"], update: .modified, mode: .strict)
      }
      #expect(throws: InvalidValueError.self) {
        try realm.create(
          checking: Person.self, value: ["id": 7, "nmae": "Eve"], update: .modified, mode: .strict)
      }
    }
    #expect(ada.name == "Eve" && ada.small == 1 && realm.objects(Person.self).count == 2)
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

  @Test func `two hundred tasks write one after the other`() async throws {
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

  @Test func `a task that is cancelled does not wait for the lock`() async throws {
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

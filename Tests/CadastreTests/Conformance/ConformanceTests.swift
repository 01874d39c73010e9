import Cadastre
import Foundation
import Testing
import TestingSupport

/// Behaviour that programs written for Realm rely on.
@Suite struct ConformanceTests {
  private typealias Dog = Conforming.Dog
  private typealias Address = Conforming.Address
  private typealias Person = Conforming.Person
  private typealias Weight = Conforming.Weight
  private let realm: Realm

  init() throws { realm = try Conforming.realm() }

  // MARK: Codable

  @Test(arguments: [false, true])
  func `properties are coded by the strategies of the coder`(isManaged: Bool) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.dataEncodingStrategy = .base64
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    let dog = Dog(value: ["age": 3, "born": Date(timeIntervalSince1970: 0), "photo": Data([1, 2])])
    if isManaged { try realm.write { realm.add(dog) } }
    let json = try encoder.encode(dog)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text == #"{"age":3,"born":"1970-01-01T00:00:00Z","name":"Rex","photo":"AQI="}"#)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let copy = try decoder.decode(Dog.self, from: json)
    #expect(copy.age == 3 && copy.born == Date(timeIntervalSince1970: 0))
    #expect(copy.photo == Data([1, 2]))
  }

  @Test func `managed objects read from results and frozen ones encode with their collections`()
    throws
  {
    try realm.write {
      realm.create(
        Person.self,
        value: [
          "id": 1, "name": "Ada", "level": 2, "address": ["street": "Rue A"],
          "dogs": [["name": "Fido"]], "numbers": [1, 2], "scores": ["a": 1], "tag": "red",
        ])
    }
    let person = try #require(realm.objects(Person.self).first)
    for object in [person, person.freeze()] {
      let json = try JSONEncoder().encode(object)
      let copy = try JSONDecoder().decode(Person.self, from: json)
      #expect(copy.name == "Ada" && copy.level == .middle && copy.tag == .red)
      #expect(copy.address?.street == "Rue A" && copy.dogs.map(\.name) == ["Fido"])
      #expect(Array(copy.numbers) == [1, 2] && copy.scores["a"] == 1 && copy.friend == nil)
    }
    let all = try JSONEncoder().encode(realm.objects(Person.self))
    #expect(try JSONDecoder().decode([Person].self, from: all).map(\.name) == ["Ada"])
  }

  // MARK: Unmanaged collections

  @Test func `unmanaged collections have aggregates and search`() throws {
    let person = Person(
      value: [
        "numbers": [3, 1, 2], "dogs": [["name": "a", "age": 4], ["name": "b", "age": 6]],
        "weights": [2.0, 4.0], "levels": [3, 1],
      ])
    #expect(person.numbers.min() == 1 && person.numbers.max() == 3 && person.numbers.sum() == 6)
    #expect(person.numbers.average() == 2.0)
    #expect(person.dogs.sum(ofProperty: "age") == 10 && person.dogs.max(of: \.age) == 6)
    #expect(person.dogs.average(ofProperty: "age") == 5.0)
    #expect(person.dogs.index(matching: "age > %@", 5) == 1)
    #expect(person.dogs.index(matching: { $0.name == "a" }) == 0)
    #expect(person.dogs.index(matching: { $0.name == "c" }) == nil)
    #expect(person.weights.min() == Weight(grams: 2) && person.weights.sum() == Weight(grams: 6))
    #expect(person.levels.max() == .high)
    #expect(List<Int>().min() == nil && List<Int>().sum() == 0)
  }

  @Test func `managed collections of mapped types have aggregates`() throws {
    try realm.write {
      realm.create(Person.self, value: ["id": 1, "weights": [2.0, 4.0], "levels": [3, 1]])
    }
    let person = try #require(realm.objects(Person.self).first)
    #expect(person.weights.max() == Weight(grams: 4) && person.weights.sum() == Weight(grams: 6))
    #expect(person.weights.average() == 3.0 && person.levels.min() == .low)
  }

  // MARK: Values for create

  @Test func `unknown keys are ignored and null is an empty collection`() throws {
    let person = Person(value: ["name": "Ada", "nothing": 1, "dogs": NSNull(), "scores": NSNull()])
    #expect(person.name == "Ada" && person.dogs.isEmpty && person.scores.isEmpty)
    let values: Any =
      Optional<[String: Any?]>.some(["id": 1, "numbers": nil, "tags": NSNull()]) as Any
    try realm.write { realm.create(Person.self, value: values) }
    #expect(realm.objects(Person.self).first?.numbers.isEmpty == true)
  }

  @Test(arguments: [Realm.UpdatePolicy.all, .modified])
  func `nested objects without a primary key are inserted by an update`(
    policy: Realm.UpdatePolicy
  ) throws {
    try realm.write {
      realm.create(Person.self, value: ["id": 1, "dogs": [["name": "a"]]])
      realm.create(
        Person.self, value: ["id": 1, "dogs": [["name": "b"]], "best": ["name": "c"]],
        update: policy)
    }
    let person = try #require(realm.objects(Person.self).first)
    #expect(person.dogs.map(\.name) == ["b"] && person.best?.name == "c")
    #expect(realm.objects(Dog.self).count == 3)
  }

  @Test func `create copies unmanaged objects in a value`() throws {
    let dog = Dog(value: ["name": "shared"])
    let address = Address(value: ["street": "s"])
    let friend = Person(value: ["id": 2, "dogs": [dog]])
    friend.friend = friend
    try realm.write {
      let made = realm.create(
        Person.self,
        value: ["id": 1, "dogs": [dog, dog], "best": dog, "address": address, "friend": friend])
      #expect(made.dogs[0].isSameObject(as: made.dogs[1]))
      #expect(made.best?.isSameObject(as: made.dogs[0]) == true)
      #expect(made.friend?.friend?.id == 2 && made.friend?.dogs.first?.name == "shared")
    }
    #expect(dog.realm == nil && address.realm == nil && friend.realm == nil)
    #expect(realm.objects(Dog.self).count == 1)
  }

  @Test func `any value with members of the right names makes an object`() throws {
    struct Input { var id = 7, name = "Bob", address: [String: Any]? = ["street": "x"], other = 1 }
    try realm.write { realm.create(Person.self, value: Input()) }
    let person = try #require(realm.object(ofType: Person.self, forPrimaryKey: 7))
    #expect(person.name == "Bob" && person.address?.street == "x")
  }

  @Test func `a chain of unmanaged objects of any length is copied`() throws {
    let first = Person(value: ["id": 0])
    var last = first
    for id in 1...5000 {
      let next = Person(value: ["id": id])
      last.friend = next
      last = next
    }
    try realm.write { realm.create(Person.self, value: first) }
    #expect(realm.objects(Person.self).count == 5001 && last.realm == nil)
    // Released one by one, not by recursion.
    var chain: Person? = first
    while let next = chain { chain = next.friend; next.friend = nil }
  }

  // MARK: Embedded objects

  @Test func `modified updates an embedded object in place`() throws {
    try realm.write {
      realm.create(Person.self, value: ["id": 1, "address": ["street": "a", "city": "b"]])
    }
    let address = try #require(realm.objects(Person.self).first?.address)
    try realm.write {
      realm.create(Person.self, value: ["id": 1, "address": ["street": "c"]], update: .modified)
    }
    #expect(!address.isInvalidated && address.street == "c" && address.city == "b")
    try realm.write {
      realm.create(Person.self, value: ["id": 1, "address": ["street": "d"]], update: .all)
    }
    #expect(address.isInvalidated)
    let new = try #require(realm.objects(Person.self).first?.address)
    #expect(new.street == "d" && new.city == nil)
  }

  @Test func `an embedded object may be assigned to its own property`() throws {
    try realm.write {
      let person = realm.create(Person.self, value: ["id": 1])
      let address = Address(value: ["street": "a"])
      person.address = address
      person.address = address
      person.address = person.address
      #expect(!address.isInvalidated && person.address?.street == "a")
    }
  }

  @Test func `an unmanaged embedded object is compared by its members`() throws {
    try realm.write {
      realm.create(Person.self, value: ["id": 1, "address": ["street": "a", "city": "b"]])
      realm.create(Person.self, value: ["id": 2, "address": ["street": "a"]])
      realm.create(Person.self, value: ["id": 3])
    }
    let people = realm.objects(Person.self)
    let wanted = Address(value: ["street": "a", "city": "b"])
    #expect(people.where { $0.address == wanted }.map(\.id) == [1])
    #expect(people.where { $0.address != wanted }.map(\.id) == [2, 3])
    #expect(people.filter("address == %@", wanted).map(\.id) == [1])
    let managed = try #require(people.first?.address)
    #expect(people.where { $0.address == managed }.map(\.id) == [1])
    #expect(people.where { $0.home == managed }.isEmpty)
    #expect(people.where { $0.address.in([wanted, Address(value: ["a"])]) }.map(\.id) == [1, 2])
    #expect(try people.filter(parsing: "address IN %@", arguments: [[wanted]]).map(\.id) == [1])
  }

  // MARK: Schemas

  @Test func `a class with linking objects alone is stored`() throws {
    let registry = Conforming.Registry()
    try realm.write {
      realm.add(registry)
      realm.create(Conforming.Entry.self, value: ["registry": registry])
    }
    #expect(registry.entries.count == 1)
  }

  // MARK: Iteration

  @Test func `elements may be deleted during an iteration`() throws {
    func fill() throws -> (dog: Dog, person: Person) {
      try realm.write {
        realm.deleteAll()
        let dog = realm.create(Dog.self)
        for id in 1...3 { realm.create(Person.self, value: ["id": id, "dogs": [dog]]) }
        let person = realm.create(
          Person.self, value: ["id": 9, "dogs": [["name": "a"], ["name": "b"]]])
        return (dog, person)
      }
    }
    var (dog, person) = try fill()
    try realm.write { for owner in dog.owners { realm.delete(owner) } }
    #expect(realm.objects(Person.self).map(\.id) == [9])
    (dog, person) = try fill()
    try realm.write { for dog in person.dogs { realm.delete(dog) } }
    #expect(person.dogs.isEmpty)
    (dog, person) = try fill()
    try realm.write { for person in realm.objects(Person.self) { realm.delete(person) } }
    try realm.write { for dog in realm.objects(Dog.self).filter("age == 0") { realm.delete(dog) } }
    #expect(realm.isEmpty)
  }

  // MARK: Invalidation

  @Test func `collections of a deleted object are invalidated`() throws {
    let person = Person(value: ["id": 1, "numbers": [1]])
    try realm.write { realm.add(person) }
    try realm.write { realm.delete(person) }
    #expect(
      person.numbers.isInvalidated && person.tags.isInvalidated && person.scores.isInvalidated)
  }

  @Test func `results are invalidated with their Realm`() throws {
    let people = realm.objects(Person.self)
    let named = people.where { $0.name == "Ada" }
    #expect(!people.isInvalidated)
    realm.invalidate()
    #expect(people.isInvalidated && named.isInvalidated)
    #expect(!realm.objects(Person.self).isInvalidated)
  }

  // MARK: Dynamic access

  @Test func `numbers have their declared width when they are read by name`() throws {
    let person = Person(value: ["id": 1, "small": 5])
    #expect(person["small"] as? Int8 == 5 && person["id"] as? Int == 1)
    try realm.write { realm.add(person) }
    #expect(person["small"] as? Int8 == 5 && person.value(forKey: "small") as? Int8 == 5)
  }

  @Test func `values are read by key paths with aggregates`() throws {
    let dogs = [["name": "a", "age": 2], ["name": "b", "age": 4], ["name": "a", "age": 6]]
    let person = Person(value: ["id": 1, "dogs": dogs, "best": ["name": "z"]] as [String: Any])
    for _ in 0..<2 {
      #expect(person.value(forKeyPath: "best.name") as? String == "z")
      #expect(person.value(forKeyPath: "dogs.@count") as? Int == 3)
      #expect(person.dogs.value(forKeyPath: "@max.age") as? Int == 6)
      #expect(person.dogs.value(forKeyPath: "@sum.age") as? Int == 12)
      #expect(person.dogs.value(forKeyPath: "@avg.age") as? Double == 4)
      #expect(person.dogs.value(forKeyPath: "name") as? [String] == ["a", "b", "a"])
      #expect(
        person.dogs.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String] == ["a", "b"])
      #expect(
        person.dogs.value(forKeyPath: "@unionOfObjects.name") as? [String] == ["a", "b", "a"])
      if person.realm == nil { try realm.write { realm.add(person) } }
    }
    try realm.write {
      person.setValue("y", forKeyPath: "best.name")
      person.dogs.setValue(1, forKey: "age")
    }
    #expect(person.best?.name == "y" && person.dogs.sum(of: \.age) == 3)
  }

  // MARK: Versions

  @Test func `an update changes the embedded objects of a list in place`() throws {
    typealias Courier = Conforming.Courier
    let courier = try realm.write {
      realm.create(
        Courier.self,
        value: [
          "id": 1,
          "stops": [["street": "A", "city": "X"], ["street": "B"], ["street": "C"]],
        ])
    }
    let (first, last) = (courier.stops[0], courier.stops[2])
    try realm.write {
      realm.create(
        Courier.self, value: ["id": 1, "stops": [["street": "D"], ["street": "E"]]],
        update: .modified)
    }
    #expect(first.street == "D" && first.city == "X" && last.isInvalidated)
    #expect(courier.stops.map(\.street) == ["D", "E"])
    let stops = ["F", "G", "H"].map { street in
      let stop = Conforming.Address()
      stop.street = street
      return stop
    }
    try realm.write {
      let other = Courier()
      other.id = 1
      other.stops.append(objectsIn: stops)
      realm.add(other, update: .modified)
    }
    #expect(courier.stops.map(\.street) == ["F", "G", "H"])
    #expect(first.street == "F" && first.isSameObject(as: stops[0]))
    try realm.write {
      realm.create(Courier.self, value: ["id": 1, "stops": [["street": "Z"]]], update: .all)
    }
    #expect(first.isInvalidated && courier.stops.map(\.street) == ["Z"])
  }

  @Test(arguments: [Realm.UpdatePolicy.modified, .all])
  func `an update applies to objects behind embedded ones`(policy: Realm.UpdatePolicy) throws {
    typealias Courier = Conforming.Courier
    let leg = { (name: String) -> [String: Any] in ["receiver": ["id": 7, "name": name]] }
    func value(_ name: String) -> [String: Any] {
      [
        "id": 1, "legs": [leg("x"), leg("y"), ["rest": [leg("z"), leg(name)]]],
        "byName": ["a": leg(name), "b": leg(name)], "next": ["rest": [leg(name)]],
      ]
    }
    try realm.write {
      realm.create(Person.self, value: ["id": 7, "name": "first"])
      realm.create(
        Courier.self, value: ["id": 1, "legs": [["receiver": NSNull()]]] as [String: Any])
    }
    try realm.write { try realm.create(checking: Courier.self, value: value("a"), update: policy) }
    try realm.write { realm.create(Courier.self, value: value("b"), update: policy) }
    #expect(realm.objects(Person.self).map(\.name) == ["b"])
    let courier = try #require(realm.object(ofType: Courier.self, forPrimaryKey: 1))
    #expect(courier.legs.count == 3 && courier.legs[2].rest.count == 2 && courier.byName.count == 2)
  }

  @Test func `a map is a sequence of pairs`() throws {
    let person = try realm.write {
      realm.create(Person.self, value: ["id": 1, "scores": ["a": 3, "b": 7, "c": 5]])
    }
    var sum = 0
    for (key, value) in person.scores where key != "c" { sum += value }
    #expect(sum == 10)
    #expect(person.scores.max { $0.value < $1.value }?.key == "b")
    #expect(person.scores.map(\.key).sorted() == ["a", "b", "c"])
    #expect(person.scores.contains { $0.value == 5 })
    #expect(person.scores.contains { key, value in key == "a" && value == 3 })
    for entry in person.scores { #expect(person.scores[entry.key] == entry.value) }
    #expect(Dictionary(uniqueKeysWithValues: person.scores.map { ($0.key, $0.value) })["b"] == 7)
  }

  @Test func `thawing leaves the live Realm at its version`() throws {
    let configuration = realm.configuration
    try realm.write { realm.create(Person.self, value: ["id": 1]) }
    let people = realm.objects(Person.self)
    #expect(people.count == 1)
    let frozen = try onNewThread { () -> Frozen<Person> in
      let other = try Realm(configuration: configuration)
      try other.write {
        other.create(Person.self, value: ["id": 2])
      }
      return Frozen(try #require(other.object(ofType: Person.self, forPrimaryKey: 1)))
    }
    #expect(frozen.thaw()?.id == 1)
    #expect(people.count == 1)
    let newer = try onNewThread {
      let other = try Realm(configuration: configuration)
      return Frozen(try #require(other.object(ofType: Person.self, forPrimaryKey: 2)))
    }
    // The object is younger than the version of the live Realm.
    #expect(newer.thaw() == nil)
    #expect(people.count == 1)
    realm.refresh()
    #expect(newer.thaw()?.id == 2)
    #expect(people.count == 2)
  }

  @Test func `a reference may be made in the transaction that makes its object`() throws {
    let configuration = realm.configuration
    let reference = try realm.write {
      ThreadSafeReference(to: realm.create(Person.self, value: ["id": 1, "name": "new"]))
    }
    let name = try onNewThread {
      try Realm(configuration: configuration).resolve(reference)?.name
    }
    #expect(name == "new")
  }

  // MARK: Names

  @Test func `key paths have names, and tokens and errors can be made`() throws {
    #expect(_name(for: \Person.address?.city) == "address.city")
    #expect(_name(for: \Person.numbers) == "numbers")
    let token = NotificationToken()
    #expect(token.invalidate() && !token.invalidate())
    #expect(Realm.Error(.fail).code == .fail)
  }

  @Test func `a migration block may be called without try`() {
    let block: MigrationBlock = { _, _ in }
    let configuration = Realm.Configuration(schemaVersion: 1, migrationBlock: block)
    #expect(configuration.migrationBlock != nil)
  }

  @Test func `maps take key paths and closures of two parameters`() throws {
    try realm.write {
      realm.create(
        Person.self,
        value: ["id": 1, "pets": ["a": ["age": 2], "b": ["age": 5]], "scores": ["x": 1]])
    }
    let person = try #require(realm.objects(Person.self).first)
    #expect(person.pets.min(of: \.age) == 2 && person.pets.sum(of: \.age) == 7)
    #expect(person.pets.sorted(by: \.age, ascending: false).map { $0?.age } == [5, 2])
    #expect(person.scores.contains { key, value in key == "x" && value == 1 })
    #expect(person.pets.value(forKeyPath: "age") as? [Int] == [2, 5])
  }

  // MARK: Type-safe conditions

  @Test func `mapped types have string operators, ranges and aggregates in conditions`() throws {
    try realm.write {
      realm.create(
        Person.self,
        value: [
          "id": 1, "tag": "green", "level": 2, "levels": [1, 2], "weights": [1.0, 3.0],
          "tags": ["red"], "name": "gree",
        ])
      realm.create(Person.self, value: ["id": 2, "level": 3, "weights": [9.0], "levels": [3]])
    }
    let people = realm.objects(Person.self)
    #expect(people.where { $0.tag.starts(with: .green) }.map(\.id) == [1])
    #expect(people.where { $0.tag.like("gr*") }.map(\.id) == [1])
    #expect(people.where { $0.tag.rawValue.starts(with: $0.name) }.map(\.id) == [1])
    #expect(people.where { $0.level.contains(.low...(.middle)) }.map(\.id) == [1])
    #expect(people.where { $0.levels.max == .high }.map(\.id) == [2])
    #expect(people.where { $0.weights.sum == Weight(grams: 4) }.map(\.id) == [1])
    #expect(people.where { $0.weights.min > Weight(grams: 2) }.map(\.id) == [2])
    #expect(people.where { $0.tags.starts(with: .red) }.map(\.id) == [1])
  }

  @Test func `lists and maps in values of any type are compared as a whole`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [CheckedValueTests.Mixed.self]))
    try realm.write {
      for value in [[1, "a"], ["k": 1], 3, [[2]]] as [Any] {
        realm.create(CheckedValueTests.Mixed.self, value: ["any": value])
      }
    }
    let all = realm.objects(CheckedValueTests.Mixed.self)
    let list = AnyRealmValue.fromArray([.int(1), .string("a")])
    #expect(all.where { $0.any == list }.count == 1 && all.where { $0.any != list }.count == 3)
    #expect(all.filter("%K == %@", "any", list).count == 1)
    #expect(all.where { $0.any == .fromDictionary(["k": .int(1)]) }.count == 1)
    #expect(all.where { $0.any == .fromDictionary(["k": .int(2)]) }.isEmpty)
    #expect(all.where { $0.any == .fromArray([.fromArray([.int(2)])]) }.count == 1)
  }

  @Test func `columns have their names in dynamic objects`() throws {
    try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada"]) }
    let object = try #require(realm.dynamicObjects("Person").first)
    #expect(object["name"] as? String == "Ada" && Decimal128(1).isSignalingNaN == false)
  }

  @Test func `descriptions have the shape of Realm`() throws {
    let dogs = (0..<2).map { Dog(value: ["name": "d\($0)", "photo": Data([1, 255])]) }
    try realm.write { realm.add(dogs) }
    #expect(
      realm.objects(Dog.self).description == """
        Results<Dog> (
        \t[0] Dog {
        \t\tname = d0;
        \t\tage = 0;
        \t\tborn = (null);
        \t\tphoto = <01ff> — 2 total bytes;
        \t},
        \t[1] Dog {
        \t\tname = d1;
        \t\tage = 0;
        \t\tborn = (null);
        \t\tphoto = <01ff> — 2 total bytes;
        \t}
        )
        """)
    let person = Person(value: ["id": 1, "scores": ["a": 1], "numbers": Array(0..<101)])
    #expect(person.scores.description == "Map<String, Int> (\n\t[a]: 1\n)")
    #expect(person.numbers.description.hasSuffix("\t[99] 99\n\t... 1 objects skipped.\n)"))
    #expect(
      SortDescriptor(keyPath: "a", ascending: false).description
        == "SortDescriptor(keyPath: a, direction: descending)")
  }

  @Test func `a path through a file is a failed file operation`() {
    let error = #expect(throws: Realm.Error.self) {
      try Realm(fileURL: URL(fileURLWithPath: "/dev/null/foo"))
    }
    #expect(error?.code == .fileOperationFailed)
  }

  @Test func `a ring that collapses on the sphere and is no band is refused`() throws {
    let sliver = try polygon((7, -180), (8, 180), (8, -180), (7, -180))
    let band = try polygon((7, -180), (7, 180), (8, 180), (8, -180), (7, -180))
    let places = realm.objects(Conforming.Person.self)
    for (region, isValid) in [(sliver, false), (band, true)] {
      let found = Result { try places.filter(parsing: "place GEOWITHIN %@", arguments: [region]) }
      let isFound = (try? found.get()) != nil
      #expect(isFound == isValid)
    }
  }

  private func polygon(_ points: (latitude: Double, longitude: Double)...) throws -> GeoPolygon {
    try #require(GeoPolygon(outerRing: points))
  }

  // MARK: Classes that a Realm does not list

  /// Calls a closure with a holder of a person, whose class its Realm does not list.
  static func withUnlisted(
    _ body: (Realm, Conforming.Holder) throws -> Void
  ) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).cadastre")
    func open(_ types: [ObjectBase.Type]) throws -> Realm {
      try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: types))
    }
    defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) }
    func fill() throws {
      let realm = try open([Conforming.Holder.self] + Conforming.types)
      try realm.write {
        let person = realm.create(
          Person.self,
          value: [
            "id": 1, "name": "Ada", "best": ["name": "Fido"], "dogs": [["name": "Rex"]],
            "address": ["street": "Rue A"],
          ])
        realm.create(Conforming.Holder.self, value: ["value": person])
      }
    }
    try fill()
    let realm = try open([Conforming.Holder.self])
    try body(realm, #require(realm.objects(Conforming.Holder.self).first))
  }

  @Test func `mixed values of classes that the Realm does not list are dynamic objects`() throws {
    try Self.withUnlisted { _, holder in
      for holder in [holder, holder.freeze()] {
        let person = try #require(holder.value.dynamicObject)
        #expect(holder.value.object(Person.self) == nil)
        #expect(person.objectSchema.className == "Person")
        #expect(person.id as? Int == 1 && person.name as? String == "Ada")
        #expect((person.best as? DynamicObject)?.name as? String == "Fido")
        #expect((person.address as? DynamicObject)?.street as? String == "Rue A")
        #expect((person.dogs as? List<DynamicObject>)?.first?.name as? String == "Rex")
      }
    }
  }

  @Test func `objects of classes that the Realm does not list are deleted`() throws {
    try Self.withUnlisted { realm, holder in
      let person = try #require(holder.value.dynamicObject)
      try realm.write { realm.delete(person) }
      #expect(person.isInvalidated && holder.value == .none)
    }
  }
}

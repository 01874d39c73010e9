import Foundation
import RealmSwift
import Testing
import TestingSupport

/// Supported types: values of any type.
@Suite struct AnyRealmValueSamples {
  class Dog: Object {
    @Persisted var name = ""
    @Persisted var currentCity = ""

    @Persisted var companion: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `different types in one property`() throws {
    let realm = try openRealm(Dog.self)
    let other = Dog(value: ["name": "Lita"])
    let values: [AnyRealmValue] = [
      .none, .int(1), .float(1.5), .double(2.5), .decimal128(3), .objectId(.generate()),
      .uuid(UUID()), .bool(true), .date(Date(timeIntervalSince1970: 4)), .data(Data([5])),
      .string("six"),
    ]
    let dog = Dog()
    try realm.write {
      realm.add(dog)
      realm.add(other)
    }
    let read = try #require(realm.objects(Dog.self).first)
    for value in values {
      try realm.write { dog.companion = value }
      #expect(read.companion == value)
    }
    try realm.write { dog.companion = .object(other) }
    #expect(read.companion.object(Dog.self)?.name == "Lita")
    try realm.write { dog.companion = .fromArray([.int(1), .string("a")]) }
    #expect(read.companion.listValue.map(Array.init) == [.int(1), .string("a")])
    try realm.write { dog.companion = .fromDictionary(["k": .bool(false)]) }
    #expect(read.companion.dictionaryValue?["k"] == .bool(false))
  }

  @Test func `never optional`() {
    // Such a property would not compile.
    let types: [Any.Type] = [Optional<Int>.self, Optional<AnyRealmValue>.self]
    #expect(types.map { $0 is any Persistable.Type } == [true, false])
  }

  class Indexed: Object {
    @Persisted(indexed: true) var companion: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Keyed: Object {
    @Persisted(primaryKey: true) var companion: AnyRealmValue

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `indexed, but no primary key`() async throws {
    let realm = try openRealm(Indexed.self)
    try realm.write {
      for number in 0..<1000 { realm.create(Indexed.self, value: [AnyRealmValue.int(number)]) }
      realm.create(Indexed.self, value: [AnyRealmValue.string("5")])
    }
    let text = realm.objects(Indexed.self).filter("companion == '5'")
    #expect(text.map(\.companion) == [.string("5")])
    #expect(text.explain().contains("Search Indexed.companion"), "\(text.explain())")
    #expect(realm.objects(Indexed.self).filter("companion == 5").map(\.companion) == [.int(5)])
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try openRealm(Keyed.self)
    }
    expectStop(result, says: "'Keyed.companion' of type 'mixed' cannot be a primary key.")
  }

  static func nested(_ levels: Int) -> AnyRealmValue {
    (1..<levels).reduce(.fromArray([.int(1)])) { inner, level in
      level.isMultiple(of: 2) ? .fromArray([inner]) : .fromDictionary(["k": inner])
    }
  }

  @Test func `collections to a hundred levels`() async throws {
    let realm = try openRealm(Dog.self)
    let dog = Dog(value: ["companion": Self.nested(100)])
    try realm.write { realm.add(dog) }
    let read = try #require(realm.objects(Dog.self).first)
    var value = read.companion
    var levels = 0
    while let inner = value.listValue?.first ?? value.dictionaryValue?["k"] {
      value = inner
      levels += 1
    }
    #expect(levels == 100 && value == .int(1))
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Dog.self)
      try realm.write { realm.add(Dog(value: ["companion": Self.nested(101)])) }
    }
    expectStop(result, says: "100 levels")
  }

  @Test func `single elements are found and updated`() throws {
    let realm = try openRealm(Dog.self)
    let dog = Dog()
    dog.companion = .fromDictionary([
      "name": .string("Lita"), "toys": .fromArray([.string("ball"), .string("bone")]),
    ])
    try realm.write { realm.add(dog) }
    let read = try #require(realm.objects(Dog.self).first)
    try realm.write {
      dog.companion.dictionaryValue?["name"] = .string("Laika")
      dog.companion.dictionaryValue?["toys"]?.listValue?[1] = .int(2)
      dog.companion.dictionaryValue?["toys"]?.listValue?.append(.none)
    }
    #expect(read.companion.dictionaryValue?["name"] == .string("Laika"))
    let toys = try #require(read.companion.dictionaryValue?["toys"]?.listValue)
    #expect(Array(toys) == [.string("ball"), .int(2), .none])
    #expect(toys.index(of: .int(2)) == 1)
  }
}

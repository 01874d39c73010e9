import Foundation
import RealmSwift
import Synchronization
import Testing
import TestingSupport

/// Supported types: statements without a sample of their own.
@MainActor @Suite struct StatementSamples {
  class Contact: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var friends: List<Contact>
    @Persisted var cities: MutableSet<String>
    @Persisted var parks: Map<String, String>
    @Persisted var companion: AnyRealmValue
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Contact>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm
  private let lisa: Contact
  private let liam: Contact

  init() throws {
    realm = try openRealm(Contact.self)
    let contacts = (1...2).map { Contact(value: ["id": $0, "name": "C\($0)"] as [String: Any]) }
    let realm = realm
    try realm.write { realm.add(contacts) }
    (lisa, liam) = (contacts[0], contacts[1])
  }

  @Test func `a type-erased collection is observed`() throws {
    var changes: [String] = []
    func observe(_ collection: AnyRealmCollection<Contact>) -> NotificationToken {
      collection.observe { change in
        if case .update(_, let deletions, let insertions, let modifications) = change {
          changes.append("\(deletions) \(insertions) \(modifications)")
        }
      }
    }
    let tokens = [
      observe(AnyRealmCollection(lisa.friends)),
      observe(AnyRealmCollection(realm.objects(Contact.self).where { $0.name == "new" })),
    ]
    realm.refresh()
    try realm.write {
      lisa.friends.append(Contact(value: ["id": 3, "name": "new"] as [String: Any]))
    }
    realm.refresh()
    #expect(changes == ["[] [0] []", "[] [0] []"])
    tokens.forEach { $0.invalidate() }
  }

  @Test func `results cannot be changed themselves`() {
    let results: Any.Type = Results<Contact>.self
    let list: Any.Type = List<Contact>.self
    #expect(!(results is any MutableCollection.Type))
    #expect(!(results is any RangeReplaceableCollection.Type))
    #expect(list is any MutableCollection.Type)
  }

  @Test func `sets, maps and linking objects are frozen by themselves`() throws {
    try realm.write {
      lisa.cities.insert("Paris")
      lisa.parks["a"] = "Bois"
      lisa.friends.append(liam)
    }
    let (cities, parks) = (lisa.cities.freeze(), lisa.parks.freeze())
    let friendOf = liam.friendOf.freeze()
    try realm.write {
      lisa.cities.removeAll()
      lisa.parks["b"] = "Parc"
      lisa.friends.removeAll()
    }
    #expect(cities.isFrozen && parks.isFrozen && friendOf.isFrozen)
    #expect(Array(cities) == ["Paris"] && parks.count == 1 && friendOf.count == 1)
    #expect(lisa.cities.isEmpty && lisa.parks.count == 2 && liam.friendOf.isEmpty)
  }

  class Price: Object {
    @Persisted var declared: Decimal128
    @Persisted var inferred = Decimal128()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `a decimal with a type or with a default is the same`() throws {
    let price = Price()
    #expect(price.declared == price.inferred && price.declared == 0)
    let realm = try openRealm(Price.self)
    try realm.write {
      realm.add(price)
      price.declared = 1.5
    }
    #expect(realm.objects(Price.self).first?.declared == 1.5)
    #expect(realm.objects(Price.self).first?.inferred == 0)
  }

  class Team: Object {
    let rank = RealmProperty<Int?>()
    let anything = RealmProperty<AnyRealmValue>()

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `optional values in models as they were declared before`() throws {
    let team = Team()
    #expect(team.rank.value == nil)
    team.rank.value = 3
    let realm = try openRealm(Team.self)
    try realm.write {
      realm.add(team)
      team.anything.value = .string("a")
    }
    let read = try #require(realm.objects(Team.self).first)
    #expect(read.rank.value == 3 && read.anything.value == .string("a"))
    try realm.write { read.rank.value = nil }
    #expect(team.rank.value == nil)
  }

  @Test func `a text has 16 megabytes at most`() async throws {
    let text = String(repeating: "a", count: 16 << 20)
    try realm.write { lisa.name = text }
    #expect(realm.objects(Contact.self).first?.name.utf8.count == 16 << 20)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openRealm(Contact.self)
      // Half as many characters, of two bytes each.
      let long = String(repeating: "é", count: (8 << 20) + 1)
      try realm.write { realm.add(Contact(value: ["name": long])) }
    }
    expectStop(result, says: "a property holds at most")
  }

  class Sets: Object {
    @Persisted var links: MutableSet<Contact?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `a set has no null links`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try openRealm(Sets.self, Contact.self)
    }
    expectStop(result, says: "the objects in a set of Contact cannot be optional")
  }

  @Test func `a read-only Realm reads sets`() async throws {
    let path = NSTemporaryDirectory() + "statements-\(UUID().uuidString).cadastre"
    let url = URL(fileURLWithPath: path)
    func configuration(readOnly: Bool) -> Realm.Configuration {
      Realm.Configuration(fileURL: url, readOnly: readOnly, objectTypes: [Contact.self])
    }
    defer { _ = try? Realm.deleteFiles(for: configuration(readOnly: false)) }
    try {
      let realm = try Realm(configuration: configuration(readOnly: false))
      try realm.write { realm.add(Contact(value: ["id": 1, "cities": ["Rome"]] as [String: Any])) }
    }()
    let realm = try Realm(configuration: configuration(readOnly: true))
    #expect(realm.objects(Contact.self).first?.cities.contains("Rome") == true)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: URL(fileURLWithPath: path), readOnly: true, objectTypes: [Contact.self]))
      realm.objects(Contact.self).first?.cities.insert("Oslo")
    }
    expectStop(result, says: "Cannot modify managed objects outside of a write transaction")
  }

  @Test func `a dollar sign within a key`() throws {
    // The page refuses every dollar sign. The engine refuses it at the start only, and files have such keys.
    try realm.write { lisa.parks["New$York"] = "Central Park" }
    #expect(lisa.parks["New$York"] == "Central Park")
  }

  // MARK: Values of any type

  @Test(arguments: [false, true])
  func `a set is no value of any type`(isNested: Bool) throws {
    for set: Any in [MutableSet<Int>(), Set([1])] {
      let values: [Any] = isNested ? [[set], ["k": set]] : [set]
      for value in values {
        try realm.write {
          #expect(throws: InvalidValueError.self, "\(value)") {
            try lisa.setValue(checking: value, forKey: "companion")
          }
          #expect(throws: InvalidValueError.self, "\(value)") {
            try realm.create(
              checking: Contact.self, value: ["id": 9, "companion": value] as [String: Any])
          }
        }
      }
    }
    #expect(realm.objects(Contact.self).count == 2)
  }

  @Test func `a set as a value of any type stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Contact(value: ["companion": MutableSet<Int>()])
    }
    expectStop(result, says: "Invalid value")
  }

  class Part: EmbeddedObject {
    @Persisted var name = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `an embedded object is no value of any type`() throws {
    for value: Any in [Part(), [Part()], ["k": Part()]] {
      try realm.write {
        #expect(throws: InvalidValueError.self) {
          try lisa.setValue(checking: value, forKey: "companion")
        }
      }
    }
    #expect(lisa.companion == .none)
  }

  @Test func `lists and maps in values of any type are observed`() throws {
    try realm.write {
      lisa.companion = .fromArray([.int(1), .fromArray([.int(2)])])
      liam.companion = .fromDictionary(["a": .int(1)])
    }
    let list = try #require(lisa.companion.listValue)
    let nested = try #require(list[1].listValue)
    let map = try #require(liam.companion.dictionaryValue)
    var changes: [String] = []
    let tokens = [
      list.observe { change in
        if case .update(_, let deletions, let insertions, let modifications) = change {
          changes.append("list \(deletions) \(insertions) \(modifications)")
        }
      },
      nested.observe { change in
        if case .update(_, _, let insertions, _) = change { changes.append("nested \(insertions)") }
      },
      map.observe { change in
        if case .update(_, _, let insertions, _) = change { changes.append("map \(insertions)") }
      },
      lisa.observe { change in
        if case .change(_, let properties) = change { changes += properties.map(\.name) }
      },
    ]
    realm.refresh()
    try realm.write {
      nested.append(.int(3))
      map["b"] = .int(2)
    }
    realm.refresh()
    #expect(Set(changes) == ["list [] [] [1]", "nested [1]", "map [\"b\"]", "companion"])
    tokens.forEach { $0.invalidate() }
  }

  // MARK: Points

  class OnlyCoordinates: EmbeddedObject {
    @Persisted var coordinates: List<Double>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class OnlyType: EmbeddedObject {
    @Persisted var type = "Point"
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class WholeCoordinates: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Places: Object {
    @Persisted var first: OnlyCoordinates?
    @Persisted var second: OnlyType?
    @Persisted var third: WholeCoordinates?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test(arguments: ["first", "second", "third"])
  func `a point has a type and coordinates of Double`(property: String) throws {
    let realm = try openRealm(
      Places.self, OnlyCoordinates.self, OnlyType.self, WholeCoordinates.self)
    let circle = try #require(GeoCircle(center: (1, 2), radiusInRadians: 0.1))
    #expect(throws: QueryPredicateError.self) {
      try realm.objects(Places.self).filter(
        parsing: "\(property) GEOWITHIN %@", arguments: [circle])
    }
  }

  // MARK: Lazy results

  @Test func `results are evaluated when they are read`() throws {
    try realm.write {
      for id in 3...400 { realm.create(Contact.self, value: ["id": id] as [String: Any]) }
    }
    let results = realm.objects(Contact.self).where { $0.name == "C1" }
    // A result that had been evaluated would hold the object before this change.
    try realm.write { liam.name = "C1" }
    #expect(results.count == 2)
  }
}

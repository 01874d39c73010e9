import Cadastre
import Foundation
import Testing

class BehaviourToy: Object {
  @Persisted var name = ""
  @Persisted var price = 0
  @Persisted(originProperty: "toys") var owners: LinkingObjects<BehaviourOwner>
  /// A computed property of two persisted ones.
  var label: String { "\(name) \(price)" }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum BehaviourStatus: Int, PersistableEnum { case off, on }

/// A number that is even.
struct BehaviourEven: FailableCustomPersistable {
  var number: Int
  init?(persistedValue: Int) {
    guard persistedValue.isMultiple(of: 2) else { return nil }
    number = persistedValue
  }
  var persistableValue: Int { number }
}

class BehaviourOwner: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var status: BehaviourStatus?
  @Persisted var level: BehaviourStatus
  @Persisted var even: BehaviourEven?
  @Persisted var anything: AnyRealmValue
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var numbers: List<Int>
  @Persisted var favourite: BehaviourToy?
  @Persisted var friend: BehaviourOwner?
  @Persisted var toys: List<BehaviourToy>
  @Persisted var byName: Map<String, BehaviourToy?>
  @Persisted var bag: MutableSet<BehaviourToy>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BehaviourView: Projection<BehaviourOwner> {
  @Projected(\BehaviourOwner.name) var title
  @Projected(\BehaviourOwner.toys.projectTo.label) var labels
}

/// Behaviour that Realm documents, or that its tests state; the expected values are Realm's.
@MainActor
@Suite struct RealmBehaviourTests {
  private let realm: Realm

  init() throws {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = [BehaviourOwner.self, BehaviourToy.self]
    realm = try Realm(configuration: configuration)
  }

  private func owner() throws -> BehaviourOwner {
    try realm.write {
      realm.create(
        BehaviourOwner.self,
        value: [
          "id": 1, "name": "Ann", "numbers": [3, 7, 5], "favourite": ["name": "kite"],
          "toys": [["name": "Ann", "price": 1], ["name": "ball", "price": 2]],
        ] as [String: Any])
    }
  }

  @Test func `values that a mapping refuses are stored`() throws {
    let object = BehaviourOwner(value: ["id": 1, "status": 10, "even": 3] as [String: Any])
    #expect(object.status == nil && object.even == nil)
    object["status"] = 10
    #expect(object.status == nil)
    let managed = try realm.write {
      realm.create(
        BehaviourOwner.self, value: ["id": 2, "status": 10, "even": 3] as [String: Any])
    }
    #expect(managed.status == nil && managed.even == nil)
    #expect(managed["status"] as? Int == 10)
    #expect(managed["even"] as? Int == 3)
    #expect(realm.objects(BehaviourOwner.self).filter("even == 3 AND status == 10").count == 1)
    try realm.write {
      #expect(throws: InvalidValueError.self) {
        try realm.create(checking: BehaviourOwner.self, value: ["id": 3, "status": 10])
      }
    }
  }

  @Test func `key paths lead through elements`() throws {
    #expect(_name(for: \BehaviourOwner.toys[0].name) == "toys.name")
    #expect(_name(for: \BehaviourOwner.toys[3].price) == "toys.price")
    #expect(_name(for: \BehaviourOwner.bag[0].name) == "bag.name")
    #expect(_name(for: \BehaviourOwner.byName["x"]??.name) == "byName.name")
    #expect(_name(for: \BehaviourOwner.friend?.toys[1].name) == "friend.toys.name")
    #expect(_name(for: \BehaviourToy.owners[0].name) == "owners.name")
    #expect(_name(for: \BehaviourToy.owners[0].toys[0].price) == "owners.toys.price")
    #expect(_name(for: \BehaviourOwner.numbers[0]) == "numbers")
    #expect(_name(for: \BehaviourOwner.toys) == "toys")
    let managed = try owner()
    var changes: [String] = []
    let token = managed.observe(keyPaths: [\.toys[0].name]) { change in
      if case .change(_, let properties) = change { changes += properties.map(\.name) }
    }
    try realm.write { managed.toys[1].price = 9 }
    realm.refresh()
    #expect(changes == [])
    try realm.write { managed.toys[1].name = "drum" }
    realm.refresh()
    #expect(changes == ["toys.name"] || changes == ["toys"])
    token.invalidate()
  }

  @Test func `elements are projected to a computed property`() throws {
    let managed = try owner()
    let view = BehaviourView(projecting: managed)
    #expect(Array(view.labels) == ["Ann 1", "ball 2"])
    var changes: [String] = []
    let token = view.observe { change in
      if case .change(_, let properties) = change { changes += properties.map(\.name) }
    }
    try realm.write { managed.toys[1].price = 9 }
    realm.refresh()
    #expect(changes == ["labels"])
    #expect(Array(view.labels) == ["Ann 1", "ball 9"])
    token.invalidate()
    #expect(view.description.contains("labels(\\.toys)"))
  }

  @Test func `values of unmanaged collections are searched`() {
    let owner = BehaviourOwner()
    owner.numbers.append(objectsIn: [3, 7, 5])
    #expect(owner.numbers.index(matching: "self == 7") == 1)
    #expect(owner.numbers.index(matching: "SELF > 3") == 1)
    #expect(owner.numbers.index(matching: "self > %@", 7) == nil)
    owner.anys.append(objectsIn: [.string("a"), .int(2)])
    #expect(owner.anys.index(matching: "self == 2") == 1)
  }

  @Test func `links of dynamic objects are objects of the program`() throws {
    let managed = try owner()
    let dynamic = try #require(realm.dynamicObjects("BehaviourOwner").first)
    #expect((dynamic["favourite"] as? BehaviourToy)?.isSameObject(as: managed.favourite) == true)
    #expect((dynamic.favourite as? BehaviourToy)?.name == "kite")
  }

  @Test func `sums of no values`() {
    #expect(BehaviourOwner().anys.sum() == .int(0))
    #expect(BehaviourOwner().numbers.sum() == 0)
  }

  @Test func `an element whose sort key changes is the one that moves`() throws {
    try realm.write {
      for (price, name) in [(1, "a"), (2, "b")] {
        realm.create(BehaviourToy.self, value: ["name": name, "price": price] as [String: Any])
      }
    }
    let toys = realm.objects(BehaviourToy.self)
    for moved in ["a", "b"] {
      let sections = toys.sectioned(
        by: { _ in "all" }, sortDescriptors: [SortDescriptor(keyPath: "price")])
      var updates: [String] = []
      let token = sections.observe { change in
        if case .update(_, let deletions, let insertions, let modifications, _, _) = change {
          updates.append("\(deletions) \(insertions) \(modifications)")
        }
      }
      var plain: [String] = []
      let other = toys.sorted(byKeyPath: "price").observe { change in
        if case .update(_, let deletions, let insertions, let modifications) = change {
          plain.append("\(deletions) \(insertions) \(modifications)")
        }
      }
      realm.refresh()
      let toy = try #require(toys.filter("name == %@", moved).first)
      let index = try #require(
        toys.sorted(byKeyPath: "price").firstIndex { $0.isSameObject(as: toy) })
      try realm.write { toy.price = index == 0 ? 100 : -100 }
      realm.refresh()
      #expect(updates == ["[[0, \(index)]] [[0, \(1 - index)]] []"], "\(moved)")
      #expect(plain == ["[\(index)] [\(1 - index)] []"], "\(moved)")
      token.invalidate()
      other.invalidate()
    }
  }
}

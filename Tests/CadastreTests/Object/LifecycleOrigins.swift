import Cadastre
import Foundation

class Bell: EmbeddedObject {
  @Persisted var tone = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Tower: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var height = 0
  @Persisted var next: Tower?
  @Persisted var near: List<Tower>
  @Persisted var bell: Bell?
  @Persisted var bells: List<Bell>
  @Persisted var named: Map<String, Bell?>
  @Persisted(originProperty: "next") var previous: LinkingObjects<Tower>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object without a primary key.
class Milestone: Object {
  @Persisted var mark = 0
  @Persisted var height = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The objects whose instances are followed through an event: tower 2, milestone 2, and the bells of tower 2.
enum LifecycleKind: String, CaseIterable {
  case tower, milestone, rowBell, listBell, mapBell

  /// The value that the object has before the event; an event adds to it.
  var value: Int { 20 + (Self.allCases.firstIndex(of: self) ?? 0) }

  /// Whether the object is embedded in the tower.
  var isMember: Bool { self != .tower && self != .milestone }

  /// Returns the value of an instance.
  static func value(of object: ObjectBase) -> Int? {
    switch object {
    case let tower as Tower: tower.height
    case let milestone as Milestone: milestone.height
    case let bell as Bell: bell.tone
    default: object[object.objectSchema.className == "Bell" ? "tone" : "height"] as? Int
    }
  }
}

/// An access by which a program gets an instance.
struct LifecycleOrigin {
  let name: String
  let kind: LifecycleKind
  /// Whether it can be used on every queue, and in a transaction that created the object.
  var isGeneral = true
  let find: (Realm) -> ObjectBase?

  private static func tower(_ realm: Realm, _ id: Int = 2) -> Tower? {
    realm.object(ofType: Tower.self, forPrimaryKey: id)
  }

  private static func dynamic(_ realm: Realm, _ id: Int = 2) -> DynamicObject? {
    realm.dynamicObject(ofType: "Tower", forPrimaryKey: id)
  }

  /// The last element of a sequence that fits, also if a loop continues afterwards.
  private static func last<Elements: Sequence>(
    _ elements: Elements?, _ fits: (Elements.Element) -> Bool = { _ in true }
  ) -> Elements.Element? {
    var found: Elements.Element?
    guard let elements else { return nil }
    for element in elements where fits(element) { found = element }
    return found
  }

  static var all: [LifecycleOrigin] { towers + milestones + members }

  private static var towers: [LifecycleOrigin] {
    func sorted(_ realm: Realm) -> Results<Tower> {
      realm.objects(Tower.self).where { $0.id > 0 }.sorted(by: \.id)
    }
    func origin(_ name: String, _ find: @escaping (Realm) -> ObjectBase?) -> LifecycleOrigin {
      LifecycleOrigin(name: name, kind: .tower, find: find)
    }
    return [
      origin("primary key") { tower($0) },
      origin("where first") { $0.objects(Tower.self).where { $0.id == 2 }.first },
      origin("filter last") { $0.objects(Tower.self).filter("id == 2").last },
      origin("iteration") { last($0.objects(Tower.self)) { $0.id == 2 } },
      origin("iteration of a query") { last(sorted($0)) { $0.id == 2 } },
      origin("subscript") { realm in
        let towers = sorted(realm)
        return towers.firstIndex { $0.id == 2 }.map { towers[$0] }
      },
      origin("prefix") { last(sorted($0).prefix(2)) { $0.id == 2 } },
      origin("limit") { last(sorted($0).limit(2)) { $0.id == 2 } },
      origin("array") { Array($0.objects(Tower.self)).first { $0.id == 2 } },
      origin("link") { tower($0, 1)?.next },
      origin("list") { tower($0, 1)?.near.first },
      origin("linking objects") { tower($0, 3)?.previous.first },
      origin("dynamic primary key") { dynamic($0) },
      origin("dynamic iteration") { last($0.dynamicObjects("Tower")) { $0["id"] as? Int == 2 } },
      origin("dynamic link") { dynamic($0, 1)?["next"] as? ObjectBase },
      origin("dynamic list") { dynamic($0, 1)?.dynamicList("near").first },
      LifecycleOrigin(name: "thread-safe reference", kind: .tower, isGeneral: false) { realm in
        tower(realm).flatMap { realm.resolve(ThreadSafeReference(to: $0)) }
      },
      LifecycleOrigin(name: "thaw", kind: .tower, isGeneral: false) { tower($0)?.freeze().thaw() },
    ]
  }

  private static var milestones: [LifecycleOrigin] {
    func origin(_ name: String, _ find: @escaping (Realm) -> ObjectBase?) -> LifecycleOrigin {
      LifecycleOrigin(name: name, kind: .milestone, find: find)
    }
    return [
      origin("where first") { $0.objects(Milestone.self).where { $0.mark == 2 }.first },
      origin("iteration") { last($0.objects(Milestone.self)) { $0.mark == 2 } },
      origin("prefix") {
        last($0.objects(Milestone.self).sorted(by: \.mark).prefix(2)) { $0.mark == 2 }
      },
      origin("dynamic filter") { $0.dynamicObjects("Milestone").filter("mark == 2").first },
    ]
  }

  private static var members: [LifecycleOrigin] {
    func origin(
      _ name: String, _ kind: LifecycleKind, _ find: @escaping (Realm) -> ObjectBase?
    ) -> LifecycleOrigin {
      LifecycleOrigin(name: name, kind: kind, find: find)
    }
    return [
      origin("property", .rowBell) { tower($0)?.bell },
      origin("property of a query", .rowBell) {
        $0.objects(Tower.self).where { $0.id == 2 }.first?.bell
      },
      origin("property of an iteration", .rowBell) {
        last($0.objects(Tower.self)) { $0.id == 2 }?.bell
      },
      origin("property by name", .rowBell) { tower($0)?["bell"] as? ObjectBase },
      origin("dynamic property", .rowBell) { dynamic($0)?["bell"] as? ObjectBase },
      origin("first", .listBell) { tower($0)?.bells.first },
      origin("subscript", .listBell) { realm in
        tower(realm).flatMap { $0.bells.isEmpty ? nil : $0.bells[0] }
      },
      origin("iteration", .listBell) { last(tower($0)?.bells) },
      origin("query", .listBell) { tower($0)?.bells.where { $0.tone > 0 }.first },
      origin("dynamic list", .listBell) { dynamic($0)?.dynamicList("bells").first },
      origin("key", .mapBell) { tower($0)?.named["k"] ?? nil },
      origin("values", .mapBell) { tower($0)?.named.values.first ?? nil },
      origin("dynamic map", .mapBell) { realm in
        guard let dynamic = dynamic(realm) else { return nil }
        let bells: Map<String, DynamicObject?> = dynamic.dynamicMap("named")
        return bells["k"] ?? nil
      },
    ]
  }
}

/// The store of towers, and the events in it.
enum LifecycleStore {
  static func configuration() -> Realm.Configuration {
    Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString,
      objectTypes: [Tower.self, Bell.self, Milestone.self])
  }

  static func tower(_ realm: Realm, _ id: Int) -> Tower? {
    realm.object(ofType: Tower.self, forPrimaryKey: id)
  }

  /// Adds the towers and milestones beside which the followed objects are.
  static func insertNeighbours(_ realm: Realm) {
    for id in [1, 3] {
      realm.create(Tower.self, value: ["id": id, "height": id])
      realm.create(Milestone.self, value: ["mark": id, "height": id])
    }
  }

  /// Adds the followed objects, with links to and from their neighbours.
  static func insert(_ realm: Realm, adding sum: Int = 0) {
    func value(_ kind: LifecycleKind) -> Int { kind.value + sum }
    let tower = realm.create(Tower.self, value: ["id": 2, "height": value(.tower)])
    tower.bell = Bell(value: ["tone": value(.rowBell)])
    tower.bells.append(Bell(value: ["tone": value(.listBell)]))
    tower.named["k"] = Bell(value: ["tone": value(.mapBell)])
    tower.next = self.tower(realm, 3)
    self.tower(realm, 1)?.next = tower
    self.tower(realm, 1)?.near.append(tower)
    realm.create(Milestone.self, value: ["mark": 2, "height": value(.milestone)])
  }

  /// Deletes the tower and the milestone.
  static func delete(_ realm: Realm) {
    if let tower = tower(realm, 2) { realm.delete(tower) }
    realm.delete(realm.objects(Milestone.self).where { $0.mark == 2 })
  }
}

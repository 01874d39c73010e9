import Cadastre
import Foundation
import Testing

/// A place of a program's own, stored as an embedded object that has another one in it.
struct Stop: CustomPersistable, Equatable {
  var x = 0
  var y = -1
  var label = ""

  init(x: Int, y: Int, label: String) { (self.x, self.y, self.label) = (x, y, label) }

  init(persistedValue: StoredStop) {
    self.init(
      x: persistedValue.x, y: persistedValue.y, label: persistedValue.detail?.label ?? "none")
  }

  var persistableValue: StoredStop {
    StoredStop(value: ["x": x, "y": y, "detail": ["label": label]])
  }
}

class StoredStop: EmbeddedObject {
  @Persisted var x = 0
  @Persisted var y = -1
  @Persisted var detail: StopDetail?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class StopDetail: EmbeddedObject {
  @Persisted var label = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Tour: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var start: Stop
  @Persisted var end: Stop?
  @Persisted var stops: List<Stop>
  @Persisted var named: Map<String, Stop?>
  @Persisted var plain: StoredStop?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Properties of types that are mapped to an embedded object, from values of every kind.
@Suite struct MappedCreationTests {
  /// The kinds of values that give a property its embedded object.
  enum Source: CaseIterable {
    case mapped, unmanaged, managed, ofOtherRealm, dictionary, dictionaryWithObject, array
  }

  /// The ways in which a value becomes a property of a managed object.
  enum EntryPoint: CaseIterable {
    case create, createAll, createModified, createChecking, createDynamically, createFromObject
    case initialize, setUnmanaged, subscripting, setValue, setValueChecking
  }

  private static let expected = Stop(x: 3, y: 4, label: "far")

  private let realm: Realm
  private let other: Realm

  init() throws {
    (realm, other) = (try Self.makeRealm(), try Self.makeRealm())
    for realm in [realm, other] {
      try realm.write {
        realm.create(
          Tour.self,
          value: ["id": -1, "plain": ["x": 3, "y": 4, "detail": ["label": "far"]]] as [String: Any])
      }
    }
  }

  private static func makeRealm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Tour.self, StoredStop.self, StopDetail.self]))
  }

  private func value(_ source: Source) throws -> Any {
    switch source {
    case .mapped: return Self.expected
    case .unmanaged: return Self.expected.persistableValue
    case .managed:
      return try #require(realm.object(ofType: Tour.self, forPrimaryKey: -1)?.plain)
    case .ofOtherRealm:
      return try #require(other.object(ofType: Tour.self, forPrimaryKey: -1)?.plain)
    case .dictionary: return ["x": 3, "y": 4, "detail": ["label": "far"]] as [String: Any]
    case .dictionaryWithObject:
      return ["x": 3, "y": 4, "detail": StopDetail(value: ["label": "far"])] as [String: Any]
    case .array: return [3, 4, ["label": "far"]] as [Any]
    }
  }

  /// Adds a tour with the values to the Realm.
  private func add(_ values: [String: Any], _ entryPoint: EntryPoint) throws {
    let named = values.merging(["id": 1]) { $1 }
    switch entryPoint {
    case .create: realm.create(Tour.self, value: named)
    case .createAll, .createModified:
      realm.create(Tour.self, value: ["id": 1, "start": Stop(x: 7, y: 7, label: "seven")])
      realm.create(
        Tour.self, value: named, update: entryPoint == .createAll ? .all : .modified)
    case .createChecking: try realm.create(checking: Tour.self, value: named)
    case .createDynamically: realm.dynamicCreate("Tour", value: named)
    case .createFromObject: realm.create(Tour.self, value: Tour(value: named))
    case .initialize: realm.add(Tour(value: named))
    case .setUnmanaged:
      let tour = Tour(value: ["id": 1])
      for (name, value) in values { tour[name] = value }
      realm.add(tour)
    case .subscripting, .setValue, .setValueChecking:
      let tour = realm.create(Tour.self, value: ["id": 1])
      for (name, value) in values {
        switch entryPoint {
        case .setValue: tour.setValue(value, forKey: name)
        case .setValueChecking: try tour.setValue(checking: value, forKey: name)
        default: tour[name] = value
        }
      }
    }
  }

  @Test(arguments: Source.allCases, EntryPoint.allCases)
  func `all members of the embedded object are stored`(
    _ source: Source, _ entryPoint: EntryPoint
  ) throws {
    try realm.write {
      try add(
        [
          "start": try value(source), "end": try value(source),
          "stops": [try value(source), try value(source)],
          "named": ["a": try value(source), "b": NSNull()] as [String: Any],
        ], entryPoint)
    }
    let tour = try #require(realm.object(ofType: Tour.self, forPrimaryKey: 1))
    let expected = Self.expected
    #expect(tour.start == expected && tour.end == expected)
    #expect(Array(tour.stops) == [expected, expected])
    #expect(tour.named["a"] == expected && tour.named["b"] == .some(nil))
    let tours = realm.objects(Tour.self)
    #expect(tours.where { $0.start == expected && $0.end == expected }.map(\.id) == [1])
    #expect(tours.filter("start.y == 4 AND start.detail.label == 'far'").map(\.id) == [1])
  }

  @Test func `one unmanaged object is the value of several properties, and stays as it is`()
    throws
  {
    let stop = Self.expected.persistableValue
    try realm.write {
      realm.create(
        Tour.self, value: ["id": 1, "start": stop, "plain": stop, "stops": [stop, stop]])
    }
    let tour = try #require(realm.object(ofType: Tour.self, forPrimaryKey: 1))
    #expect(tour.start == Self.expected && Array(tour.stops) == [Self.expected, Self.expected])
    #expect(tour.plain.map(Stop.init) == Self.expected)
    #expect(stop.realm == nil && Stop(persistedValue: stop) == Self.expected)
  }

  @Test func `null is a new object in a required property, and nil in an optional one`() throws {
    try realm.write {
      realm.create(
        Tour.self, value: ["id": 1, "start": NSNull(), "end": NSNull()] as [String: Any])
      let tour = realm.create(Tour.self, value: ["id": 2, "start": Self.expected])
      tour["start"] = NSNull()
    }
    for tour in realm.objects(Tour.self).filter("id > 0") {
      #expect(tour.start == Stop(x: 0, y: -1, label: "none") && tour.end == nil)
    }
    #expect(realm.objects(Tour.self).filter("id > 0 AND start.y == -1").map(\.id) == [1, 2])
    try realm.write {
      let error = #expect(throws: InvalidValueError.self) {
        try realm.create(checking: Tour.self, value: ["id": 3, "start": NSNull()] as [String: Any])
      }
      #expect(error?.property == "start")
    }
  }

  @Test func `an update keeps the members that a dictionary does not name`() throws {
    func update(_ value: Any, _ policy: Realm.UpdatePolicy) throws -> Tour {
      try realm.write {
        realm.create(
          Tour.self, value: ["id": 1, "start": Self.expected, "end": Self.expected], update: .all)
        return realm.create(
          Tour.self, value: ["id": 1, "start": value, "end": value] as [String: Any],
          update: policy)
      }
    }
    let changed = try update(["x": 9], .modified)
    #expect(changed.start == Stop(x: 9, y: 4, label: "far") && changed.end == changed.start)
    let replaced = try update(["x": 9], .all)
    #expect(replaced.start == Stop(x: 9, y: -1, label: "none") && replaced.end == replaced.start)
    let whole = Stop(x: 9, y: 0, label: "")
    #expect(try update(whole, .modified).start == whole)
    #expect(try update(whole.persistableValue, .modified).end == whole)
  }
}

import Cadastre
import Foundation
import Testing

/// A class with an initializer of its own, and properties that accept values of other types.
private class Holding: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = "unnamed"
  @Persisted var area = 1.5
  @Persisted var isPublic = true
  @Persisted var storeys: Int?
  @Persisted var note: String?
  @Persisted var surveyed = Date(timeIntervalSince1970: 1)
  @Persisted var corners: List<Double>
  @Persisted var centre: HoldingCentre?
  @Persisted var neighbour: Holding?
  @Persisted var labels: Map<String, String>
  @Persisted var owners: MutableSet<String>

  required init() {
    super.init()
    name = "from init"
    storeys = 7
    corners.append(0)
  }
}

private class HoldingCentre: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

@Suite("Creation from a value")
struct CreationTests {
  private static func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Holding.self, HoldingCentre.self]))
  }

  /// Values as programs write them: exact types, converted ones, null, and dictionaries of common types.
  private static var values: [[String: Any]] {
    [
      ["id": 1],
      ["id": 2, "name": "Mill", "area": 3, "isPublic": false, "storeys": 2, "note": "old"],
      ["id": 3, "name": "", "area": Float(2.5), "storeys": NSNull(), "note": String?.none as Any],
      ["id": Int8(4), "storeys": Int32(5), "surveyed": Date(timeIntervalSince1970: 99)],
      ["id": 5, "corners": [1.0, 2.0], "owners": ["Ada", "Bob", "Ada"], "labels": ["a": "b"]],
      ["id": 6, "corners": [1, 2.5] as [Any], "centre": ["coordinates": [7.5, 8.5]]],
      ["id": 7, "centre": ["type": "Point", "coordinates": [1, 2]] as [String: Any]],
      ["id": 8, "centre": ["type": "Square"], "neighbour": ["id": 80]],
      [
        "id": 9, "neighbour": ["id": 90, "name": "Yard", "neighbour": ["id": 91]] as [String: Any],
      ],
      ["id": 10, "unknown": 1],
    ]
  }

  @Test(
    "a created object has the properties of an unmanaged one from the same value", arguments: 0..<10
  )
  func properties(index: Int) throws {
    let value = Self.values[index]
    let expected = Holding(value: value)
    let realm = try Self.realm()
    let created = try realm.write { realm.create(Holding.self, value: value) }
    Self.expectEqual(created, expected)
    let id = expected.id
    Self.expectEqual(try #require(realm.object(ofType: Holding.self, forPrimaryKey: id)), expected)
  }

  @Test("an upsert inserts the object of a value, and then changes nothing else", arguments: 0..<10)
  func upsert(index: Int) throws {
    let value = Self.values[index]
    let expected = Holding(value: value)
    let realm = try Self.realm()
    for policy in [Realm.UpdatePolicy.modified, .all, .modified] {
      let created = try realm.write { realm.create(Holding.self, value: value, update: policy) }
      Self.expectEqual(created, expected)
    }
    let parcel = try #require(realm.object(ofType: Holding.self, forPrimaryKey: expected.id))
    try realm.write {
      realm.create(
        Holding.self, value: ["id": expected.id, "name": "new", "labels": ["z": "y"]],
        update: .modified)
    }
    expected.name = "new"
    expected.labels.removeAll()
    expected.labels["z"] = "y"
    Self.expectEqual(parcel, expected)
  }

  @Test("a value may be an array, an object or an unmanaged object")
  func otherValues() throws {
    let realm = try Self.realm()
    let source = Holding(value: ["id": 3, "name": "Mill", "centre": ["coordinates": [7.5, 8.5]]])
    try realm.write {
      Self.expectEqual(realm.create(Holding.self, value: source), source)
      #expect(source.realm == nil && source.centre?.realm == nil)
      Self.expectEqual(
        realm.create(Holding.self, value: [4, "Yard", 2.5] as [Any]),
        Holding(value: [4, "Yard", 2.5] as [Any]))
      let managed = try #require(realm.object(ofType: Holding.self, forPrimaryKey: 3))
      let copy = realm.create(Holding.self, value: managed, update: .modified)
      Self.expectEqual(copy, source)
      #expect(copy.isSameObject(as: managed))
    }
  }

  @Test("a collection that the program holds stays that of the object when it is added")
  func heldCollection() throws {
    let realm = try Self.realm()
    let parcel = Holding()
    parcel.labels["a"] = "b"
    let (corners, labels, owners) = (parcel.corners, parcel.labels, parcel.owners)
    try realm.write {
      realm.add(parcel)
      corners.append(2)
      labels["c"] = "d"
      owners.insert("Ada")
    }
    #expect(Array(parcel.corners) == [0, 2])
    #expect(parcel.labels.keys.sorted() == ["a", "c"])
    #expect(Array(parcel.owners) == ["Ada"])
    #expect(Array(corners) == [0, 2])
  }

  private static func expectEqual(
    _ stored: Holding, _ expected: Holding, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(stored.realm != nil && expected.realm == nil, sourceLocation: location)
    #expect(stored.id == expected.id, sourceLocation: location)
    #expect(stored.name == expected.name, sourceLocation: location)
    #expect(stored.area == expected.area, sourceLocation: location)
    #expect(stored.isPublic == expected.isPublic, sourceLocation: location)
    #expect(stored.storeys == expected.storeys, sourceLocation: location)
    #expect(stored.note == expected.note, sourceLocation: location)
    #expect(stored.surveyed == expected.surveyed, sourceLocation: location)
    #expect(Array(stored.corners) == Array(expected.corners), sourceLocation: location)
    #expect(Set(stored.owners) == Set(expected.owners), sourceLocation: location)
    #expect(Set(stored.labels.keys) == Set(expected.labels.keys), sourceLocation: location)
    for key in expected.labels.keys {
      #expect(stored.labels[key] == expected.labels[key], sourceLocation: location)
    }
    #expect((stored.centre == nil) == (expected.centre == nil), sourceLocation: location)
    #expect(stored.centre?.type == expected.centre?.type, sourceLocation: location)
    #expect(
      stored.centre.map { Array($0.coordinates) } == expected.centre.map { Array($0.coordinates) },
      sourceLocation: location)
    #expect((stored.neighbour == nil) == (expected.neighbour == nil), sourceLocation: location)
    if let neighbour = stored.neighbour, let other = expected.neighbour {
      expectEqual(neighbour, other, location)
    }
  }
}

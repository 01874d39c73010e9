import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

/// An update of an existing object from a dictionary has the result of one from an unmanaged object, whichever
/// types the values have.
@Suite struct PlainUpdateTests {
  enum Size: String, PersistableEnum { case small, large }

  class Parcel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var label = "none"
    @Persisted var count = 7
    @Persisted var weight: Double?
    @Persisted var isOpen = true
    @Persisted var shelf: Int8 = 1
    @Persisted var size = Size.small
    @Persisted var sent = Date(timeIntervalSince1970: 0)
    @Persisted var tags: List<String>

    var content: [String] {
      [
        "\(id)", label, "\(count)", "\(weight ?? -1)", "\(isOpen)", "\(shelf)", size.rawValue,
        "\(sent)",
      ]
        + tags
    }
  }

  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Parcel.self]))
    try realm.write {
      realm.create(Parcel.self, value: ["id": 1, "weight": 2.5, "tags": ["a"]] as [String: Any])
    }
  }

  private static let values: [[String: any Sendable]] = [
    ["id": 1],
    ["id": 1, "label": "x", "count": -3, "weight": 0.5, "isOpen": false],
    ["id": 1, "label": "none", "count": 7, "weight": 2.5, "isOpen": true],
    ["id": 1, "count": 8, "unknown": "ignored"],
    ["id": 1, "weight": 3],
    ["id": 1, "weight": NSNull()],
    ["id": 1, "label": "y", "shelf": 4],
    ["id": 1, "label": "y", "size": "large"],
    ["id": 1, "count": 9, "sent": Date(timeIntervalSince1970: 60)],
    ["id": 1, "count": 9, "tags": ["b", "c"]],
    ["id": 2, "label": "new"],
  ]

  @Test(arguments: values.indices) func `as by an unmanaged object`(_ index: Int) throws {
    let value: [String: Any] = Self.values[index]
    try realm.write {
      let updated = realm.create(Parcel.self, value: value, update: .modified)
      let id = try #require(value["id"] as? Int)
      #expect(updated.isSameObject(as: realm.object(ofType: Parcel.self, forPrimaryKey: id)))
      let content = updated.content
      realm.cancelWrite()

      realm.beginWrite()
      // Properties that the value does not name have the values that are stored.
      let stored = realm.object(ofType: Parcel.self, forPrimaryKey: id) ?? Parcel()
      let expected = Parcel()
      expected.tags.append(objectsIn: stored.tags)
      for property in stored.objectSchema.properties where property.name != "tags" {
        expected[property.name] = stored[property.name]
      }
      for (name, value) in value where expected.objectSchema[name] != nil {
        expected[name] = value
      }
      #expect(content == expected.content)
    }
  }

  @Test func `checked values too`() throws {
    try realm.write {
      let updated = try realm.create(
        checking: Parcel.self, value: ["id": 1, "count": 5] as [String: Any], update: .modified)
      #expect(
        updated.content == [
          "1", "none", "5", "2.5", "true", "1", "small", "1970-01-01 00:00:00 +0000", "a",
        ])
      #expect(throws: InvalidValueError.self) {
        try realm.create(
          checking: Parcel.self,
          value: ["id": 1, "label": String(repeating: "x", count: 17 << 20)] as [String: Any],
          update: .modified)
      }
      #expect(throws: InvalidValueError.self) {
        try realm.create(
          checking: Parcel.self, value: ["id": 1, "count": "many"] as [String: Any],
          update: .modified)
      }
      #expect(throws: InvalidValueError.self) {
        try realm.create(
          checking: Parcel.self, value: ["id": 1, "size": "huge"] as [String: Any],
          update: .modified)
      }
      #expect(updated.label == "none" && updated.count == 5 && updated.size == .small)
    }
  }

  @Test func `by the policy all the other properties get their defaults`() throws {
    try realm.write {
      let updated = realm.create(
        Parcel.self, value: ["id": 1, "count": 5] as [String: Any], update: .all)
      #expect(updated.count == 5 && updated.weight == nil && updated.tags.isEmpty)
    }
  }

  @Test func `observers hear of the properties that differ`() throws {
    let queue = DispatchQueue(label: "observer")
    let reports = Guarded<[[String]]>([])
    let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: 1))
    let token = parcel.observe(on: queue) { (change: ObjectChange<Parcel>) in
      guard case .change(_, let properties) = change else { return }
      reports.withLock { $0.append(properties.map(\.name).sorted()) }
    }
    queue.sync {}
    try realm.write {
      realm.create(
        Parcel.self, value: ["id": 1, "label": "none", "count": 5, "weight": 1.5] as [String: Any],
        update: .modified)
    }
    queue.sync {}
    #expect(reports.withLock { $0 } == [["count", "weight"]])
    token.invalidate()
  }
}

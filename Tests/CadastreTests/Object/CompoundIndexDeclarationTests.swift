import Cadastre
import Foundation
import Testing

class IndexedFlight: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var country: String
  @Persisted var at: Date
  @Persisted var stay: IndexedStay?

  override class func compoundIndexes() -> [[String]] { [["country", "at"], ["at", "id"]] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class IndexedStay: EmbeddedObject {
  @Persisted var nights: Int
  @Persisted var town: String

  override class func compoundIndexes() -> [[String]] { [["town", "nights"]] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same class in a release without the indexes.
class UnindexedFlight: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var country: String
  @Persisted var at: Date
  @Persisted var stay: UnindexedStay?

  override class func _realmObjectName() -> String? { "IndexedFlight" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class UnindexedStay: EmbeddedObject {
  @Persisted var nights: Int
  @Persisted var town: String

  override class func _realmObjectName() -> String? { "IndexedStay" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The compound indexes that a class declares.
@Suite struct CompoundIndexDeclarationTests {
  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("compound-\(UUID().uuidString).cadastre")

  private func configuration(_ types: [ObjectBase.Type]) -> Realm.Configuration {
    Realm.Configuration(fileURL: url, objectTypes: types)
  }

  private var indexed: Realm.Configuration {
    configuration([IndexedFlight.self, IndexedStay.self])
  }

  private var unindexed: Realm.Configuration {
    configuration([UnindexedFlight.self, UnindexedStay.self])
  }

  private func fill() throws {
    let realm = try Realm(configuration: unindexed)
    try realm.write {
      for id in 0..<3000 {
        let stay: [String: Any] = ["nights": id % 10, "town": "town \(id % 100)"]
        realm.create(
          UnindexedFlight.self,
          value: [
            "id": id, "country": ["AT", "CH"][id % 2], "stay": stay,
            "at": Date(timeIntervalSince1970: Double(id / 2)),
          ])
      }
    }
  }

  @Test func `indexes are added and removed without a migration`() throws {
    defer { _ = try? Realm.deleteFiles(for: indexed) }
    try fill()
    let start = Date(timeIntervalSince1970: 1000)
    let expected = Array(2000..<2050).filter { $0 % 2 == 0 }
    do {
      let realm = try Realm(configuration: indexed)
      #expect(
        realm.schema["IndexedFlight"]?.compoundIndexes == [["country", "at"], ["at", "id"]])
      let page = realm.objects(IndexedFlight.self)
        .where { $0.country == "AT" && $0.at >= start }
        .sorted(by: \.at).limit(25)
      #expect(
        page.explain().contains("OrderedSearch IndexedFlight(country, at) country == 'AT' and at [")
      )
      #expect(page.map(\.id) == expected)
      let stays = realm.objects(IndexedFlight.self)
        .where { $0.stay.town == "town 7" && $0.stay.nights > 6 }
      #expect(stays.explain().contains("IndexSearch IndexedFlight(stay.town, stay.nights)"))
      #expect(stays.count == 30)
    }
    do {
      let realm = try Realm(configuration: unindexed)
      #expect(realm.schema["IndexedFlight"]?.compoundIndexes == [])
      let page = realm.objects(UnindexedFlight.self)
        .where { $0.country == "AT" && $0.at >= start }
        .sorted(by: \.at).limit(25)
      #expect(!page.explain().contains("OrderedSearch"))
      #expect(page.map(\.id) == expected)
    }
  }
}

import Foundation
import RealmSwift
import Testing

/// The example of the README, as code written for Realm would import it.
@Suite struct ReadmeTests {
  class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>  // longitude, latitude: a GeoJSON point

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Airport: Object {
    @Persisted(primaryKey: true) var icao: String
    @Persisted var name = ""
    @Persisted(indexed: true) var country = ""
    @Persisted var elevation: Double?
    @Persisted var location: Location?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `the example says what the README shows`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Airport.self, Location.self]))
    try realm.write {
      realm.create(
        Airport.self,
        value: [
          "icao": "LFPG", "name": "Paris Charles de Gaulle", "country": "FR", "elevation": 392,
          "location": ["coordinates": [2.55, 49.0128]],
        ])
    }
    let center = try #require(GeoPoint(latitude: 48.8566, longitude: 2.3522))
    let paris = GeoCircle(center: center, radius: try #require(.kilometers(100)))
    let near = realm.objects(Airport.self).where {
      $0.location.geoWithin(paris) && $0.elevation > 300
    }
    #expect(near.count == 1 && near.first?.name == "Paris Charles de Gaulle")
    let same = realm.objects(Airport.self)
      .filter("location GEOWITHIN %@ AND elevation > 300", paris)
    #expect(same.map(\.icao) == ["LFPG"])
  }
}

import Cadastre
import CadastreModel
import Foundation
import Testing

/// A property with a GeoJSON point becomes a geometry.
@Suite struct GeometryMigrationTests {
  enum Old {
    class Spot: ReleaseEmbedded {
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
    }
    class Place: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var location: Spot?
    }
    static let types: [ObjectBase.Type] = [Place.self, Spot.self]
  }

  enum New {
    class Place: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var location: Geometry?
    }
    static let types: [ObjectBase.Type] = [Place.self]
  }

  @Test(arguments: [10, 3_000]) func `points become geometries`(count: Int) throws {
    let releases = try Releases()
    try releases.write(0, Old.types) { realm in
      for id in 0..<count {
        let place = Old.Place()
        place.id = id
        if id % 5 > 0 {
          place.location = Old.Spot()
          let degrees = [Double(id % 360) - 180, Double(id % 170) - 85]
          place.location?.coordinates.append(objectsIn: degrees)
        }
        realm.add(place)
      }
    }
    let migrate: ThrowingMigrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Place") { old, new in
        guard let location = old?["location"] as? MigrationObject,
          let degrees = location["coordinates"] as? List<Double>, degrees.count > 1
        else { return }
        let point = GeoPoint(latitude: degrees[1], longitude: degrees[0])
        new?["location"] = point.map { Geometry($0) }
      }
    }
    try releases.open(1, New.types, migrate) { realm in
      let places = realm.objects(New.Place.self)
      #expect(places.count == count)
      for place in places {
        let expected = GeoPoint(
          latitude: Double(place.id % 170) - 85, longitude: Double(place.id % 360) - 180)
        #expect(place.location == (place.id % 5 == 0 ? nil : expected.map { Geometry($0) }))
      }
      let box = try #require(GeoBox(bottomLeft: (-90, -180), topRight: (0, -90)))
      let found = places.where { $0.location.geoWithin(box) }
      let expected = places.map(\.id).filter { id in
        id % 5 > 0 && id % 360 <= 90 && id % 170 <= 85
      }
      #expect(Array(found.map(\.id)) == Array(expected))
      if count > 1_000 { #expect("\(found.explain())".hasPrefix("SpatialSearch")) }
    }
  }
}

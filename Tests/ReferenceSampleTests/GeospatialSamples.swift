// swift-format-ignore-file: NeverForceUnwrap
import Foundation
import RealmSwift
import Testing

/// Supported types: points.
@Suite struct GeospatialSamples {
  class CustomGeoPoint: EmbeddedObject {
    @Persisted private var type: String = "Point"
    @Persisted private var coordinates: List<Double>

    public var latitude: Double { coordinates[1] }
    public var longitude: Double { coordinates[0] }

    convenience init(_ latitude: Double, _ longitude: Double) {
      self.init()
      // Longitude comes first in the coordinates array of a GeoJson document
      coordinates.append(objectsIn: [longitude, latitude])
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Company: Object {
    @Persisted var name = ""
    @Persisted var location: CustomGeoPoint?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `a custom point class is queried by regions`() throws {
    let realm = try openRealm(Company.self, CustomGeoPoint.self)
    try realm.write {
      for (name, point) in [
        ("near", CustomGeoPoint(47.68, -122.35)), ("far", CustomGeoPoint(40.71, -74)),
      ] {
        let company = Company(value: ["name": name])
        company.location = point
        realm.add(company)
      }
      realm.create(Company.self, value: ["name": "nowhere"])
    }
    let circle = GeoCircle(center: (47.8, -122.6), radiusInRadians: 0.01)!
    let companies = realm.objects(Company.self)
    let near = companies.where { $0.location.geoWithin(circle) }
    #expect(near.map(\.name) == ["near"])
    #expect(near.first?.location?.latitude == 47.68)
    #expect(near.first?.location?.longitude == -122.35)
    #expect(companies.filter("location IN %@", circle).map(\.name) == ["near"])
  }
}

import Cadastre

/// The point that the import makes of the columns `lon` and `lat`.
class Location: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// The class that the import makes of the bundled airports.
class Airport: Object {
  @Persisted(primaryKey: true) var icao: String
  @Persisted var iata: String?
  @Persisted var name: String
  @Persisted var city: String?
  @Persisted var subd: String?
  @Persisted(indexed: true) var country: String
  @Persisted var elevation: Double
  @Persisted var tz: String
  @Persisted var lid: String?
  @Persisted var location: Location?

  /// The location; nil where there is none.
  var point: GeoPoint? {
    guard let coordinates = location?.coordinates, coordinates.count >= 2 else { return nil }
    return GeoPoint(latitude: coordinates[1], longitude: coordinates[0])
  }
}

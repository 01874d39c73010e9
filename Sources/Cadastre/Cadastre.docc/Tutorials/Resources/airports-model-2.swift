import Cadastre

class Location: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>  // longitude, latitude
}

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
}

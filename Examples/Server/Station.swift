import Cadastre

/// A point in the shape of GeoJSON.
class Place: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// A gauge at a river.
class Station: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var level = 0.0
  @Persisted var place: Place?
}

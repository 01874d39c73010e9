import Cadastre

/// Where a boat is, in the shape of a GeoJSON point.
class Position: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  convenience init(longitude: Double, latitude: Double) {
    self.init()
    coordinates.append(objectsIn: [longitude, latitude])
  }
}

class Boat: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var position: Position?
}

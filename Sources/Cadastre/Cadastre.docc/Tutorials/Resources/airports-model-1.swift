import Cadastre

class Location: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>  // longitude, latitude
}

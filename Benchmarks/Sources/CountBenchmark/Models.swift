import Cadastre

class Spot: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

class Harbour: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
}

class Boat: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
  @Persisted var length = 0
  @Persisted(indexed: true) var number = 0
  @Persisted var harbour: Harbour?
  @Persisted var place: Spot?
}

import Cadastre

class Location: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// A place without ordered indexes.
class Place: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
  @Persisted var category = ""
  @Persisted var population = 0
  @Persisted var rating = 0.0
  @Persisted var location: Location?
}

/// A place with ordered indexes on its name and its population.
class IndexedPlace: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name = ""
  @Persisted(indexed: true) var population = 0
}

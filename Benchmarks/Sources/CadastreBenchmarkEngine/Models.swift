import BenchmarkPlaces
import Cadastre

class Location: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  convenience init(_ place: BenchmarkPlaces.Place) {
    self.init()
    coordinates.append(objectsIn: [place.longitude, place.latitude])
  }
}

/// An object with the primary key of a place.
protocol Identified: Object {
  var id: Int { get }
}

/// A place without ordered indexes; its location has the spatial index that every location has.
final class Place: Object, Identified {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
  @Persisted var category = ""
  @Persisted var population = 0
  @Persisted var rating = 0.0
  @Persisted var location: Location?

  convenience init(id: Int, _ place: BenchmarkPlaces.Place) {
    self.init()
    self.id = id
    name = place.name
    category = place.category
    population = place.population
    rating = place.rating
    location = Location(place)
  }
}

/// A place with ordered indexes on its name and its population.
final class IndexedPlace: Object, Identified {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name = ""
  @Persisted(indexed: true) var population = 0

  convenience init(id: Int, _ place: BenchmarkPlaces.Place) {
    self.init()
    self.id = id
    name = place.name
    population = place.population
  }
}

/// A location and nothing else.
final class Spot: Object {
  @Persisted var location: Location?

  convenience init(_ place: BenchmarkPlaces.Place) {
    self.init()
    location = Location(place)
  }
}

/// The classes of W3.
enum WithIndexes {
  /// The class `Place` of a file, to which opening it adds indexes on name and population.
  final class Place: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var category = ""
    @Persisted(indexed: true) var population = 0
    @Persisted var rating = 0.0
    @Persisted var location: Location?

    convenience init(id: Int, _ place: BenchmarkPlaces.Place) {
      self.init()
      self.id = id
      name = place.name
      category = place.category
      population = place.population
      rating = place.rating
      location = Location(place)
    }
  }
}

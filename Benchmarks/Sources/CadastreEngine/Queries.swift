import Cadastre
import EngineSupport

/// The questions, as they are written with the library.
struct Questions {
  private let constants: EngineQuestion
  private let edges: EdgeModel

  init(_ constants: EngineQuestion, _ edges: EdgeModel) {
    (self.constants, self.edges) = (constants, edges)
  }

  /// Asks the question of a name; its region is built anew.
  func answer(_ name: String, _ realm: Realm) throws -> Found {
    let places = realm.objects(Place.self)
    let indexed = realm.objects(IndexedPlace.self)
    switch name {
    case "Q1", "Q2":
      let circle = try circle()
      return ids(places.where { $0.location.geoWithin(circle) })
    case "Q3", "Q6":
      let box = try box()
      return ids(places.where { $0.location.geoWithin(box, edges: edges) })
    case "Q4", "Q5":
      let polygon = try polygon()
      return ids(places.where { $0.location.geoWithin(polygon, edges: edges) })
    case "Q7":
      let circle = try circle()
      let (category, population) = try (some(\.category), some(\.populationAbove))
      return ids(
        places.where {
          $0.location.geoWithin(circle) && $0.category == category && $0.population > population
        })
    case "Q8":
      let population = try some(\.populationAbove)
      return ids(places.where { $0.population > population })
    case "Q9":
      let range = try some(\.populationFrom)...some(\.populationTo)
      return ids(indexed.where { $0.population.contains(range) })
    case "Q10":
      let name = try some(\.name)
      return ids(places.where { $0.name == name })
    case "Q11":
      let prefix = try some(\.prefix)
      return ids(places.where { $0.name.starts(with: prefix) })
    case "Q11i":
      let prefix = try some(\.prefix)
      return ids(indexed.where { $0.name.starts(with: prefix) })
    case "Q12":
      let part = try some(\.contains)
      return ids(places.where { $0.name.contains(part, options: .caseInsensitive) })
    case "Q13": return ids(try largest(places))
    case "Q13i": return ids(try largest(indexed))
    case "Q14":
      let category = try some(\.category)
      let average: Double? = places.where { $0.category == category }.average(of: \.rating)
      return .number(average ?? .nan)
    case "Q15": return try ids(places.nearest(some(\.limit), to: point(some(\.center))))
    case "Q16":
      // A location is equal where both of its properties are.
      let text = "location.type == 'Point' AND location.coordinates == %@"
      return ids(places.filter(text, try some(\.point)))
    case "Q17": return ids(places.sorted(byKeyPath: "population"))
    case "Q18": return .values(places.distinct(by: [\.category]).map { $0.category })
    case "Q19":
      var (objects, sum) = (0, 0)
      for place in places {
        objects += 1
        sum += place.population
      }
      return .total(objects: objects, sum: sum)
    case "Q20":
      let found = try some(\.keys).compactMap {
        realm.object(ofType: Place.self, forPrimaryKey: $0)?.population
      }
      return .total(objects: found.count, sum: found.reduce(0, +))
    case "Q21":
      let (box, rating) = try (box(), some(\.ratingAbove))
      return ids(
        places.where { $0.location.geoWithin(box, edges: edges) && $0.rating > rating })
    case "Q22":
      let circle = try circle()
      return .count(places.where { $0.location.geoWithin(circle) }.count)
    default: throw Skipped("\(name) is not known")
    }
  }

  /// The most populous.
  ///
  /// Of those that are level the one that was added first comes first, here and in Q17: that of the lower id.
  private func largest<Element: Identified>(_ results: Results<Element>) throws -> Results<Element>
  {
    try results.sorted(byKeyPath: "population", ascending: false).limit(some(\.limit))
  }

  private func ids<Element: Identified>(_ results: Results<Element>) -> Found {
    .ids(results.values(of: \.id))
  }

  // MARK: Constants

  private func some<Constant>(_ path: KeyPath<EngineQuestion, Constant?>) throws -> Constant {
    guard let constant = constants[keyPath: path] else { throw Skipped("\(path) is missing") }
    return constant
  }

  private func point(_ position: [Double]) throws -> GeoPoint {
    try valid(GeoPoint(latitude: position[1], longitude: position[0]))
  }

  private func circle() throws -> GeoCircle {
    try GeoCircle(
      center: point(some(\.center)), radius: valid(.kilometers(some(\.meters) / 1000)))
  }

  private func box() throws -> GeoBox {
    let box = try some(\.box)
    return try GeoBox(
      bottomLeft: point([box[0], box[1]]), topRight: point([box[2], box[3]]))
  }

  private func polygon() throws -> GeoPolygon {
    try valid(GeoPolygon(outerRing: some(\.ring).map(point), holes: nil))
  }

  private func valid<Region>(_ region: Region?) throws -> Region {
    guard let region else { throw Skipped("the region of the question is none") }
    return region
  }
}

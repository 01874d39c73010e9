import Cadastre
import EngineSupport

/// The queries in the API of Cadastre.
struct EngineQueries {
  private let constants: EngineQuery
  private let edges: EdgeModel

  init(_ constants: EngineQuery, _ edges: EdgeModel) {
    (self.constants, self.edges) = (constants, edges)
  }

  /// Runs the query of a name, including the construction of its region.
  func result(_ name: String, _ realm: Realm) throws -> EngineResult {
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
      let (category, population) = try (required(\.category), required(\.populationAbove))
      return ids(
        places.where {
          $0.location.geoWithin(circle) && $0.category == category && $0.population > population
        })
    case "Q8":
      let population = try required(\.populationAbove)
      return ids(places.where { $0.population > population })
    case "Q9":
      let range = try required(\.populationFrom)...required(\.populationTo)
      return ids(indexed.where { $0.population.contains(range) })
    case "Q10":
      let name = try required(\.name)
      return ids(places.where { $0.name == name })
    case "Q11":
      let prefix = try required(\.prefix)
      return ids(places.where { $0.name.starts(with: prefix) })
    case "Q11i":
      let prefix = try required(\.prefix)
      return ids(indexed.where { $0.name.starts(with: prefix) })
    case "Q12":
      let part = try required(\.contains)
      return ids(places.where { $0.name.contains(part, options: .caseInsensitive) })
    case "Q13": return ids(try largest(places))
    case "Q13i": return ids(try largest(indexed))
    case "Q14":
      let category = try required(\.category)
      let average: Double? = places.where { $0.category == category }.average(of: \.rating)
      return .number(average ?? .nan)
    case "Q15": return try ids(places.nearest(required(\.limit), to: point(required(\.center))))
    case "Q16":
      // Locations are equal if both properties are equal.
      let text = "location.type == 'Point' AND location.coordinates == %@"
      return ids(places.filter(text, try required(\.point)))
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
      let values = try required(\.keys).compactMap {
        realm.object(ofType: Place.self, forPrimaryKey: $0)?.population
      }
      return .total(objects: values.count, sum: values.reduce(0, +))
    case "Q21":
      let (box, rating) = try (box(), required(\.ratingAbove))
      return ids(
        places.where { $0.location.geoWithin(box, edges: edges) && $0.rating > rating })
    case "Q22":
      let circle = try circle()
      return .count(places.where { $0.location.geoWithin(circle) }.count)
    default: throw Skipped("unknown query: \(name)")
    }
  }

  /// Returns the most populous places.
  ///
  /// Ties are sorted by insertion order, here and in Q17, which is the order of the ids.
  private func largest<Element: Identified>(_ results: Results<Element>) throws -> Results<Element>
  {
    try results.sorted(byKeyPath: "population", ascending: false).limit(required(\.limit))
  }

  private func ids<Element: Identified>(_ results: Results<Element>) -> EngineResult {
    .ids(results.values(of: \.id))
  }

  // MARK: Constants

  private func required<Constant>(_ path: KeyPath<EngineQuery, Constant?>) throws -> Constant {
    guard let constant = constants[keyPath: path] else { throw Skipped("\(path) is missing") }
    return constant
  }

  private func point(_ position: [Double]) throws -> GeoPoint {
    try valid(GeoPoint(latitude: position[1], longitude: position[0]))
  }

  private func circle() throws -> GeoCircle {
    try GeoCircle(
      center: point(required(\.center)), radius: valid(.kilometers(required(\.meters) / 1000)))
  }

  private func box() throws -> GeoBox {
    let box = try required(\.box)
    return try GeoBox(
      bottomLeft: point([box[0], box[1]]), topRight: point([box[2], box[3]]))
  }

  private func polygon() throws -> GeoPolygon {
    try valid(GeoPolygon(outerRing: required(\.ring).map(point), holes: nil))
  }

  private func valid<Region>(_ region: Region?) throws -> Region {
    guard let region else { throw Skipped("the region of the query is invalid") }
    return region
  }
}

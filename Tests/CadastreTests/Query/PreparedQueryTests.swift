import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// A place of the tests of prepared queries.
final class PreparedPlace: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var population: Int?
  @Persisted var category = ""
  @Persisted var rating = 0.0
  @Persisted var location: PreparedLocation?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class PreparedLocation: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Prepared queries, and queries of one shape with other constants.
@Suite struct PreparedQueryTests {
  private static func openRealm(_ identifier: String) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: identifier,
        objectTypes: [PreparedPlace.self, PreparedLocation.self]))
  }

  private let identifier = UUID().uuidString
  private let realm: Realm

  init() throws {
    realm = try Self.openRealm(identifier)
    try realm.write {
      for id in 0..<300 {
        let place = PreparedPlace()
        place.id = id
        place.population = id % 17 == 0 ? nil : id * 7919 % 1000
        place.category = ["port", "city", "spa"][id % 3]
        place.rating = id % 23 == 0 ? .nan : Double(id % 11)
        let location = PreparedLocation()
        location.coordinates.append(objectsIn: [
          Double(id % 60) * 6 - 180, Double(id % 35) * 5 - 85,
        ])
        if id % 19 != 0 { place.location = location }
        realm.add(place)
      }
    }
  }

  private func circle(_ latitude: Double, _ longitude: Double, _ kilometers: Double) throws
    -> GeoCircle
  {
    GeoCircle(
      center: try #require(GeoPoint(latitude: latitude, longitude: longitude)),
      radius: try #require(Distance.kilometers(kilometers)))
  }

  @Test func `relations and distances take other geometries`() throws {
    let places = realm.objects(PreparedPlace.self)
    let regions: [Any] = [
      try circle(20, 10, 3000), try circle(-40, 100, 5000),
      try #require(GeoBox(bottomLeft: (0, 0), topRight: (30, 60))),
      try Geometry(wkt: "POLYGON ((0 0, 40 0, 40 40, 0 0))"), "POINT (0 5)",
    ]
    for text in [
      "location GEOINTERSECTS $0", "location GEOWITHIN[planar] $0", "NOT location GEODISJOINT $0",
      "location GEOCONTAINS $0", "location GEOEQUALS $0 OR id == 3",
      "population > 100 AND location GEOTOUCHES[planar] $0", "GEODISTANCE(location, $0) < $1 km",
      "GEODISTANCE(location, $0) >= $1", "GEODISTANCE(location, $0) <= population * 1000",
    ] {
      let prepared = try realm.prepare(text, on: PreparedPlace.self)
      for (number, region) in regions.enumerated() {
        let arguments = Array([region, Double(number) / 2].prefix(prepared.parameterCount))
        // A text with another constant is parsed.
        let parsed = try places.filter(
          parsing: text + " OR id == \(1000 + number)", arguments: arguments)
        let expected = Array(parsed.map(\.id))
        #expect(try Array(prepared.objects(arguments: arguments).map(\.id)) == expected, "\(text)")
        let cached = try places.filter(parsing: text, arguments: arguments)
        #expect(Array(cached.map(\.id)) == expected, "\(text), \(region)")
      }
    }
    let near = try realm.prepare("GEODISTANCE(location, $0) < $1 km", on: PreparedPlace.self)
    #expect(try near("POINT (0 0)", 2000).count > 0)
    for wrong in [["POINT (0 0)", -1], ["POINT (0 0)", "far"], [3, 3], ["nowhere", 3]] as [[Any]] {
      #expect(throws: QueryPredicateError.self) { try near.objects(arguments: wrong) }
    }
  }

  @Test func `a prepared query runs with other arguments`() throws {
    let prepared = try realm.prepare(
      "population > $0 AND location GEOWITHIN $1", on: PreparedPlace.self)
    #expect(prepared.parameterCount == 2)
    for (population, kilometers) in [(100, 3000.0), (900, 3000), (-1, 20_000), (100, 0)] {
      let region = try circle(20, 10, kilometers)
      let found = try prepared(population, region)
      let expected = realm.objects(PreparedPlace.self)
        .filter("population > %@ AND location GEOWITHIN %@", population, region)
      #expect(Array(found.map(\.id)) == Array(expected.map(\.id)))
    }
    #expect(try prepared(100, circle(20, 10, 3000)).count > 0)
    let categories = try realm.prepare("category IN %@", on: PreparedPlace.self)
    #expect(try categories(["port", "spa"]).count == 200)
    #expect(try categories([String]()).isEmpty)
    #expect(try categories.objects(arguments: [["city"]]).count == 100)
  }

  @Test func `arguments that do not fit are errors`() throws {
    let text = "population > $0 AND location GEOWITHIN $1"
    let prepared = try realm.prepare(text, on: PreparedPlace.self)
    let region = try circle(0, 0, 100)
    func message(_ arguments: Any?...) -> String {
      do {
        _ = try prepared.objects(arguments: arguments)
        return "none"
      } catch {
        return error.message
      }
    }
    #expect(message() == "the prepared query takes 2 arguments, found 0")
    #expect(message(1, region, 3) == "the prepared query takes 2 arguments, found 3")
    #expect(
      message("many", region)
        == "Cannot compare value 'many' of type 'string' to property 'population' of type 'int'")
    #expect(
      message(1, 2)
        == "GEOWITHIN needs a property, geoBox, geoCircle, geoPolygon, geometry, or an argument that holds one on "
        + "each side")
    #expect(message(region, region) == "operator '>' cannot compare these two")
    #expect(message(1, realm).contains("cannot be compared with a property"))
    for wrong in ["population >", "populaton > $0", "$0 > population", "location GEOWITHIN $0 3"] {
      let error = #expect(throws: QueryPredicateError.self, "\(wrong)") {
        try realm.prepare(wrong, on: PreparedPlace.self)
      }
      #expect(error?.text == wrong)
    }
  }

  @Test func `explain says whether a shape was reused`() throws {
    let places = realm.objects(PreparedPlace.self)
    func shape(_ results: Results<PreparedPlace>) throws -> String {
      try #require(results.explain(.shape).split(separator: "\n").last.map(String.init))
    }
    #expect(try shape(places.filter("population > 3 AND category == 'a'")) == "shape: new")
    #expect(try shape(places.filter("population > 3 AND category == 'a'")) == "shape: reused")
    #expect(
      try shape(places.filter("population > %@ AND category == %@", 9, "")) == "shape: reused")
    #expect(
      try shape(places.where { $0.population > 77 && $0.category == "spa" }) == "shape: reused")
    #expect(
      try shape(places.filter(#Predicate { $0.rating > 5 && $0.category == "spa" }))
        == "shape: new")
    #expect(try shape(places.where { $0.rating > 7 && $0.category == "" }) == "shape: reused")
    #expect(try shape(places.where { $0.rating > 7 || $0.category == "" }) == "shape: new")
    #expect(try shape(places.filter("category IN {'a'}")) == "shape: new")
    #expect(try shape(places.filter("category IN {'a', 'b'}")) == "shape: reused")
    #expect(try shape(places.filter("category IN {}")) == "shape: new")
    #expect(try shape(places.filter("population < 3 AND category == 'a'")) == "shape: new")
  }

  /// One query as text, prepared, as a condition, and as a predicate of Foundation, and the oracle.
  private struct Ways {
    let population: Int?
    let rating: Double
    let categories: [String]
    let region: GeoCircle

    init(_ random: inout SeededGenerator) {
      population = random.oneIn(5) ? nil : random.below(1000)
      rating = random.oneIn(6) ? .nan : Double(random.below(12))
      categories = ["port", "city", "spa", "none"].filter { _ in random.oneIn(2) }
      let center = GeoPoint(
        latitude: Double(random.below(90)), longitude: Double(random.below(180)))
      let radius = Distance.kilometers(Double(random.below(9000)))
      guard let center, let radius else { preconditionFailure("the coordinates are valid") }
      region = GeoCircle(center: center, radius: radius)
    }

    /// The ids that match in plain Swift; null matches no order, and NaN neither.
    func expected(_ places: [PreparedPlace]) -> [Int] {
      places.filter { place in
        guard let location = place.location else { return false }
        let isLarger =
          if let population { place.population.map { $0 > population } ?? false } else { false }
        return (isLarger || place.rating < rating) && categories.contains(place.category)
          && angle(to: location) <= region.radiusInRadians
      }.map(\.id)
    }

    /// The angle in radians between the centre of the region and a location.
    private func angle(to location: PreparedLocation) -> Double {
      let north = [region.center.latitude, location.coordinates[1]].map { $0 * .pi / 180 }
      let east = (location.coordinates[0] - region.center.longitude) * .pi / 180
      let cosine = sin(north[0]) * sin(north[1]) + cos(north[0]) * cos(north[1]) * cos(east)
      return acos(min(1, max(-1, cosine)))
    }

    static let text =
      "(population > $0 OR rating < $1) AND category IN $2 AND location GEOWITHIN $3"

    func results(
      _ realm: Realm, _ prepared: PreparedQuery<PreparedPlace>
    ) throws -> [(String, [Int])] {
      let places = realm.objects(PreparedPlace.self)
      let arguments: [Any?] = [population, rating, categories, region]
      var all = [
        ("text", try places.filter(parsing: Self.text, arguments: arguments)),
        ("prepared", try prepared.objects(arguments: arguments)),
        (
          "where",
          places.where { $0.population > population || $0.rating < rating }
            .where { $0.category.in(categories) && $0.location.geoWithin(region) }
        ),
      ]
      if let population {
        let (rating, categories) = (rating, categories)
        all.append(
          (
            "#Predicate",
            try places.filter(
              #Predicate {
                (($0.population.flatMap { $0 > population } ?? false) || $0.rating < rating)
                  && categories.contains($0.category)
              }
            ).where { $0.location.geoWithin(region) }
          ))
      }
      return all.map { ($0, $1.map(\.id)) }
    }
  }

  private static func check(_ realm: Realm, seed: UInt64, rounds: Int) throws {
    var random = SeededGenerator(seed: seed)
    let prepared = try realm.prepare(Ways.text, on: PreparedPlace.self)
    let places = Array(realm.objects(PreparedPlace.self))
    for round in 0..<rounds {
      let ways = Ways(&random)
      let expected = ways.expected(places)
      for (name, found) in try ways.results(realm, prepared) {
        #expect(found == expected, "seed \(seed), round \(round), \(name): \(ways)")
      }
    }
  }

  @Test(arguments: Seeds.usual(95...96))
  func `all ways to write a query agree with plain Swift`(seed: UInt64) throws {
    try Self.check(realm, seed: seed, rounds: 40)
    realm.beginWrite()
    for place in realm.objects(PreparedPlace.self).where({ $0.id < 75 }) {
      place.population = 500
      place.category = "spa"
    }
    try Self.check(realm, seed: seed, rounds: 20)
    realm.cancelWrite()
    try Self.check(realm, seed: seed, rounds: 20)
    try Self.check(realm.freeze(), seed: seed, rounds: 10)
  }

  @Test(arguments: Seeds.usual(97...97))
  func `threads agree while another one writes`(seed: UInt64) async throws {
    let identifier = identifier
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<3 {
        group.addTask {
          let realm = try Self.openRealm(identifier)
          for round in 0..<5 {
            try Self.check(realm.freeze(), seed: seed + UInt64(thread * 10 + round), rounds: 4)
            try realm.write {
              realm.create(
                PreparedPlace.self, value: ["id": 1000 + thread * 10 + round, "category": "spa"])
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

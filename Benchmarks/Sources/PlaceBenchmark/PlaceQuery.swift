import Cadastre

/// A query on places, as a predicate and in SQL.
struct PlaceQuery {
  let name: String
  let type: Object.Type
  let predicate: String
  /// Selects the keys of the matching places.
  let sql: String
  var order: String?
  var limit: Int?
  /// The statement for DuckDB, if its SQL differs.
  var duck: String?

  /// The queries without a region, and Q7.
  static let all = [
    PlaceQuery(
      name: "Q7 1000 km, category ==, population >", type: Place.self,
      predicate: "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.15678559) "
        + "AND category == 'category 3' AND population > 100000",
      sql: "SELECT id FROM place WHERE category = 'category 3' AND population > 100000 AND \(cap)"),
    PlaceQuery(
      name: "Q8 population >, no index", type: Place.self, predicate: "population > 100000",
      sql: "SELECT id FROM place WHERE population > 100000"),
    PlaceQuery(
      name: "Q9 narrow population range, index", type: IndexedPlace.self,
      predicate: "population BETWEEN {100000, 101500}",
      sql: "SELECT id FROM indexed WHERE population BETWEEN 100000 AND 101500",
      duck: "SELECT id FROM place WHERE population BETWEEN 100000 AND 101500"),
    PlaceQuery(
      name: "Q10 name ==, no index", type: Place.self, predicate: "name == 'Aarhus'",
      sql: "SELECT id FROM place WHERE name = 'Aarhus'"),
    PlaceQuery(
      name: "Q11 name BEGINSWITH, no index", type: Place.self, predicate: "name BEGINSWITH 'San'",
      sql: "SELECT id FROM place WHERE substr(name, 1, 3) = 'San'",
      duck: "SELECT id FROM place WHERE starts_with(name, 'San')"),
    PlaceQuery(
      name: "Q11 name BEGINSWITH, index", type: IndexedPlace.self,
      predicate: "name BEGINSWITH 'San'",
      sql: "SELECT id FROM indexed WHERE name >= 'San' AND name < 'Sao'",
      duck: "SELECT id FROM place WHERE starts_with(name, 'San')"),
    PlaceQuery(
      name: "Q12 name CONTAINS[c]", type: Place.self, predicate: "name CONTAINS[c] 'ville'",
      sql: "SELECT id FROM place WHERE name LIKE '%ville%'",
      duck: "SELECT id FROM place WHERE contains(lower(name), 'ville')"),
    PlaceQuery(
      name: "Q13 first 100 by population", type: Place.self, predicate: "TRUEPREDICATE",
      sql: "SELECT id FROM place ORDER BY population DESC, id LIMIT 100", order: "population",
      limit: 100),
    PlaceQuery(
      name: "Q13 first 100 by population, index", type: IndexedPlace.self,
      predicate: "TRUEPREDICATE",
      sql: "SELECT id FROM indexed ORDER BY population DESC, id LIMIT 100", order: "population",
      limit: 100, duck: "SELECT id FROM place ORDER BY population DESC, id LIMIT 100"),
    PlaceQuery(
      name: "Q16 location equals a point", type: Place.self,
      predicate: "location.type == 'Point' AND location.coordinates == {LONGITUDE, LATITUDE}",
      sql: "SELECT id FROM place WHERE longitude = LONGITUDE AND latitude = LATITUDE"),
  ]

  /// The condition of a distance of at most 0.15678559 radians from Paris.
  private static let cap =
    "acos(min(1, sin(radians(48.8566)) * sin(radians(latitude)) + cos(radians(48.8566)) "
    + "* cos(radians(latitude)) * cos(radians(longitude - 2.3522)))) <= 0.15678559"

  /// Returns the query with coordinates in place of `LONGITUDE` and `LATITUDE`.
  func filled(_ longitude: Double, _ latitude: Double) -> PlaceQuery {
    func fill(_ text: String) -> String {
      text.replacing("LONGITUDE", with: "\(longitude)").replacing("LATITUDE", with: "\(latitude)")
    }
    return PlaceQuery(
      name: name, type: type, predicate: fill(predicate), sql: fill(sql), order: order,
      limit: limit, duck: fill(duck ?? sql.replacing("min(1,", with: "least(1,")))
  }
}

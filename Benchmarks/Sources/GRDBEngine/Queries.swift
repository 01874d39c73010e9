import EngineSupport
import Foundation
import GRDB

/// The queries in SQL, with the exact tests of circles and polygons in Swift.
struct EngineQueries {
  private let constants: EngineQuery

  init(_ constants: EngineQuery) { self.constants = constants }

  /// Runs the query of a name.
  func result(_ name: String, _ database: Database) throws -> EngineResult {
    switch name {
    case "Q1", "Q2": return .ids(try circle().ids(database))
    case "Q3", "Q6": return .ids(try box(database))
    case "Q4", "Q5": return .ids(try Polygon(required(\.ring)).ids(database))
    case "Q7":
      let filter = "AND category = ? AND population > ?"
      return .ids(
        try circle().ids(
          database, and: filter, [required(\.category), required(\.populationAbove)]))
    case "Q8": return try ids("place WHERE population > ?", [required(\.populationAbove)], database)
    case "Q9":
      return try ids(
        "indexed WHERE population BETWEEN ? AND ?",
        [required(\.populationFrom), required(\.populationTo)], database)
    case "Q10": return try ids("place WHERE name = ?", [required(\.name)], database)
    case "Q11": return try ids("place WHERE name GLOB ?", [required(\.prefix) + "*"], database)
    case "Q11i":
      let prefix = try required(\.prefix)
      // Every string with the prefix sorts before the prefix followed by the last code point.
      return try ids(
        "indexed WHERE name >= ? AND name < ?", [prefix, prefix + "\u{10FFFF}"], database)
    case "Q12": return try ids("place WHERE name LIKE ?", ["%\(required(\.contains))%"], database)
    case "Q13", "Q13i":
      let table = name == "Q13" ? "place" : "indexed"
      return try ids(
        "\(table) ORDER BY population DESC, id LIMIT ?", [required(\.limit)], database)
    case "Q14":
      let sql = "SELECT avg(rating) FROM place WHERE category = ?"
      let average = try Double.fetchOne(
        database.cachedStatement(sql: sql), arguments: [required(\.category)])
      return .number(average ?? .nan)
    case "Q15": return .ids(try nearest(database))
    case "Q16":
      let point = try required(\.point)
      return .ids(try box(database, [point[0], point[1], point[0], point[1]]))
    case "Q17": return try ids("place ORDER BY population, id", [], database)
    case "Q18":
      let sql = "SELECT DISTINCT category FROM place"
      return .values(try String.fetchAll(database.cachedStatement(sql: sql)))
    case "Q19":
      var (objects, sum) = (0, 0)
      let populations = try Int.fetchCursor(
        database.cachedStatement(sql: "SELECT population FROM place"))
      while let population = try populations.next() {
        objects += 1
        sum += population
      }
      return .total(objects: objects, sum: sum)
    case "Q20":
      let statement = try database.cachedStatement(sql: "SELECT population FROM place WHERE id = ?")
      let values = try required(\.keys).compactMap { try Int.fetchOne(statement, arguments: [$0]) }
      return .total(objects: values.count, sum: values.reduce(0, +))
    case "Q21":
      return .ids(try box(database, and: "AND rating > ?", [required(\.ratingAbove)]))
    case "Q22": return .count(try circle().ids(database).count)
    default: throw Skipped("unknown query: \(name)")
    }
  }

  private func ids(
    _ rest: String, _ arguments: StatementArguments, _ database: Database
  ) throws -> EngineResult {
    let statement = try database.cachedStatement(sql: "SELECT id FROM \(rest)")
    return .ids(try Int.fetchAll(statement, arguments: arguments))
  }

  private func required<Constant>(_ path: KeyPath<EngineQuery, Constant?>) throws -> Constant {
    guard let constant = constants[keyPath: path] else { throw Skipped("\(path) is missing") }
    return constant
  }

  // MARK: Regions

  private func circle() throws -> Circle {
    try Circle(required(\.center), radians: required(\.meters) / Circle.earthRadius)
  }

  /// Returns the ids in a box, by default the box of the query, by the exact coordinates.
  private func box(
    _ database: Database, _ box: [Double]? = nil, and filter: String = "",
    _ arguments: StatementArguments = []
  ) throws -> [Int] {
    let box = try box ?? required(\.box)
    let exact = "AND longitude BETWEEN ? AND ? AND latitude BETWEEN ? AND ? \(filter)"
    let statement = try database.cachedStatement(sql: Near.sql("place.id", exact))
    return try Int.fetchAll(
      statement, arguments: Near.arguments(box) + [box[0], box[2], box[1], box[3]] + arguments)
  }

  /// Returns the nearest ids, by growing circles until one contains enough places.
  private func nearest(_ database: Database) throws -> [Int] {
    let (center, limit) = try (required(\.center), required(\.limit))
    var radius = 0.02 * .pi / 180
    while true {
      let candidates = try Circle(center, radians: radius).matches(database)
      if candidates.count >= limit || radius > 0.5 {
        return candidates.sorted { ($0.haversine, $0.id) < ($1.haversine, $1.id) }.prefix(limit)
          .map(\.id)
      }
      radius *= 2
    }
  }
}

import Foundation
import GRDB

/// The places whose rectangles in the R*Tree intersect a box.
enum Near {
  /// Returns a statement whose first four arguments are the bounds of a box.
  static func sql(_ columns: String, _ rest: String = "") -> String {
    "SELECT \(columns) FROM spot JOIN place ON place.id = spot.id "
      + "WHERE west <= ? AND east >= ? AND south <= ? AND north >= ? \(rest)"
  }

  /// Returns the first four arguments for a box of west, south, east and north.
  static func arguments(_ box: [Double]) -> StatementArguments { [box[2], box[0], box[3], box[1]] }

  /// Calls a closure with the id, the longitude and the latitude of each place.
  static func forEach(
    _ box: [Double], _ database: Database, and filter: String = "",
    _ arguments: StatementArguments = [], _ body: (Int, Double, Double) -> Void
  ) throws {
    let statement = try database.cachedStatement(
      sql: sql("place.id, place.longitude, place.latitude", filter))
    let rows = try Row.fetchCursor(
      statement, arguments: Self.arguments(box) + arguments)
    while let row = try rows.next() { body(row[0], row[1], row[2]) }
  }
}

/// A circle on a sphere of Cadastre's radius that does not touch the poles or 180 degrees.
struct Circle {
  static let earthRadius = 6_378_100.0

  private let longitude: Double
  private let latitude: Double
  private let radius: Double

  init(_ center: [Double], radians: Double) {
    (longitude, latitude, radius) = (center[0], center[1], radians)
  }

  private var box: [Double] {
    let height = radius * 180 / .pi
    let width = asin(sin(radius) / cos(latitude * .pi / 180)) * 180 / .pi
    return [longitude - width, latitude - height, longitude + width, latitude + height]
  }

  /// Returns the ids of the places in the circle and the haversines of their distances.
  func matches(
    _ database: Database, and filter: String = "", _ arguments: StatementArguments = []
  ) throws -> [(id: Int, haversine: Double)] {
    let limit = pow(sin(radius / 2), 2)
    let cosine = cos(latitude * .pi / 180)
    var matches: [(Int, Double)] = []
    try Near.forEach(box, database, and: filter, arguments) { id, east, north in
      let up = sin((north - latitude) * .pi / 360)
      let right = sin((east - longitude) * .pi / 360)
      let haversine = up * up + cosine * cos(north * .pi / 180) * right * right
      if haversine <= limit { matches.append((id, haversine)) }
    }
    return matches
  }

  func ids(
    _ database: Database, and filter: String = "", _ arguments: StatementArguments = []
  ) throws -> [Int] {
    try matches(database, and: filter, arguments).map(\.id)
  }
}

/// A ring with edges that are straight in degrees.
struct Polygon {
  private let corners: [SIMD2<Double>]

  init(_ ring: [[Double]]) { corners = ring.map { SIMD2($0[0], $0[1]) } }

  private var box: [Double] {
    let west = corners.map(\.x).min() ?? 0
    let east = corners.map(\.x).max() ?? 0
    let south = corners.map(\.y).min() ?? 0
    let north = corners.map(\.y).max() ?? 0
    return [west, south, east, north]
  }

  func ids(_ database: Database) throws -> [Int] {
    var ids: [Int] = []
    try Near.forEach(box, database) { id, longitude, latitude in
      if contains(longitude, latitude) { ids.append(id) }
    }
    return ids
  }

  /// Returns whether a ray to the east crosses the ring an odd number of times.
  private func contains(_ longitude: Double, _ latitude: Double) -> Bool {
    corners.withUnsafeBufferPointer { corners in
      var isInside = false
      for index in 1..<max(1, corners.count) {
        let (from, to) = (corners[index - 1], corners[index])
        guard (from.y > latitude) != (to.y > latitude) else { continue }
        let crossing = from.x + (latitude - from.y) / (to.y - from.y) * (to.x - from.x)
        if crossing > longitude { isInside.toggle() }
      }
      return isInside
    }
  }
}

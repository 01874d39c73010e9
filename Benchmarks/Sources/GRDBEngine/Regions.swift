import Foundation
import GRDB

/// The places whose boxes in the R*Tree touch a box.
enum Near {
  /// A statement that begins with the four bounds of a box.
  static func sql(_ columns: String, _ rest: String = "") -> String {
    "SELECT \(columns) FROM spot JOIN place ON place.id = spot.id "
      + "WHERE west <= ? AND east >= ? AND south <= ? AND north >= ? \(rest)"
  }

  /// The bounds for it, from west, south, east and north.
  static func arguments(_ box: [Double]) -> StatementArguments { [box[2], box[0], box[3], box[1]] }

  /// Calls a closure with id, longitude and latitude of each.
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

/// A circle on a sphere of Cadastre's radius, clear of the poles and of 180 degrees.
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

  /// The ids of the places in it, and the haversines of their distances.
  func found(
    _ database: Database, and filter: String = "", _ arguments: StatementArguments = []
  ) throws -> [(id: Int, haversine: Double)] {
    let most = pow(sin(radius / 2), 2)
    let cosine = cos(latitude * .pi / 180)
    var found: [(Int, Double)] = []
    try Near.forEach(box, database, and: filter, arguments) { id, east, north in
      let up = sin((north - latitude) * .pi / 360)
      let right = sin((east - longitude) * .pi / 360)
      let haversine = up * up + cosine * cos(north * .pi / 180) * right * right
      if haversine <= most { found.append((id, haversine)) }
    }
    return found
  }

  func ids(
    _ database: Database, and filter: String = "", _ arguments: StatementArguments = []
  ) throws -> [Int] {
    try found(database, and: filter, arguments).map(\.id)
  }
}

/// A ring whose edges are straight in degrees.
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
    var found: [Int] = []
    try Near.forEach(box, database) { id, longitude, latitude in
      if contains(longitude, latitude) { found.append(id) }
    }
    return found
  }

  /// Whether a ray to the east crosses the ring an odd number of times.
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

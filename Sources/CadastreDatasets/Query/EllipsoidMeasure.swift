import CPROJ
import CadastreFormatting
import CadastreGeometry
import CadastreModel

/// Measures on the ellipsoid of WGS 84, by the geodesics of the library PROJ.
///
/// The edges of lines and rings are geodesics, which are at most a few metres from great circles for edges of 100 km. On the
/// sphere areas differ by up to 0.8 %.
///
/// Source: C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013).
package enum EllipsoidMeasure {
  /// The reason why the library cannot be used; nil if it can.
  package static var failure: String? {
    if let message = cadastre_proj_load() { return String(cString: message) }
    return cadastre_proj_has_geodesics() != 0
      ? nil : "the library PROJ \(String(cString: cadastre_proj_version())) has no geodesics"
  }

  /// Returns whether a measure depends on the form of the Earth.
  static func isMeasured(_ measure: GeometryMeasure) -> Bool {
    [.area, .perimeter, .length].contains(measure)
  }

  /// Returns an area in square metres, or a length in metres.
  ///
  /// - Parameters:
  ///   - measure: The measure.
  ///   - geometry: The geometry.
  /// - Returns: The value; null for other measures, and for a ring around the Earth along a parallel.
  /// - Complexity: O(n) in the number of positions.
  static func value(_ measure: GeometryMeasure, of geometry: Geometry) -> Value {
    switch measure {
    case .area:
      number(geometry, of: \.rings) { polygon in
        let areas = polygon.map { ring($0).area }
        return max(0, areas[0] - areas.dropFirst().reduce(0, +))
      }
    case .perimeter: number(geometry, of: \.rings) { $0.reduce(0) { $0 + ring($1).perimeter } }
    case .length: number(geometry, of: \.linesAlone) { $0.reduce(0) { $0 + length($1) } }
    default: .null
    }
  }

  /// Returns the distance of two points in metres.
  static func distance(_ first: GeoPoint, _ second: GeoPoint) -> Double {
    cadastre_proj_distance(
      first.longitude, first.latitude, second.longitude, second.latitude)
  }

  /// Returns the least distance of a geometry from a point in metres: 0 if it contains the point, nil if it is empty.
  ///
  /// The edges are great circles, as in predicates.
  static func distance(_ origin: GeoPoint, _ geometry: Geometry) -> Double? {
    PreparedGeometry(geometry, edges: .spherical)
      .leastDistance(to: origin, spread: spread, radius: radius) { longitude, latitude in
        cadastre_proj_distance(origin.longitude, origin.latitude, longitude, latitude)
      }
  }

  /// The ratio of the radii of curvature at a pole and along a meridian at the equator, rounded up.
  private static let spread = 1.0102
  /// The radius of curvature at a pole in metres, the greatest one, rounded up.
  private static let radius = 6_399_600.0

  /// Returns the sum over groups of lines: the polygons, or all lines as one group.
  private static func number(
    _ geometry: Geometry, of groups: (Geometry) -> [[[GeoPosition]]],
    _ measure: ([[GeoPosition]]) -> Double
  ) -> Value {
    let groups = groups(geometry).filter { !$0.isEmpty }
    // An edge at a pole has no length.
    let isAround = groups.joined().contains { line in
      zip(line, line.dropFirst()).contains {
        abs($0.longitude - $1.longitude) >= 360 && abs($0.latitude + $1.latitude) < 180
      }
    }
    return isAround ? .null : .double(groups.reduce(0) { $0 + measure($1) })
  }

  private static func ring(_ ring: [GeoPosition]) -> (area: Double, perimeter: Double) {
    let open = ring.dropLast()
    var (area, perimeter) = (0.0, 0.0)
    cadastre_proj_polygon(
      open.map(\.longitude), open.map(\.latitude), Int32(clamping: open.count), &area, &perimeter)
    return (area, perimeter)
  }

  private static func length(_ line: [GeoPosition]) -> Double {
    zip(line, line.dropFirst()).reduce(0) { sum, edge in
      sum
        + cadastre_proj_distance(
          edge.0.longitude, edge.0.latitude, edge.1.longitude, edge.1.latitude)
    }
  }
}

extension Geometry {
  /// The rings of each polygon.
  fileprivate var rings: [[[GeoPosition]]] {
    switch shape {
    case .polygon(let rings): [rings]
    case .multiPolygon(let polygons): polygons
    case .collection(let parts): parts.flatMap(\.rings)
    case .point, .multiPoint, .lineString, .multiLineString: []
    }
  }

  /// The lines, as one group.
  fileprivate var linesAlone: [[[GeoPosition]]] {
    switch shape {
    case .lineString(let line): [[line]]
    case .multiLineString(let lines): [lines]
    case .collection(let parts): parts.flatMap(\.linesAlone)
    case .point, .multiPoint, .polygon, .multiPolygon: []
    }
  }
}

/// A region bounded by a closed ring, without the interiors of its holes.
///
///     // A triangle over central Europe; latitude first.
///     let polygon = GeoPolygon(outerRing: [(47, 5), (46, 16), (54, 6), (47, 5)])
///
/// The orientation of rings is ignored: with spherical edges the interior of a ring is its smaller
/// side. All borders belong to the region, including the borders of holes.
///
/// With spherical edges an edge between two points of one latitude whose longitudes are -180 and 180 is
/// the whole parallel, so the world, bands of latitudes and polar caps are written as rectangles. With
/// planar edges an edge from 170 to -170 passes through longitude 0: a polygon across ±180° is divided
/// there, as in RFC 7946 section 3.1.9.
public struct GeoPolygon: Hashable, Sendable {
  /// The exterior ring: at least four points, the last equal to the first.
  public let outerRing: [GeoPoint]
  /// The interior rings: at least four points each, the last equal to the first.
  public let holes: [[GeoPoint]]

  /// Creates a polygon from an exterior ring and a list of holes.
  ///
  /// Nil if a ring has fewer than four points, or if its last point differs from its first,
  /// altitude included. Whether rings intersect is checked when a query is built.
  ///
  /// - Parameters:
  ///   - outerRing: The exterior ring.
  ///   - holes: The holes; nil is equivalent to an empty list.
  /// - Complexity: O(n) in the number of rings.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]?) {
    let holes = holes ?? []
    guard Self.isRing(outerRing), holes.allSatisfy(Self.isRing) else { return nil }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// Creates a polygon from an exterior ring and any number of holes.
  ///
  /// Nil if a ring has fewer than four points, or if its last point differs from its first.
  ///
  /// - Parameters:
  ///   - outerRing: The exterior ring.
  ///   - holes: The holes.
  /// - Complexity: O(n) in the number of rings.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// Creates a polygon from coordinates in degrees, **latitude first** as in Realm.
  ///
  /// Nil if a coordinate is out of range, if a ring has fewer than four points, or if its last
  /// point differs from its first.
  ///
  /// - Parameters:
  ///   - outerRing: The exterior ring.
  ///   - holes: The holes.
  /// - Complexity: O(n) in the number of points.
  public init?(
    outerRing: [(latitude: Double, longitude: Double)],
    holes: [[(latitude: Double, longitude: Double)]] = []
  ) {
    guard let outerRing = Self.points(outerRing) else { return nil }
    var holeRings: [[GeoPoint]] = []
    for hole in holes {
      guard let points = Self.points(hole) else { return nil }
      holeRings.append(points)
    }
    self.init(outerRing: outerRing, holes: holeRings)
  }

  /// Creates a polygon from coordinates in degrees, **latitude first** as in Realm, with any number
  /// of holes.
  ///
  /// Nil if a coordinate is out of range, if a ring has fewer than four points, or if its last
  /// point differs from its first.
  ///
  /// - Parameters:
  ///   - outerRing: The exterior ring.
  ///   - holes: The holes.
  /// - Complexity: O(n) in the number of points.
  public init?(
    outerRing: [(latitude: Double, longitude: Double)],
    holes: [(latitude: Double, longitude: Double)]...
  ) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The exterior ring, then the holes.
  package var rings: [[GeoPoint]] {
    [outerRing] + holes
  }

  private static func isRing(_ points: [GeoPoint]) -> Bool {
    points.count >= 4 && points.first == points.last
  }

  private static func points(
    _ pairs: [(latitude: Double, longitude: Double)]
  ) -> [GeoPoint]? {
    var points: [GeoPoint] = []
    points.reserveCapacity(pairs.count)
    for pair in pairs {
      guard let point = GeoPoint(latitude: pair.latitude, longitude: pair.longitude)
      else { return nil }
      points.append(point)
    }
    return points
  }
}

extension GeoPolygon: CustomStringConvertible {
  /// The polygon in the syntax of predicates, longitude first: a braced list of points for each
  /// ring, the exterior ring first.
  public var description: String { Self.text(rings) }

  /// Returns rings in the syntax of predicates.
  static func text(_ rings: [[some CustomStringConvertible]]) -> String {
    let rings = rings.map { "{" + $0.map(\.description).joined(separator: ", ") + "}" }
    return "geoPolygon(" + rings.joined(separator: ", ") + ")"
  }
}

/// Coding as a GeoJSON polygon: rings of positions, the exterior ring first.
///
/// Source: RFC 7946, section 3.1.6; the orientation of rings is not changed.
extension GeoPolygon: Codable {
  /// Decodes a GeoJSON polygon.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is not a GeoJSON polygon, a ring is not closed or too
  ///   short, or a coordinate is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.requireType("Polygon")
    self = try container.polygon(
      try container.decode([[[Double]]].self, forKey: .coordinates))
  }

  /// Encodes a GeoJSON polygon.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.encode("Polygon", forKey: .type)
    try container.encode(positions, forKey: .coordinates)
  }

  var positions: [[[Double]]] { rings.map { $0.map(\.coordinates) } }
}

extension KeyedDecodingContainer<GeoPoint.CodingKeys> {
  /// Returns the polygon with rings of positions, or throws `DecodingError`.
  func polygon(_ numbers: [[[Double]]]) throws -> GeoPolygon {
    let rings = numbers.map { $0.compactMap(GeoPoint.init(coordinates:)) }
    guard zip(rings, numbers).allSatisfy({ $0.count == $1.count }), let exterior = rings.first,
      let polygon = GeoPolygon(outerRing: exterior, holes: Array(rings.dropFirst()))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: self,
        debugDescription: "expected closed rings of at least four positions in range")
    }
    return polygon
  }
}

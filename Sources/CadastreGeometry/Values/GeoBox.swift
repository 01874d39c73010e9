/// A rectangular region between two opposite corners, borders included.
///
///     // From Fiji to Samoa, across the antimeridian; latitude first.
///     let box = GeoBox(bottomLeft: (-20, 176), topRight: (-12, -171))
///
/// With spherical edges a box is the polygon of its four corners, so its northern and southern
/// sides are great-circle arcs that bulge towards the nearer pole. The corners may be given in any
/// order: latitudes are sorted, and longitudes are joined by the shorter of the two intervals. A
/// box without width or height is an arc or a point. A box from longitude -180 to 180 contains all
/// longitudes.
///
/// With planar edges a box is the rectangle of the sorted longitudes and latitudes, unless its first
/// longitude is more than 180° east of the second: `GeoBox(bottomLeft: (-20, 170), topRight: (20, -170))`
/// is the strip of 20° across ±180°.
public struct GeoBox: Hashable, Sendable {
  /// The first corner, by convention the south-western one.
  public let bottomLeft: GeoPoint
  /// The opposite corner, by convention the north-eastern one.
  public let topRight: GeoPoint

  /// Creates a box from two opposite corners.
  ///
  /// - Parameters:
  ///   - bottomLeft: One corner, by convention the south-western one.
  ///   - topRight: The opposite corner.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// Creates a box from two opposite corners in degrees, **latitude first** as in Realm.
  ///
  /// Nil if a latitude is not from -90 to 90 or a longitude is not from -180 to 180.
  ///
  /// - Parameters:
  ///   - bottomLeft: One corner, by convention the south-western one.
  ///   - topRight: The opposite corner.
  public init?(
    bottomLeft: (latitude: Double, longitude: Double),
    topRight: (latitude: Double, longitude: Double)
  ) {
    guard
      let bottomLeft = GeoPoint(latitude: bottomLeft.latitude, longitude: bottomLeft.longitude),
      let topRight = GeoPoint(latitude: topRight.latitude, longitude: topRight.longitude)
    else { return nil }
    self.init(bottomLeft: bottomLeft, topRight: topRight)
  }
}

extension GeoBox {
  /// Creates a box from sides in degrees, which must be in range.
  init(uncheckedWest west: Double, south: Double, east: Double, north: Double) {
    bottomLeft = GeoPoint(uncheckedLatitude: south, longitude: west, altitude: 0)
    topRight = GeoPoint(uncheckedLatitude: north, longitude: east, altitude: 0)
  }
}

extension GeoBox: CustomStringConvertible {
  /// The box in the syntax of predicates, longitude first: `geoBox([176, -20], [-171, -12])`.
  public var description: String {
    "geoBox(\(bottomLeft), \(topRight))"
  }
}

extension GeoBox {
  /// Returns the band of latitudes if the box contains all longitudes, else nil.
  func band(edges: EdgeModel) -> Envelope? {
    let (south, north) = latitudes
    guard edges == .spherical, abs(topRight.longitude - bottomLeft.longitude) == 360
    else { return nil }
    return Envelope(west: -180, south: south, east: 180, north: north)
  }

  /// The latitudes of the southern and the northern side.
  var latitudes: (Double, Double) {
    (
      min(bottomLeft.latitude, topRight.latitude),
      max(bottomLeft.latitude, topRight.latitude)
    )
  }

  /// Returns the box, or the two parts of one that crosses ±180° with planar edges.
  ///
  /// With planar edges a box crosses ±180° if its first longitude is more than 180° east of the second.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: One or two boxes.
  package func parts(edges: EdgeModel) -> [GeoBox] {
    let width = bottomLeft.longitude - topRight.longitude
    guard edges == .planar, width > 180, width < 360 else { return [self] }
    let (south, north) = latitudes
    return [(bottomLeft.longitude, 180), (-180, topRight.longitude)].map { west, east in
      GeoBox(uncheckedWest: west, south: south, east: east, north: north)
    }
  }

  /// Returns the canonical longitudes of the western and the eastern side.
  func longitudes(_ edges: EdgeModel) -> (Double, Double) {
    let (west, east) = sortedLongitudes(edges)
    guard edges == .spherical else { return (west, east) }
    return (west == 180 ? -180 : west, east == 180 ? -180 : east)
  }

  /// Returns the longitudes of the western and the eastern side as written.
  private func sortedLongitudes(_ edges: EdgeModel) -> (Double, Double) {
    let (first, second) = (bottomLeft.longitude, topRight.longitude)
    let isEastward =
      edges == .planar ? first <= second : longitudeDifference(from: first, to: second) >= 0
    return isEastward ? (first, second) : (second, first)
  }

  /// Returns the box from its south-western to its north-eastern corner.
  func sorted(_ edges: EdgeModel) -> GeoBox {
    let (south, north) = latitudes
    let (west, east) = sortedLongitudes(edges)
    return GeoBox(uncheckedWest: west, south: south, east: east, north: north)
  }

  /// Returns the border of a box that is one part.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: A collector with the border as a ring or as a line.
  /// - Throws: `RegionError.Reason` if the box is 180° wide and has a side on the equator, with
  ///   spherical edges.
  func arcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    let (south, north) = latitudes
    let (west, east) = longitudes(edges)
    var collector = ArcCollector(edges: edges)
    if band(edges: edges) != nil {
      if south == north {
        collector.addParallel(south, role: .line)
        return collector
      }
      let ring = Geometry(self).parts.polygons[0][0].map(\.vertex)
      try collector.addRing([], of: RingCourse(ring), role: .shell)
      return collector
    }
    if west == east || south == north {
      let start = Vertex(longitude: west, latitude: south)
      let end = Vertex(longitude: east, latitude: north)
      // Two arcs, because the ends of a meridian from pole to pole are antipodes.
      let middle = Vertex(longitude: west, latitude: south + (north - south) / 2)
      if west == east {
        try collector.addLine(from: start, to: middle)
        try collector.addLine(from: middle, to: end)
      } else {
        try collector.addLine(from: start, to: end)
      }
      return collector
    }
    try collector.addRing(ring(west, east, south, north, edges), role: .shell)
    return collector
  }

  /// Returns the corners, counter-clockwise; with spherical edges a side at a pole is one vertex.
  func ring(
    _ west: Double, _ east: Double, _ south: Double, _ north: Double, _ edges: EdgeModel
  ) -> [Vertex] {
    let corners = [
      Vertex(longitude: west, latitude: south), Vertex(longitude: east, latitude: south),
      Vertex(longitude: east, latitude: north), Vertex(longitude: west, latitude: north),
    ]
    guard edges == .spherical, corners.contains(where: \.isPole) else { return corners }
    let southPole = Vertex(longitude: 0, latitude: -90)
    let northPole = Vertex(longitude: 0, latitude: 90)
    if south > -90 { return [corners[0], corners[1], northPole] }
    if north < 90 { return [southPole, corners[2], corners[3]] }
    return [
      southPole, Vertex(longitude: east, latitude: 0), northPole,
      Vertex(longitude: west, latitude: 0),
    ]
  }
}

/// Coding as the GeoJSON polygon of the four corners in their order, with a `bbox`.
///
/// Source: RFC 7946, sections 3.1.6 and 5.
extension GeoBox: Codable {
  /// Decodes a GeoJSON polygon whose four corners are on two meridians and two parallels.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the positions are not the corners of a box, or a coordinate is
  ///   out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: GeoPoint.CodingKeys.self)
    let polygon = try GeoPolygon(from: decoder)
    guard let box = GeoBox(corners: polygon) else {
      throw DecodingError.dataCorruptedError(
        forKey: .coordinates, in: container,
        debugDescription: "expected the four corners of a box, the first edge along a parallel")
    }
    self = box
  }

  /// Encodes the polygon of the corners and its `bbox`.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    let (first, second) = (bottomLeft, topRight)
    var container = encoder.container(keyedBy: GeoPoint.CodingKeys.self)
    try container.encode("Polygon", forKey: .type)
    try container.encode(
      [first.longitude, first.latitude, second.longitude, second.latitude], forKey: .bbox)
    try container.encode(
      [
        [
          first.coordinates, [second.longitude, first.latitude], second.coordinates,
          [first.longitude, second.latitude], first.coordinates,
        ]
      ], forKey: .coordinates)
  }

  /// Creates the box with the corners of a polygon; nil if the polygon is not a box.
  private init?(corners polygon: GeoPolygon) {
    let ring = polygon.outerRing
    guard ring.count == 5, polygon.holes.isEmpty, ring[0].latitude == ring[1].latitude,
      ring[1].longitude == ring[2].longitude, ring[2].latitude == ring[3].latitude,
      ring[3].longitude == ring[0].longitude
    else { return nil }
    self.init(bottomLeft: ring[0], topRight: ring[2])
  }
}

/// A bounding box of longitudes and latitudes in degrees, borders included.
///
///     let europe = Envelope(west: -10, south: 35, east: 40, north: 70)
///
/// The envelope of a geometry never crosses ±180°. A region across the antimeridian has two envelopes.
public struct Envelope: Hashable, Sendable {
  /// The longitude of the western side, in degrees.
  public var west: Double
  /// The latitude of the southern side, in degrees.
  public var south: Double
  /// The longitude of the eastern side, in degrees.
  public var east: Double
  /// The latitude of the northern side, in degrees.
  public var north: Double

  /// Creates an envelope from its sides in degrees.
  ///
  /// - Parameters:
  ///   - west: The western side.
  ///   - south: The southern side.
  ///   - east: The eastern side.
  ///   - north: The northern side.
  public init(west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The envelope of all longitudes and latitudes.
  public static let world = Envelope(west: -180, south: -90, east: 180, north: 90)

  /// Returns whether a point is inside the envelope or on its border.
  ///
  /// - Parameters:
  ///   - longitude: The longitude of the point, in degrees.
  ///   - latitude: The latitude of the point, in degrees.
  /// - Returns: False if a coordinate is NaN.
  public func contains(longitude: Double, latitude: Double) -> Bool {
    longitude >= west && longitude <= east && latitude >= south && latitude <= north
  }

  /// Returns whether two envelopes share a point, borders included.
  ///
  /// - Parameter other: The other envelope.
  /// - Returns: False if a side of either envelope is NaN.
  public func intersects(_ other: Envelope) -> Bool {
    west <= other.east && other.west <= east && south <= other.north && other.south <= north
  }
}

extension Envelope: CustomStringConvertible {
  /// The two corners, longitude first: `[west south, east north]`.
  public var description: String {
    "[\(west) \(south), \(east) \(north)]"
  }
}

extension Envelope {
  /// A circle that contains the envelope: its centre, and its radius in radians.
  var circle: (center: Vertex, radius: Double) {
    let center = center
    let reach = 2 * arcSine(DistanceOrigin(center).maximumHaversine(to: self).squareRoot())
    return (center, reach * (1 + 1e-9) + 1e-14)
  }

  /// Creates the envelope of one point, in degrees.
  init(longitude: Double, latitude: Double) {
    self.init(west: longitude, south: latitude, east: longitude, north: latitude)
  }

  /// The envelope with a margin for the tolerance of borders.
  var widened: Envelope {
    let margin = Arc.latitudeMargin
    return Envelope(
      west: west - margin, south: south - margin, east: east + margin, north: north + margin)
  }

  /// The centre, in degrees.
  var center: Vertex {
    Vertex(longitude: west + (east - west) / 2, latitude: south + (north - south) / 2)
  }

  /// Extends the envelope so that it contains another one.
  package mutating func formUnion(_ other: Envelope) {
    west = min(west, other.west)
    south = min(south, other.south)
    east = max(east, other.east)
    north = max(north, other.north)
  }

  /// Returns the smallest envelope that contains all envelopes; nil without envelopes.
  static func bounds(of envelopes: [Envelope]) -> Envelope? {
    guard let first = envelopes.first else { return nil }
    return envelopes.dropFirst().reduce(into: first) { $0.formUnion($1) }
  }

  /// Returns the smallest box that contains all envelopes; nil without envelopes.
  ///
  /// With `wraps` the box may cross ±180°; its western longitude is then greater than its eastern one.
  static func bounds(of envelopes: [Envelope], wraps: Bool) -> Envelope? {
    guard var bounds = bounds(of: envelopes) else { return nil }
    guard wraps else { return bounds }
    // The widest gap between the intervals of longitude.
    let sorted = envelopes.map { ($0.west, $0.east) }.sorted { $0.0 < $1.0 }
    var (reach, gap) = (sorted[0].1, 360 - (bounds.east - bounds.west))
    for (west, east) in sorted.dropFirst() {
      if west - reach > gap {
        gap = west - reach
        (bounds.west, bounds.east) = (west, reach)
      }
      reach = max(reach, east)
    }
    return bounds
  }

  /// The envelope, whose longitudes may exceed ±180°, as one or two envelopes in range.
  ///
  /// The second envelope begins or ends at the opposite side of ±180°. The second one has no width if
  /// this envelope only touches ±180°.
  var wrapped: [Envelope] {
    var (western, eastern) = (self, self)
    if west <= -180 {
      western.west = min(180, west + 360)
      western.east = 180
      eastern.west = -180
      return [western, eastern]
    }
    if east >= 180 {
      western.east = 180
      eastern.west = -180
      eastern.east = max(-180, east - 360)
      return [western, eastern]
    }
    return [self]
  }

  /// The part with valid coordinates; nil if this part is empty or a side is NaN.
  @inline(__always)
  var inRange: Envelope? {
    let part = Envelope(
      west: max(-180, west), south: max(-90, south), east: min(180, east), north: min(90, north))
    return part.west <= part.east && part.south <= part.north
      ? part : nil
  }

  /// Creates an envelope from west, east, south and north in degrees.
  @inline(__always)
  init(_ box: SIMD4<Float>) {
    self.init(
      west: Double(box[0]), south: Double(box[2]), east: Double(box[1]),
      north: Double(box[3]))
  }
}

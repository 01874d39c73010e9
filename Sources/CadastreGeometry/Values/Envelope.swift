/// A bounding box of longitudes and latitudes in degrees, borders included.
///
///     let europe = Envelope(
///       minLongitude: -10, maxLongitude: 40, minLatitude: 35, maxLatitude: 70)
///
/// An envelope never crosses ±180°. A region across the antimeridian has two envelopes.
public struct Envelope: Hashable, Sendable {
  /// The longitude of the western side, in degrees.
  public var minLongitude: Double
  /// The longitude of the eastern side, in degrees.
  public var maxLongitude: Double
  /// The latitude of the southern side, in degrees.
  public var minLatitude: Double
  /// The latitude of the northern side, in degrees.
  public var maxLatitude: Double

  /// Creates an envelope from its sides in degrees.
  ///
  /// - Parameters:
  ///   - minLongitude: The western side.
  ///   - maxLongitude: The eastern side.
  ///   - minLatitude: The southern side.
  ///   - maxLatitude: The northern side.
  public init(
    minLongitude: Double, maxLongitude: Double, minLatitude: Double, maxLatitude: Double
  ) {
    self.minLongitude = minLongitude
    self.maxLongitude = maxLongitude
    self.minLatitude = minLatitude
    self.maxLatitude = maxLatitude
  }

  /// The envelope of all longitudes and latitudes.
  public static let world = Envelope(
    minLongitude: -180, maxLongitude: 180, minLatitude: -90, maxLatitude: 90)

  /// Returns whether a point is inside the envelope or on its border.
  ///
  /// - Parameters:
  ///   - longitude: The longitude of the point, in degrees.
  ///   - latitude: The latitude of the point, in degrees.
  /// - Returns: False if a coordinate is NaN.
  public func contains(longitude: Double, latitude: Double) -> Bool {
    longitude >= minLongitude && longitude <= maxLongitude
      && latitude >= minLatitude && latitude <= maxLatitude
  }

  /// Returns whether two envelopes share a point, borders included.
  ///
  /// - Parameter other: The other envelope.
  /// - Returns: False if a side of either envelope is NaN.
  public func intersects(_ other: Envelope) -> Bool {
    minLongitude <= other.maxLongitude && other.minLongitude <= maxLongitude
      && minLatitude <= other.maxLatitude && other.minLatitude <= maxLatitude
  }
}

extension Envelope: CustomStringConvertible {
  /// The two corners, longitude first: `[west south, east north]`.
  public var description: String {
    "[\(minLongitude) \(minLatitude), \(maxLongitude) \(maxLatitude)]"
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
    self.init(
      minLongitude: longitude, maxLongitude: longitude, minLatitude: latitude,
      maxLatitude: latitude)
  }

  /// The envelope with a margin for the tolerance of borders.
  var widened: Envelope {
    let margin = Arc.latitudeMargin
    return Envelope(
      minLongitude: minLongitude - margin, maxLongitude: maxLongitude + margin,
      minLatitude: minLatitude - margin, maxLatitude: maxLatitude + margin)
  }

  /// The centre, in degrees.
  var center: Vertex {
    Vertex(
      longitude: minLongitude + (maxLongitude - minLongitude) / 2,
      latitude: minLatitude + (maxLatitude - minLatitude) / 2)
  }

  /// Extends the envelope so that it contains another one.
  package mutating func formUnion(_ other: Envelope) {
    minLongitude = min(minLongitude, other.minLongitude)
    maxLongitude = max(maxLongitude, other.maxLongitude)
    minLatitude = min(minLatitude, other.minLatitude)
    maxLatitude = max(maxLatitude, other.maxLatitude)
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
    let sorted = envelopes.map { ($0.minLongitude, $0.maxLongitude) }.sorted { $0.0 < $1.0 }
    var (reach, gap) = (sorted[0].1, 360 - (bounds.maxLongitude - bounds.minLongitude))
    for (west, east) in sorted.dropFirst() {
      if west - reach > gap {
        gap = west - reach
        (bounds.minLongitude, bounds.maxLongitude) = (west, reach)
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
    if minLongitude <= -180 {
      western.minLongitude = min(180, minLongitude + 360)
      western.maxLongitude = 180
      eastern.minLongitude = -180
      return [western, eastern]
    }
    if maxLongitude >= 180 {
      western.maxLongitude = 180
      eastern.minLongitude = -180
      eastern.maxLongitude = max(-180, maxLongitude - 360)
      return [western, eastern]
    }
    return [self]
  }

  /// The part with valid coordinates; nil if this part is empty or a side is NaN.
  @inline(__always)
  var inRange: Envelope? {
    let part = Envelope(
      minLongitude: max(-180, minLongitude), maxLongitude: min(180, maxLongitude),
      minLatitude: max(-90, minLatitude), maxLatitude: min(90, maxLatitude))
    return part.minLongitude <= part.maxLongitude && part.minLatitude <= part.maxLatitude
      ? part : nil
  }

  /// Creates an envelope from west, east, south and north in degrees.
  @inline(__always)
  init(_ box: SIMD4<Float>) {
    self.init(
      minLongitude: Double(box[0]), maxLongitude: Double(box[1]),
      minLatitude: Double(box[2]), maxLatitude: Double(box[3]))
  }
}

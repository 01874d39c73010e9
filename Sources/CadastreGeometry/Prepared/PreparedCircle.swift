/// A circle on the sphere with precomputed values for fast tests.
///
/// Points at a distance from the border are classified by approximate haversines. Points near the border
/// are classified by `greatCircleAngle`, so that the result agrees with distances.
struct PreparedCircle {
  private let center: DistanceOrigin
  private let radius: Double
  /// The maximum difference of latitude of a point inside, in degrees.
  private let reach: Double
  /// Points with an approximate haversine below this bound are inside.
  private let inner: Double
  /// Points with an approximate haversine above this bound are outside.
  private let outer: Double
  /// The maximum change of the haversine per radian inside the circle.
  private let slope: Double
  /// One or two envelopes that cover the circle.
  let envelopes: [Envelope]

  init(_ circle: GeoCircle) {
    center = DistanceOrigin(longitude: circle.center.longitude, latitude: circle.center.latitude)
    radius = circle.radiusInRadians
    reach = circle.radiusInRadians / radiansPerDegree * (1 + 1e-12) + 1e-12
    let half = sine(min(circle.radiusInRadians, .pi) / 2)
    inner = half * half * (1 - DistanceOrigin.margin)
    outer = half * half * (1 + DistanceOrigin.margin)
    slope = radius < .pi / 2 ? sine(radius) / 2 * (1 + 1e-9) : 0.5
    envelopes = Self.envelopes(center, radius, reach)
  }

  /// Returns whether a point with coordinates in range is inside the circle or on its border.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard abs(latitude - center.latitude) <= reach else { return false }
    let haversine = center.haversine(longitude: longitude, latitude: latitude)
    if haversine < inner { return true }
    if haversine > outer { return false }
    return containsExactly(longitude: longitude, latitude: latitude)
  }

  @inline(never)
  private func containsExactly(longitude: Double, latitude: Double) -> Bool {
    greatCircleAngle(
      fromLongitude: center.longitude, latitude: center.latitude,
      toLongitude: longitude, latitude: latitude) <= radius
  }

  /// Classifies an envelope.
  func relation(to envelope: Envelope) -> EnvelopeRelation {
    guard envelopes.contains(where: envelope.intersects) else { return .disjoint }
    if center.minimumHaversine(to: envelope) > outer { return .disjoint }
    return center.maximumHaversine(to: envelope) < inner ? .inside : .intersects
  }

  /// Classifies a small box by its centre; nil if the centre is too near to the border.
  @inline(__always)
  func relation(to box: SmallBox) -> EnvelopeRelation? {
    guard abs(box.latitude - center.latitude) - box.halfHeight <= reach else { return .disjoint }
    let haversine = center.haversine(longitude: box.longitude, latitude: box.latitude)
    let reach = box.reach
    // Inside, the haversine changes by at most `slope` per radian; outside, by slightly more.
    if haversine < inner - reach * slope { return .inside }
    return haversine > outer + reach * (slope + reach) ? .disjoint : nil
  }

  /// Returns one or two envelopes that cover the circle.
  private static func envelopes(
    _ center: DistanceOrigin, _ radius: Double, _ reach: Double
  ) -> [Envelope] {
    var envelope = Envelope.world
    envelope.south = max(-90, center.latitude - reach)
    envelope.north = min(90, center.latitude + reach)
    guard envelope.south > -90, envelope.north < 90, radius < .pi / 2
    else { return [envelope] }
    let sineOfWidth = sine(radius) / cosine(latitude: center.latitude)
    let width = arcSine(sineOfWidth) / radiansPerDegree * (1 + 1e-9) + 1e-9
    guard width < 90 else { return [envelope] }
    envelope.west = center.longitude - width
    envelope.east = center.longitude + width
    return envelope.wrapped
  }
}

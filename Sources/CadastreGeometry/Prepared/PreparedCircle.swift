/// A circle on the sphere with what its test needs computed once.
///
/// Points clear of the border are decided by haversines from quick sines; the rest by
/// `greatCircleAngle`, which is also how distances are made.
struct PreparedCircle {
  private let center: Vantage
  private let radius: Double
  /// Beyond this difference of latitude no point can be inside.
  private let reach: Double
  /// Haversines up to this are certainly inside.
  private let inner: Double
  /// Haversines beyond this are certainly outside.
  private let outer: Double
  /// How much the haversine changes along a radian inside of the border, at most.
  private let slope: Double
  /// Rectangles that cover the circle.
  let envelopes: [Envelope]

  init(_ circle: GeoCircle) {
    center = Vantage(longitude: circle.center.longitude, latitude: circle.center.latitude)
    radius = circle.radiusInRadians
    reach = circle.radiusInRadians / radiansPerDegree * (1 + 1e-12) + 1e-12
    let half = sine(min(circle.radiusInRadians, .pi) / 2)
    inner = half * half * (1 - Vantage.margin)
    outer = half * half * (1 + Vantage.margin)
    slope = radius < .pi / 2 ? sine(radius) / 2 * (1 + 1e-9) : 0.5
    envelopes = Self.envelopes(center, radius, reach)
  }

  /// Whether a point, its coordinates in range, is no further than the radius.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard abs(latitude - center.latitude) <= reach else { return false }
    let haversine = center.haversine(longitude: longitude, latitude: latitude)
    if haversine < inner { return true }
    if haversine > outer { return false }
    return holds(longitude: longitude, latitude: latitude)
  }

  @inline(never)
  private func holds(longitude: Double, latitude: Double) -> Bool {
    greatCircleAngle(
      fromLongitude: center.longitude, latitude: center.latitude,
      toLongitude: longitude, latitude: latitude) <= radius
  }

  /// How a rectangle lies to the circle.
  func relation(to rectangle: Envelope) -> EnvelopeRelation {
    guard envelopes.contains(where: rectangle.intersects) else { return .disjoint }
    if center.leastHaversine(to: rectangle) > outer { return .disjoint }
    return center.greatestHaversine(to: rectangle) < inner ? .inside : .straddles
  }

  /// How a small box lies to the circle; nil where that takes more than a look at its middle.
  @inline(__always)
  func relation(to box: SmallBox) -> EnvelopeRelation? {
    guard abs(box.latitude - center.latitude) - box.halfHeight <= reach else { return .disjoint }
    let haversine = center.haversine(longitude: box.longitude, latitude: box.latitude)
    let reach = box.reach
    // Towards the border the haversine changes by at most `slope` a radian, beyond it by a bit more.
    if haversine < inner - reach * slope { return .inside }
    return haversine > outer + reach * (slope + reach) ? .disjoint : nil
  }

  /// One or two rectangles that cover the circle.
  private static func envelopes(
    _ center: Vantage, _ radius: Double, _ reach: Double
  ) -> [Envelope] {
    var envelope = Envelope.world
    envelope.minLatitude = max(-90, center.latitude - reach)
    envelope.maxLatitude = min(90, center.latitude + reach)
    guard envelope.minLatitude > -90, envelope.maxLatitude < 90, radius < .pi / 2
    else { return [envelope] }
    let sineOfWidth = sine(radius) / cosine(latitude: center.latitude)
    let width = arcSine(sineOfWidth) / radiansPerDegree * (1 + 1e-9) + 1e-9
    guard width < 90 else { return [envelope] }
    envelope.minLongitude = center.longitude - width
    envelope.maxLongitude = center.longitude + width
    return envelope.wrapped
  }
}

extension Envelope {
  /// The rectangle, whose longitudes may pass ±180°, as rectangles that do not.
  ///
  /// One that touches ±180° is given under both names of that meridian.
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
}

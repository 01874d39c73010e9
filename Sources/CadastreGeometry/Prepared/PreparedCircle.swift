/// A circle on the sphere with what its test needs computed once.
///
/// Points clear of the border are decided by haversines from quick sines; the rest by
/// `greatCircleAngle`, which is also how distances are made.
struct PreparedCircle {
  private let longitude: Double
  private let latitude: Double
  private let radius: Double
  /// Beyond this difference of latitude no point can be inside.
  private let reach: Double
  private let cosineOfLatitude: Double
  /// Haversines up to this are certainly inside.
  private let inner: Double
  /// Haversines beyond this are certainly outside.
  private let outer: Double

  /// How far the haversine of a quick sine may be off, relative, with a tenfold reserve.
  private static let margin = 2e-12

  init(_ circle: GeoCircle) {
    longitude = circle.center.longitude
    latitude = circle.center.latitude
    radius = circle.radiusInRadians
    reach = circle.radiusInRadians / radiansPerDegree * (1 + 1e-12) + 1e-12
    cosineOfLatitude = cosine(latitude: circle.center.latitude)
    let half = sine(min(circle.radiusInRadians, .pi) / 2)
    inner = half * half * (1 - Self.margin)
    outer = half * half * (1 + Self.margin)
  }

  /// Whether a point, its coordinates in range, is no further than the radius.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    let northward = latitude - self.latitude
    guard abs(northward) <= reach else { return false }
    let eastward = longitudeDifference(from: self.longitude, to: longitude)
    let haversine = haversine(northward, eastward, quickCosine(latitude))
    if haversine < inner { return true }
    if haversine > outer { return false }
    return holds(longitude: longitude, latitude: latitude)
  }

  @inline(never)
  private func holds(longitude: Double, latitude: Double) -> Bool {
    greatCircleAngle(
      fromLongitude: self.longitude, latitude: self.latitude,
      toLongitude: longitude, latitude: latitude) <= radius
  }

  @inline(__always)
  private func quickCosine(_ latitude: Double) -> Double {
    quickSine((90 - abs(latitude)) * radiansPerDegree)
  }

  /// The haversine of the distance to a point so many degrees north and east of the centre.
  @inline(__always)
  private func haversine(
    _ northward: Double, _ eastward: Double, _ cosineOfOther: Double
  ) -> Double {
    let sineNorth = quickSine(northward * (radiansPerDegree / 2))
    let sineEast = quickSine(eastward * (radiansPerDegree / 2))
    return sineNorth * sineNorth + cosineOfLatitude * cosineOfOther * (sineEast * sineEast)
  }

  /// How a rectangle lies to the circle.
  ///
  /// Along a parallel the distance grows with the difference of longitude, so the nearest and the
  /// furthest point lie on the nearest and the furthest meridian of the rectangle.
  func relation(to rectangle: Envelope) -> EnvelopeRelation {
    guard rectangle.minLatitude - latitude <= reach, latitude - rectangle.maxLatitude <= reach
    else { return .disjoint }
    let (nearest, furthest) = eastwardRange(of: rectangle)
    if leastHaversine(eastward: nearest, rectangle) > outer { return .disjoint }
    return greatestHaversine(eastward: furthest, rectangle) < inner ? .inside : .straddles
  }

  /// The least and the greatest difference of longitude to a rectangle, in degrees.
  private func eastwardRange(of rectangle: Envelope) -> (Double, Double) {
    let west = rectangle.minLongitude
    let east = rectangle.maxLongitude
    let toWest = abs(longitudeDifference(from: longitude, to: west))
    let toEast = abs(longitudeDifference(from: longitude, to: east))
    let isWithin = { (meridian: Double) in west <= meridian && meridian <= east }
    let holdsCenter = isWithin(longitude) || abs(longitude) == 180 && isWithin(-longitude)
    let opposite = longitude > 0 ? longitude - 180 : longitude + 180
    let holdsOpposite = isWithin(opposite) || abs(opposite) == 180 && isWithin(-opposite)
    return (holdsCenter ? 0 : min(toWest, toEast), holdsOpposite ? 180 : max(toWest, toEast))
  }

  /// The haversine to the nearest point of a meridian within the rectangle's latitudes.
  private func leastHaversine(eastward: Double, _ rectangle: Envelope) -> Double {
    let south = rectangle.minLatitude
    let north = rectangle.maxLatitude
    if eastward == 0 {
      let nearest = max(south, min(latitude, north))
      return haversine(nearest - latitude, 0, 0)
    }
    let (sineOfCenter, cosineEast) = (
      sine(latitude: latitude), cosine(eastward * radiansPerDegree)
    )
    let ends = min(
      haversine(south - latitude, eastward, quickCosine(south)),
      haversine(north - latitude, eastward, quickCosine(north)))
    guard grows(at: south, sineOfCenter, cosineEast) > -1e-12,
      grows(at: north, sineOfCenter, cosineEast) < 1e-12
    else { return ends }
    // The foot of the perpendicular lies within: its distance has this sine and is at most 90°.
    let sineOfDistance = cosineOfLatitude * sine(eastward * radiansPerDegree)
    let cosineOfDistance = max(0, 1 - sineOfDistance * sineOfDistance).squareRoot()
    return min(ends, sineOfDistance * sineOfDistance / (2 * (1 + cosineOfDistance)))
  }

  /// The haversine to the furthest point of a meridian within the rectangle's latitudes.
  private func greatestHaversine(eastward: Double, _ rectangle: Envelope) -> Double {
    let south = rectangle.minLatitude
    let north = rectangle.maxLatitude
    let ends = max(
      haversine(south - latitude, eastward, quickCosine(south)),
      haversine(north - latitude, eastward, quickCosine(north)))
    let (sineOfCenter, cosineEast) = (
      sine(latitude: latitude), cosine(eastward * radiansPerDegree)
    )
    guard grows(at: south, sineOfCenter, cosineEast) < 1e-12,
      grows(at: north, sineOfCenter, cosineEast) > -1e-12
    else { return ends }
    let across = cosineOfLatitude * cosineEast
    let cosineOfDistance = -(sineOfCenter * sineOfCenter + across * across).squareRoot()
    return max(ends, (1 - cosineOfDistance) / 2)
  }

  /// Whether the cosine of the distance grows northwards at a latitude of a meridian.
  private func grows(
    at latitude: Double, _ sineOfCenter: Double, _ cosineEast: Double
  ) -> Double {
    sineOfCenter * cosine(latitude: latitude)
      - cosineOfLatitude * cosineEast * sine(latitude: latitude)
  }

  /// One or two rectangles that cover the circle.
  var envelopes: [Envelope] {
    var envelope = Envelope.world
    envelope.minLatitude = max(-90, latitude - reach)
    envelope.maxLatitude = min(90, latitude + reach)
    guard envelope.minLatitude > -90, envelope.maxLatitude < 90, radius < .pi / 2
    else { return [envelope] }
    let width = arcSine(sine(radius) / cosineOfLatitude) / radiansPerDegree * (1 + 1e-9) + 1e-9
    guard width < 90 else { return [envelope] }
    envelope.minLongitude = longitude - width
    envelope.maxLongitude = longitude + width
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

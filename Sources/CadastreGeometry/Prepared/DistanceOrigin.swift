/// A place from which distances are measured, with what that needs computed once.
///
/// Its haversines are quick: off by less than `margin` of themselves. They order places as distances
/// do, and what they leave open is asked of `greatCircleAngle`.
package struct Vantage: Sendable {
  /// Degrees east.
  let longitude: Double
  /// Degrees north.
  let latitude: Double
  private let sineOfLatitude: Double
  private let cosineOfLatitude: Double

  /// How far the haversine of a quick sine may be off, relative, with a tenfold reserve.
  static let margin = 2e-12

  /// A place in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
    sineOfLatitude = sine(latitude: latitude)
    cosineOfLatitude = cosine(latitude: latitude)
  }

  /// The haversine of the distance to a place in range.
  @inline(__always)
  func haversine(longitude: Double, latitude: Double) -> Double {
    haversine(
      northward: latitude - self.latitude,
      eastward: longitudeDifference(from: self.longitude, to: longitude),
      Self.quickCosine(latitude))
  }

  /// The haversine of the distance to a point so many degrees north and east.
  @inline(__always)
  private func haversine(
    northward: Double, eastward: Double, _ cosineOfOther: Double
  ) -> Double {
    let sineNorth = quickSine(northward * (radiansPerDegree / 2))
    let sineEast = quickSine(eastward * (radiansPerDegree / 2))
    return sineNorth * sineNorth + cosineOfLatitude * cosineOfOther * (sineEast * sineEast)
  }

  @inline(__always)
  private static func quickCosine(_ latitude: Double) -> Double {
    quickSine((90 - abs(latitude)) * radiansPerDegree)
  }

  // MARK: Rectangles

  /// The haversine to the nearest point of a rectangle.
  ///
  /// Along a parallel the distance grows with the difference of longitude, so it lies on the nearest
  /// meridian of the rectangle.
  func leastHaversine(to rectangle: Envelope) -> Double {
    let west = rectangle.minLongitude
    let east = rectangle.maxLongitude
    let isWithin = { (meridian: Double) in west <= meridian && meridian <= east }
    if isWithin(longitude) || abs(longitude) == 180 && isWithin(-longitude) {
      let nearest = max(rectangle.minLatitude, min(latitude, rectangle.maxLatitude))
      return haversine(northward: nearest - latitude, eastward: 0, 0)
    }
    let toWest = abs(longitudeDifference(from: longitude, to: west))
    let toEast = abs(longitudeDifference(from: longitude, to: east))
    return leastHaversine(eastward: min(toWest, toEast), rectangle)
  }

  /// The haversine to the furthest point of a rectangle, which lies on its furthest meridian.
  func greatestHaversine(to rectangle: Envelope) -> Double {
    let west = rectangle.minLongitude
    let east = rectangle.maxLongitude
    let isWithin = { (meridian: Double) in west <= meridian && meridian <= east }
    let opposite = longitude > 0 ? longitude - 180 : longitude + 180
    if isWithin(opposite) || abs(opposite) == 180 && isWithin(-opposite) {
      return greatestHaversine(eastward: 180, rectangle)
    }
    let toWest = abs(longitudeDifference(from: longitude, to: west))
    let toEast = abs(longitudeDifference(from: longitude, to: east))
    return greatestHaversine(eastward: max(toWest, toEast), rectangle)
  }

  /// The haversine to the nearest point of a meridian within the rectangle's latitudes.
  private func leastHaversine(eastward: Double, _ rectangle: Envelope) -> Double {
    let south = rectangle.minLatitude
    let north = rectangle.maxLatitude
    let ends = min(
      haversine(northward: south - latitude, eastward: eastward, Self.quickCosine(south)),
      haversine(northward: north - latitude, eastward: eastward, Self.quickCosine(north)))
    let cosineEast = cosine(eastward * radiansPerDegree)
    guard grows(at: south, cosineEast) > -1e-12, grows(at: north, cosineEast) < 1e-12
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
      haversine(northward: south - latitude, eastward: eastward, Self.quickCosine(south)),
      haversine(northward: north - latitude, eastward: eastward, Self.quickCosine(north)))
    let cosineEast = cosine(eastward * radiansPerDegree)
    guard grows(at: south, cosineEast) < 1e-12, grows(at: north, cosineEast) > -1e-12
    else { return ends }
    let across = cosineOfLatitude * cosineEast
    let cosineOfDistance = -(sineOfLatitude * sineOfLatitude + across * across).squareRoot()
    return max(ends, (1 - cosineOfDistance) / 2)
  }

  /// Whether the cosine of the distance grows northwards at a latitude of a meridian.
  private func grows(at latitude: Double, _ cosineEast: Double) -> Double {
    sineOfLatitude * cosine(latitude: latitude)
      - cosineOfLatitude * cosineEast * sine(latitude: latitude)
  }
}

/// Distances to many boxes.
extension Vantage {
  /// Lower bounds of the haversines of the distances to boxes.
  ///
  /// - Parameters:
  ///   - boxes: West, east, south and north of each, in degrees.
  ///   - bounds: Where the bounds go; as many as there are boxes.
  package func leastHaversines(
    to boxes: UnsafeBufferPointer<SIMD4<Float>>, _ bounds: UnsafeMutablePointer<Double>
  ) {
    for (place, box) in boxes.enumerated() { bounds[place] = leastHaversine(to: box) }
  }

  private func leastHaversine(to box: SIMD4<Float>) -> Double {
    let small = SmallBox(box)
    guard small.isSmall else {
      return leastHaversine(to: Envelope(box)) * (1 - Self.margin)
    }
    let middle = haversine(longitude: small.longitude, latitude: small.latitude)
    // A haversine changes by half the sine of the angle, which is less than its root.
    let slope = min(0.5, middle.squareRoot())
    return max(0, middle * (1 - Self.margin) - small.reach * slope)
  }

  /// The angle in radians that belongs to a lower bound of a haversine; not larger than the exact one.
  package static func angle(leastHaversine: Double) -> Double {
    max(0, 2 * arcSine(leastHaversine.squareRoot()) * (1 - 1e-12) - 1e-15)
  }
}

/// A box of the size that rounding to 32-bit floats gives to a point.
struct SmallBox {
  /// The middle, in degrees.
  let longitude: Double
  let latitude: Double
  /// Half the sides, in degrees.
  let halfWidth: Double
  let halfHeight: Double

  /// Takes west, east, south and north in degrees.
  @inline(__always)
  init(_ box: SIMD4<Float>) {
    let (west, east) = (Double(box[0]), Double(box[1]))
    let (south, north) = (Double(box[2]), Double(box[3]))
    longitude = (west + east) / 2
    latitude = (south + north) / 2
    halfWidth = (east - west) / 2
    halfHeight = (north - south) / 2
  }

  /// Whether the box is small enough to be treated as its middle with a margin.
  ///
  /// 32-bit floats are at most 1.5e-5 degrees apart there. Never for a box with NaN.
  @inline(__always)
  var isSmall: Bool {
    halfWidth <= 2e-5 && halfHeight <= 2e-5 && halfWidth >= 0 && halfHeight >= 0
      && CoordinateRange.contains(longitude: longitude, latitude: latitude)
  }

  /// The angle in radians within which all of the box lies from its middle.
  @inline(__always)
  var reach: Double { (halfWidth + halfHeight) * radiansPerDegree * (1 + 1e-9) }
}

extension Envelope {
  /// A box of west, east, south and north in degrees.
  @inline(__always)
  init(_ box: SIMD4<Float>) {
    self.init(
      minLongitude: Double(box[0]), maxLongitude: Double(box[1]),
      minLatitude: Double(box[2]), maxLatitude: Double(box[3]))
  }
}

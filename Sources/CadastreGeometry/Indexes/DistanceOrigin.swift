/// The origin of distance computations, with precomputed values.
///
/// Haversines increase with the distance. They are approximate, with a relative error below `margin`;
/// callers use `greatCircleAngle` where the error matters.
package struct DistanceOrigin: Sendable {
  /// The longitude in degrees.
  let longitude: Double
  /// The latitude in degrees.
  let latitude: Double
  private let sineOfLatitude: Double
  private let cosineOfLatitude: Double

  /// The bound of the relative error of a haversine: ten times the error of `approximateSine`.
  static let margin = 2e-12

  /// Creates an origin from coordinates in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
    sineOfLatitude = sine(latitude: latitude)
    cosineOfLatitude = cosine(latitude: latitude)
  }

  /// Creates an origin at a vertex.
  init(_ vertex: Vertex) { self.init(longitude: vertex.longitude, latitude: vertex.latitude) }

  /// Returns the approximate haversine of the distance to a point with coordinates in range.
  @inline(__always)
  func haversine(longitude: Double, latitude: Double) -> Double {
    haversine(
      northward: latitude - self.latitude,
      eastward: longitudeDifference(from: self.longitude, to: longitude),
      Self.approximateCosine(latitude: latitude))
  }

  /// Returns the approximate haversine for differences of latitude and longitude in degrees.
  @inline(__always)
  private func haversine(
    northward: Double, eastward: Double, _ cosineOfOther: Double
  ) -> Double {
    let sineNorth = approximateSine(northward * (radiansPerDegree / 2))
    let sineEast = approximateSine(eastward * (radiansPerDegree / 2))
    return sineNorth * sineNorth + cosineOfLatitude * cosineOfOther * (sineEast * sineEast)
  }

  @inline(__always)
  private static func approximateCosine(latitude: Double) -> Double {
    approximateSine((90 - abs(latitude)) * radiansPerDegree)
  }

  // MARK: Envelopes

  /// Returns the approximate haversine of the distance to the nearest point of an envelope.
  ///
  /// Along a parallel the distance increases with the difference of longitude, so the nearest point
  /// is on the nearest meridian of the envelope.
  func minimumHaversine(to envelope: Envelope) -> Double {
    let west = envelope.west
    let east = envelope.east
    let isWithin = { (meridian: Double) in west <= meridian && meridian <= east }
    if isWithin(longitude) || abs(longitude) == 180 && isWithin(-longitude) {
      let nearest = max(envelope.south, min(latitude, envelope.north))
      return haversine(northward: nearest - latitude, eastward: 0, 0)
    }
    let toWest = abs(longitudeDifference(from: longitude, to: west))
    let toEast = abs(longitudeDifference(from: longitude, to: east))
    return minimumHaversine(eastward: min(toWest, toEast), envelope)
  }

  /// Returns the approximate haversine of the distance to the farthest point of an envelope.
  ///
  /// The farthest point is on the farthest meridian of the envelope.
  func maximumHaversine(to envelope: Envelope) -> Double {
    let west = envelope.west
    let east = envelope.east
    let isWithin = { (meridian: Double) in west <= meridian && meridian <= east }
    let opposite = longitude > 0 ? longitude - 180 : longitude + 180
    if isWithin(opposite) || abs(opposite) == 180 && isWithin(-opposite) {
      return maximumHaversine(eastward: 180, envelope)
    }
    let toWest = abs(longitudeDifference(from: longitude, to: west))
    let toEast = abs(longitudeDifference(from: longitude, to: east))
    return maximumHaversine(eastward: max(toWest, toEast), envelope)
  }

  /// Returns the haversines to the points of a meridian on the envelope's southern and northern
  /// side.
  private func endHaversines(_ eastward: Double, _ envelope: Envelope) -> (Double, Double) {
    let (south, north) = (envelope.south, envelope.north)
    return (
      haversine(
        northward: south - latitude, eastward: eastward, Self.approximateCosine(latitude: south)),
      haversine(
        northward: north - latitude, eastward: eastward, Self.approximateCosine(latitude: north))
    )
  }

  /// Returns the haversine to the nearest point of a meridian between the envelope's latitudes.
  private func minimumHaversine(eastward: Double, _ envelope: Envelope) -> Double {
    let (south, north) = endHaversines(eastward, envelope)
    let ends = min(south, north)
    let cosineEast = cosine(eastward * radiansPerDegree)
    guard slope(at: envelope.south, cosineEast) > -1e-12,
      slope(at: envelope.north, cosineEast) < 1e-12
    else { return ends }
    // The foot of the perpendicular is between the ends. Its distance has this sine, and is at most 90°.
    let sineOfDistance = cosineOfLatitude * sine(eastward * radiansPerDegree)
    let cosineOfDistance = max(0, 1 - sineOfDistance * sineOfDistance).squareRoot()
    return min(ends, sineOfDistance * sineOfDistance / (2 * (1 + cosineOfDistance)))
  }

  /// Returns the haversine to the farthest point of a meridian between the envelope's latitudes.
  private func maximumHaversine(eastward: Double, _ envelope: Envelope) -> Double {
    let (south, north) = endHaversines(eastward, envelope)
    let ends = max(south, north)
    let cosineEast = cosine(eastward * radiansPerDegree)
    guard slope(at: envelope.south, cosineEast) < 1e-12,
      slope(at: envelope.north, cosineEast) > -1e-12
    else { return ends }
    let across = cosineOfLatitude * cosineEast
    let cosineOfDistance = -(sineOfLatitude * sineOfLatitude + across * across).squareRoot()
    return max(ends, (1 - cosineOfDistance) / 2)
  }

  /// Returns the northward derivative of the cosine of the distance at a latitude of a meridian.
  private func slope(at latitude: Double, _ cosineEast: Double) -> Double {
    sineOfLatitude * cosine(latitude: latitude)
      - cosineOfLatitude * cosineEast * sine(latitude: latitude)
  }
}

/// Distances to batches of boxes.
extension DistanceOrigin {
  /// Computes lower bounds of the haversines of the distances to boxes.
  ///
  /// - Parameters:
  ///   - boxes: West, east, south and north of each box, in degrees.
  ///   - bounds: The results; memory for one per box.
  /// - Complexity: O(n) in the number of boxes.
  package func minimumHaversines(
    to boxes: UnsafeBufferPointer<SIMD4<Float>>, _ bounds: UnsafeMutablePointer<Double>
  ) {
    for (index, box) in boxes.enumerated() { bounds[index] = minimumHaversine(to: box) }
  }

  private func minimumHaversine(to box: SIMD4<Float>) -> Double {
    let small = SmallBox(box)
    guard small.isSmall else {
      return minimumHaversine(to: Envelope(box)) * (1 - Self.margin)
    }
    let center = haversine(longitude: small.longitude, latitude: small.latitude)
    // The derivative of a haversine is half the sine of the angle, which is less than its root.
    let slope = min(0.5, center.squareRoot())
    return max(0, center * (1 - Self.margin) - small.reach * slope)
  }

  /// Converts a lower bound of a haversine to a lower bound of the angle in radians.
  package static func angle(minimumHaversine: Double) -> Double {
    max(0, 2 * arcSine(minimumHaversine.squareRoot()) * (1 - 1e-12) - 1e-15)
  }
}

/// A box of the size of a point whose coordinates are rounded to 32-bit floats.
struct SmallBox {
  /// The longitude of the centre, in degrees.
  let longitude: Double
  /// The latitude of the centre, in degrees.
  let latitude: Double
  /// Half the width, in degrees.
  let halfWidth: Double
  /// Half the height, in degrees.
  let halfHeight: Double

  /// Creates a box from west, east, south and north in degrees.
  @inline(__always)
  init(_ box: SIMD4<Float>) {
    let (west, east) = (Double(box[0]), Double(box[1]))
    let (south, north) = (Double(box[2]), Double(box[3]))
    longitude = (west + east) / 2
    latitude = (south + north) / 2
    halfWidth = (east - west) / 2
    halfHeight = (north - south) / 2
  }

  /// Whether the box is small enough to be classified by its centre with a margin.
  ///
  /// Adjacent 32-bit floats up to 180 differ by at most 1.5e-5. False if a side is NaN.
  @inline(__always)
  var isSmall: Bool {
    halfWidth <= 2e-5 && halfHeight <= 2e-5 && halfWidth >= 0 && halfHeight >= 0
      && CoordinateRange.contains(longitude: longitude, latitude: latitude)
  }

  /// The maximum distance of a point of the box from its centre, in radians.
  @inline(__always)
  var reach: Double { (halfWidth + halfHeight) * radiansPerDegree * (1 + 1e-9) }
}

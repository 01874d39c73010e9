/// Returns the central angle between two points, in radians from 0 to π.
///
/// Distances and circles use this formula only, so their results agree. The result is exactly 0 for
/// equal points, also if their coordinates differ (±180°, the poles). It is bitwise symmetric. It
/// is accurate for near points and for antipodes: the haversines of the angle and of its supplement
/// are sums without cancellation, and the arctangent of the quotient of their roots is half the
/// angle.
///
/// Source: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68, 1984.
///
/// - Parameters:
///   - fromLongitude: The longitude of the first point, in degrees.
///   - fromLatitude: The latitude of the first point, in degrees.
///   - toLongitude: The longitude of the second point, in degrees.
///   - toLatitude: The latitude of the second point, in degrees.
/// - Returns: The angle in radians.
package func greatCircleAngle(
  fromLongitude: Double, latitude fromLatitude: Double,
  toLongitude: Double, latitude toLatitude: Double
) -> Double {
  let halfLongitude =
    longitudeDifference(from: fromLongitude, to: toLongitude) * (radiansPerDegree / 2)
  let sineDifference = sine((toLatitude - fromLatitude) * (radiansPerDegree / 2))
  let sineSum = sine((fromLatitude + toLatitude) * (radiansPerDegree / 2))
  let scale = cosine(latitude: fromLatitude) * cosine(latitude: toLatitude)
  let sineLongitude = sine(halfLongitude)
  let cosineLongitude = cosine(halfLongitude)
  let haversine = sineDifference * sineDifference + scale * (sineLongitude * sineLongitude)
  let supplement = sineSum * sineSum + scale * (cosineLongitude * cosineLongitude)
  return 2 * arcTangent(y: haversine.squareRoot(), x: supplement.squareRoot())
}

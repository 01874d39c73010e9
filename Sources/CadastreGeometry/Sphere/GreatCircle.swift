/// The angle between two places at the centre of the sphere, in radians: 0 to π.
///
/// It is the only formula for distances and for circles, so the two cannot disagree. It is exactly
/// 0 for equal places, also where they are written differently (±180°, the poles), it is the same
/// in both directions to the last bit, and it is accurate for neighbours and for antipodes alike:
/// haversine of the angle and of its supplement are sums without cancellation, and the arctangent
/// of their roots is half the angle.
///
/// Source: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68, 1984.
///
/// - Parameters:
///   - fromLongitude: Degrees.
///   - fromLatitude: Degrees.
///   - toLongitude: Degrees.
///   - toLatitude: Degrees.
/// - Returns: Radians.
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

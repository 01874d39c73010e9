// The one place that asks the platform for its mathematics.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Degrees to radians: one multiplication.
let radiansPerDegree = Double.pi / 180

/// The sine of an angle in radians.
@inline(__always) func sine(_ radians: Double) -> Double { sin(radians) }

/// The cosine of an angle in radians.
@inline(__always) func cosine(_ radians: Double) -> Double { cos(radians) }

/// The angle of the vector (x, y) in radians, from -π to π.
@inline(__always) func arcTangent(y: Double, x: Double) -> Double { atan2(y, x) }

/// The angle whose sine is `value`, in radians; `value` is clamped to -1...1.
@inline(__always) func arcSine(_ value: Double) -> Double { asin(max(-1, min(1, value))) }

/// The sine of a latitude in degrees.
@inline(__always) func sine(latitude: Double) -> Double { sin(latitude * radiansPerDegree) }

/// The cosine of a latitude in degrees; exactly 0 at the poles and accurate near them.
@inline(__always)
func cosine(latitude: Double) -> Double { sin((90 - abs(latitude)) * radiansPerDegree) }

/// The difference of two longitudes the shorter way round, in degrees: -180 to 180.
@inline(__always)
func longitudeDifference(from west: Double, to east: Double) -> Double {
  let difference = east - west
  if difference > 180 { return difference - 360 }
  if difference < -180 { return difference + 360 }
  return difference
}

/// A sine from a polynomial, for angles from -π/2 to π/2 in radians.
///
/// About 3 ns where the platform's takes 10, with a relative error below 1e-13; callers decide
/// only what is clear by a wider margin and ask the platform about the rest.
/// The polynomial is the Taylor series up to the 17th power: (π/2)^19 / 19! = 4.4e-14.
@inline(__always)
func quickSine(_ angle: Double) -> Double {
  let square = angle * angle
  var sum = 1.0 / 355_687_428_096_000
  sum = sum * square - 1.0 / 1_307_674_368_000
  sum = sum * square + 1.0 / 6_227_020_800
  sum = sum * square - 1.0 / 39_916_800
  sum = sum * square + 1.0 / 362_880
  sum = sum * square - 1.0 / 5_040
  sum = sum * square + 1.0 / 120
  sum = sum * square - 1.0 / 6
  return angle + angle * square * sum
}

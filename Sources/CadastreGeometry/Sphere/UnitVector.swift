/// A point on the unit sphere, or a direction, in Cartesian coordinates.
///
/// The x axis points to longitude 0 on the equator, y to longitude 90, z to the north pole.
struct UnitVector: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Creates the point at a longitude and latitude in degrees.
  @inline(__always)
  init(longitude: Double, latitude: Double) {
    let radius = cosine(latitude: latitude)
    let angle = longitude * radiansPerDegree
    x = radius * cosine(angle)
    y = radius * sine(angle)
    z = sine(latitude: latitude)
  }

  /// The longitude in degrees, from -180 to 180.
  var longitude: Double {
    arcTangent(y: y, x: x) / radiansPerDegree
  }

  /// The latitude in degrees, from -90 to 90.
  var latitude: Double {
    arcTangent(y: z, x: (x * x + y * y).squareRoot()) / radiansPerDegree
  }

  /// The length of the vector.
  var length: Double {
    (x * x + y * y + z * z).squareRoot()
  }

  /// The vector of length 1 in the same direction; nil for the zero vector.
  var normalized: UnitVector? {
    let length = length
    guard length > 0 else { return nil }
    return UnitVector(x: x / length, y: y / length, z: z / length)
  }

  /// Returns the scalar product.
  @inline(__always)
  func dot(_ other: UnitVector) -> Double {
    x * other.x + y * other.y + z * other.z
  }

  /// Returns the cross product, which is perpendicular to both vectors.
  func cross(_ other: UnitVector) -> UnitVector {
    UnitVector(
      x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  /// Returns the angle to another vector, in radians.
  func angle(to other: UnitVector) -> Double {
    arcTangent(y: cross(other).length, x: dot(other))
  }

  /// The point in this direction.
  var vertex: Vertex { Vertex(longitude: longitude, latitude: latitude) }

  static func + (left: UnitVector, right: UnitVector) -> UnitVector {
    UnitVector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  static func * (vector: UnitVector, factor: Double) -> UnitVector {
    UnitVector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
  }

  static func - (left: UnitVector, right: UnitVector) -> UnitVector {
    UnitVector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  /// Returns a vector in the direction at a fraction of the arc to another unit vector.
  ///
  /// - Parameters:
  ///   - other: The end of the arc.
  ///   - angle: The angle between the vectors, in radians.
  ///   - fraction: A number from 0 to 1.
  /// - Returns: The vector, which is not normalized.
  func interpolated(to other: UnitVector, angle: Double, fraction: Double) -> UnitVector {
    self * sine((1 - fraction) * angle) + other * sine(fraction * angle)
  }

  /// Returns the unit normal of the plane through two points; nil for equal points and for antipodes.
  ///
  /// The normal is accurate for near points: (a - b) × (a + b) is 2 (a × b) without cancellation.
  func edgeNormal(to other: UnitVector) -> UnitVector? {
    let product = (self - other).cross(self + other)
    guard product.length > 1e-300, product.length > 1e-14 || dot(other) > 0 else { return nil }
    return product.normalized
  }
}

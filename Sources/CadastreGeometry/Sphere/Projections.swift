/// A point of the plane.
struct PlanePoint: Hashable, Sendable {
  var x: Double
  var y: Double
}

/// A gnomonic projection: the sphere projected from its centre onto a tangent plane.
///
/// Great circles become straight lines, so planar predicates are exact for spherical edges. Lengths
/// and areas are not preserved. Only directions less than 90° from the centre have an image.
struct GnomonicProjection {
  private let center: UnitVector
  private let right: UnitVector
  private let up: UnitVector

  /// Creates a projection with a centre.
  init(center: UnitVector) {
    let axis =
      abs(center.z) < 0.9 ? UnitVector(x: 0, y: 0, z: 1) : UnitVector(x: 1, y: 0, z: 0)
    let right = axis.cross(center)
    let length = right.length
    self.center = center
    self.right = UnitVector(x: right.x / length, y: right.y / length, z: right.z / length)
    up = center.cross(self.right)
  }

  /// The greatest angle between the centre and a vertex, in radians.
  ///
  /// At 88° lengths are stretched by a factor of 30 tangentially and 800 radially, which costs three of sixteen digits.
  static let maximumReach = 88 * radiansPerDegree

  /// Creates a projection centred on vertices; nil if they are not within ``maximumReach`` of a centre.
  ///
  /// The centre is their mean. If it is too far from a vertex, it moves towards the farthest one in steps that become
  /// smaller.
  ///
  /// Source: M. Bădoiu, K. L. Clarkson, "Smaller core-sets for balls", 2003.
  ///
  /// - Complexity: O(n) in the number of vertices.
  init?(around vertices: some Sequence<Vertex>) {
    let directions = vertices.map(\.unitVector)
    let sum = directions.reduce(UnitVector(x: 0, y: 0, z: 0), +)
    guard var center = sum.normalized ?? directions.first else { return nil }
    let minimumCosine = cosine(Self.maximumReach)
    for step in 1...Self.centeringSteps {
      guard let farthest = directions.min(by: { $0.dot(center) < $1.dot(center) }) else { break }
      if farthest.dot(center) >= minimumCosine {
        self.init(center: center)
        return
      }
      let moved = center + (farthest - center) * (1 / Double(step + 1))
      guard let direction = moved.normalized else { return nil }
      center = direction
    }
    return nil
  }

  private static let centeringSteps = 32

  /// Returns the image of a direction; nil if the direction is 90° or more from the centre.
  func project(_ direction: UnitVector) -> PlanePoint? {
    let depth = direction.dot(center)
    guard depth > 0 else { return nil }
    return PlanePoint(x: direction.dot(right) / depth, y: direction.dot(up) / depth)
  }

  /// Returns the direction whose image is a point; the vector is not normalized.
  func direction(to point: PlanePoint) -> UnitVector {
    center + right * point.x + up * point.y
  }
}

/// An azimuthal equidistant projection to a plane of degrees.
///
/// Distances from the centre are exact.
struct AzimuthalProjection {
  private let center: UnitVector
  private let east: UnitVector
  private let north: UnitVector

  init(center: UnitVector) {
    self.center = center
    let angle = center.longitude * radiansPerDegree
    east = UnitVector(x: -sine(angle), y: cosine(angle), z: 0)
    north = center.cross(east)
  }

  /// Returns the image of a position.
  func project(_ position: GeoPosition) -> PlanePoint {
    let direction = position.canonicalDirection
    let (x, y) = (direction.dot(east), direction.dot(north))
    let radius = (x * x + y * y).squareRoot()
    // The antipode of the centre is 180° away in any direction.
    guard radius > 0 else { return PlanePoint(x: direction.dot(center) < 0 ? 180 : 0, y: 0) }
    let scale = arcTangent(y: radius, x: direction.dot(center)) / radiansPerDegree / radius
    return PlanePoint(x: x * scale, y: y * scale)
  }

  /// Returns the position whose image is a point.
  func position(of point: PlanePoint) -> GeoPosition {
    let radius = (point.x * point.x + point.y * point.y).squareRoot()
    let angle = radius * radiansPerDegree
    let scale = radius > 0 ? sine(angle) / radius : 0
    let direction = center * cosine(angle) + (east * point.x + north * point.y) * scale
    return GeoPosition(
      uncheckedLongitude: direction.longitude, latitude: direction.latitude)
  }
}

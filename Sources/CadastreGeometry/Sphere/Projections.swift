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
  /// The centre is their mean, or that of the smallest circle around them if the mean is too far from one of them.
  ///
  /// - Complexity: O(n) in the number of vertices.
  init?(around vertices: some Sequence<Vertex>) {
    let directions = vertices.map(\.unitVector)
    let minimumCosine = cosine(Self.maximumReach)
    func fits(_ center: UnitVector) -> Bool {
      directions.allSatisfy { $0.dot(center) >= minimumCosine }
    }
    let sum = directions.reduce(UnitVector(x: 0, y: 0, z: 0), +)
    if let mean = sum.normalized, fits(mean) {
      self.init(center: mean)
    } else if let center = Self.centerOfSmallestCircle(directions), fits(center) {
      self.init(center: center)
    } else {
      return nil
    }
  }

  /// Returns the centre of the smallest circle around directions; nil if they are not in a hemisphere.
  ///
  /// The centre is the direction of the point of their convex hull in space that is nearest to the centre of the sphere.
  ///
  /// Source: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance between complex objects
  /// in three-dimensional space", 1988.
  private static func centerOfSmallestCircle(_ directions: [UnitVector]) -> UnitVector? {
    guard var nearest = directions.first else { return nil }
    var simplex = [nearest]
    for _ in 0..<maximumSteps {
      guard let next = directions.min(by: { $0.dot(nearest) < $1.dot(nearest) }),
        next.dot(nearest) < nearest.dot(nearest) - 1e-12
      else { break }
      simplex.append(next)
      (nearest, simplex) = nearestPoint(of: simplex)
    }
    return nearest.length > 1e-9 ? nearest.normalized : nil
  }

  private static let maximumSteps = 100

  /// Returns the point of a simplex that is nearest to the origin, and the vertices of the part that contains it.
  ///
  /// The origin itself is not found inside of a tetrahedron; the result is the nearest point of its sides then.
  private static func nearestPoint(
    of simplex: [UnitVector]
  ) -> (point: UnitVector, part: [UnitVector]) {
    var best = (point: simplex[0], part: [simplex[0]])
    func consider(_ point: UnitVector, _ part: [UnitVector]) {
      if point.dot(point) < best.point.dot(best.point) { best = (point, part) }
    }
    for (index, first) in simplex.enumerated() {
      consider(first, [first])
      for (offset, second) in simplex[(index + 1)...].enumerated() {
        let edge = second - first
        let fraction = -first.dot(edge) / edge.dot(edge)
        if fraction > 0, fraction < 1 { consider(first + edge * fraction, [first, second]) }
        for third in simplex[(index + offset + 2)...] {
          let normal = edge.cross(third - first)
          let area = normal.dot(normal)
          guard area > 0 else { continue }
          let point = normal * (normal.dot(first) / area)
          let isInside = [(first, second), (second, third), (third, first)].allSatisfy {
            normal.dot(($1 - $0).cross(point - $0)) > 0
          }
          if isInside { consider(point, [first, second, third]) }
        }
      }
    }
    return best
  }

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

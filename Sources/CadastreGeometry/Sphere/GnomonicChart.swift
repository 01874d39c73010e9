/// A point of a chart.
struct PlanePoint: Hashable, Sendable {
  var x: Double
  var y: Double
}

/// The view of the sphere from its centre onto a plane that touches it.
///
/// Great circles are straight lines there, so planar geometry answers questions about them. Lengths
/// and areas mean nothing. Only directions less than 90° from the centre have a place.
struct GnomonicChart {
  private let center: UnitVector
  private let right: UnitVector
  private let up: UnitVector

  /// A chart around a direction.
  init(center: UnitVector) {
    let axis =
      abs(center.z) < 0.9 ? UnitVector(x: 0, y: 0, z: 1) : UnitVector(x: 1, y: 0, z: 0)
    let right = axis.cross(center)
    let length = right.length
    self.center = center
    self.right = UnitVector(x: right.x / length, y: right.y / length, z: right.z / length)
    up = center.cross(self.right)
  }

  /// A chart in the middle of some vertices; nil if one is more than 80° from there.
  ///
  /// At 80° a chart is 6 times as wide as the sphere and 33 times as deep, which costs two of
  /// sixteen digits.
  init?(around vertices: some Sequence<Vertex>) {
    var sum = UnitVector(x: 0, y: 0, z: 0)
    for vertex in vertices { sum = sum + vertex.unitVector }
    guard let center = sum.normalized else { return nil }
    let least = cosine(80 * radiansPerDegree)
    guard vertices.allSatisfy({ $0.unitVector.dot(center) >= least }) else { return nil }
    self.init(center: center)
  }

  /// Where a direction is on the chart; nil if it is 90° or more from the centre.
  func project(_ direction: UnitVector) -> PlanePoint? {
    let depth = direction.dot(center)
    guard depth > 0 else { return nil }
    return PlanePoint(x: direction.dot(right) / depth, y: direction.dot(up) / depth)
  }

  /// The direction that a point of the chart shows; its length is not 1.
  func direction(to point: PlanePoint) -> UnitVector {
    UnitVector(
      x: center.x + right.x * point.x + up.x * point.y,
      y: center.y + right.y * point.x + up.y * point.y,
      z: center.z + right.z * point.x + up.z * point.y)
  }
}

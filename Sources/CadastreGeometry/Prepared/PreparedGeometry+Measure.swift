/// Least distances by other measures than the angle on the sphere.
extension PreparedGeometry {
  /// Returns the least distance to a point by a measure that nearly agrees with distances on the sphere.
  ///
  /// Such a measure is the length of geodesics on an ellipsoid. Edges are great circles.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - spread: The greatest ratio of two quotients of the measure and the distance on the sphere.
  ///   - radius: The greatest quotient of the measure and an angle in radians.
  ///   - measure: Returns the distance of a longitude and a latitude, in degrees, from the point.
  /// - Returns: The distance; 0 if the geometry contains the point, nil if it is empty.
  /// - Complexity: O(n) for n positions, and some 50 measures for each edge that may be the nearest one.
  package func leastDistance(
    to point: GeoPoint, spread: Double, radius: Double, by measure: (Double, Double) -> Double
  ) -> Double? {
    if isEmpty { return nil }
    let origin = Vertex(longitude: point.longitude, latitude: point.latitude)
    if covers(origin) { return 0 }
    let segments = index?.segments ?? []
    let vertices = points + (lines + rings).flatMap(\.self)
    let angles = (
      segments: segments.map { $0.angle(to: origin, edges: edges) },
      vertices: vertices.map { $0.angle(to: origin) }
    )
    let limit = spread * min(angles.segments.min() ?? .pi, angles.vertices.min() ?? .pi)
    var least = Double.infinity
    for (vertex, angle) in zip(vertices, angles.vertices) where angle <= limit {
      least = min(least, measure(vertex.longitude, vertex.latitude))
    }
    for (segment, angle) in zip(segments, angles.segments) where angle <= limit {
      // No point of an edge is nearer than half of what the way over its ends is longer than the edge.
      let ends = [segment.start, segment.end].map { measure($0.longitude, $0.latitude) }
      let length = segment.isParallel ? .infinity : radius * segment.length(edges)
      guard (ends[0] + ends[1] - length) / 2 < least else { continue }
      least = min(least, segment.least(near: origin, angle, edges, by: measure))
    }
    return least
  }
}

extension Segment {
  /// The number of intervals from which the search starts; it continues beside the best of their ends.
  private static let parts = 16
  /// The number of steps of the search in a part, which makes it 1e-7 times as large.
  private static let steps = 34

  /// Returns the least value of a measure on the edge.
  ///
  /// - Parameters:
  ///   - origin: The point from which the measure is taken.
  ///   - angle: The angle between the point and the edge.
  ///   - edges: How the edge runs.
  ///   - measure: Returns the distance of a longitude and a latitude from the point.
  /// - Returns: The value. The nearest point by the measure is at most 2 % of its distance from that on the sphere.
  fileprivate func least(
    near origin: Vertex, _ angle: Double, _ edges: EdgeModel, by measure: (Double, Double) -> Double
  ) -> Double {
    func value(_ position: Double) -> Double {
      let vertex = point(at: position, edges: edges)
      return measure(vertex.longitude, vertex.latitude)
    }
    let length = length(edges)
    let foot = min(length, max(0, position(of: origin, edges: edges)))
    // All points of a parallel have the distance along the meridian as a bound.
    if isParallel { return value(foot) }
    // From near the pole of the edge's circle all points of the edge are about as far.
    let reach = angle < 1 ? 0.02 * angle + 1e-9 : length
    var (low, high) = (max(0, foot - reach), min(length, foot + reach))
    let step = (high - low) / Double(Self.parts)
    var (nearest, nearestValue) = (foot, value(foot))
    for part in 0...Self.parts {
      let position = low + Double(part) * step
      let found = value(position)
      if found < nearestValue { (nearest, nearestValue) = (position, found) }
    }
    (low, high) = (max(low, nearest - step), min(high, nearest + step))
    // The golden section.
    let ratio = (5.0.squareRoot() - 1) / 2
    var (first, second) = (high - ratio * (high - low), low + ratio * (high - low))
    var (firstValue, secondValue) = (value(first), value(second))
    for _ in 0..<Self.steps {
      if firstValue < secondValue {
        (high, second, secondValue) = (second, first, firstValue)
        first = high - ratio * (high - low)
        firstValue = value(first)
      } else {
        (low, first, firstValue) = (first, second, secondValue)
        second = low + ratio * (high - low)
        secondValue = value(second)
      }
    }
    return min(nearestValue, firstValue, secondValue)
  }
}

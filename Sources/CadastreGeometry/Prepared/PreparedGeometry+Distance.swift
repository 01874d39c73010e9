/// Distances on the sphere.
extension PreparedGeometry {
  /// Returns the least distance between two geometries: 0 if and only if they intersect; nil if one is
  /// empty.
  ///
  /// The nearest points of two geometries that do not intersect include a vertex, so each vertex is
  /// compared with the nearest edge. With planar edges the result is accurate to about 1e-8.
  ///
  /// - Complexity: O((n + m) log (n + m)) for n and m vertices.
  package func distance(to other: PreparedGeometry) -> Distance? {
    guard !isEmpty, !other.isEmpty else { return nil }
    if intersects(other) { return .zero }
    let angle = max(
      0, angle(to: other, below: .infinity) - (radius ?? 0) - (other.radius ?? 0))
    // A distance of 0 means that they intersect.
    return Distance(uncheckedRadians: angle > 0 ? angle : .leastNonzeroMagnitude)
  }

  /// Returns whether the least distance is at most a limit; false if one geometry is empty.
  package func isWithin(_ limit: Distance, of other: PreparedGeometry) -> Bool {
    guard !isEmpty, !other.isEmpty else { return false }
    if intersects(other) { return true }
    let reach = limit.radians + (radius ?? 0) + (other.radius ?? 0)
    return angle(to: other, below: reach.nextUp, stopsAt: reach) <= reach
  }

  /// Returns a lower bound of the distances between the geometry and the points of an envelope; 0 if they
  /// may intersect.
  ///
  /// - Parameter envelope: The envelope, in degrees.
  /// - Returns: The lower bound.
  package func minimumDistance(to envelope: Envelope) -> Distance {
    guard classify(envelope) == .disjoint, !isEmpty else { return .zero }
    let (center, reach) = envelope.circle
    let angle = nearestAngle(to: center, below: .infinity) - (radius ?? 0) - reach
    return Distance(uncheckedRadians: max(0, angle * (1 - 1e-12)))
  }

  /// Returns whether a point is within an angle of the geometry, which may be a circle.
  func isNear(_ point: Vertex, within angle: Double) -> Bool {
    if isEmpty { return false }
    let reach = angle + (radius ?? 0)
    return radius == nil && covers(point)
      || nearestAngle(to: point, below: reach.nextUp) <= reach
  }

  // MARK: Angles

  /// Returns the least angle between the borders if it is less than a limit, else the limit.
  private func angle(
    to other: PreparedGeometry, below limit: Double, stopsAt enough: Double = -1
  ) -> Double {
    var best = limit
    let isSmaller = (index?.segments.count ?? 0) <= (other.index?.segments.count ?? 0)
    let (small, large) = isSmaller ? (self, other) : (other, self)
    for chain in [small.points] + small.lines + small.rings {
      for vertex in chain {
        best = large.nearestAngle(to: vertex, below: best)
        if best <= enough { return best }
      }
    }
    for segment in small.index?.segments ?? [] {
      best = large.nearestVertexAngle(to: segment, below: best)
      if best <= enough { return best }
    }
    // Between a parallel and an edge the nearest point may be the summit of the edge.
    for (one, another) in [(self, other), (other, self)] {
      for latitude in one.parallels {
        for segment in another.index?.segments ?? [] {
          best = min(best, segment.angle(toParallel: latitude))
        }
        for point in another.points {
          best = min(best, abs(point.latitude - latitude) * radiansPerDegree)
        }
      }
    }
    return best
  }

  /// Returns the least angle between a vertex or point and an edge if it is less than a limit, else
  /// the limit.
  private func nearestVertexAngle(to segment: Segment, below limit: Double) -> Double {
    let best = index?.angle(ofVertexTo: segment, below: limit) ?? limit
    guard let pointIndex else { return best }
    let (center, reach) = segment.circle(edges)
    return pointIndex.leastAngle(from: center, reach: reach, below: best) {
      segment.angle(to: points[$0], edges: edges)
    }
  }

  /// Returns the angle between a point and the nearest point or edge if it is less than a limit, else
  /// the limit.
  private func nearestAngle(to point: Vertex, below limit: Double) -> Double {
    var best = index?.angle(to: point, below: limit) ?? limit
    if let pointIndex {
      best = pointIndex.leastAngle(from: point, below: best) { point.angle(to: points[$0]) }
    } else {
      for other in points { best = min(best, point.angle(to: other)) }
    }
    return best
  }

  // MARK: Circles

  /// Returns whether every point of a geometry is within the radius of this circle.
  ///
  /// A circle of less than 90° contains the great-circle edges between its points. A larger one is
  /// the complement of the circle around the antipode.
  func coversInCircle(_ other: PreparedGeometry, _ radius: Double) -> Bool {
    if radius >= .pi { return true }
    if let inner = other.radius {
      return points[0].angle(to: other.points[0]) + inner <= radius
    }
    let antipode = points[0].antipode
    // The point of a parallel that is farthest from the centre is on the opposite meridian.
    let farthest = other.parallels.map { Vertex(longitude: antipode.longitude, latitude: $0) }
    let vertices = other.points + (other.lines + other.rings).flatMap(\.self) + farthest
    guard vertices.allSatisfy({ covers($0) }) else { return false }
    guard radius >= .pi / 2 || other.edges == .planar || !other.areas.isEmpty else { return true }
    return !other.isNear(antipode, within: (.pi - radius) * (1 - 1e-15) - 1e-15)
  }

  /// Returns whether every point within an angle of a point is in this geometry.
  func coversCircle(_ center: Vertex, _ radius: Double) -> Bool {
    if radius == 0 { return covers(center) }
    guard areasCover(center) else { return false }
    return (index?.angle(to: center, below: .infinity) ?? .infinity) >= radius
  }
}

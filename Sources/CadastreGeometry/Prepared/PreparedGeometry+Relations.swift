/// Relations of closed sets of points: a line contains its ends, a polygon its rings.
extension PreparedGeometry {
  /// Returns whether two geometries have a common point; false if a geometry is empty.
  package func intersects(_ other: PreparedGeometry) -> Bool {
    if let radius { return other.isNear(points[0], within: radius) }
    if let radius = other.radius { return isNear(other.points[0], within: radius) }
    // A point intersects each geometry that contains it, also a polygon with invalid rings.
    if let onlyPoint { return other.covers(onlyPoint) }
    if let point = other.onlyPoint { return covers(point) }
    if isWorld || other.isWorld { return !isEmpty && !other.isEmpty }
    guard mayIntersect(other) else { return false }
    // Most pairs that intersect have a vertex of the smaller geometry in the larger one.
    let (small, large) = size <= other.size ? (self, other) : (other, self)
    return small.hasVertex(in: large) || large.hasVertex(in: small) || crosses(other)
  }

  /// Returns whether every point of another geometry is in this one; false if a geometry is empty.
  package func covers(_ other: PreparedGeometry) -> Bool {
    guard !isEmpty, !other.isEmpty else { return false }
    if let radius { return coversInCircle(other, radius) }
    if let radius = other.radius { return coversCircle(other.points[0], radius) }
    guard mayIntersect(other), other.areas.isEmpty || !areas.isEmpty,
      other.points.allSatisfy({ covers($0) }),
      other.chains.allSatisfy({ $0.allSatisfy { covers($0) } })
    else { return false }
    let isBorderCovered = other.index.map { index in
      index.segments.allSatisfy { segment in
        pieces(of: segment).allSatisfy { $0.isOnEdge || covers($0.middle) }
      }
    }
    return isBorderCovered != false && !hasExterior(inside: other)
  }

  /// Returns whether two geometries have the same points; false if a geometry is empty.
  package func equals(_ other: PreparedGeometry) -> Bool {
    covers(other) && other.covers(self)
  }

  // MARK: Parts

  /// The only point of the geometry; nil for other geometries.
  private var onlyPoint: Vertex? {
    points.count == 1 && lines.isEmpty && parallels.isEmpty && areas.isEmpty ? points[0] : nil
  }

  /// Whether a polygon is the whole sphere, which has no border.
  private var isWorld: Bool { areas.contains { $0.arcs.isEmpty } }

  /// The vertices of lines and rings.
  private var chains: [[Vertex]] { lines + rings }

  private func mayIntersect(_ other: PreparedGeometry) -> Bool {
    extent.contains { envelope in
      let widened = envelope.widened
      return other.extent.contains { widened.intersectsOnSphere($0) }
    }
  }

  private var size: Int { points.count + (index?.segments.count ?? 0) }

  private func hasVertex(in other: PreparedGeometry) -> Bool {
    if poles.contains(where: { other.covers($0) }) { return true }
    let envelopes = other.envelopes.map(\.widened)
    let hasPoint = pointIndex.map { index in
      envelopes.contains { envelope in
        index.contains(intersecting: envelope) { other.covers(points[$0]) }
      }
    }
    if hasPoint == true { return true }
    return index?.contains(intersecting: envelopes) {
      other.covers($0.start) || other.covers($0.end)
    } ?? false
  }

  private func crosses(_ other: PreparedGeometry) -> Bool {
    guard let first = index, let second = other.index else { return false }
    let (small, large) =
      first.segments.count <= second.segments.count ? (first, second) : (second, first)
    return small.segments.contains { segment in
      large.contains(near: segment) { segment.crosses($0, edges: edges) }
    }
  }

  // MARK: Coverage

  /// A part of an edge that no edge of the geometry crosses or touches between its ends.
  private struct Piece {
    /// A point between the ends.
    let middle: Vertex
    /// Whether the part is on an edge of the geometry.
    let isOnEdge: Bool
  }

  /// Returns the pieces into which the edges of this geometry divide an edge.
  private func pieces(of segment: Segment) -> [Piece] {
    let length = segment.length(edges)
    var positions = [0, length]
    let isEdge = index?.contains(near: segment) {
      $0.start == segment.start && $0.end == segment.end
        || $0.start == segment.end && $0.end == segment.start
    }
    if isEdge == true {
      return [Piece(middle: segment.point(at: length / 2, edges: edges), isOnEdge: true)]
    }
    var common: [ClosedRange<Double>] = []
    _ = index?.contains(near: segment) { other in
      if segment.isCollinear(with: other, edges: edges) {
        for part in segment.parts(on: other, edges: edges) {
          positions += [part.lowerBound, part.upperBound]
          common.append(part)
        }
        return false
      }
      let crossings = segment.positions(ofCrossings: other, edges: edges)
      positions += crossings
      if crossings.isEmpty || segment.isParallel || other.isParallel {
        for vertex in [other.start, other.end] where segment.contains(vertex, edges: edges) {
          positions.append(segment.position(of: vertex, edges: edges))
        }
      }
      return false
    }
    positions = positions.filter { $0 >= 0 && $0 <= length }.sorted()
    return zip(positions, positions.dropFirst()).compactMap { start, end in
      // Shorter pieces are rounding errors.
      guard end - start > length * 1e-12 else { return nil }
      let middle = start + (end - start) / 2
      return Piece(
        middle: segment.point(at: middle, edges: edges),
        isOnEdge: common.contains { $0.contains(middle) })
    }
  }

  /// Returns whether a point beside an edge of this geometry's polygons is inside of another
  /// geometry's polygons but not in this geometry, as for a hole.
  private func hasExterior(inside other: PreparedGeometry) -> Bool {
    guard !other.areas.isEmpty, let index else { return false }
    return index.contains(intersecting: other.envelopes) { segment in
      other.pieces(of: segment).contains { piece in
        segment.beside(piece.middle, edges: edges).contains { other.areasCover($0) && !covers($0) }
      }
    }
  }
}

extension Segment {
  /// Returns a point on each side of the edge, 60 micrometres from a point of the edge.
  fileprivate func beside(_ point: Vertex, edges: EdgeModel) -> [Vertex] {
    if isParallel {
      return [6e-10, -6e-10].map {
        Vertex(longitude: point.longitude, latitude: max(-90, min(90, point.latitude + $0)))
          .onSphere
      }
    }
    switch edges {
    case .planar:
      let (dx, dy) = (end.longitude - start.longitude, end.latitude - start.latitude)
      let scale = 6e-10 / (dx * dx + dy * dy).squareRoot()
      return [scale, -scale].map {
        Vertex(longitude: point.longitude - dy * $0, latitude: point.latitude + dx * $0)
      }
    case .spherical:
      let direction = point.unitVector
      return [1e-11, -1e-11].map { offset in
        (direction + normal * offset).vertex.onSphere
      }
    }
  }
}

extension Envelope {
  /// Returns whether two envelopes have a common point on the sphere: ±180° is one meridian, and a pole has
  /// all longitudes.
  fileprivate func intersectsOnSphere(_ other: Envelope) -> Bool {
    guard south <= other.north, other.south <= north else { return false }
    if west <= other.east, other.west <= east { return true }
    let reachesEnd = { (envelope: Envelope) in
      envelope.west <= -180 || envelope.east >= 180
    }
    if reachesEnd(self), reachesEnd(other) { return true }
    return max(north, other.north) >= 90 && min(north, other.north) >= 90
      || min(south, other.south) <= -90 && max(south, other.south) <= -90
  }
}

/// The edges of a geometry with a tree of their envelopes, for searches of edges near a place.
///
/// - Complexity: O(n) to build.
final class SegmentIndex {
  let segments: [Segment]
  let edges: EdgeModel
  private let arcs: UnsafeMutableBufferPointer<Arc>
  /// The index of the segment of each arc; a segment may have several arcs.
  private let owners: [Int32]
  private let tree: ArcTree

  /// Indexes at least one segment.
  init?(_ segments: [Segment], edges: EdgeModel) {
    guard !segments.isEmpty else { return nil }
    self.segments = segments
    self.edges = edges
    var collector = ArcCollector(edges: edges)
    var owners: [Int32] = []
    owners.reserveCapacity(segments.count)
    for (index, segment) in segments.enumerated() {
      collector.addLine(segment)
      while owners.count < collector.arcs.count { owners.append(Int32(index)) }
    }
    guard !collector.arcs.isEmpty else { return nil }
    arcs = .allocate(capacity: collector.arcs.count)
    _ = arcs.initialize(from: collector.arcs)
    self.owners = owners
    tree = ArcTree(arcs: UnsafeBufferPointer(arcs), edges: edges)
  }

  deinit { arcs.deallocate() }

  /// Returns whether a segment near another one satisfies a condition; a segment may be tested twice.
  func contains(near other: Segment, where condition: (Segment) -> Bool) -> Bool {
    contains(intersecting: other.envelopes(edges), where: condition)
  }

  /// Returns whether a segment near envelopes satisfies a condition; a segment may be tested twice.
  func contains(
    intersecting envelopes: [Envelope], where condition: (Segment) -> Bool
  ) -> Bool {
    envelopes.contains { envelope in
      tree.contains(intersecting: envelope) { condition(segments[Int(owners[$0])]) }
    }
  }

  /// Returns the angle to the nearest point of the edges if it is less than a limit, else the limit.
  ///
  /// - Complexity: O(log n) for points near the edges.
  func angle(to point: Vertex, below limit: Double) -> Double {
    tree.leastAngle(from: point, below: limit) {
      segments[Int(owners[$0])].angle(to: point, edges: edges)
    }
  }

  /// Returns the least angle between a vertex of the edges and another segment if it is less than a
  /// limit, else the limit.
  func angle(ofVertexTo segment: Segment, below limit: Double) -> Double {
    let (middle, reach) = segment.circle(edges)
    return tree.leastAngle(from: middle, reach: reach, below: limit) { arc in
      let other = segments[Int(owners[arc])]
      return min(
        segment.angle(to: other.start, edges: edges), segment.angle(to: other.end, edges: edges))
    }
  }
}

extension Segment {
  /// A circle on the sphere that contains the edge: its centre, and its radius in radians.
  func circle(_ edges: EdgeModel) -> (center: Vertex, radius: Double) {
    if isParallel {
      let pole = Vertex(longitude: 0, latitude: start.latitude < 0 ? -90 : 90)
      return (pole, pole.angle(to: start) + 1e-14)
    }
    let center = point(at: length(edges) / 2, edges: edges)
    switch edges {
    case .spherical: return (center, length(edges) / 2 + 1e-14)
    case .planar:
      // A step in longitude is not longer than at the equator.
      let (dx, dy) = (end.longitude - start.longitude, end.latitude - start.latitude)
      return (center, (dx * dx + dy * dy).squareRoot() / 2 * radiansPerDegree * (1 + 1e-9))
    }
  }

  /// The envelopes of the arcs of the edge.
  func envelopes(_ edges: EdgeModel) -> [Envelope] {
    var collector = ArcCollector(edges: edges)
    collector.addLine(self)
    return collector.arcs.map(\.envelope)
  }
}

/// A spatial index of the edges of a geometry.
///
/// - Complexity: O(n) to build.
final class SegmentIndex {
  let segments: [Segment]
  let edges: EdgeModel
  /// The index of the segment of each arc; a segment may have several arcs.
  private let owners: [Int32]
  /// The envelopes of the arcs.
  private let tree: EnvelopeTree

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
    self.owners = owners
    tree = EnvelopeTree(arcs: collector.arcs)
  }

  /// Returns whether a segment near another one satisfies a condition; a segment may be tested twice.
  func contains(near other: Segment, where condition: (Segment) -> Bool) -> Bool {
    contains(intersecting: other.envelopes(edges), where: condition)
  }

  /// Returns whether the number of a segment near another one satisfies a condition; a segment may be tested twice.
  func contains(near other: Segment, whereNumber condition: (Int) -> Bool) -> Bool {
    other.envelopes(edges).contains { envelope in
      tree.contains(intersecting: envelope) { condition(Int(owners[$0])) }
    }
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

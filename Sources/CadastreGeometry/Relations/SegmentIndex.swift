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
      // Segments have no antipodal ends, so this cannot fail.
      try? collector.addLine(from: segment.start, to: segment.end)
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
    for envelope in other.envelopes(edges) {
      let found = tree.contains(intersecting: envelope) { condition(segments[Int(owners[$0])]) }
      if found { return true }
    }
    return false
  }

  /// Returns the angle to the nearest point of the edges if it is less than a limit, else the limit.
  ///
  /// - Complexity: O(log n) for points near the edges.
  func angle(to point: Vertex, below limit: Double) -> Double {
    let origin = DistanceOrigin(longitude: point.longitude, latitude: point.latitude)
    var best = limit
    var bound = Self.haversine(best)
    tree.visit(
      nearer: { origin.minimumHaversine(to: $0) * (1 - 1e-9) < bound }
    ) { arc in
      let angle = segments[Int(owners[arc])].angle(to: point, edges: edges)
      if angle < best {
        best = angle
        bound = Self.haversine(best)
      }
    }
    return best
  }

  private static func haversine(_ angle: Double) -> Double {
    let half = sine(min(angle, .pi) / 2)
    return half * half * (1 + 1e-9) + 1e-300
  }
}

extension Segment {
  /// The envelopes of the arcs of the edge.
  func envelopes(_ edges: EdgeModel) -> [Envelope] {
    var collector = ArcCollector(edges: edges)
    try? collector.addLine(from: start, to: end)
    return collector.arcs.map {
      Envelope(
        minLongitude: $0.west, maxLongitude: $0.east, minLatitude: $0.minLatitude,
        maxLatitude: $0.maxLatitude)
    }
  }
}

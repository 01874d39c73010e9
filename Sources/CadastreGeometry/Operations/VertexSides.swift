/// An index of the vertices that remain, for tests whether a simplified edge leaves them on the same side.
struct VertexSides {
  private let vertices: [Vertex]
  /// The numbers of the vertices that remain, by the index of the tree.
  private let remaining: [Int32]
  private let tree: EnvelopeTree

  /// Indexes vertices.
  ///
  /// - Parameters:
  ///   - vertices: All vertices of a layer.
  ///   - numbers: The numbers of those that remain.
  init(_ vertices: [Vertex], remaining numbers: [Int32]) {
    self.vertices = vertices
    var (remaining, boxes): ([Int32], [EnvelopeTree.Box]) = ([], [])
    for number in numbers {
      for envelope in vertices[Int(number)].envelopes {
        remaining.append(number)
        boxes.append(EnvelopeTree.box(envelope))
      }
    }
    self.remaining = remaining
    tree = EnvelopeTree(boxes, leafSize: 8, fanOut: 4)
  }

  /// Returns whether a vertex that remains lies between a part of a chain and the edge that replaces it.
  func hasChanged(_ part: ArraySlice<Int32>) -> Bool {
    let ring = part.map { vertices[Int($0)] }
    // Such a part is too large for the test.
    guard let projection = GnomonicProjection(around: ring) else { return true }
    let image = ring.compactMap { projection.project($0.unitVector) }
    guard image.count == ring.count else { return true }
    let own = Set(part)
    return Self.envelopes(of: ring).contains { envelope in
      tree.contains(intersecting: envelope) { index in
        let number = remaining[index]
        guard !own.contains(number),
          let point = projection.project(vertices[Int(number)].unitVector)
        else { return false }
        return Self.contains(point, image)
      }
    }
  }

  /// Returns envelopes of all edges of a ring, one on each side of ±180° if it crosses it.
  private static func envelopes(of ring: [Vertex]) -> [Envelope] {
    let segments = Segment.chain(ring, isClosed: true, edges: .spherical)
    let all = segments.map { $0.envelopes(.spherical) }
    let isCrossing = all.contains { $0.count > 1 } || ring.contains { $0.longitude == -180 }
    var sides: [Envelope?] = [nil, nil]
    for envelope in all.joined() {
      let side = isCrossing && envelope.west < 0 ? 1 : 0
      sides[side]?.formUnion(envelope)
      sides[side] = sides[side] ?? envelope
    }
    return sides.compactMap(\.self)
  }

  /// Returns whether a point is inside of a ring, by the parity of the edges to its east.
  private static func contains(_ point: PlanePoint, _ ring: [PlanePoint]) -> Bool {
    var isInside = false
    var previous = ring[ring.count - 1]
    for vertex in ring {
      if (previous.y > point.y) != (vertex.y > point.y) {
        let side = orientation(
          fromX: previous.x, y: previous.y, toX: vertex.x, y: vertex.y, pointX: point.x,
          y: point.y)
        if side != 0, (side > 0) == (vertex.y > previous.y) { isInside.toggle() }
      }
      previous = vertex
    }
    return isInside
  }
}

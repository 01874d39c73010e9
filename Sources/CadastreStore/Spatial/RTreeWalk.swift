package import CadastreGeometry
import CadastreModel

/// Walks a spatial index through the bytes of its nodes.
///
/// A node inside the region is taken whole and one outside is dropped, both without a look at their
/// points; only points of nodes on the border are asked one by one.
package final class RTreeWalk {
  /// What a walk found.
  package struct Finding {
    /// Keys of points that lie in the region for certain.
    package var certain: [Int64] = []
    /// Keys of points whose box of 32-bit floats straddles the border.
    package var uncertain: [Int64] = []
    /// Nodes read.
    package var nodesRead = 0
    /// Boxes compared with the region, those of single points included.
    package var boxesTested = 0
  }

  private let index: TableLayout.SpatialIndex
  private let connection: Connection
  private let nodes: BlobReader
  private let buffer: UnsafeMutableRawBufferPointer
  private let nodeLimit: Int

  /// Opens the index for a walk.
  package init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws(StoreError) {
    self.index = index
    self.connection = connection
    nodes = try BlobReader(connection, table: index.name + "_node", column: "data", row: 1)
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: nodes.count, alignment: 8)
    // No tree has more nodes than fit into the file; its own numbers may be damaged.
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
    nodeLimit = max(1, Int(pages * pageBytes) / max(1, nodes.count))
    guard buffer.count >= RTreeNode.headerBytes else { throw damaged("has an empty root") }
  }

  deinit { buffer.deallocate() }

  /// A node still to be read.
  private struct Waiting {
    var number: Int64
    /// Levels below it.
    var height: Int
    var isInside: Bool
  }

  /// Finds the points of a region.
  ///
  /// - Complexity: O(k) for k points found, and about the length of the border over that of a node.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not make a tree.
  package func find(
    _ relation: (Envelope) -> EnvelopeRelation
  ) throws(StoreError) -> Finding {
    var finding = Finding()
    try nodes.move(to: 1)
    try nodes.read(into: buffer)
    let depth = RTreeNode.depth(UnsafeRawBufferPointer(buffer))
    guard depth <= RTreeNode.maximumDepth else { throw damaged("is \(depth) levels deep") }
    var stack = [Waiting(number: 1, height: depth, isInside: false)]
    while let next = stack.popLast() {
      finding.nodesRead += 1
      guard finding.nodesRead <= nodeLimit else { throw damaged("has nodes in a circle") }
      try read(next.number)
      let bytes = UnsafeRawBufferPointer(buffer)
      let count = RTreeNode.cellCount(bytes)
      guard RTreeNode.headerBytes + count * RTreeNode.cellBytes <= bytes.count else {
        throw damaged("has \(count) cells in node \(next.number)")
      }
      for place in 0..<count {
        let cell = RTreeNode.cell(bytes, place)
        var place = EnvelopeRelation.inside
        if !next.isInside {
          finding.boxesTested += 1
          place = relation(cell.box.envelope)
        }
        guard place != .disjoint else { continue }
        if next.height > 0 {
          stack.append(
            Waiting(number: cell.id, height: next.height - 1, isInside: place == .inside))
        } else if place == .inside {
          finding.certain.append(cell.id)
        } else {
          finding.uncertain.append(cell.id)
        }
      }
    }
    return finding
  }

  /// Guesses how many points a region holds, from at most a few dozen nodes.
  package func estimate(
    _ relation: (Envelope) -> EnvelopeRelation, total: Int
  ) throws(StoreError) -> Double {
    try nodes.move(to: 1)
    try nodes.read(into: buffer)
    let depth = RTreeNode.depth(UnsafeRawBufferPointer(buffer))
    guard depth <= RTreeNode.maximumDepth else { throw damaged("is \(depth) levels deep") }
    var level: [(number: Int64, share: Double)] = [(1, Double(total))]
    var accepted = 0.0
    var nodesRead = 0
    for height in stride(from: depth, through: 0, by: -1) {
      var lower: [(number: Int64, share: Double)] = []
      for node in level {
        try read(node.number)
        nodesRead += 1
        let bytes = UnsafeRawBufferPointer(buffer)
        let count = RTreeNode.cellCount(bytes)
        guard count > 0, RTreeNode.headerBytes + count * RTreeNode.cellBytes <= bytes.count else {
          continue
        }
        let share = node.share / Double(count)
        for place in 0..<count {
          let cell = RTreeNode.cell(bytes, place)
          switch relation(cell.box.envelope) {
          case .disjoint: break
          case .inside: accepted += share
          case .straddles: lower.append((cell.id, share))
          }
        }
      }
      // Of what straddles the border about half is inside.
      let open = lower.reduce(0) { $0 + $1.share }
      guard height > 0, nodesRead + lower.count <= Self.estimateNodes else {
        return accepted + open / 2
      }
      level = lower
    }
    return accepted
  }

  /// Nodes that an estimate may read: about a tenth of a millisecond.
  private static let estimateNodes = 64

  private func read(_ number: Int64) throws(StoreError) {
    try nodes.move(to: number)
    guard nodes.count == buffer.count else {
      throw damaged("has \(nodes.count) bytes in node \(number)")
    }
    try nodes.read(into: buffer)
  }

  private func damaged(_ what: String) -> StoreError {
    StoreError(.corrupt("\(index.name) \(what)"), path: connection.path)
  }
}

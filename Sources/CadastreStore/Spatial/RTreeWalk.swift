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

  private let nodes: RTreeNodes

  /// Opens the index for a walk.
  package init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws(StoreError) {
    nodes = try RTreeNodes(index, connection)
  }

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
    nodes.restart()
    var stack = [Waiting(number: 1, height: try nodes.depth(), isInside: false)]
    while let next = stack.popLast() {
      let (bytes, cells) = try nodes.read(next.number)
      for place in 0..<cells {
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
    finding.nodesRead = nodes.nodesRead
    return finding
  }

  /// Guesses how many points a region holds, from at most a few dozen nodes.
  package func estimate(
    _ relation: (Envelope) -> EnvelopeRelation, total: Int
  ) throws(StoreError) -> Double {
    nodes.restart()
    let depth = try nodes.depth()
    var level: [(number: Int64, share: Double)] = [(1, Double(total))]
    var accepted = 0.0
    for height in stride(from: depth, through: 0, by: -1) {
      var lower: [(number: Int64, share: Double)] = []
      for node in level {
        let (bytes, cells) = try nodes.read(node.number)
        let share = node.share / Double(max(1, cells))
        for place in 0..<cells {
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
      guard height > 0, nodes.nodesRead + lower.count <= Self.estimateNodes else {
        return accepted + open / 2
      }
      level = lower
    }
    return accepted
  }

  /// Nodes that an estimate may read: about a tenth of a millisecond.
  private static let estimateNodes = 64
}

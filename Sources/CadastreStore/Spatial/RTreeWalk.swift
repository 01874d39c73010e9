import CadastreGeometry
import CadastreModel
package import CadastreSQLite

/// Traverses a spatial index by decoding its nodes.
///
/// All points of a node inside the region are accepted, and a node outside is skipped; only the points of
/// nodes that cross the border are tested.
package final class RTreeWalk {
  /// The result of a search.
  package struct Finding {
    /// The keys of points that are inside the region; empty where they are only counted.
    package var certain: [Int64] = []
    /// The number of points that are inside the region.
    package var certainCount = 0
    /// The keys of candidates: points whose box of 32-bit floats crosses the border.
    package var uncertain: [Int64] = []
    /// The number of nodes read.
    package var nodesRead = 0
    /// The number of boxes compared with the region, including those of points.
    package var boxesTested = 0
  }

  private let nodes: RTreeNodes
  private let relations: UnsafeMutablePointer<EnvelopeRelation>

  /// Opens the index.
  package init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws(StoreError) {
    nodes = try RTreeNodes(index, connection)
    relations = .allocate(capacity: nodes.capacity)
  }

  deinit { relations.deallocate() }

  /// A node that is still to be read.
  private struct PendingNode<Open> {
    var number: Int64
    /// The number of levels below it.
    var height: Int
    /// The undecided part of the search; nil where the node is inside the region.
    var open: Open?
  }

  /// Finds the points of a region, or counts those that are inside.
  ///
  /// - Complexity: O(k) for k points found, or O(k / 51) if they are counted, plus the nodes that the
  ///   border crosses.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not form a tree.
  package func find<Judge: BoxJudge>(
    _ judge: Judge, counting: Bool = false
  ) throws(StoreError) -> Finding {
    var judge = judge
    var finding = Finding()
    nodes.restart()
    var stack = [PendingNode(number: 1, height: try nodes.depth(), open: judge.start)]
    while let next = stack.popLast() {
      if let open = next.open {
        try classify(next, open, &judge, &finding, &stack, counting)
      } else if next.height > 0 {
        for child in try nodes.read(next.number).ids {
          stack.append(PendingNode(number: child, height: next.height - 1, open: nil))
        }
      } else if counting {
        finding.certainCount += try nodes.cellCount(next.number)
      } else {
        finding.certain.append(contentsOf: try nodes.read(next.number).ids)
      }
    }
    if !counting { finding.certainCount = finding.certain.count }
    finding.nodesRead = nodes.nodesRead
    return finding
  }

  /// Classifies the cells of a node that crosses the border.
  private func classify<Judge: BoxJudge>(
    _ node: PendingNode<Judge.Open>, _ open: Judge.Open, _ judge: inout Judge,
    _ finding: inout Finding, _ stack: inout [PendingNode<Judge.Open>], _ counting: Bool
  ) throws(StoreError) {
    let cells = try nodes.read(node.number)
    judge.judge(cells.boxes, open, relations)
    finding.boxesTested += cells.ids.count
    for (index, id) in cells.ids.enumerated() {
      let isInside: Bool
      switch relations[index] {
      case .disjoint: continue
      case .inside: isInside = true
      case .intersects: isInside = false
      }
      if node.height > 0 {
        stack.append(
          PendingNode(
            number: id, height: node.height - 1, open: isInside ? nil : judge.open(at: index)))
      } else if !isInside {
        finding.uncertain.append(id)
      } else if counting {
        finding.certainCount += 1
      } else {
        finding.certain.append(id)
      }
    }
  }

  /// Estimates the number of points in a region from at most a few dozen nodes.
  ///
  /// Leaves are read only where they are few; otherwise half of the points of leaves on the border are
  /// counted.
  package func estimate<Judge: BoxJudge>(
    _ judge: Judge, total: Int
  ) throws(StoreError) -> Double {
    var judge = judge
    nodes.restart()
    let depth = try nodes.depth()
    let root = PendingNode(number: 1, height: depth, open: Optional(judge.start))
    var level = [(node: root, share: Double(total))]
    var accepted = 0.0
    for height in stride(from: depth, through: 0, by: -1) {
      var lower: [(node: PendingNode<Judge.Open>, share: Double)] = []
      for (node, points) in level {
        guard let open = node.open else { continue }
        let cells = try nodes.read(node.number)
        judge.judge(cells.boxes, open, relations)
        let share = points / Double(max(1, cells.ids.count))
        for (index, id) in cells.ids.enumerated() {
          switch relations[index] {
          case .disjoint: break
          case .inside: accepted += share
          case .intersects:
            lower.append(
              (PendingNode(number: id, height: height - 1, open: judge.open(at: index)), share))
          }
        }
      }
      // About half of the points on the border are inside.
      let open = lower.reduce(0) { $0 + $1.share }
      let limit = height == 1 ? Self.estimateLeaves : Self.estimateNodes - nodes.nodesRead
      guard height > 0, lower.count <= limit else { return accepted + open / 2 }
      level = lower
    }
    return accepted
  }

  /// The maximum number of nodes for an estimate; reading them takes about 20 µs.
  private static let estimateNodes = 64
  /// The maximum number of leaves for an estimate.
  private static let estimateLeaves = 4
}

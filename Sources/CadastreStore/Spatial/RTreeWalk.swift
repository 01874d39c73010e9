import CadastreGeometry
import CadastreModel
package import CadastreSQLite

/// Walks a spatial index through the bytes of its nodes.
///
/// A node inside the region is taken whole and one outside is dropped, both without a look at their
/// points; only points of nodes on the border are asked one by one.
package final class RTreeWalk {
  /// What a walk found.
  package struct Finding {
    /// Keys of points that lie in the region for certain; none where they are only counted.
    package var certain: [Int64] = []
    /// The number of points that lie in the region for certain.
    package var certainCount = 0
    /// Keys of points whose box of 32-bit floats straddles the border.
    package var uncertain: [Int64] = []
    /// Nodes read.
    package var nodesRead = 0
    /// Boxes compared with the region, those of single points included.
    package var boxesTested = 0
  }

  private let nodes: RTreeNodes
  private let relations: UnsafeMutablePointer<EnvelopeRelation>

  /// Opens the index for a walk.
  package init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws(StoreError) {
    nodes = try RTreeNodes(index, connection)
    relations = .allocate(capacity: nodes.capacity)
  }

  deinit { relations.deallocate() }

  /// A node still to be read.
  private struct Waiting<Open> {
    var number: Int64
    /// Levels below it.
    var height: Int
    /// What is open about its points; nil where it is inside.
    var open: Open?
  }

  /// Finds the points of a region, or counts those that lie in it for certain.
  ///
  /// - Complexity: O(k) for k points found, or k / 51 if they are counted, and about the length of the
  ///   border over that of a node.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not make a tree.
  package func find<Judge: BoxJudge>(
    _ judge: Judge, counting: Bool = false
  ) throws(StoreError) -> Finding {
    var judge = judge
    var finding = Finding()
    nodes.restart()
    var stack = [Waiting(number: 1, height: try nodes.depth(), open: judge.start)]
    while let next = stack.popLast() {
      if let open = next.open {
        try look(next, open, &judge, &finding, &stack, counting)
      } else if next.height > 0 {
        for child in try nodes.read(next.number).ids {
          stack.append(Waiting(number: child, height: next.height - 1, open: nil))
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

  /// Looks at the cells of a node on the border.
  private func look<Judge: BoxJudge>(
    _ node: Waiting<Judge.Open>, _ open: Judge.Open, _ judge: inout Judge,
    _ finding: inout Finding, _ stack: inout [Waiting<Judge.Open>], _ counting: Bool
  ) throws(StoreError) {
    let cells = try nodes.read(node.number)
    judge.judge(cells.boxes, open, relations)
    finding.boxesTested += cells.ids.count
    for (place, id) in cells.ids.enumerated() {
      let isInside: Bool
      switch relations[place] {
      case .disjoint: continue
      case .inside: isInside = true
      case .intersects: isInside = false
      }
      if node.height > 0 {
        stack.append(
          Waiting(
            number: id, height: node.height - 1, open: isInside ? nil : judge.open(at: place)))
      } else if !isInside {
        finding.uncertain.append(id)
      } else if counting {
        finding.certainCount += 1
      } else {
        finding.certain.append(id)
      }
    }
  }

  /// Guesses how many points a region holds, from at most a few dozen nodes.
  ///
  /// Leaves are looked at only where they are few: half of those on the border is as good a guess.
  package func estimate<Judge: BoxJudge>(
    _ judge: Judge, total: Int
  ) throws(StoreError) -> Double {
    var judge = judge
    nodes.restart()
    let depth = try nodes.depth()
    var level = [(node: Waiting(number: 1, height: depth, open: judge.start), share: Double(total))]
    var accepted = 0.0
    for height in stride(from: depth, through: 0, by: -1) {
      var lower: [(node: Waiting<Judge.Open>, share: Double)] = []
      for (node, points) in level {
        guard let open = node.open else { continue }
        let cells = try nodes.read(node.number)
        judge.judge(cells.boxes, open, relations)
        let share = points / Double(max(1, cells.ids.count))
        for (place, id) in cells.ids.enumerated() {
          switch relations[place] {
          case .disjoint: break
          case .inside: accepted += share
          case .intersects:
            lower.append(
              (Waiting(number: id, height: height - 1, open: judge.open(at: place)), share))
          }
        }
      }
      // Of what straddles the border about half is inside.
      let open = lower.reduce(0) { $0 + $1.share }
      let limit = height == 1 ? Self.estimateLeaves : Self.estimateNodes - nodes.nodesRead
      guard height > 0, lower.count <= limit else { return accepted + open / 2 }
      level = lower
    }
    return accepted
  }

  /// Nodes that an estimate may read: some twenty microseconds.
  private static let estimateNodes = 64
  /// Leaves that an estimate may look at.
  private static let estimateLeaves = 4
}

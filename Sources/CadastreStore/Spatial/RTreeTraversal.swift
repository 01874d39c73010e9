package import CadastreGeometry
import CadastreModel
package import CadastreSQLite

/// A traversal of a spatial index that decodes its nodes.
///
/// All points of a node inside the region are accepted, and a node outside is skipped. Only the points of
/// nodes that the border crosses are tested.
package final class RTreeTraversal {
  /// The result of a search.
  package struct Matches {
    /// The keys of points that are inside the region; empty where they are only counted.
    package var accepted: [Int64] = []
    /// The number of points that are inside the region.
    package var acceptedCount = 0
    /// The keys of candidates: points whose box of 32-bit floats crosses the border.
    package var candidates: [Int64] = []
    /// The number of nodes read.
    package var nodesRead = 0
    /// The number of boxes compared with the region, including those of points.
    package var boxesTested = 0

    /// Creates an empty result.
    package init() {}
  }

  private let nodes: RTreeNodes
  private let pool: SpatialNodePool?
  private let relations: UnsafeMutablePointer<EnvelopeRelation>

  /// Opens the index for a reader, with idle nodes of its pool where there are some.
  package init(
    _ index: TableLayout.SpatialIndex, _ reader: any StoreReader
  ) throws(StoreError) {
    nodes = try reader.nodes(of: index)
    pool = reader.spatialNodes
    relations = .allocate(capacity: nodes.capacity)
  }

  deinit {
    relations.deallocate()
    nodes.finish()
    pool?.giveBack(nodes)
  }

  /// A node that is not read yet.
  private struct PendingNode<Residual> {
    var number: Int64
    /// The number of levels below the node.
    var height: Int
    /// The undecided part of the search; nil where the node is inside the region.
    var residual: Residual?
  }

  /// Finds the points of a region, or counts those that are inside.
  ///
  /// - Complexity: O(k) for k matching points, or O(k / 51) if they are counted, plus the nodes that the
  ///   border crosses.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not form a tree.
  // Specialised here, because the callers are in another module.
  @_specialize(where Classifier == RegionClassifier)
  @_specialize(where Classifier == LocationClassifier)
  package func find<Classifier: BoxClassifier>(
    _ classifier: Classifier, counting: Bool = false
  ) throws(StoreError) -> Matches {
    var classifier = classifier
    var matches = Matches()
    nodes.restart()
    var stack = [PendingNode(number: 1, height: try nodes.depth(), residual: classifier.start)]
    while let next = stack.popLast() {
      if let residual = next.residual {
        try classify(next, residual, &classifier, &matches, &stack, counting)
      } else if next.height > 0 {
        for child in try nodes.readIDs(next.number) {
          stack.append(PendingNode(number: child, height: next.height - 1, residual: nil))
        }
      } else if counting {
        matches.acceptedCount += try nodes.cellCount(next.number)
      } else {
        matches.accepted.append(contentsOf: try nodes.readIDs(next.number))
      }
    }
    if !counting { matches.acceptedCount = matches.accepted.count }
    matches.nodesRead = nodes.nodesRead
    return matches
  }

  /// Classifies the cells of a node that crosses the border.
  private func classify<Classifier: BoxClassifier>(
    _ node: PendingNode<Classifier.Residual>, _ residual: Classifier.Residual,
    _ classifier: inout Classifier, _ matches: inout Matches,
    _ stack: inout [PendingNode<Classifier.Residual>], _ counting: Bool
  ) throws(StoreError) {
    let cells = try nodes.read(node.number)
    classifier.classify(cells.boxes, residual, relations)
    matches.boxesTested += cells.ids.count
    for (index, id) in cells.ids.enumerated() {
      let isInside: Bool
      switch relations[index] {
      case .disjoint: continue
      case .inside: isInside = true
      case .intersects: isInside = false
      }
      if node.height > 0 {
        let residual = isInside ? nil : classifier.residual(at: index)
        stack.append(PendingNode(number: id, height: node.height - 1, residual: residual))
      } else if !isInside {
        matches.candidates.append(id)
      } else if counting {
        matches.acceptedCount += 1
      } else {
        matches.accepted.append(id)
      }
    }
  }

  /// Estimates the number of points in a region from at most a few dozen nodes.
  ///
  /// Leaves are read only where they are few; otherwise half of the points of leaves that the border crosses
  /// are counted.
  @_specialize(where Classifier == RegionClassifier)
  package func estimate<Classifier: BoxClassifier>(
    _ classifier: Classifier, total: Int
  ) throws(StoreError) -> Double {
    var classifier = classifier
    nodes.restart(isEstimate: true)
    let depth = try nodes.depth()
    let root = PendingNode(number: 1, height: depth, residual: Optional(classifier.start))
    var level = [(node: root, share: Double(total))]
    var accepted = 0.0
    for height in stride(from: depth, through: 0, by: -1) {
      var lower: [(node: PendingNode<Classifier.Residual>, share: Double)] = []
      for (node, points) in level {
        guard let residual = node.residual else { continue }
        let cells = try nodes.read(node.number)
        classifier.classify(cells.boxes, residual, relations)
        let share = points / Double(max(1, cells.ids.count))
        for (index, id) in cells.ids.enumerated() {
          switch relations[index] {
          case .disjoint: break
          case .inside: accepted += share
          case .intersects:
            let child = PendingNode(
              number: id, height: height - 1, residual: Optional(classifier.residual(at: index)))
            lower.append((child, share))
          }
        }
      }
      // About half of the points on the border are inside.
      let undecided = lower.reduce(0) { $0 + $1.share }
      let limit = height == 1 ? Self.estimateLeaves : Self.estimateNodes - nodes.nodesRead
      guard height > 0, lower.count <= limit else { return accepted + undecided / 2 }
      level = lower
    }
    return accepted
  }

  /// The maximum number of nodes for an estimate; reading them takes about 20 µs.
  private static let estimateNodes = 64
  /// The maximum number of leaves for an estimate.
  private static let estimateLeaves = 4
}

/// A classifier of the bounding boxes of a spatial index by their relation to the searched region.
package protocol BoxClassifier {
  /// The part of the search that is undecided inside a box.
  associatedtype Residual

  /// The search of the whole index.
  var start: Residual { get }

  /// Classifies boxes of west, east, south and north in degrees; writes one relation per box.
  mutating func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Residual,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>)

  /// Returns the undecided part of the search inside a box that the border crosses; the index of the box
  /// refers to the last call of `classify`.
  func residual(at index: Int) -> Residual
}

/// A search for the points in regions that are combined by AND, OR and NOT.
///
/// Inside a box, only the regions whose borders cross the box are tested.
package struct RegionClassifier: BoxClassifier {
  package let start: RegionTree
  private var last: RegionTree
  private var relations: RegionTree.Relations?

  /// Searches for the points in regions.
  package init(_ regions: RegionTree) {
    start = regions
    last = regions
  }

  package mutating func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: RegionTree,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    last = residual
    if case .region(let region) = residual {
      self.relations = nil
      return region.relations(of: boxes, relations)
    }
    let several = residual.relations(of: boxes)
    for index in boxes.indices { relations[index] = several.relation(index) }
    self.relations = several
  }

  package func residual(at index: Int) -> RegionTree { relations?.residual(index) ?? last }
}

/// A search for the points at a location, within the precision of 32-bit floats.
package struct LocationClassifier: BoxClassifier {
  package let start: Void = ()
  private let longitude: Double
  private let latitude: Double

  /// Searches for a location in degrees.
  package init(longitude: Double, latitude: Double) {
    self.longitude = longitude
    self.latitude = latitude
  }

  package func classify(
    _ boxes: UnsafeBufferPointer<SIMD4<Float>>, _ residual: Void,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    for (index, box) in boxes.enumerated() {
      let contains =
        longitude >= Double(box[0]) && longitude <= Double(box[1])
        && latitude >= Double(box[2]) && latitude <= Double(box[3])
      relations[index] = contains ? .intersects : .disjoint
    }
  }

  package func residual(at index: Int) {}
}

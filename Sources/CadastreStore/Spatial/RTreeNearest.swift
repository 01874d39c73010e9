package import CadastreGeometry
import HeapModule

/// Gives the points of a spatial index in order of a lower bound of their distance.
///
/// A queue holds nodes and points by the bound of their boxes; what is taken from it first cannot be
/// farther than anything else, so nodes far away are never read.
///
/// Source: Hjaltason and Samet, "Distance Browsing in Spatial Databases", TODS 24, 1999.
package final class RTreeNearest {
  /// A point, and an angle in radians that it is at least away.
  package struct Neighbour {
    /// The key of its row.
    package let key: Int64
    /// Radians.
    package let minimumAngle: Double
  }

  private struct Entry: Comparable {
    let minimumAngle: Double
    let id: Int64
    /// Levels below it; -1 for a point.
    let height: Int

    static func < (first: Entry, second: Entry) -> Bool {
      (first.minimumAngle, first.id) < (second.minimumAngle, second.id)
    }
  }

  private let nodes: RTreeNodes
  private let minimumAngle: (Envelope) -> Double
  private var queue = Heap<Entry>()

  /// Starts at the root.
  ///
  /// `minimumAngle` is the bound for a box, in radians; a box inside another has no smaller one.
  package init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection,
    minimumAngle: @escaping (Envelope) -> Double
  ) throws(StoreError) {
    nodes = try RTreeNodes(index, connection)
    self.minimumAngle = minimumAngle
    queue.insert(Entry(minimumAngle: 0, id: 1, height: try nodes.depth()))
  }

  /// Nodes read so far.
  package var nodesRead: Int { nodes.nodesRead }

  /// The next points, at most `count`; none when all have been given.
  ///
  /// - Complexity: O(log n) a point where boxes overlap little.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not make a tree.
  package func next(_ count: Int) throws(StoreError) -> [Neighbour] {
    var found: [Neighbour] = []
    while found.count < count, let entry = queue.popMin() {
      if entry.height < 0 {
        found.append(Neighbour(key: entry.id, minimumAngle: entry.minimumAngle))
        continue
      }
      let (bytes, cells) = try nodes.read(entry.id)
      for place in 0..<cells {
        let cell = RTreeNode.cell(bytes, place)
        queue.insert(
          Entry(
            minimumAngle: max(entry.minimumAngle, minimumAngle(cell.box.envelope)), id: cell.id,
            height: entry.height - 1))
      }
    }
    return found
  }
}

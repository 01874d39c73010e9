package import CadastreGeometry
package import CadastreSQLite
import HeapModule

/// A traversal of the points of a spatial index in the order of a lower bound of their distance.
///
/// A priority queue orders nodes and points by the lower bounds of their boxes. The first entry has the
/// lowest bound, so distant nodes are never read.
///
/// Source: Hjaltason and Samet, "Distance Browsing in Spatial Databases", TODS 24, 1999.
package final class RTreeNearest {
  private struct Entry: Comparable {
    let leastHaversine: Double
    let id: Int64
    /// The number of levels below the entry; -1 for a point.
    let height: Int

    static func < (first: Entry, second: Entry) -> Bool {
      first.leastHaversine != second.leastHaversine
        ? first.leastHaversine < second.leastHaversine : first.id < second.id
    }
  }

  private let nodes: RTreeNodes
  private let pool: SpatialNodePool?
  private let origin: DistanceOrigin
  private let bounds: UnsafeMutablePointer<Double>
  private var queue = Heap<Entry>()
  /// The number of boxes whose distance was bounded so far, including those of points.
  package private(set) var boxesTested = 0
  private var lastHaversine = 0.0

  /// Starts at the root; distances are measured from `origin`.
  package init(
    _ index: TableLayout.SpatialIndex, _ reader: any StoreReader, from origin: DistanceOrigin
  ) throws(StoreError) {
    nodes = try reader.nodes(of: index)
    nodes.restart()
    pool = reader.spatialNodes
    self.origin = origin
    bounds = .allocate(capacity: nodes.capacity)
    queue.insert(Entry(leastHaversine: 0, id: 1, height: try nodes.depth()))
  }

  deinit {
    bounds.deallocate()
    nodes.finish()
    pool?.giveBack(nodes)
  }

  /// The number of nodes read so far.
  package var nodesRead: Int { nodes.nodesRead }

  /// A lower bound in radians of the distance of all points that `next` has not returned yet.
  package var leastAngle: Double { DistanceOrigin.angle(minimumHaversine: lastHaversine) }

  /// Returns the keys of the next points, at most `count`; none after the last one.
  ///
  /// - Complexity: O(log n) per point where boxes overlap little.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not form a tree.
  package func next(_ count: Int) throws(StoreError) -> [Int64] {
    var found: [Int64] = []
    while found.count < count, let entry = queue.popMin() {
      if entry.height < 0 {
        found.append(entry.id)
        lastHaversine = entry.leastHaversine
        continue
      }
      let cells = try nodes.read(entry.id)
      origin.minimumHaversines(to: cells.boxes, bounds)
      boxesTested += cells.ids.count
      for (index, id) in cells.ids.enumerated() {
        // Despite rounding, a box is never nearer than the box that contains it.
        let bound = max(entry.leastHaversine, bounds[index])
        queue.insert(Entry(leastHaversine: bound, id: id, height: entry.height - 1))
      }
    }
    return found
  }
}

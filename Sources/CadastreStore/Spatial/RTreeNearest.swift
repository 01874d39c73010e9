package import CadastreGeometry
package import CadastreSQLite
import HeapModule

/// Gives the points of a spatial index in order of a lower bound of their distance.
///
/// A queue holds nodes and points by the bound of their boxes; what is taken from it first cannot be
/// farther than anything else, so nodes far away are never read.
///
/// Source: Hjaltason and Samet, "Distance Browsing in Spatial Databases", TODS 24, 1999.
package final class RTreeNearest {
  private struct Entry: Comparable {
    let leastHaversine: Double
    let id: Int64
    /// Levels below it; -1 for a point.
    let height: Int

    static func < (first: Entry, second: Entry) -> Bool {
      first.leastHaversine != second.leastHaversine
        ? first.leastHaversine < second.leastHaversine : first.id < second.id
    }
  }

  private let nodes: RTreeNodes
  private let origin: DistanceOrigin
  private let bounds: UnsafeMutablePointer<Double>
  private var queue = Heap<Entry>()
  /// Boxes whose distance was bounded so far, those of single points included.
  package private(set) var boxesTested = 0
  private var lastHaversine = 0.0

  /// Starts at the root; distances are measured from a place.
  package init(
    _ index: TableLayout.SpatialIndex, _ connection: Connection, from origin: DistanceOrigin
  ) throws(StoreError) {
    nodes = try RTreeNodes(index, connection)
    self.origin = origin
    bounds = .allocate(capacity: nodes.capacity)
    queue.insert(Entry(leastHaversine: 0, id: 1, height: try nodes.depth()))
  }

  deinit { bounds.deallocate() }

  /// Nodes read so far.
  package var nodesRead: Int { nodes.nodesRead }

  /// An angle in radians that every point not given yet is at least away.
  package var leastAngle: Double { DistanceOrigin.angle(minimumHaversine: lastHaversine) }

  /// The keys of the next points, at most `count`; none when all have been given.
  ///
  /// - Complexity: O(log n) a point where boxes overlap little.
  /// - Throws: ``StoreError`` `corrupt` where the nodes do not make a tree.
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
      for (place, id) in cells.ids.enumerated() {
        // A box inside another is no nearer, whatever the rounding says.
        let bound = max(entry.leastHaversine, bounds[place])
        queue.insert(Entry(leastHaversine: bound, id: id, height: entry.height - 1))
      }
    }
    return found
  }
}

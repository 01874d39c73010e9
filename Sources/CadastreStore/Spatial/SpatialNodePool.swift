import CadastreSQLite

/// The readers of spatial indexes that a snapshot keeps open, because opening one takes as long as a
/// short search.
// Not Sendable: like its connection, a pool has one owner at a time.
package final class SpatialNodePool {
  private var idle: [String: RTreeNodes] = [:]

  /// Returns an idle reader of an index, or opens one.
  func take(
    _ index: TableLayout.SpatialIndex, _ connection: Connection
  ) throws(StoreError) -> RTreeNodes {
    if let nodes = idle.removeValue(forKey: index.name) { return nodes }
    return try RTreeNodes(index, connection)
  }

  /// Keeps a reader for the next search of its index, unless it failed.
  func giveBack(_ nodes: RTreeNodes) {
    if nodes.isUsable { idle[nodes.name] = nodes }
  }

  /// Closes the idle readers, before the snapshot ends.
  func close() { idle = [:] }
}

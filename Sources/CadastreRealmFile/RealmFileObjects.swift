import CadastreModel

/// The objects of a table, in ascending order of their keys.
///
/// The structure of all objects was checked; values are read on demand.
package struct RealmFileObjects {
  /// The table.
  package let table: RealmFileTable
  /// The number of objects.
  package var count: Int { tree.count }

  private let tree: ClusterTree
  private let context: FileContext
  private let path: String

  init(
    _ table: RealmFileTable, _ context: FileContext, _ path: String
  ) throws(RealmFileError) {
    self.table = table
    self.context = context
    self.path = path
    let visited = try RealmFilePass.visitedNodes(context, path)
    do throws(Damage) {
      tree = try ClusterTree(table.root, context, visited: visited)
    } catch {
      throw RealmFileError(path, part: "table '\(table.name)'", error)
    }
    for index in tree.clusters.indices { _ = try cluster(index, visited) }
  }

  /// The number of clusters.
  package var clusterCount: Int { tree.clusters.count }

  /// Returns a cluster: up to 256 consecutive objects.
  ///
  /// - Parameter index: The index of the cluster, which must exist.
  /// - Returns: The cluster.
  /// - Throws: ``RealmFileError``, also if another program wrote to the file.
  package func cluster(_ index: Int) throws(RealmFileError) -> RealmFileCluster {
    try cluster(index, nil)
  }

  private func cluster(
    _ index: Int, _ visited: VisitedNodes?
  ) throws(RealmFileError) -> RealmFileCluster {
    try context.space.file.requireUnchanged(path)
    return try RealmFileCluster(table, tree.clusters[index], context, path, visited)
  }

  /// Returns the position of an object in the order of the keys; nil if there is none with the key.
  ///
  /// - Parameter key: The key of the object.
  /// - Returns: The position, from 0.
  /// - Throws: ``RealmFileError``.
  /// - Complexity: O(log n).
  package func position(of key: Int64) throws(RealmFileError) -> Int? {
    guard let index = tree.index(of: key) else { return nil }
    let leaf = tree.clusters[index]
    do throws(Damage) {
      let node = try context.space.node(UInt64(leaf.offset), from: leaf.offset)
      return try ClusterKeys(node, base: leaf.base, context.space).row(of: key).map {
        leaf.start + $0
      }
    } catch {
      throw RealmFileError(path, part: "table '\(table.name)'", error)
    }
  }

  /// Returns the index of the cluster of the object at a position, which must exist.
  package func clusterIndex(at position: Int) -> Int { tree.index(at: position) }
}

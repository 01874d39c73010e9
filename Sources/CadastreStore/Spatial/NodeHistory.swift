import CadastreModel
import CadastreSQLite
import DequeModule

/// The nodes of spatial indexes that this process's most recent commits have changed.
///
/// With them, cached nodes are valid for other versions. The nodes that another process has changed are unknown, so
/// its commits leave gaps. A comparison of rows does not close a gap: equal rows may be in other nodes.
final class NodeHistory: Sendable {
  private struct Commit {
    let version: Int64
    /// The changed nodes by index; nil where indexes were added or removed.
    let nodes: [String: NodeSet]?
    let nodeCount: Int
  }

  private struct State {
    /// By ascending versions.
    var commits: Deque<Commit> = []
    var nodeCount = 0

    mutating func removeLast() { nodeCount -= commits.removeLast().nodeCount }
  }

  private let state = Guarded(State())

  /// The maximum number of commits.
  static let capacity = 4096
  /// The maximum number of nodes in all commits; each takes about 16 bytes.
  static let nodeCapacity = 200_000

  /// Adds the changes of a commit; called before the commit, so that every reader of the new version finds them.
  ///
  /// - Parameters:
  ///   - version: The new version.
  ///   - nodes: The changed nodes by index; nil where indexes were added or removed.
  func note(_ version: Int64, _ nodes: [String: NodeSet]?) {
    let count = nodes?.values.reduce(0) { $0 + $1.count } ?? 0
    state.withLock { state in
      while let last = state.commits.last, last.version >= version { state.removeLast() }
      state.commits.append(Commit(version: version, nodes: nodes, nodeCount: count))
      state.nodeCount += count
      while state.commits.count > Self.capacity || state.nodeCount > Self.nodeCapacity {
        state.nodeCount -= state.commits.removeFirst().nodeCount
      }
    }
  }

  /// Removes the changes of the newest commit after it has failed.
  func withdraw(_ version: Int64) {
    state.withLock { state in
      if state.commits.last?.version == version { state.removeLast() }
    }
  }

  /// Returns the nodes of an index that the commits after one version up to another have changed; nil where they are
  /// unknown.
  ///
  /// - Complexity: O(k) for k commits and their nodes.
  func changes(of index: String, after old: Int64, through new: Int64) -> NodeSet? {
    guard old < new else { return old == new ? NodeSet() : nil }
    return state.withLock { state in
      guard let last = state.commits.last, let first = state.commits.first,
        first.version <= old + 1, last.version >= new
      else { return nil }
      var changed = NodeSet()
      var expected = new
      for commit in state.commits.reversed() where commit.version <= new {
        guard commit.version > old else { break }
        guard commit.version == expected, let nodes = commit.nodes else { return nil }
        if let nodes = nodes[index] { changed.formUnion(nodes) }
        expected -= 1
      }
      return expected == old ? changed : nil
    }
  }
}

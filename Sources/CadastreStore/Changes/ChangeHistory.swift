import CadastreModel
import DequeModule

/// The changes of this process's newest commits, from which a reader of an older version learns what is new
/// without reading all rows.
///
/// Commits of other processes and very large commits leave gaps.
final class ChangeHistory: Sendable {
  private struct State {
    var changes: Deque<ChangeSet> = []
    var rowCount = 0
  }

  private let state = Guarded(State())

  /// The maximum number of commits.
  private static let capacity = 4096
  /// The maximum number of row keys in all change sets; each takes about 100 bytes.
  private static let rowCapacity = 200_000

  /// The newest version; nil without any.
  var newest: Int64? { state.withLock { $0.changes.last?.version } }

  /// Adds the changes of a commit; called before the commit, so that they are known to every reader of it.
  func note(_ changes: ChangeSet) {
    state.withLock { state in
      let index = state.changes.lastIndex { $0.version <= changes.version }
      state.changes.insert(changes, at: index.map { $0 + 1 } ?? 0)
      state.rowCount += changes.rowCount
      while state.changes.count > Self.capacity || state.rowCount > Self.rowCapacity {
        state.rowCount -= state.changes.removeFirst().rowCount
      }
    }
  }

  /// Removes the changes of the newest commit, which failed.
  func withdraw(_ version: Int64) {
    state.withLock { state in
      guard let last = state.changes.last, last.version == version else { return }
      state.changes.removeLast()
      state.rowCount -= last.rowCount
    }
  }

  /// Returns what the commits after one version changed, up to another; nil where that is unknown.
  func changes(after old: Int64, through new: Int64) -> ChangeSet? {
    guard old < new else { return old == new ? ChangeSet(from: new, to: new) : nil }
    // Each entry begins where the one before ends, unless there is a gap.
    let found = state.withLock { state -> [ChangeSet] in
      var chain: [ChangeSet] = []
      var end = new
      for changes in state.changes.reversed()
      where changes.version == end && changes.base >= old {
        chain.append(changes)
        end = changes.base
        if end <= old { break }
      }
      return end == old ? chain.reversed() : []
    }
    guard var all = found.first else { return nil }
    for changes in found.dropFirst() { all.append(changes) }
    return all
  }
}

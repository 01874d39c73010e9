import DequeModule
import Synchronization

/// What the newest commits of this process changed, so that who has read an older version learns what
/// is new without reading everything again.
///
/// Commits of other processes leave gaps, and so do those that changed very much.
final class ChangeHistory: Sendable {
  private struct State {
    var changes: Deque<ChangeSet> = []
    var rowCount = 0
  }

  private let state = Mutex(State())

  /// Commits that are remembered at most.
  private static let capacity = 4096
  /// Rows that all remembered commits name at most; about 100 bytes each.
  private static let rowCapacity = 200_000

  /// Remembers what a commit is about to change, so that nobody can read it before.
  func note(_ changes: ChangeSet) {
    state.withLock { state in
      state.changes.append(changes)
      state.rowCount += changes.rowCount
      while state.changes.count > Self.capacity || state.rowCount > Self.rowCapacity {
        state.rowCount -= state.changes.removeFirst().rowCount
      }
    }
  }

  /// Forgets the newest commit, which failed.
  func withdraw(_ version: Int64) {
    state.withLock { state in
      guard let last = state.changes.last, last.version == version else { return }
      state.changes.removeLast()
      state.rowCount -= last.rowCount
    }
  }

  /// What the commits after one version changed, up to another; nil where that is not known.
  func changes(after old: Int64, through new: Int64) -> ChangeSet? {
    guard old < new else { return old == new ? ChangeSet(version: new) : nil }
    let count = Int(new - old)
    let found = state.withLock { state -> [ChangeSet] in
      guard let last = state.changes.lastIndex(where: { $0.version <= new }), last + 1 >= count
      else { return [] }
      return Array(state.changes[last + 1 - count...last])
    }
    guard var all = found.first, all.version == old + 1, found.last?.version == new else {
      return nil
    }
    for changes in found.dropFirst() { all.append(changes) }
    // Versions ascend, so one missing in between would show at the ends.
    return all
  }
}

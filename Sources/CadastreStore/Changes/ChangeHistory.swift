import CadastreModel
import DequeModule

/// What the newest commits of this process changed, so that who has read an older version learns what
/// is new without reading everything again.
///
/// Commits of other processes leave gaps, and so do those that changed very much.
final class ChangeHistory: Sendable {
  private struct State {
    var changes: Deque<ChangeSet> = []
    var rowCount = 0
  }

  private let state = Guarded(State())

  /// Commits that are remembered at most.
  private static let capacity = 4096
  /// Rows that all remembered commits name at most; about 100 bytes each.
  private static let rowCapacity = 200_000

  /// The newest version that is remembered.
  var newest: Int64? { state.withLock { $0.changes.last?.version } }

  /// Remembers what a commit is about to change, so that nobody can read it before.
  func note(_ changes: ChangeSet) {
    state.withLock { state in
      let place = state.changes.lastIndex { $0.version <= changes.version }
      state.changes.insert(changes, at: place.map { $0 + 1 } ?? 0)
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
    guard old < new else { return old == new ? ChangeSet(from: new, to: new) : nil }
    // Each entry continues where the one before ends, unless something is missing in between.
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

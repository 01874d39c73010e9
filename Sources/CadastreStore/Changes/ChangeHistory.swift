import CadastreModel
import DequeModule

/// The changes of this process's most recent commits.
///
/// With them, a reader of an older version gets the changes since then without reading all rows. Commits of
/// other processes and very large commits leave gaps.
final class ChangeHistory: Sendable {
  fileprivate struct State {
    /// The changes of single commits and of compared snapshots, by ascending versions.
    var ranges: Deque<ChangeRange> = []
    var rowCount = 0
  }

  private let state = Guarded(State())

  /// The maximum number of ranges.
  static let capacity = 4096
  /// The maximum number of row keys in all ranges; each takes about 100 bytes.
  static let rowCapacity = 200_000

  /// The newest version; nil without any.
  var newest: Int64? { state.withLock { $0.ranges.last?.version } }

  /// Adds the changes of a commit; called before the commit, so that every reader of the new version finds
  /// them.
  ///
  /// - Returns: The changes, as ``changes(after:through:)`` returns them.
  @discardableResult
  func note(_ changes: ChangeSet) -> ChangeRange {
    let range = ChangeRange(changes)
    state.withLock { state in
      let index = state.ranges.lastIndex { $0.version <= range.version }
      state.ranges.insert(range, at: index.map { $0 + 1 } ?? 0)
      state.rowCount += range.rowCount
      while state.ranges.count > Self.capacity || state.rowCount > Self.rowCapacity {
        state.rowCount -= state.ranges.removeFirst().rowCount
      }
    }
    return range
  }

  /// Removes the changes of the newest commit after it has failed.
  func withdraw(_ version: Int64) {
    state.withLock { state in
      guard let last = state.ranges.last, last.version == version else { return }
      state.ranges.removeLast()
      state.rowCount -= last.rowCount
    }
  }

  /// Returns the changes of the commits after one version up to another; nil where the history has a gap.
  ///
  /// The changes of one commit are returned by reference. Those of several are merged by each call, outside of
  /// the lock.
  func changes(after old: Int64, through new: Int64) -> ChangeRange? {
    guard old < new else {
      return old == new ? ChangeRange(ChangeSet(from: new, to: new)) : nil
    }
    return ChangeRange.merged(
      state.withLock { $0.consecutive(from: old, to: new) ?? $0.chain(from: old, to: new) })
  }
}

extension ChangeHistory.State {
  /// Returns the ranges from one version to another, where each one precedes the next one in the list; nil for
  /// other chains, and where there is a gap.
  ///
  /// This is the usual chain: the commits of one process.
  /// - Complexity: O(k) for k newer ranges and those of the chain.
  fileprivate func consecutive(from old: Int64, to new: Int64) -> [ChangeRange]? {
    guard let last = ranges.lastIndex(where: { $0.version <= new }) else { return nil }
    var (first, version) = (last, new)
    while ranges[first].version == version {
      version = ranges[first].base
      if version == old { return Array(ranges[first...last]) }
      guard version > old, first > 0 else { return nil }
      first -= 1
    }
    return nil
  }

  /// Returns consecutive ranges from one version to another; none where the history has a gap.
  ///
  /// Several ranges may end at the same version: Realms at different versions each compare their snapshot with
  /// the snapshot of another process's commit. So the search follows all chains backwards from the end.
  ///
  /// - Complexity: O(n) in the number of ranges.
  fileprivate func chain(from old: Int64, to new: Int64) -> [ChangeRange] {
    // The range that follows a version on a chain to the end.
    var following: [Int64: ChangeRange] = [:]
    for range in ranges.reversed() {
      if range.version < old { break }
      guard range.version == new || following[range.version] != nil, range.base >= old,
        following[range.base] == nil
      else { continue }
      following[range.base] = range
      if range.base == old { break }
    }
    var chain: [ChangeRange] = []
    var version = old
    while version != new, let next = following[version] {
      chain.append(next)
      version = next.version
    }
    return version == new ? chain : []
  }
}

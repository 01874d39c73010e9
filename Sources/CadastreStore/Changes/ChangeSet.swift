import CadastreModel
import DequeModule

/// The changes of one commit, or of several consecutive ones.
package struct ChangeSet: Hashable, Sendable {
  /// The version before the changes.
  package let base: Int64
  /// The version after the changes.
  package internal(set) var version: Int64
  /// The changes by class, without unchanged classes.
  package internal(set) var classes: [String: ClassChanges] = [:]
  /// Whether classes or indexes were added or removed.
  package internal(set) var changesSchema = false

  /// An empty change set.
  init(from base: Int64, to version: Int64) {
    self.base = base
    self.version = version
  }

  /// Whether the set contains no changes.
  package var isEmpty: Bool { classes.isEmpty && !changesSchema }

  /// The number of row keys in the change set.
  package var rowCount: Int {
    classes.values.reduce(0) { $0 + $1.deleted.count + $1.modified.count }
  }

  /// The number of rows that were changed or inserted.
  package var touchedCount: Int {
    classes.values.reduce(rowCount) { $0 + $1.inserted.count }
  }

  /// Appends the changes of the following commits.
  package mutating func append(_ next: ChangeSet) {
    version = next.version
    changesSchema = changesSchema || next.changesSchema
    classes.merge(next.classes) { earlier, later in
      var both = earlier
      both.append(later)
      return both
    }
  }
}

/// The changes in one class.
package struct ClassChanges: Hashable, Sendable {
  /// The keys of inserted objects, including objects that the same changes deleted.
  package internal(set) var inserted: Range<Int64>
  /// The keys of deleted objects.
  package internal(set) var deleted: Set<Int64> = []
  /// The changed columns of objects that existed before.
  package internal(set) var modified = ModifiedRows()

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

  /// Appends later changes; keys ascend, so the inserted keys of both form one range.
  fileprivate mutating func append(_ later: ClassChanges) {
    for (key, columns) in later.modified where !inserted.contains(key) {
      modified.insert(columns, of: key)
    }
    for key in later.deleted { modified.remove(key) }
    deleted.formUnion(later.deleted)
    if inserted.isEmpty {
      inserted = later.inserted
    } else if !later.inserted.isEmpty {
      inserted = inserted.lowerBound..<later.inserted.upperBound
    }
  }
}

/// The changes of this process's most recent commits.
///
/// With them, a reader of an older version gets the changes since then without reading all rows. Commits of
/// other processes and very large commits leave gaps.
final class ChangeHistory: Sendable {
  fileprivate struct State {
    var changes: Deque<ChangeSet> = []
    var rowCount = 0
  }

  private let state = Guarded(State())

  /// The maximum number of commits.
  private static let capacity = 4096
  /// The maximum number of row keys in all change sets; each takes about 100 bytes.
  private static let rowCapacity = 200_000

  /// Adds the changes of a commit; called before the commit, so that every reader of the new version finds
  /// them.
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

  /// Removes the changes of the newest commit after it has failed.
  func withdraw(_ version: Int64) {
    state.withLock { state in
      guard let last = state.changes.last, last.version == version else { return }
      state.changes.removeLast()
      state.rowCount -= last.rowCount
    }
  }

  /// Returns the changes of the commits after one version up to another; nil where the history has a gap.
  func changes(after old: Int64, through new: Int64) -> ChangeSet? {
    guard old < new else { return old == new ? ChangeSet(from: new, to: new) : nil }
    let chain = state.withLock { $0.chain(from: old, to: new) }
    guard var all = chain.first else { return nil }
    for changes in chain.dropFirst() { all.append(changes) }
    return all
  }
}

extension ChangeHistory.State {
  /// Returns consecutive change sets from one version to another; none where the history has a gap.
  ///
  /// Several change sets may end at the same version: Realms at different versions each compare their
  /// snapshot with the snapshot of another process's commit. So the search follows all chains backwards from
  /// the end.
  ///
  /// - Complexity: O(n) in the number of change sets.
  fileprivate func chain(from old: Int64, to new: Int64) -> [ChangeSet] {
    // The change set that follows a version on a chain to the end.
    var following: [Int64: ChangeSet] = [:]
    for changes in changes.reversed() {
      if changes.version < old { break }
      guard changes.version == new || following[changes.version] != nil, changes.base >= old,
        following[changes.base] == nil
      else { continue }
      following[changes.base] = changes
      if changes.base == old { break }
    }
    var chain: [ChangeSet] = []
    var version = old
    while version != new, let next = following[version] {
      chain.append(next)
      version = next.version
    }
    return version == new ? chain : []
  }
}

/// The changes between two versions of a store: those of one commit, or those of consecutive commits, merged.
///
/// A range is immutable and passed by reference. The history creates one for each commit. A Realm that moves
/// over several commits merges them once (``RecentChanges``), for its ledger, its observers and its results.
///
/// An object that was inserted and deleted within the range is in `inserted` and in `deleted` of its class, so
/// no result before or after the changes contains it.
package final class ChangeRange: Sendable {
  private let changes: ChangeSet
  /// The number of keys of deleted and changed rows.
  package let rowCount: Int
  /// The number of rows that were inserted, changed or deleted.
  package let touchedCount: Int

  /// The changes of one transaction, without a copy of the keys.
  package init(_ changes: ChangeSet) {
    self.changes = changes
    rowCount = changes.rowCount
    touchedCount = changes.touchedCount
  }

  /// The changes of consecutive ranges.
  ///
  /// - Parameter chain: The ranges; each one begins at the version at which the one before it ends.
  /// - Returns: The only range itself; nil where there is none.
  /// - Complexity: O(n) for n keys.
  static func merged(_ chain: [ChangeRange]) -> ChangeRange? {
    guard let first = chain.first, chain.count > 1 else { return chain.first }
    var all = first.changes
    for range in chain.dropFirst() { all.append(range.changes) }
    return ChangeRange(all)
  }

  /// Returns these changes followed by those of an open transaction.
  ///
  /// The result shares the keys of the transaction while it exists, so a write in that time copies them: it
  /// is computed when it is needed, and not stored.
  ///
  /// - Parameter transaction: The changes of a transaction that began at ``version``.
  /// - Returns: This range where the transaction has changed nothing.
  /// - Complexity: O(n) for n keys; O(1) where one of both is empty.
  package func followed(by transaction: ChangeSet) -> ChangeRange {
    if transaction.isEmpty { return self }
    if base == version { return ChangeRange(transaction) }
    var all = changes
    all.append(transaction)
    return ChangeRange(all)
  }

  /// The version before the changes.
  package var base: Int64 { changes.base }
  /// The version after the changes.
  package var version: Int64 { changes.version }
  /// The changes by class, without unchanged classes.
  package var classes: ChangesByClass { changes.classes }
  /// Whether classes or indexes were added or removed.
  package var changesSchema: Bool { changes.changesSchema }
}

/// The changes that lead to the version that a Realm reads, merged once for each version before it.
package struct RecentChanges {
  /// The version at which all ranges end.
  private var version: Int64 = 0
  /// The ranges by their bases, oldest first; nil where the history has a gap.
  private var ranges: [(base: Int64, range: ChangeRange?)] = []

  /// The maximum number of ranges: most observers of a Realm have received the same version.
  static let capacity = 4

  /// No ranges.
  package init() {}

  /// Stores the changes of a move to a newer version, and discards those that lead to the version before.
  ///
  /// - Parameters:
  ///   - range: The changes; nil where they are not available.
  ///   - base: The version before the move.
  ///   - version: The version after it.
  package mutating func replace(with range: ChangeRange?, after base: Int64, through version: Int64)
  {
    self.version = version
    ranges = [(base, range)]
  }

  /// Returns the changes between two versions.
  ///
  /// - Parameters:
  ///   - base: The version before the changes.
  ///   - version: The version that the Realm reads.
  ///   - read: Reads the changes from the history.
  /// - Returns: The changes; nil where they are not available. Calls with the same versions return the same
  ///   instance, without a call of the closure, while at most ``capacity`` bases are in use.
  package mutating func range(
    after base: Int64, through version: Int64, _ read: (Int64, Int64) -> ChangeRange?
  ) -> ChangeRange? {
    if version != self.version {
      self.version = version
      ranges = []
    }
    for known in ranges where known.base == base { return known.range }
    let range = read(base, version)
    if ranges.count == Self.capacity { ranges.removeFirst() }
    ranges.append((base, range))
    return range
  }
}

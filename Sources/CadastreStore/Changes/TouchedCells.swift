import CadastreModel

/// The cells of one class that a write transaction has changed, from its first write to its commit.
///
/// Flushes of the buffer do not change it. It yields the class's part of the change set, and says which cached
/// segments do not hold for the transaction.
struct TouchedCells {
  /// The changes of the class.
  private(set) var changes: ClassChanges
  /// The changed segments and columns.
  private(set) var segments = SegmentTouches()
  /// The key of the first row that the transaction inserts.
  let firstNewKey: Int64

  /// No cells.
  ///
  /// - Parameter firstNewKey: The key of the first row that the transaction inserts.
  init(before firstNewKey: Int64) {
    self.firstNewKey = firstNewKey
    changes = ClassChanges(inserted: firstNewKey..<firstNewKey)
  }

  /// Whether the caches of the version before do not hold for a column of a row.
  ///
  /// - Complexity: O(log n).
  func contains(_ key: Int64, _ column: Int) -> Bool {
    key >= firstNewKey || changes.deleted.contains(key)
      || changes.modified[key]?.contains(column) == true
  }

  /// Records that the rows up to a key were inserted.
  mutating func noteInserted(before nextKey: Int64) {
    changes.inserted = firstNewKey..<nextKey
    segments.noteInserted(changes.inserted)
  }

  /// Records the change of a column; the columns of new rows are not recorded.
  mutating func noteModified(_ key: Int64, _ column: Int) {
    guard key < firstNewKey else { return }
    changes.modified.insert(column, of: key)
    segments.noteModified(key, column)
  }

  /// Records the deletion of a row.
  mutating func noteDeleted(_ key: Int64) {
    changes.deleted.insert(key)
    changes.modified.remove(key)
    segments.noteDeleted(key)
  }
}

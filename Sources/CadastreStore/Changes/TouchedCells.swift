import CadastreModel

/// The cells of one class that a write transaction has changed, from its first write to its commit.
///
/// Flushes of the buffer do not change it. It yields the class's part of the change set, says which cached
/// segments do not hold for the transaction, and begins the generations of the Realm that writes.
// A class, so that a question copies nothing. Its properties are `@exclusivity(unchecked)`, as those of `TableWriter`.
final class TouchedCells {
  /// The changes of the class.
  @exclusivity(unchecked) private(set) var changes: ClassChanges
  /// The changed segments and columns.
  @exclusivity(unchecked) private(set) var segments = SegmentTouches()
  /// The key of the first row that the transaction inserts.
  let firstNewKey: Int64
  /// The generations of the class; nil if no reader has caches of the transaction.
  @exclusivity(unchecked) var generation: ClassGeneration?

  /// No cells.
  ///
  /// - Parameters:
  ///   - firstNewKey: The key of the first row that the transaction inserts.
  ///   - generation: The generations of the class; nil if no reader has caches of the transaction.
  init(before firstNewKey: Int64, _ generation: ClassGeneration? = nil) {
    self.firstNewKey = firstNewKey
    self.generation = generation
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
  func noteInserted(before nextKey: Int64) {
    generation?.noteInsertion()
    changes.inserted = firstNewKey..<nextKey
    segments.noteInserted(changes.inserted)
  }

  /// Records the change of a column; the columns of new rows are not recorded.
  func noteModified(_ key: Int64, _ column: Int) {
    generation?.noteChange(of: column, key)
    guard key < firstNewKey else { return }
    changes.modified.insert(column, of: key)
    segments.noteModified(key, column)
  }

  /// Records the deletion of a row.
  func noteDeleted(_ key: Int64) {
    generation?.noteDeletion(of: key)
    changes.deleted.insert(key)
    changes.modified.remove(key)
    segments.noteDeleted(key)
  }
}

import CadastreModel
package import CadastreStore

/// The recording of the changes that a program makes to stores, so that they can be undone.
///
///     RecordedChanges.record(as: "cadastre delete a.cadastre Airport …", limit: 64 << 20)
///
/// A program records nothing unless it says so.
package enum RecordedChanges {
  private static let description = Guarded<StoreHistory.Description?>(nil)

  /// Records all later changes of this process.
  ///
  /// - Parameters:
  ///   - command: What makes the changes.
  ///   - limit: The maximum size of all records of a store in bytes; 0 to record nothing.
  package static func record(as command: String, limit: Int) {
    description.withLock { $0 = StoreHistory.Description(command: command, limit: limit) }
  }

  /// Undoes a recorded change of a store.
  ///
  /// - Parameters:
  ///   - number: The number of the change; nil for the last one that was not undone.
  ///   - store: The path of the store.
  ///   - isDryRun: Whether to roll the transaction back at the end.
  /// - Returns: The change, and the numbers of objects.
  /// - Throws: `UndoError` where objects were changed since, or `StoreError`; nothing is changed then.
  package static func undo(
    _ number: Int64?, in store: String, isDryRun: Bool
  ) throws -> UndoReport {
    let file = try OpenStores.store(at: store, mustExist: true)
    let transaction = try file.beginWrite()
    do {
      let report = try transaction.undoChange(
        number, from: file.snapshot(),
        description.withLock { $0 } ?? StoreHistory.Description(command: "undo"))
      if isDryRun { transaction.rollback() } else { try transaction.commit() }
      return report
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private static let unrecorded = Guarded(false)

  /// Whether a change of this process cannot be undone, because its record would be too large or another program has
  /// changed the table of records.
  package static var hasUnrecorded: Bool { unrecorded.withLock { $0 } }

  fileprivate static func noteUnrecorded() { unrecorded.withLock { $0 = true } }

  fileprivate static var current: StoreHistory.Description? { description.withLock { $0 } }
}

extension WriteTransaction {
  /// Commits, and records the change if the program says so.
  ///
  /// - Parameters:
  ///   - file: The store.
  ///   - renames: The names that the transaction has changed, if it has changed nothing else.
  /// - Throws: `StoreError`.
  func commitRecorded(in file: StoreFile, renames: [SchemaRename] = []) throws(StoreError) {
    if let description = RecordedChanges.current {
      let canBeUndone = try recordChange(
        from: try file.snapshotBeforeWriting(), description, renames: renames)
      if !canBeUndone { RecordedChanges.noteUnrecorded() }
    }
    try commit()
  }
}

import CadastreModel
package import CadastreSQLite

/// The one transaction at a time that may change a store.
///
/// It ends with `commit()` or `rollback()`; releasing it without either rolls it back. After an error of
/// the disk or a damaged page the transaction is failed: writes throw that error and change nothing, and
/// `commit()` rolls back and throws it.
package final class WriteTransaction {
  // Released before the file: the last owner of a file closes its connections under the lock, and
  // none may be owned here then.
  let state: TransactionState
  private let file: StoreFile
  /// Whether it has been neither committed nor rolled back.
  package private(set) var isOpen = true
  /// The first error that left the transaction incomplete; nil while it can be committed.
  package private(set) var failure: StoreError?

  init(file: StoreFile, connection: Connection, versions: StoreVersions, catalogue: Catalogue) {
    self.file = file
    state = TransactionState(
      connection: connection, versions: versions, catalogue: catalogue, columns: file.columns,
      history: file.history)
  }

  deinit { rollback() }

  /// The counters of the version that is being changed.
  package var versions: StoreVersions { state.versions }

  /// What the transaction has changed so far.
  package var changes: ChangeSet { state.changes }

  // MARK: Writing

  /// Runs a part of the transaction that writes; all writes go through here.
  ///
  /// - Throws: ``StoreError``: the transaction's failure, without running the part, or what the part
  ///   throws.
  func write<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try requireIntact()
    do throws(StoreError) {
      return try body()
    } catch {
      if failure == nil, error.failsTransaction { failure = error }
      throw error
    }
  }

  private func requireIntact() throws(StoreError) {
    if let failure { throw failure }
    // A failed read can make SQLite roll the transaction back; each write would then be a commit of its
    // own.
    guard !isOpen || state.connection.isInTransaction else {
      let error =
        state.connection.lastError
        ?? StoreError(.sqlite(code: 4, message: "the transaction was rolled back"), path: path)
      failure = error
      throw error
    }
  }

  // MARK: The end

  /// Makes the changes durable and visible to all readers.
  ///
  /// - Throws: ``StoreError``; the transaction is rolled back then.
  @discardableResult
  package func commit() throws(StoreError) -> ChangeSet { try commit(reading: false).changes }

  /// Makes the changes durable and visible to all readers.
  ///
  /// - Parameter reading: Whether to open a snapshot of exactly this version, before another writer starts.
  /// - Returns: The changes and the snapshot.
  /// - Throws: ``StoreError``: the transaction's failure, `removed` where the store's files were removed or
  ///   replaced, or why writing fails. The transaction is rolled back then.
  package func commit(
    reading: Bool
  ) throws(StoreError) -> (changes: ChangeSet, snapshot: Snapshot?) {
    precondition(isOpen, "the transaction has ended")
    do throws(StoreError) {
      let changes = try write { () throws(StoreError) in
        try state.complete()
        return state.changes
      }
      guard !changes.isEmpty else {
        rollback()
        return (ChangeSet(from: versions.commit, to: versions.commit), nil)
      }
      try file.requireInPlace()
      try write { () throws(StoreError) in try commit(changes) }
      file.restartLongLog(state.connection)
      // The commit is durable, even if it cannot be read now.
      let snapshot = reading ? try? file.snapshot() : nil
      end(committed: true)
      return (changes, snapshot)
    } catch {
      rollback()
      throw error
    }
  }

  private func commit(_ changes: ChangeSet) throws(StoreError) {
    try state.connection.run("UPDATE cadastre_state SET commit_version = ?", .int(version))
    // Before any reader can see the version.
    file.history.note(changes)
    do throws(StoreError) {
      try state.connection.run("COMMIT")
    } catch {
      file.history.withdraw(changes.version)
      throw error
    }
  }

  /// Commits tables that were rebuilt without the writers; all cached data of the store becomes invalid.
  func commitRebuilt() throws(StoreError) {
    state.noteSchemaChange()
    try commit()
  }

  /// Discards the changes; does nothing when the transaction has ended.
  package func rollback() {
    guard isOpen else { return }
    if state.connection.isInTransaction { try? state.connection.run("ROLLBACK") }
    end(committed: false)
  }

  private func end(committed: Bool) {
    isOpen = false
    file.endWrite(committed: committed)
  }
}

extension WriteTransaction: StoreReader {
  package var connection: Connection { state.connection }
  package var catalogue: Catalogue { state.catalogue }
  /// The number that the commit will have.
  package var version: Int64 { state.version }

  package func columnSource(_ className: String) -> ColumnSource? { state.columnSource(className) }

  package func flushPendingIndexEntries() throws(StoreError) {
    guard state.hasPendingEntries else { return }
    try write { () throws(StoreError) in try state.flushPendingIndexEntries() }
  }

  package func flushPendingChanges() throws(StoreError) {
    try write { () throws(StoreError) in try state.flushPendingChanges() }
  }

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    try state.rowCount(className)
  }

  package func elementCount(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> Int {
    try state.elementCount(layout, owner)
  }

  package func positions(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> ListPositions {
    try state.positions(layout, owner)
  }

  package func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement] {
    try state.setElements(layout, owner)
  }
}

extension StoreError {
  /// Whether the error leaves a write transaction incomplete, so that it cannot be committed.
  fileprivate var failsTransaction: Bool {
    switch reason {
    // These refuse an operation before anything is changed, or are thrown where the caller rolls back.
    case .duplicateKey, .schemaMismatch, .schemaChanged, .olderSchema, .migrationFailed,
      .nestedTooDeeply:
      false
    case .fileNotFound, .removed, .isDirectory, .permissionDenied, .notADatabase,
      .foreignDatabase, .mongoDBRealm, .newerFormat, .readOnly, .openOtherwise, .inUse,
      .fileExists, .unreadableLog, .fileOperationFailed, .diskFull, .busy, .corrupt, .cancelled,
      .sqlite:
      true
    }
  }
}

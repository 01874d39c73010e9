package import CadastreModel
package import CadastreSQLite

/// The one transaction at a time that may change a store.
///
/// It ends with `commit()` or `rollback()`; releasing it without either rolls it back. After an error of
/// the disk or a damaged page the transaction is failed: writes throw that error and change nothing, and
/// `commit()` rolls back and throws it.
package final class WriteTransaction {
  // Released before the file of the pipeline: the last owner of a file closes its connections under the lock, and
  // none may be owned here then.
  private let shared: TransactionState
  private let pipeline: CommitPipeline
  /// Whether it has been neither committed nor rolled back.
  @exclusivity(unchecked) package private(set) var isOpen = true
  /// The first error that left the transaction incomplete; nil while it can be committed.
  @exclusivity(unchecked) package private(set) var failure: StoreError?

  /// What to do with a row of a class whose primary key exists; nil where no rows are stored later.
  private var onDuplicate: ((String, [Value]) -> Void)?
  private var insertsInBackground = false
  /// Whether updates of rows wait, see `updateLater(_:_:)`.
  @exclusivity(unchecked) private var hasPendingUpdates = false
  /// The insertions since the last other use of the transaction.
  @exclusivity(unchecked) private var insertions = 0
  private var background: BackgroundInsertion?
  /// The last new row, where it is not stored yet.
  @exclusivity(unchecked) private var waitingRow: WaitingRow?

  init(_ state: TransactionState, _ pipeline: CommitPipeline) {
    shared = state
    self.pipeline = pipeline
  }

  deinit { rollback() }

  /// The counters of the version that is being changed.
  package var versions: StoreVersions { shared.versions }

  /// What the transaction has changed so far.
  package var changes: ChangeSet { shared.changes }

  /// The state, after the rows and the updates that wait.
  var state: TransactionState {
    if hasWaitingRows { finishInsertions() }
    if hasPendingUpdates { finishUpdates() }
    return shared
  }

  // MARK: Writing

  /// Runs a part of the transaction that writes; all writes but insertions and updates that wait go through
  /// here.
  ///
  /// - Parameter body: The part.
  /// - Returns: The result of the part.
  /// - Throws: ``StoreError``: the transaction's failure, without running the part, or what the part
  ///   throws.
  func write<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    insertions = 0
    return try run(on: state, body)
  }

  /// Runs an insertion, which does not touch the rows whose updates wait.
  ///
  /// - Parameter body: The insertion, with the state of the transaction.
  /// - Returns: The result of the insertion.
  /// - Throws: ``StoreError`` as `write(_:)`.
  func insert<Result>(
    _ body: (TransactionState) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    insertions += 1
    let state = background == nil ? shared : self.state
    return try run(on: state) { () throws(StoreError) in try body(state) }
  }

  private func run<Result>(
    on state: TransactionState, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try requireTransaction(on: state.connection)
    do throws(StoreError) {
      return try body()
    } catch {
      if failure == nil, error.failsTransaction { failure = error }
      throw error
    }
  }

  /// Fails where the transaction is failed, or was rolled back by SQLite: each write would be a commit of its
  /// own.
  private func requireTransaction(on connection: Connection) throws(StoreError) {
    if let failure { throw failure }
    guard !isOpen || connection.isInTransaction else {
      failure = connection.rollbackError
      throw connection.rollbackError
    }
  }

  // MARK: Insertions that wait

  /// The number of insertions one after the other from which on a new row waits for changes of its columns.
  static let shortSequence = 16
  /// The number of insertions one after the other from which on rows are stored in the background.
  static let longSequence = 1000

  /// Lets new rows of sequences of insertions wait.
  ///
  /// The last row is stored at the next use of the transaction that is not a change of its columns. An insertion
  /// that waits throws nothing; that use throws instead, and the transaction is failed.
  ///
  /// - Parameters:
  ///   - inBackground: Whether a second thread stores the rows of long sequences.
  ///   - onDuplicate: What to do with a row of a class whose primary key exists, before that is
  ///     thrown.
  package func storeLater(
    inBackground: Bool, onDuplicate: @escaping (String, [Value]) -> Void
  ) {
    insertsInBackground = inBackground
    self.onDuplicate = onDuplicate
  }

  private var hasWaitingRows: Bool { waitingRow != nil || background != nil }

  /// Inserts a row that waits.
  ///
  /// - Returns: Its key; nil where the row must be inserted at once.
  /// - Throws: ``StoreError``: the transaction's failure.
  func insertLater(_ className: String, _ row: [Value]) throws(StoreError) -> ObjectKey? {
    guard insertions >= Self.shortSequence, onDuplicate != nil,
      shared.usedWriter(className) != nil
    else { return nil }
    if let failure { throw failure }
    try storeWaitingRow()
    // Notes that the indexes get new entries.
    let writer = try shared.writer(className)
    insertions += 1
    let key = writer.reserveKey()
    waitingRow = WaitingRow(writer: writer, key: key, values: row)
    return ObjectKey(key)
  }

  /// Sets columns of the row that waits.
  ///
  /// - Returns: False where another row or a primary key is to be set.
  /// - Throws: ``StoreError``: the transaction's failure.
  func setInWaitingRow(
    _ className: String, _ key: ObjectKey, _ changes: some Sequence<(column: Int, value: Value)>
  ) throws(StoreError) -> Bool {
    guard waitingRow?.key == key.rawValue, let writer = waitingRow?.writer,
      writer === shared.usedWriter(className),
      changes.allSatisfy({ !writer.isPrimaryKey($0.column) })
    else { return false }
    if let failure { throw failure }
    for change in changes { waitingRow?.values[change.column] = change.value }
    return true
  }

  /// Stores the row that waits, or hands it to the second thread, which alone uses the connection while it runs.
  private func storeWaitingRow() throws(StoreError) {
    guard let waiting = waitingRow else { return }
    waitingRow = nil
    if background == nil, insertsInBackground, insertions >= Self.longSequence {
      if hasPendingUpdates { finishUpdates() }
      background = BackgroundInsertion()
    }
    if let background {
      background.insert(waiting.values, waiting.key, waiting.writer)
      return
    }
    do throws(StoreError) {
      try requireTransaction(on: shared.connection)
      try waiting.writer.store(waiting.values, waiting.key)
    } catch {
      fail(error, waiting.writer.layout.schema.className, waiting.values)
      throw error
    }
  }

  private func finishInsertions() {
    // The failure is kept for the next write.
    try? storeWaitingRow()
    guard let running = background else { return }
    background = nil
    insertions = 0
    running.finish()
    if let failed = running.firstFailure { fail(failed.error, failed.className, failed.row) }
  }

  /// Fails the transaction because a row that waited cannot be stored.
  private func fail(_ error: StoreError, _ className: String, _ row: [Value]) {
    if failure == nil { failure = error }
    if case .duplicateKey = error.reason { onDuplicate?(className, row) }
  }

  private func discardInsertions() {
    waitingRow = nil
    background?.finish()
    background = nil
  }

  // MARK: Updates that wait

  /// Changes a row that exists, at the next use of the transaction that is neither an insertion nor such a change.
  ///
  /// - Parameters:
  ///   - className: The class of the row.
  ///   - change: Lets the change wait in the writer of the class; returns false where it cannot.
  /// - Returns: False where the row must be changed at once.
  /// - Throws: ``StoreError`` where writing changes that waited before fails. An error of this change is thrown by a
  ///   later write or the commit. The transaction is failed in both cases.
  func updateLater(
    _ className: String, _ change: (TableWriter) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard background == nil, isOpen, let writer = shared.usedWriter(className) else { return false }
    try requireTransaction(on: shared.connection)
    do throws(StoreError) {
      guard try change(writer) else { return false }
      hasPendingUpdates = true
      return true
    } catch {
      if failure == nil { failure = error }
      throw error
    }
  }

  private func finishUpdates() {
    hasPendingUpdates = false
    do throws(StoreError) {
      try requireTransaction(on: shared.connection)
      try shared.writePendingUpdates()
    } catch {
      failure = error
    }
  }

  /// Returns what the transaction has done to a column of a row.
  ///
  /// - Complexity: O(1) for a row after all that were changed, O(log n) for others.
  package func ownChange(_ className: String, _ key: ObjectKey, _ column: Int) -> OwnChange {
    shared.usedWriter(className)?.ownChange(key.rawValue, column) ?? .none
  }

  package func awaitsUpdate(_ key: ObjectKey, of className: String) -> Bool {
    shared.usedWriter(className)?.isPending(key.rawValue) ?? false
  }

  package var connectionBeforeUpdates: Connection {
    if hasWaitingRows { finishInsertions() }
    return shared.connection
  }

  // MARK: The end

  /// Makes the changes durable and visible to all readers.
  ///
  /// - Throws: ``StoreError``; the transaction is rolled back then, except with the reason `notDurable`.
  @discardableResult
  package func commit() throws(StoreError) -> ChangeSet {
    let commit = try commit(reading: false)
    try commit.pending?.wait()
    return commit.changes
  }

  /// Makes the changes visible to all readers, and durable; see `Commit.pending` for an asynchronous write.
  ///
  /// - Parameters:
  ///   - reading: Whether to open a snapshot of exactly this version, before another writer starts.
  ///   - observation: An observation that is not called, because its Realm has the version; nil for none.
  /// - Returns: The committed version.
  /// - Throws: ``StoreError``: the transaction's failure, `removed` where the store's files were removed or
  ///   replaced, or why writing fails. The transaction is rolled back then.
  package func commit(
    reading: Bool, skipping observation: CommitObservation? = nil
  ) throws(StoreError) -> Commit {
    precondition(isOpen, "the transaction has ended")
    do throws(StoreError) {
      return try pipeline.commit(self, reading: reading, skipping: observation)
    } catch {
      rollback()
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
    discardInsertions()
    hasPendingUpdates = false
    noteEnd()
    pipeline.rollback(shared)
  }

  /// Records that the transaction has ended, before the lock is released.
  func noteEnd() { isOpen = false }
}

/// A new row that is not stored yet.
private struct WaitingRow {
  let writer: TableWriter
  let key: Int64
  var values: [Value]
}

/// What a write transaction has done to a column of a row.
package enum OwnChange {
  /// Nothing.
  case none
  /// It has set the column to a value that is not in the file yet.
  case pending(Value)
  /// It has changed the column, inserted the row or deleted it.
  case unknown
}

extension WriteTransaction: StoreReader {
  package var connection: Connection { state.connection }
  package var catalogue: Catalogue { shared.catalogue }
  /// The number that the commit will have.
  package var version: Int64 { shared.version }

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
    case .fileNotFound, .removed, .isDirectory, .pathTooLong, .nameTooLong, .permissionDenied,
      .notADatabase, .foreignDatabase, .mongoDBRealm, .olderFormat, .newerFormat, .readOnly,
      .openOtherwise, .openWithOtherDurability, .inUse, .inUseUnderOtherName, .logOfOtherFile,
      .locksUnsupported, .fileExists, .unreadableLog, .fileOperationFailed, .notDurable,
      .unsyncedLog, .diskFull, .busy, .corrupt, .cancelled, .sqlite:
      true
    }
  }
}

extension Connection {
  /// The reason why a transaction that was open is not, such as a failed read: SQLite rolls it back then, and
  /// each write would be a commit of its own.
  var rollbackError: StoreError {
    lastError
      ?? StoreError(.sqlite(code: 4, message: "the transaction was rolled back"), path: path)
  }
}

package import CadastreModel
package import CadastreSQLite

/// The one transaction at a time that may change a store.
///
/// It ends with `commit()` or `rollback()`; releasing it without either rolls it back. After an error of
/// the disk or a damaged page the transaction is failed: writes throw that error and change nothing, and
/// `commit()` rolls back and throws it.
///
/// New rows and changed columns are buffered. Single rows are read with the buffer. Everything else reads through a
/// connection, which sees the changes after `flush(_:)`. It also runs where a buffer is full, and before a write that is not
/// buffered; only in a long sequence of insertions ``BackgroundFlush`` stores the rows of full buffers.
package final class WriteTransaction {
  // Released before the file of the pipeline: the last owner of a file closes its connections under the lock, and
  // none may be owned here then.
  private let tables: TransactionTables
  /// The transaction as a reader, which only `flush(_:)` returns.
  private lazy var flushed = FlushedTransaction(tables)
  private let pipeline: CommitPipeline
  /// The state, which has the only record of a failure.
  @exclusivity(unchecked) package private(set) var state = State.open
  /// Called with a class and a new row whose primary key exists, before that is thrown.
  private var onDuplicate: ((String, [Value]) -> Void)?
  /// Whether a second thread stores the rows of long sequences of insertions.
  private var flushesInBackground = false
  /// The insertions since the connection was last used for something else.
  @exclusivity(unchecked) private var sequence = 0
  @exclusivity(unchecked) private var background: BackgroundFlush?

  init(_ tables: TransactionTables, _ pipeline: CommitPipeline) {
    self.tables = tables
    self.pipeline = pipeline
  }

  deinit { rollback() }

  /// The states of a transaction.
  package enum State {
    /// It can be changed and committed.
    case open
    /// The first error that left it incomplete: changes are refused, and the commit rolls back and throws the error.
    case failed(any Error)
    /// It is visible to all readers; `Commit.pending` says whether it is durable.
    case committed
    /// It has left no trace; the error is nil if it was cancelled.
    case rolledBack((any Error)?)
  }

  /// Whether it has been neither committed nor rolled back.
  package var isOpen: Bool {
    switch state {
    case .open, .failed: true
    case .committed, .rolledBack: false
    }
  }

  /// The first error that left the transaction incomplete; nil if there is none.
  package var failure: (any Error)? {
    switch state {
    case .failed(let error): error
    case .rolledBack(let error): error
    case .open, .committed: nil
    }
  }

  /// The counters of the version that is being changed.
  package var versions: StoreVersions { tables.versions }

  /// What the transaction has changed so far.
  package var changes: ChangeSet { tables.changes }

  /// The number that the commit will have.
  package var version: Int64 { tables.version }

  // MARK: Flushing

  /// Makes the changes so far visible to the connection.
  ///
  /// - Parameter extent: The changes that the caller reads.
  /// - Returns: The transaction as a reader, until the next write.
  /// - Throws: ``StoreError`` when a buffered row cannot be stored; the transaction is failed then. A failed
  ///   transaction returns what it has stored.
  /// - Complexity: O(k) for k buffered rows, in few statements.
  package func flush(_ extent: FlushExtent) throws(StoreError) -> FlushedTransaction {
    if extent > .elements { sequence = 0 }
    if background != nil { try finishBackground() }
    guard extent >= .rows, case .open = state else { return flushed }
    do throws(StoreError) {
      try requireTransaction()
      try tables.flush(extent, onDuplicate)
    } catch {
      fail(error)
      throw error
    }
    return flushed
  }

  /// Waits for the second thread.
  private func finishBackground() throws(StoreError) {
    guard let running = background else { return }
    background = nil
    sequence = 0
    guard let failed = running.finish() else { return }
    let error = failed.failure.error
    fail(error)
    if case .duplicateKey = error.reason, !failed.rows.isUnique {
      onDuplicate?(failed.writer.layout.schema.className, failed.rows.rows[failed.failure.index])
    }
    throw error
  }

  // MARK: Writing

  /// Runs a part of the transaction that writes to the file at once.
  ///
  /// - Parameters:
  ///   - extent: The buffered changes that the part reads or overwrites.
  ///   - body: The part.
  /// - Returns: The result of the part.
  /// - Throws: ``StoreError``: the transaction's failure, without running the part, or what the part
  ///   throws.
  func write<Result>(
    _ extent: FlushExtent = .rows,
    _ body: (FlushedTransaction) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let flushed = try flush(extent)
    return try attempt { () throws(StoreError) in try body(flushed) }
  }

  /// Runs a part that uses the connection, and records its failure.
  private func attempt<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try requireTransaction()
    do throws(StoreError) {
      return try body()
    } catch {
      if error.failsTransaction { fail(error) }
      throw error
    }
  }

  /// Fails the transaction, unless it has failed before or has ended.
  package func fail(_ error: any Error) {
    if case .open = state { state = .failed(error) }
  }

  /// Throws the failure of a failed transaction.
  private func requireSuccess() throws(StoreError) {
    guard let failure else { return }
    throw failure as? StoreError
      ?? StoreError(
        .sqlite(code: 4, message: "the transaction has failed: \(failure)"), path: path)
  }

  /// Fails where the transaction is failed, or was rolled back by SQLite: each write would be a commit of its
  /// own.
  private func requireTransaction() throws(StoreError) {
    try requireSuccess()
    guard !isOpen || tables.connection.isInTransaction else {
      fail(tables.connection.rollbackError)
      throw tables.connection.rollbackError
    }
  }

  /// Records the following changes in the generation of the reader that writes.
  package func record(in generation: Generation) { tables.record(in: generation) }

  // MARK: The buffer

  /// The number of insertions in a row up to which primary keys are checked at once.
  private var shortSequence: Int { min(16, tables.bufferCapacity) }
  /// The number of insertions in a row from which on a second thread stores full buffers.
  private var longSequence: Int { min(1000, tables.bufferCapacity) }

  /// Sets how rows are buffered.
  ///
  /// - Parameters:
  ///   - inBackground: Whether a second thread stores the rows of long sequences of insertions.
  ///   - onDuplicate: Called with a class and a new row whose primary key exists, before that is thrown.
  package func bufferRows(
    inBackground: Bool, onDuplicate: @escaping (String, [Value]) -> Void
  ) {
    flushesInBackground = inBackground
    self.onDuplicate = onDuplicate
  }

  /// Adds an object, whose row is stored by a later flush.
  ///
  /// The primary keys of the first rows of a sequence are checked at once. A later duplicate is an error of the flush,
  /// and fails the transaction.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - row: A value for every column of the class's layout.
  ///   - isUnique: Whether a look-up has found no object with its primary key.
  /// - Returns: The new object's key.
  /// - Throws: ``StoreError``: the transaction's failure, or that of a flush of a full buffer; `duplicateKey` where
  ///   another object has its primary key and this is checked at once: then nothing is changed.
  /// - Complexity: Amortised O(log n).
  package func insert(
    _ className: String, buffering row: [Value], isUnique: Bool
  ) throws(StoreError) -> ObjectKey {
    let count = sequence + 1
    let writer = try writer(className)
    let capacity = tables.bufferCapacity
    if capacity == 0 || !isUnique && count <= shortSequence && writer.hasUniqueKey {
      defer { sequence = count }
      return try write { _ throws(StoreError) in try writer.insert(row) }
    }
    try requireSuccess()
    if !writer.buffer.accepts(isUnique: isUnique, capacity) { try flushFull(writer) }
    sequence = count
    return writer.buffer(row, isUnique: isUnique)
  }

  /// Stores the new rows of a full buffer, in the background in a long sequence.
  private func flushFull(_ writer: TableWriter) throws(StoreError) {
    guard flushesInBackground, sequence >= longSequence else { return try flushFull() }
    guard let background else {
      // The second thread stores new rows only.
      try flushFull()
      self.background = BackgroundFlush()
      return
    }
    guard background.start(writer) else { return try finishBackground() }
  }

  /// Flushes because a buffer is full, within a sequence of insertions.
  private func flushFull() throws(StoreError) {
    let count = sequence
    _ = try flush(.rows)
    sequence = count
  }

  /// Returns the writer of a class, which may read the class's counters.
  private func writer(_ className: String) throws(StoreError) -> TableWriter {
    if let writer = tables.usedWriter(className) { return writer }
    if background != nil { try finishBackground() }
    return try attempt { () throws(StoreError) in try tables.writer(className) }
  }

  /// Returns whether the buffer may hold a column of an object.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - key: The key of the object.
  ///   - column: The column.
  ///   - exists: Whether the object is known to exist.
  /// - Returns: Whether it may; false for a class that the transaction has not used yet.
  func mayBuffer(_ className: String, _ key: ObjectKey, _ column: Int, exists: Bool) -> Bool {
    guard let writer = tables.usedWriter(className) else { return false }
    if writer.hasNewRow(key.rawValue) { return !writer.isPrimaryKey(column) }
    return exists && mayBuffer(key, column, writer)
  }

  /// Returns whether the buffer may hold a column of a stored row.
  private func mayBuffer(_ key: ObjectKey, _ column: Int, _ writer: TableWriter) -> Bool {
    isOpen && tables.bufferCapacity > 0 && writer.isBufferable(column)
      && !writer.touched.changes.deleted.contains(key.rawValue)
  }

  /// Sets a column of an object in the buffer.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - key: The key of the object.
  ///   - column: The column.
  ///   - value: The value.
  ///   - exists: Whether the object is known to exist.
  /// - Returns: False where the column must be set in the file.
  /// - Throws: ``StoreError``: the transaction's failure, or that of a flush of a full buffer.
  func buffer(
    _ className: String, _ key: ObjectKey, _ column: Int, _ value: Value, exists: Bool
  ) throws(StoreError) -> Bool {
    guard let writer = tables.usedWriter(className) else { return false }
    try requireSuccess()
    if writer.buffer.hasLargeNewRows { try flushFull() }
    if writer.setInNewRow(key.rawValue, column, value) { return true }
    guard exists, mayBuffer(key, column, writer) else { return false }
    if writer.buffer(key.rawValue, column, value, tables.bufferCapacity) { return true }
    try flushFull()
    return writer.buffer(key.rawValue, column, value, tables.bufferCapacity)
  }

  /// Returns whether the buffer accepts the number of elements of a collection of any owner.
  func acceptsElementCount(_ layout: CollectionLayout) -> Bool {
    tables.usedWriter(layout.ownerClass)?.buffer
      .accepts(numberIn: layout.countColumn, tables.bufferCapacity) ?? true
  }

  /// What the transaction has done to one column of a row.
  package enum Cell {
    /// Nothing: the caches of the version before hold.
    case untouched
    /// The transaction has set it to a value that is not in the file yet.
    case pending(Value)
    /// The transaction has stored another value, inserted the row or deleted it.
    case written
  }

  /// Returns what the transaction has done to a column of a row.
  ///
  /// - Complexity: O(1) for a row after all that were changed, O(log n) for others.
  package func cell(_ className: String, _ key: ObjectKey, _ column: Int) -> Cell {
    guard let writer = tables.usedWriter(className),
      writer.touched.contains(key.rawValue, column)
    else { return .untouched }
    if let row = writer.unstoredRow(key.rawValue) { return .pending(row[column]) }
    return writer.buffer.value(key.rawValue, column).map { .pending($0) } ?? .written
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
    tables.noteSchemaChange()
    tables.noteInvalidSegments()
    try commit()
  }

  /// Discards the changes; does nothing when the transaction has ended.
  package func rollback() {
    guard isOpen else { return }
    _ = background?.finish()
    background = nil
    state = .rolledBack(failure)
    pipeline.rollback(tables)
  }

  /// Records the commit, before the lock is released.
  func noteCommit() { state = .committed }
}

extension WriteTransaction: RowReader {
  package var catalogue: Catalogue { tables.catalogue }

  package var path: String { tables.connection.path }

  package func row(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> [Value]? {
    let writer = tables.usedWriter(layout.schema.className)
    if let row = writer?.unstoredRow(key.rawValue) { return row }
    guard var row = try flush(.elements).row(layout, key) else { return nil }
    writer?.buffer.apply(to: &row, key.rawValue)
    return row
  }

  package func contains(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> Bool {
    if tables.usedWriter(layout.schema.className)?.unstoredRow(key.rawValue) != nil { return true }
    return try flush(.elements).contains(layout, key)
  }

  package func key(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> ObjectKey? {
    if let key = bufferedKey(layout, value) { return key }
    return try flush(.elements).key(layout, primaryKey: value)
  }

  package func row(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> (key: ObjectKey, row: [Value])? {
    let writer = tables.usedWriter(layout.schema.className)
    if let key = bufferedKey(layout, value) {
      return writer?.unstoredRow(key.rawValue).map { (key, $0) }
    }
    guard var found = try flush(.elements).row(layout, primaryKey: value) else { return nil }
    writer?.buffer.apply(to: &found.row, found.key.rawValue)
    return found
  }

  package func partialRow(
    _ layout: TableLayout, _ key: ObjectKey
  ) throws(StoreError) -> PartialRow? {
    let writer = tables.usedWriter(layout.schema.className)
    // The values of the buffer are in memory.
    if let row = writer?.unstoredRow(key.rawValue) { return PartialRow(values: row) }
    guard var row = try flush(.elements).partialRow(layout, key) else { return nil }
    writer?.buffer.apply(to: &row, key.rawValue)
    return row
  }

  package func partialRow(
    _ layout: TableLayout, primaryKey value: Value
  ) throws(StoreError) -> (key: ObjectKey, row: PartialRow)? {
    let writer = tables.usedWriter(layout.schema.className)
    if let key = bufferedKey(layout, value) {
      return writer?.unstoredRow(key.rawValue).map { (key, PartialRow(values: $0)) }
    }
    guard var found = try flush(.elements).partialRow(layout, primaryKey: value) else { return nil }
    writer?.buffer.apply(to: &found.row, found.key.rawValue)
    return found
  }

  package func value(
    _ layout: TableLayout, _ key: ObjectKey, _ column: Int
  ) throws(StoreError) -> Value? {
    let writer = tables.usedWriter(layout.schema.className)
    if let row = writer?.unstoredRow(key.rawValue) { return row[column] }
    if let value = writer?.buffer.value(key.rawValue, column) { return value }
    return try flush(.elements).value(layout, key, column)
  }

  private func bufferedKey(_ layout: TableLayout, _ value: Value) -> ObjectKey? {
    tables.usedWriter(layout.schema.className)?.bufferedKey(value.withoutNegativeZero)
      .map(ObjectKey.init)
  }

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    if let writer = tables.usedWriter(className) { return writer.rowCount }
    return try flush(.elements).rowCount(className)
  }

  /// Returns the keys of the objects after a key, ascending: at most `limit`.
  ///
  /// - Complexity: O(log n + k) for k keys, one statement.
  package func keys(
    _ layout: TableLayout, after key: ObjectKey, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try flush(.rows).keys(layout, after: key, limit: limit)
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

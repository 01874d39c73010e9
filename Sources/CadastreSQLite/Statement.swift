import CSQLite

/// A prepared statement.
///
/// Columns are read between a `step()` that returned true and the next `step()` or `reset()`.
package final class Statement {
  private unowned let connection: Connection
  private let handles: StatementHandles
  @usableFromInline let handle: OpaquePointer
  /// The SQL text, with placeholders.
  package let sql: String
  /// Whether a result is being read; until its end the statement cannot run for another result.
  @exclusivity(unchecked) private(set) var isInUse = false
  /// The memory for copies of bound texts and blobs; nil if SQLite allocates memory for each.
  @exclusivity(unchecked) private var boundBytes: BoundBytes?

  init(_ sql: String, on connection: Connection) throws(StoreError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw connection.error(code, statement: sql)
    }
    self.sql = sql
    self.connection = connection
    handle = prepared
    handles = connection.handles
    handles.insert(prepared)
  }

  /// Creates a statement that owns a prepared handle.
  init(_ handle: OpaquePointer, _ sql: String, on connection: Connection) {
    self.handle = handle
    self.sql = sql
    self.connection = connection
    handles = connection.handles
    handles.insert(handle)
  }

  deinit { handles.finalize(handle) }

  // MARK: Running

  /// Moves to the next row; returns false at the end, where the statement is reset.
  package func step() throws(StoreError) -> Bool {
    let code = advance()
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default: throw failed(code)
    }
  }

  /// The outcome of a step that reads no large values.
  package enum LimitedStep {
    /// The statement has moved to the next row.
    case row
    /// There is no further row; the statement is reset.
    case end
    /// The next row has a text or blob above the limit, which was not read; the statement is reset.
    case tooLarge
  }

  /// Moves to the next row, unless a column of it is larger than the limit of the connection.
  ///
  /// SQLite compares the size of a value on overflow pages with the limit before it reads these pages.
  /// Source: SQLite, `src/vdbe.c`, `OP_Column`; tested with 3.40.1 and 3.54.1.
  package func stepWithinLimit() throws(StoreError) -> LimitedStep {
    let code = advance()
    switch code {
    case SQLITE_ROW: return .row
    case SQLITE_DONE:
      reset()
      return .end
    case SQLITE_TOOBIG:
      reset()
      return .tooLarge
    default: throw failed(code)
    }
  }

  /// Moves to the next row, unless a column of it is larger than a limit.
  ///
  /// - Parameter valueLimit: The size in bytes of the largest text or blob that is read.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError`` when reading fails.
  package func step(valueLimit: Int32) throws(StoreError) -> LimitedStep {
    let connection = connection
    let previous = connection.setValueLimit(valueLimit)
    defer { connection.setValueLimit(previous) }
    return try stepWithinLimit()
  }

  /// Runs the statement, which calls an aggregate function, to its end, or until the function ends it.
  ///
  /// - Returns: What ended the statement.
  /// - Throws: ``StoreError`` when reading fails.
  func runFunction() throws(StoreError) -> FunctionEnd {
    let code = advance()
    let end: FunctionEnd
    switch code {
    case SQLITE_ROW: end = .ended
    case SQLITE_ABORT: end = .stopped
    case SQLITE_TOOBIG: end = .tooLarge
    default: throw failed(code)
    }
    reset()
    return end
  }

  /// What has ended a statement that calls an aggregate function.
  enum FunctionEnd {
    /// All rows are read.
    case ended
    /// The function has ended it.
    case stopped
    /// A text or blob is larger than the connection's limit.
    case tooLarge
  }

  @inline(__always)
  private func advance() -> Int32 {
    // Only the first step of a result writes these properties, which keeps long scans fast.
    if !isInUse {
      connection.statementsRun += 1
      isInUse = true
    }
    return sqlite3_step(handle)
  }

  /// Resets the statement and returns the error of a step.
  private func failed(_ code: Int32) -> StoreError {
    let error = connection.error(code, statement: sql)
    reset()
    return error
  }

  /// Runs the statement to its end.
  package func run() throws(StoreError) {
    while try step() {}
  }

  /// Ends the result and keeps the bound values.
  package func reset() {
    sqlite3_reset(handle)
    isInUse = false
  }

  // MARK: Binding; parameters are counted from 1

  /// Prepares for binding all parameters, with copies of texts and blobs in memory of the statement.
  ///
  /// Check `hasAllBytes` after binding. If it is false, a value is missing, and the statement must not run.
  ///
  /// - Parameter capacity: The number of bytes of all texts and blobs together.
  package func rebind(capacity: Int) {
    guard let boundBytes else {
      boundBytes = BoundBytes(capacity: capacity)
      return
    }
    boundBytes.removeAll()
  }

  /// Whether all texts and blobs that were bound since `rebind(capacity:)` fit into the memory.
  package var hasAllBytes: Bool { boundBytes?.isComplete ?? true }

  /// Binds null to a parameter.
  package func bindNull(at index: Int) throws(StoreError) {
    try check(sqlite3_bind_null(handle, Int32(index)))
  }

  /// Binds an integer to a parameter.
  package func bind(integer: Int64, at index: Int) throws(StoreError) {
    try check(sqlite3_bind_int64(handle, Int32(index), integer))
  }

  /// Binds a floating-point number to a parameter; SQLite stores NaN as null.
  package func bind(real: Double, at index: Int) throws(StoreError) {
    try check(sqlite3_bind_double(handle, Int32(index), real))
  }

  /// Binds a text to a parameter.
  ///
  /// - Throws: ``StoreError`` when the text is longer than SQLite's limit.
  package func bind(text: String, at index: Int) throws(StoreError) {
    var text = text
    if let boundBytes {
      let code = text.withUTF8 { bytes -> Int32 in
        guard bytes.count > 0 else {
          return cadastre_sqlite3_bind_text(handle, Int32(index), "", 0)
        }
        guard let copy = boundBytes.copy(UnsafeRawBufferPointer(bytes)) else { return SQLITE_OK }
        return cadastre_sqlite3_bind_owned_text(
          handle, Int32(index), copy.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      }
      return try check(code)
    }
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty string has no address, and SQLite binds null for no address.
        guard let start = characters.baseAddress else {
          return cadastre_sqlite3_bind_text(handle, Int32(index), "", 0)
        }
        return cadastre_sqlite3_bind_text(
          handle, Int32(index), start, Int32(clamping: characters.count))
      }
    }
    try check(code)
  }

  /// Binds bytes as a blob to a parameter.
  ///
  /// - Throws: ``StoreError`` when there are more bytes than SQLite's limit.
  package func bind(bytes: UnsafeRawBufferPointer, at index: Int) throws(StoreError) {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return try check(sqlite3_bind_zeroblob(handle, Int32(index), 0))
    }
    if let boundBytes {
      guard let copy = boundBytes.copy(bytes) else { return }
      return try check(
        cadastre_sqlite3_bind_owned_blob(handle, Int32(index), copy, Int32(bytes.count)))
    }
    try check(
      cadastre_sqlite3_bind_blob(handle, Int32(index), start, Int32(clamping: bytes.count)))
  }

  private func check(_ code: Int32) throws(StoreError) {
    // Success skips the call of the connection, which takes longer than this comparison.
    if code != SQLITE_OK { try connection.check(code, statement: sql) }
  }

  // MARK: Reading; columns are counted from 0

  /// The number of columns.
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// Returns the name of a column.
  package func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// SQLite's storage class of a value.
  package enum Storage {
    case null, integer, real, text, blob

    /// Creates the storage class of SQLite's number of a type.
    @inlinable
    init(type: Int32) {
      self =
        switch type {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }
  }

  /// Returns how a column is stored in the current row.
  @inlinable
  package func storage(_ column: Int) -> Storage {
    Storage(type: sqlite3_column_type(handle, Int32(column)))
  }

  /// Returns whether a column is null.
  @inlinable
  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// Returns a column as an integer.
  @inlinable
  package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  /// Returns a column as a floating-point number.
  @inlinable
  package func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  /// Calls a closure with the bytes of a text column, which are valid during the call.
  @inlinable
  package func withTextBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = sqlite3_column_text(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Calls a closure with the bytes of a blob column, which are valid during the call.
  @inlinable
  package func withBlobBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return body(
      UnsafeBufferPointer(
        start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count))
  }
}

/// The handles of the prepared statements of a connection, until they are finalized.
///
/// SQLite closes a connection after its last statement is finalized, and may run a checkpoint then. So the
/// connection finalizes all handles when it is closed. A `Statement` that is released afterwards does nothing.
final class StatementHandles {
  private var live: Set<OpaquePointer> = []

  /// The number of handles.
  var count: Int { live.count }

  func insert(_ handle: OpaquePointer) { live.insert(handle) }

  func finalize(_ handle: OpaquePointer) {
    if live.remove(handle) != nil { sqlite3_finalize(handle) }
  }

  func finalizeAll() {
    for handle in live { sqlite3_finalize(handle) }
    live = []
  }
}

// Not Sendable: a statement belongs to its connection, and stepping moves its cursor.
@available(*, unavailable)
extension Statement: Sendable {}

/// A buffer for copies of the texts and blobs that are bound to a statement.
///
/// SQLite would allocate memory for each copy. With the buffer, inserting rows with two texts takes a quarter
/// less time.
final class BoundBytes {
  private let memory: UnsafeMutableRawBufferPointer
  private var used = 0
  /// Whether all values since the last `removeAll()` fit into the buffer.
  private(set) var isComplete = true

  /// Allocates memory.
  ///
  /// - Parameter capacity: The number of bytes.
  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 1)
  }

  deinit { memory.deallocate() }

  /// Copies bytes.
  ///
  /// - Parameter bytes: The bytes; at least one.
  /// - Returns: The copy, which is valid until `removeAll()`; nil if the buffer is too small.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard isComplete, bytes.count <= memory.count - used else {
      isComplete = false
      return nil
    }
    let copy = UnsafeMutableRawBufferPointer(rebasing: memory[used..<used + bytes.count])
    copy.copyMemory(from: bytes)
    used += bytes.count
    return UnsafeRawPointer(copy.baseAddress)
  }

  /// Removes all copies.
  func removeAll() {
    used = 0
    isComplete = true
  }
}

/// The values of a row in SQLite's storage classes; columns are counted from 0.
package protocol StoredRow {
  /// Returns how a column is stored.
  func storage(_ column: Int) -> Statement.Storage
  /// Returns a column as an integer.
  func integer(_ column: Int) -> Int64
  /// Returns a column as a floating-point number.
  func real(_ column: Int) -> Double
  /// Calls a closure with the bytes of a text column, which are valid during the call.
  func withTextBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
    -> Result
  /// Calls a closure with the bytes of a blob column, which are valid during the call.
  func withBlobBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
    -> Result
}

extension StoredRow {
  /// Returns a column as text.
  package func text(_ column: Int) -> String {
    withTextBytes(column) { String(decoding: $0, as: UTF8.self) }
  }
}

extension Statement: StoredRow {}

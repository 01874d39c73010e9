package import CadastreModel
import CSQLite

/// One handle of SQLite on a store's file, with its prepared statements.
package final class Connection {
  /// The file.
  package let path: String
  let handle: OpaquePointer
  /// Whether the file is taken never to change.
  let isImmutable: Bool
  private var statements: [String: Statement] = [:]
  /// Statements run so far; tests count them.
  package internal(set) var statementsRun = 0
  /// Pages in the write-ahead log after the last commit of this connection.
  private(set) var logPages = 0

  /// How a file is opened.
  enum Mode {
    /// For reading and writing; the file is made if it is missing.
    case readWrite
    /// For reading a file that others may write.
    case read
    /// For reading a file in a folder that cannot be written, so that nobody writes it.
    case immutable
    /// For reading a file of another program, which may be damaged or hostile; immutable if it is taken
    /// never to change.
    case foreign(isImmutable: Bool)
  }

  init(path: String, mode: Mode) throws(StoreError) {
    self.path = path
    isImmutable = if case .immutable = mode { true } else { false }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch mode {
    case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    // A reader of a write-ahead log needs to write its index of it.
    case .read: flags |= SQLITE_OPEN_READWRITE
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = Self.uri(path) + "?immutable=1"
    case .foreign(let isImmutable):
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = Self.uri(path) + (isImmutable ? "?immutable=1" : "")
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw StoreError(code: code, message: message, path: path)
    }
    handle = opened
    try configure(mode)
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  private func configure(_ mode: Mode) throws(StoreError) {
    sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
    // Checkpoints happen only where a writer asks for one, see StoreFile.
    try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    try setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    try setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    // A name in quotes that is no column would be a text otherwise, in views of other tools too.
    try setOption(SQLITE_DBCONFIG_DQS_DML, false)
    try setOption(SQLITE_DBCONFIG_DQS_DDL, false)
    try run("PRAGMA wal_autocheckpoint = 0")
    try run("PRAGMA cache_size = -\(Self.cacheKibibytes)")
    try run("PRAGMA temp_store = MEMORY")
    switch mode {
    case .readWrite: try run("PRAGMA secure_delete = OFF")
    case .read, .immutable: try run("PRAGMA query_only = ON")
    case .foreign:
      sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.foreignValueBytes)
      try run("PRAGMA query_only = ON")
      try run("PRAGMA mmap_size = 0")
      try run("PRAGMA cell_size_check = ON")
    }
  }

  /// Opens a database that another program made, for reading.
  ///
  /// Nothing is written beside it, its functions, views and triggers are not trusted, and no page of it is
  /// believed unchecked.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isImmutable: Whether to take no locks and look at no log, because the file does not change.
  /// - Returns: The connection.
  /// - Throws: ``StoreError`` when the file is not a database, or cannot be read.
  package static func readingForeign(
    _ path: String, isImmutable: Bool
  ) throws(StoreError) -> Connection {
    try Connection(path: path, mode: .foreign(isImmutable: isImmutable))
  }

  /// Makes a database for other programs, or opens one that was made so.
  ///
  /// - Parameter path: The file.
  /// - Returns: The connection.
  /// - Throws: ``StoreError`` when the file cannot be made.
  package static func writingForeign(_ path: String) throws(StoreError) -> Connection {
    try Connection(path: path, mode: .readWrite)
  }

  /// How long to wait for a lock that another process holds.
  private static let busyTimeoutMilliseconds: Int32 = 10_000
  /// The page cache of a connection, filled on demand; walking a spatial index of 1,000,000 points
  /// takes 0.74 ms with 64 MiB and 2.5 ms with SQLite's 2 MiB.
  private static let cacheKibibytes = 65_536

  /// The longest row, text or blob that is read from a file of another program.
  private static let foreignValueBytes: Int32 = 64 * 1024 * 1024

  /// A path as SQLite's URI: `?`, `#` and `%` escaped.
  private static func uri(_ path: String) -> String {
    // Two slashes would name a host, and some names without any mean other things than files.
    var uri = path.hasPrefix("//") ? "file://" : path.hasPrefix("/") ? "file:" : "file:./"
    for character in path {
      switch character {
      case "?": uri += "%3f"
      case "#": uri += "%23"
      case "%": uri += "%25"
      default: uri.append(character)
      }
    }
    return uri
  }

  // MARK: Options

  /// Lets SQLite copy the log into the file and remove it when this connection is the last to close.
  func checkpointOnClose() throws(StoreError) {
    try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
  }

  /// Lets a closure write the shadow tables of virtual tables, which are read-only otherwise.
  func withWritableShadowTables(
    _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try setOption(SQLITE_DBCONFIG_DEFENSIVE, false)
    let outcome = Result { () throws(StoreError) in try body() }
    try setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    try outcome.get()
  }

  private func setOption(_ option: Int32, _ isOn: Bool) throws(StoreError) {
    try check(cadastre_sqlite3_db_config(handle, option, isOn ? 1 : 0, nil))
  }

  /// Counts the pages of the write-ahead log after each commit.
  func watchLog() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        if let context {
          Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
        }
        return SQLITE_OK
      }, context)
  }

  /// Copies the write-ahead log into the file; only under the store's write lock.
  func checkpoint(truncating: Bool) throws(StoreError) {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    // Truncating would wait for readers.
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds) }
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, nil, nil)
    // Readers of old snapshots keep the log; that is no failure.
    guard code & 0xFF != SQLITE_BUSY else { return }
    try check(code)
  }

  // MARK: Statements

  /// The prepared statement of a text, made once a connection.
  package func statement(_ sql: String) throws(StoreError) -> Statement {
    if let known = statements[sql], !known.isInUse { return known }
    let statement = try Statement(sql, on: self)
    statements[sql] = statement
    return statement
  }

  /// Runs a statement that returns nothing of interest.
  package func run(_ sql: String, _ values: Value...) throws(StoreError) {
    let statement = try statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
  }

  /// Runs a statement that is prepared for this once, as a pragma must be that acts while it is prepared.
  func runAnew(_ sql: String) throws(StoreError) { try Statement(sql, on: self).run() }

  /// The first column of the first row as a whole number; nil when there is no row or it is null.
  package func integer(_ sql: String, _ values: Value...) throws(StoreError) -> Int64? {
    let statement = try statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }

  /// The first column of the first row as text; nil when there is no row or it is null.
  package func text(_ sql: String, _ values: Value...) throws(StoreError) -> String? {
    let statement = try statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.text(0)
  }

  /// Drops the prepared statements, after the tables they name have changed.
  func forgetStatements() { statements = [:] }

  /// Rows changed by the last statement.
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether a write transaction is open.
  var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  func check(_ code: Int32, statement: String? = nil) throws(StoreError) {
    guard code != SQLITE_OK else { return }
    throw error(code, statement: statement)
  }

  /// The error for a result code of this connection.
  func error(_ code: Int32, statement: String?) -> StoreError {
    let isFromSystem = code & 0xFF == SQLITE_IOERR
    return StoreError(
      code: code, message: String(cString: sqlite3_errmsg(handle)),
      systemErrors: isFromSystem ? [0, 1].map { cadastre_sqlite3_file_errno(handle, $0) } : [],
      path: path, statement: statement)
  }
}

// Safe because a connection has one owner at a time: the pool, a snapshot or the write transaction.
// SQLite itself allows a handle to move between threads.
extension Connection: @unchecked Sendable {}

/// Names as they stand in SQL.
package enum SQL {
  /// A name in double quotes.
  package static func quoted(_ name: String) -> String {
    // Few names have quotes, and each commit quotes the names of the columns that it writes.
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"" + name.replacing("\"", with: "\"\"") + "\"" : "\"" + name + "\""
  }
}

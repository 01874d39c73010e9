import CSQLite

/// A connection to an SQLite file, with its prepared statements.
package final class Connection {
  /// The path of the file.
  package let path: String
  let handle: OpaquePointer
  let handles = StatementHandles()
  /// The identity of the file; nil for a database in memory.
  private let identity: FileIdentity?
  /// Whether the file was opened as immutable, without locks.
  package let isImmutable: Bool
  @exclusivity(unchecked) private var statements: [String: Statement] = [:]
  /// The statements by the identity of their text; the dictionary retains the texts, so that identities
  /// stay unique.
  @exclusivity(unchecked)
  private var statementsByIdentity: [ObjectIdentifier: (text: SQLText, statement: Statement)] = [:]
  /// The last look-ups of `statementsByIdentity`, each at the position that its text's address yields: a loop and the
  /// statements of each transaction are found without hashing.
  @exclusivity(unchecked) private var recent = noRecentStatements
  /// The number of statements run so far; tests compare it.
  @exclusivity(unchecked) package internal(set) var statementsRun = 0
  /// The last error of a statement or blob; nil before the first one.
  @exclusivity(unchecked) package private(set) var lastError: StoreError?
  /// The cancellation of the queries of this connection; nil if they cannot be cancelled.
  package var cancellation: QueryCancellation? { didSet { updateProgressHandler() } }
  /// The values that `rowValueFunction` returns; nil outside of `withRowValues(_:_:)`.
  @exclusivity(unchecked) var rowValues: (any RowValues)?
  /// The columns that the running statement collects; nil before `collect` has registered its function.
  @exclusivity(unchecked) var collectedRows:
    UnsafeMutablePointer<UnsafeMutablePointer<CollectedRows>?>?
  /// The entries that the running statement collects; nil before `entryFunction` is registered.
  @exclusivity(unchecked) var collectedEntries: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  /// Whether `rowValueFunction` is registered.
  var hasRowValueFunction = false
  /// The value of SQLite's pragma `synchronous` that this connection has set; nil before the first one.
  package internal(set) var synchronous: Synchronous?
  /// Pages in the write-ahead log after the last commit of this connection, see `trackLogSize()`.
  package private(set) var logPages = 0
  /// The nodes of R*Trees that the connection writes; nil before `trackNodes()`.
  package private(set) var changedNodes: ChangedNodes?
  /// Whether searches of spatial indexes need this connection's page cache, because the column cache has no room for the
  /// nodes.
  ///
  /// Scans do not shrink the page cache then.
  package var readsNodesAgain = false

  /// The authorizer that restricts queries of the program to reading, created for the first query.
  private(set) lazy var queryAuthorizer = QueryAuthorizer(handle)

  /// An access mode of a file.
  package enum Mode {
    /// Reading and writing; a missing file is created.
    case readWrite
    /// Reading a file that other connections may write.
    case read
    /// Reading a file in a read-only folder; no process writes the file.
    case immutable
    /// Reading a file of another program, which may be damaged or hostile; `isImmutable` says that it
    /// does not change.
    case foreign(isImmutable: Bool)
    /// Writing a file of another program; `isShared` says whether other processes may open it at
    /// the same time.
    case writingForeign(isShared: Bool)

    /// Whether the file is a store, whose views and triggers are disabled.
    var isStore: Bool {
      switch self {
      case .readWrite, .read, .immutable: true
      case .foreign, .writingForeign: false
      }
    }
  }

  /// Opens a file.
  ///
  /// - Throws: ``StoreError`` when the file cannot be opened.
  package init(path: String, mode: Mode) throws(StoreError) {
    self.path = path
    isImmutable = if case .immutable = mode { true } else { false }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch mode {
    case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    // A reader of a write-ahead log needs to write the log's index.
    case .read: flags |= SQLITE_OPEN_READWRITE
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = Self.uri(path) + "?immutable=1"
    case .foreign(let isImmutable):
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = Self.uri(path) + (isImmutable ? "?immutable=1" : "")
    case .writingForeign(let isShared):
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
      name = Self.uri(path) + (isShared ? "" : "?nolock=1")
    }
    SQLiteLibrary.configure()
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      if code & 0xFF == SQLITE_CANTOPEN { try PathLimit.check(unopened: path) }
      throw StoreError(code: code, message: message, path: path)
    }
    handle = opened
    identity = FileIdentity(path: path)
    // SQLite has opened the file, and takes the first lock with the first read.
    if let identity { DatabaseFiles.beginUse(of: identity) }
    guard !hasMoved else { throw StoreError(.removed, path: path) }
    try configure(mode)
  }

  deinit {
    discardStatements()
    handles.finalizeAll()
    sqlite3_close_v2(handle)
    collectedRows?.deallocate()
    collectedEntries?.deallocate()
    if let identity { DatabaseFiles.endUse(of: identity) }
  }

  /// Whether the file was removed or replaced since the connection has opened it.
  private var hasMoved: Bool {
    var hasMoved: Int32 = 0
    // Without a name SQLite takes the main database.
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  private func configure(_ mode: Mode) throws(StoreError) {
    setBusyPolicy(.wait)
    // Checkpoints run only when the owner of the write lock requests one.
    try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    try setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    try setOption(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    // Otherwise a double-quoted name without a column is a string, also in views of other programs.
    try setOption(SQLITE_DBCONFIG_DQS_DML, false)
    try setOption(SQLITE_DBCONFIG_DQS_DDL, false)
    // Triggers and views that another program created in a store are disabled.
    if mode.isStore {
      try setOption(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
      try setOption(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    }
    // Compacting attaches one file.
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    // A damaged page is an error, and so is a file that is truncated while it is open.
    try run("PRAGMA cell_size_check = ON")
    try run("PRAGMA mmap_size = 0")
    try run("PRAGMA wal_autocheckpoint = 0")
    try setPageCache(.usual)
    switch mode {
    case .readWrite, .writingForeign:
      // Compacting and building an index may sort more rows than memory holds. SQLite cannot change
      // the setting in a transaction that has altered a table.
      try run("PRAGMA temp_store = FILE")
      try run("PRAGMA secure_delete = OFF")
    case .read, .immutable:
      try run("PRAGMA temp_store = MEMORY")
      try run("PRAGMA query_only = ON")
    case .foreign:
      try run("PRAGMA temp_store = MEMORY")
      sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.foreignValueBytes)
      try run("PRAGMA query_only = ON")
    }
  }

  /// Opens a database of another program for reading.
  ///
  /// No file is written beside it; its functions, views and triggers are not trusted; every page is
  /// checked.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isImmutable: Whether to take no locks and ignore a log, because the file does not change.
  /// - Returns: The connection.
  /// - Throws: ``StoreError`` when the file is not a database, or cannot be read.
  package static func readingForeign(
    _ path: String, isImmutable: Bool
  ) throws(StoreError) -> Connection {
    try Connection(path: path, mode: .foreign(isImmutable: isImmutable))
  }

  /// Creates or opens a database that is written for other programs.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isShared: Whether other processes may open the file at the same time, so that locks are
  ///     needed.
  /// - Returns: The connection.
  /// - Throws: ``StoreError`` when the file cannot be created.
  package static func writingForeign(
    _ path: String, isShared: Bool = true
  ) throws(StoreError) -> Connection {
    try Connection(path: path, mode: .writingForeign(isShared: isShared))
  }

  /// The size in bytes of the largest row, text or blob that is read from a file of another program.
  package static let foreignValueBytes: Int32 = 64 * 1024 * 1024

  /// Returns a path as a URI for SQLite: `?`, `#` and `%` are escaped.
  private static func uri(_ path: String) -> String {
    // Two slashes would begin a host name, and some relative names have a special meaning in SQLite.
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

  // MARK: Statements

  /// Returns the prepared statement of an SQL text and caches it in the connection.
  package func statement(_ sql: String) throws(StoreError) -> Statement {
    if let cached = statements[sql], !cached.isInUse { return cached }
    let statement = try Statement(sql, on: self)
    if statements.count >= Self.maximumStatements { evictStatements() }
    statements[sql] = statement
    return statement
  }

  /// Removes the statements that are not in use from the caches.
  private func evictStatements() {
    statements = statements.filter { $0.value.isInUse }
    statementsByIdentity = [:]
    recent = Self.noRecentStatements
  }

  /// Returns the prepared statement of a text that is run often, and caches it by the identity of the text.
  package func statement(_ sql: SQLText) throws(StoreError) -> Statement {
    // The allocator aligns objects to 16 bytes.
    let position = Int(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(sql)) >> 4 & 15)
    if let known = recent[position], known.text === sql, !known.statement.isInUse {
      return known.statement
    }
    let statement = try statementByIdentity(sql)
    recent[position] = (sql, statement)
    return statement
  }

  private static var noRecentStatements: [(text: SQLText, statement: Statement)?] {
    Array(repeating: nil, count: 16)
  }

  private func statementByIdentity(_ sql: SQLText) throws(StoreError) -> Statement {
    let identity = ObjectIdentifier(sql)
    if let cached = statementsByIdentity[identity]?.statement, !cached.isInUse { return cached }
    let statement = try statement(sql.text)
    // Queries across links create a text object for each run, so the number of entries is limited.
    if statementsByIdentity.count >= Self.maximumStatements { statementsByIdentity = [:] }
    statementsByIdentity[identity] = (sql, statement)
    return statement
  }

  /// The maximum number of statements that are cached by text, and by identity, beside those in use.
  private static let maximumStatements = 1024

  /// The number of prepared statements; tests compare it.
  package var preparedStatements: Int { handles.count }

  /// Runs a statement and ignores its rows.
  package func run(_ sql: String) throws(StoreError) { try statement(sql).run() }

  /// Runs a statement that is run often and ignores its rows.
  package func run(_ sql: SQLText) throws(StoreError) { try statement(sql).run() }

  /// Prepares a statement for this call only and runs it, as needed for a pragma that takes effect while it
  /// is prepared.
  package func runUncached(_ sql: String) throws(StoreError) {
    try Statement(sql, on: self).run()
  }

  /// Returns the first column of the first row as an integer; nil if there is no row or the value is null.
  package func integer(_ sql: String) throws(StoreError) -> Int64? {
    try firstInteger(of: try statement(sql))
  }

  /// Returns the first column of the first row of a bound statement as an integer; nil if there is no row
  /// or the value is null.
  package func firstInteger(of statement: Statement) throws(StoreError) -> Int64? {
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }

  /// Returns the first column of the first row as text; nil if there is no row or the value is null.
  package func text(_ sql: String) throws(StoreError) -> String? {
    try firstText(of: try statement(sql))
  }

  /// Returns the first column of the first row of a bound statement as text; nil if there is no row or the
  /// value is null.
  package func firstText(of statement: Statement) throws(StoreError) -> String? {
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.text(0)
  }

  /// Discards the cached statements, after a change of the tables.
  package func discardStatements() {
    statements = [:]
    statementsByIdentity = [:]
    recent = Self.noRecentStatements
  }

  // MARK: State

  /// Sets the size in bytes of the largest text or blob that statements read and write.
  ///
  /// - Returns: The previous limit.
  @discardableResult
  package func setValueLimit(_ bytes: Int32) -> Int32 {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
  }

  /// The number of rows that the last statement changed.
  package var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether a write transaction is open.
  package var isWriting: Bool { sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE }

  /// The data version of the file; nil if SQLite does not report it.
  ///
  /// The version changes with each commit of this connection, and when a transaction detects a commit of another
  /// connection. The pages that SQLite caches for the connection are valid until the version changes.
  package var dataVersion: UInt32? {
    var version: UInt32 = 0
    // Without a name SQLite takes the main database.
    let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// Registers a hook that updates `logPages` after each commit.
  package func trackLogSize() {
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

  /// Begins to record the nodes of R*Trees that the connection writes.
  package func trackNodes() { changedNodes = ChangedNodes(of: handle) }

  // MARK: Errors

  /// Throws the error of a result code other than success.
  func check(_ code: Int32, statement: String? = nil) throws(StoreError) {
    guard code != SQLITE_OK else { return }
    throw error(code, statement: statement)
  }

  /// Returns the error for a result code of this connection.
  func error(_ code: Int32, statement: String?) -> StoreError {
    let isFromSystem = code & 0xFF == SQLITE_IOERR
    let error = StoreError(
      code: code, message: String(cString: sqlite3_errmsg(handle)),
      systemErrors: isFromSystem ? [0, 1].map { cadastre_sqlite3_file_errno(handle, $0) } : [],
      path: path, statement: statement)
    lastError = error
    return error
  }
}

// Safe because a connection has one owner at a time: the reader pool, a snapshot or the write transaction.
// SQLite allows a connection to move between threads.
extension Connection: @unchecked Sendable {}

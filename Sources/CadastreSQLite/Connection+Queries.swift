import CSQLite
import Synchronization

extension Connection {
  /// Prepares one statement of the program that only reads rows.
  ///
  /// - Parameter sql: The text.
  /// - Returns: The statement, which is not cached.
  /// - Throws: ``SQLError`` if the text is anything else, ``StoreError`` if reading fails.
  package func query(_ sql: String) throws -> Statement {
    guard !sql.utf8.contains(0) else {
      throw SQLError(
        .invalidText, in: sql, found: "a character NUL", expected: "it in an argument only")
    }
    let authorizer = queryAuthorizer
    return try authorizer.whileActive {
      Result { try sql.withCString { try self.query($0, sql, authorizer) } }
    }.get()
  }

  private func query(
    _ text: UnsafePointer<CChar>, _ sql: String, _ authorizer: QueryAuthorizer
  ) throws -> Statement {
    var (handle, rest) = (OpaquePointer?.none, Optional(text))
    let code = sqlite3_prepare_v3(self.handle, text, -1, 0, &handle, &rest)
    guard code == SQLITE_OK else {
      if let refused = authorizer.refused {
        throw SQLError(.notAQuery, in: sql, found: refused, expected: Self.expected)
      }
      guard code & 0xFF == SQLITE_ERROR || code & 0xFF == SQLITE_TOOBIG else {
        throw error(code, statement: sql)
      }
      throw SQLError(
        .invalidText, in: sql, found: "an error (\(String(cString: sqlite3_errmsg(self.handle))))",
        expected: "an SQL query of tables and columns of the store")
    }
    guard let handle else {
      throw SQLError(.notAQuery, in: sql, found: "no statement", expected: Self.expected)
    }
    let statement = Statement(handle, sql, on: self)
    guard sqlite3_stmt_readonly(handle) != 0, statement.columnCount > 0 else {
      throw SQLError(
        .notAQuery, in: sql, found: "a statement that writes or returns no rows",
        expected: Self.expected)
    }
    try requireNoStatement(rest, sql)
    return statement
  }

  /// Checks that only spaces and comments follow a statement.
  private func requireNoStatement(_ text: UnsafePointer<CChar>?, _ sql: String) throws(SQLError) {
    var rest = text
    while let start = rest, start.pointee != 0 {
      var next: OpaquePointer?
      let code = sqlite3_prepare_v3(handle, start, -1, 0, &next, &rest)
      guard code == SQLITE_OK, next == nil, rest != start else {
        sqlite3_finalize(next)
        throw SQLError(
          .severalStatements, in: sql, found: "text after the statement", expected: "one statement")
      }
    }
  }

  private static let expected = "a query that only reads: SELECT, VALUES, or WITH before them"
}

extension Statement {
  /// Checks that there are as many arguments as placeholders.
  ///
  /// - Throws: ``SQLError``.
  package func requireArguments(_ count: Int) throws(SQLError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard count != expected else { return }
    throw SQLError(
      .wrongNumberOfArguments, in: sql, found: "\(count) arguments",
      expected: "\(expected), one for each placeholder")
  }
}

/// An authorizer that permits only reading rows while a statement is prepared.
///
/// The authorizer stays registered and permits everything while it is inactive, because each registration
/// makes SQLite prepare all statements of the connection again.
final class QueryAuthorizer {
  private var isActive = false
  /// The first action that was refused since the authorizer became active, in words.
  private(set) var refused: String?

  /// Registers the authorizer, which the connection must retain.
  init(_ handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        // Safe because the connection retains the authorizer until it closes.
        return Unmanaged<QueryAuthorizer>.fromOpaque(context).takeUnretainedValue()
          .decision(action, first, second)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Refuses actions other than reading during a closure.
  func whileActive<Result>(_ body: () -> Result) -> Result {
    isActive = true
    refused = nil
    defer { isActive = false }
    return body()
  }

  private func decision(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> Int32 {
    guard isActive else { return SQLITE_OK }
    let first = first.map { String(cString: $0) } ?? ""
    let second = second.map { String(cString: $0) } ?? ""
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: return SQLITE_OK
    // Some of these virtual tables, such as `pragma_optimize`, run pragmas that write.
    case SQLITE_READ where !first.lowercased().hasPrefix("pragma_"): return SQLITE_OK
    case SQLITE_FUNCTION where !Self.refusedFunctions.contains(second.lowercased()):
      return SQLITE_OK
    // The first use of a spatial or full-text index declares its columns, and prepares statements that
    // write its shadow tables. After preparation, `query` refuses a text that itself writes them.
    case SQLITE_UPDATE where first == "sqlite_master": return SQLITE_OK
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      if Self.indexPrefixes.contains(where: first.hasPrefix) { return SQLITE_OK }
    default: break
    }
    if refused == nil {
      let name = action == SQLITE_FUNCTION ? second : first
      refused = "the action \(Self.name(of: action))" + (name.isEmpty ? "" : " on '\(name)'")
    }
    return SQLITE_DENY
  }

  /// The functions with side effects.
  private static let refusedFunctions: Set<String> = ["load_extension", "fts3_tokenizer"]
  /// The prefixes of the names of spatial and full-text index tables.
  private static let indexPrefixes = ["rtree_", "fts_"]

  private static func name(of action: Int32) -> String {
    switch action {
    case SQLITE_INSERT: "INSERT"
    case SQLITE_UPDATE: "UPDATE"
    case SQLITE_DELETE: "DELETE"
    case SQLITE_PRAGMA: "PRAGMA"
    case SQLITE_READ: "PRAGMA"
    case SQLITE_ATTACH: "ATTACH"
    case SQLITE_DETACH: "DETACH"
    case SQLITE_TRANSACTION: "TRANSACTION"
    case SQLITE_SAVEPOINT: "SAVEPOINT"
    case SQLITE_FUNCTION: "FUNCTION"
    case SQLITE_ANALYZE: "ANALYZE"
    case SQLITE_REINDEX: "REINDEX"
    case SQLITE_ALTER_TABLE: "ALTER TABLE"
    default: "\(action) of SQLite"
    }
  }
}

/// A flag with which any thread can end the queries of a connection.
///
///     let cancellation = QueryCancellation()
///     snapshot.connection.cancellation = cancellation
///     // On another thread: a read of the snapshot throws `StoreError` with the reason `cancelled`.
///     cancellation.cancel()
package final class QueryCancellation: Sendable {
  private let isSet = Atomic<Bool>(false)

  package init() {}

  /// Ends running queries and all queries that follow.
  package func cancel() { isSet.store(true, ordering: .relaxed) }

  /// Whether the queries were cancelled.
  package var isCancelled: Bool { isSet.load(ordering: .relaxed) }
}

extension Connection {
  /// The number of SQLite's instructions between two checks, about 50 µs.
  private static let checkedInstructions: Int32 = 4096

  /// Throws if the queries of the connection were cancelled.
  ///
  /// - Throws: ``StoreError`` with the reason `cancelled`.
  package func checkCancellation() throws(StoreError) {
    if let cancellation, cancellation.isCancelled { throw StoreError(.cancelled, path: path) }
  }

  /// Registers the check of the cancellation, which SQLite calls while it runs a statement.
  func updateProgressHandler() {
    guard let cancellation else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    // Safe because the connection retains the cancellation until it replaces the handler.
    sqlite3_progress_handler(
      handle, Self.checkedInstructions,
      { context in
        guard let context else { return 0 }
        let cancellation = Unmanaged<QueryCancellation>.fromOpaque(context).takeUnretainedValue()
        return cancellation.isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(cancellation).toOpaque())
  }
}

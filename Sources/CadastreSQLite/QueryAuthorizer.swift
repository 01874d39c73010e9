import CSQLite

/// Refuses the actions of a statement that do more than read rows, while the statement is prepared.
///
/// It stays on its connection and permits everything while it is not active: each change of the
/// authorizer makes SQLite prepare all statements of the connection again.
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
    // `pragma_optimize` and others of these tables run pragmas that write.
    case SQLITE_READ where !first.lowercased().hasPrefix("pragma_"): return SQLITE_OK
    case SQLITE_FUNCTION where !Self.refusedFunctions.contains(second.lowercased()):
      return SQLITE_OK
    // The first use of a spatial or full-text index declares its columns, and prepares statements for
    // its own tables. Whether the text itself writes these is checked after it was prepared.
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

  /// The functions that change more than their result.
  private static let refusedFunctions: Set<String> = ["load_extension", "fts3_tokenizer"]
  /// The beginnings of the names of tables with indexes.
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

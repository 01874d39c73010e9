import PeerSQLite
import Foundation

/// SQLite without objects: prepared statements on tables with the same columns.
public final class PlainSQLite {
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file.
  public init(_ path: String) {
    sqlite3_open(path, &handle)
    run("PRAGMA journal_mode = WAL")
    run("PRAGMA cache_size = -65536")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  /// Runs statements and ignores their rows.
  public func run(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

  private func prepared(_ sql: String) -> OpaquePointer? {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    statements[sql] = statement
    return statement
  }

  /// Returns the first column of all rows of a query, as integers.
  public func integers(_ sql: String) -> [Int64] {
    let statement = prepared(sql)
    defer { sqlite3_reset(statement) }
    var values: [Int64] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      values.append(sqlite3_column_int64(statement, 0))
    }
    return values
  }

  /// Runs a statement with strings, integers and doubles bound in this order.
  public func insert(_ sql: String, _ texts: [String], _ integers: [Int64], _ doubles: [Double]) {
    let statement = prepared(sql)
    var index: Int32 = 1
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for text in texts {
      sqlite3_bind_text(statement, index, text, -1, transient)
      index += 1
    }
    for integer in integers {
      sqlite3_bind_int64(statement, index, integer)
      index += 1
    }
    for double in doubles {
      sqlite3_bind_double(statement, index, double)
      index += 1
    }
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }

  /// Runs a statement with integers bound and returns the first column of its first row; 0 without
  /// a row.
  @discardableResult
  public func step(_ sql: String, _ values: Int64...) -> Int64 {
    let statement = prepared(sql)
    for (index, value) in values.enumerated() {
      sqlite3_bind_int64(statement, Int32(index + 1), value)
    }
    let result = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
    sqlite3_reset(statement)
    return result
  }
}

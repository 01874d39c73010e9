import PeerSQLite
import Foundation

/// The same work by hand: prepared statements on tables of the same shape, without objects.
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

  /// Runs statements that return nothing of interest.
  public func run(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

  /// Runs a statement once, with whole numbers bound; the first column of its first row.
  @discardableResult
  public func step(_ sql: String, _ values: Int64...) -> Int64 {
    if statements[sql] == nil {
      var made: OpaquePointer?
      sqlite3_prepare_v2(handle, sql, -1, &made, nil)
      statements[sql] = made
    }
    let statement = statements[sql]
    for (place, value) in values.enumerated() {
      sqlite3_bind_int64(statement, Int32(place + 1), value)
    }
    let found = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
    sqlite3_reset(statement)
    return found
  }
}

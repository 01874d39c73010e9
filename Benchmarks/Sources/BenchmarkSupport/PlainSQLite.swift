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

  private func prepared(_ sql: String) -> OpaquePointer? {
    if let known = statements[sql] { return known }
    var made: OpaquePointer?
    sqlite3_prepare_v2(handle, sql, -1, &made, nil)
    statements[sql] = made
    return made
  }

  /// The first column of all rows of a query, as whole numbers.
  public func integers(_ sql: String) -> [Int64] {
    let statement = prepared(sql)
    defer { sqlite3_reset(statement) }
    var found: [Int64] = []
    while sqlite3_step(statement) == SQLITE_ROW { found.append(sqlite3_column_int64(statement, 0)) }
    return found
  }

  /// Runs a statement with texts, numbers and fractions bound in this order.
  public func insert(_ sql: String, _ texts: [String], _ integers: [Int64], _ doubles: [Double]) {
    let statement = prepared(sql)
    var place: Int32 = 1
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for text in texts {
      sqlite3_bind_text(statement, place, text, -1, transient)
      place += 1
    }
    for integer in integers {
      sqlite3_bind_int64(statement, place, integer)
      place += 1
    }
    for double in doubles {
      sqlite3_bind_double(statement, place, double)
      place += 1
    }
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }

  /// Runs a statement once, with whole numbers bound; the first column of its first row.
  @discardableResult
  public func step(_ sql: String, _ values: Int64...) -> Int64 {
    let statement = prepared(sql)
    for (place, value) in values.enumerated() {
      sqlite3_bind_int64(statement, Int32(place + 1), value)
    }
    let found = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
    sqlite3_reset(statement)
    return found
  }
}

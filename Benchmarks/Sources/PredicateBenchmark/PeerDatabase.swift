import CSQLite

/// An SQLite database with the tables of the fleet, for the preparation of statements.
final class PeerDatabase {
  private var handle: OpaquePointer?

  init() {
    sqlite3_open(":memory:", &handle)
    sqlite3_exec(
      handle,
      """
      CREATE TABLE boat(id INTEGER PRIMARY KEY, name TEXT, crew INTEGER, active INTEGER, fee REAL,
        berth INTEGER);
      CREATE TABLE harbor(key INTEGER PRIMARY KEY, name TEXT, lon REAL, lat REAL);
      CREATE TABLE trip(key INTEGER PRIMARY KEY, miles REAL, "to" INTEGER);
      CREATE TABLE trips(owner INTEGER, position INTEGER, value INTEGER,
        PRIMARY KEY (owner, position)) WITHOUT ROWID;
      CREATE TABLE marks(owner INTEGER, position INTEGER, value INTEGER,
        PRIMARY KEY (owner, position)) WITHOUT ROWID;
      CREATE TABLE specs(owner INTEGER, key TEXT, value,
        PRIMARY KEY (owner, key)) WITHOUT ROWID;
      """, nil, nil, nil)
  }

  deinit { sqlite3_close(handle) }

  /// Prepares a statement; returns an error message, or nil on success.
  func prepare(_ sql: String) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) != SQLITE_OK else { return nil }
    return String(cString: sqlite3_errmsg(handle))
  }
}

import CSQLite

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
  /// The version, such as `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Whether this version can lose committed pages when one connection runs a checkpoint while another
  /// restarts the write-ahead log.
  ///
  /// Cadastre's write lock keeps the two apart. Other programs that run checkpoints on a store while it is
  /// written do not take this lock.
  ///
  /// Source: sqlite.org/wal.html, "WAL-reset bug"; fixed in 3.51.3, 3.50.7 and 3.44.6.
  package static var hasLogResetRace: Bool {
    let number = Int(sqlite3_libversion_number())
    let (series, patch) = (number / 1000, number % 1000)
    return switch series {
    case 3051...: series == 3051 && patch < 3
    case 3050: patch < 7
    case 3044: patch < 6
    default: true
    }
  }
}

package import CadastreSQLite

/// How large a store is on the disk, in bytes.
package struct StoreSize: Hashable, Sendable {
  /// The file, with the log beside it.
  package let total: Int
  /// What of it is in use: the rest is kept for rows to come.
  package let used: Int
}

extension StoreFile {
  /// How large the store is at its newest version.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func measure() throws(StoreError) -> StoreSize {
    let snapshot = try snapshot()
    let pageSize = try snapshot.connection.integer("PRAGMA page_size") ?? 0
    let pages = try snapshot.connection.integer("PRAGMA page_count") ?? 0
    let free = try snapshot.connection.integer("PRAGMA freelist_count") ?? 0
    return StoreSize(
      total: (Self.size(of: path) ?? 0) + (Self.size(of: path + "-wal") ?? 0),
      used: Int((pages - free) * pageSize))
  }

  /// Gives unused space back to the system.
  ///
  /// All rows are written anew, in one transaction that does not change the store's version. Readers go on
  /// meanwhile; while some hold an older state of the file, of this process or another, the log keeps what
  /// was written, and a later commit finishes the work. Needs room for two copies of what is in use.
  ///
  /// - Parameter timeout: How long to wait for the turn to write.
  /// - Throws: ``StoreError``; the store is as it was then.
  /// - Complexity: O(n) in the size of the store.
  package func compact(timeout: Duration = writeTimeout) throws(StoreError) {
    try lockWriter(timeout) { (connection) throws(StoreError) in
      // The copy that SQLite makes on the way may be larger than memory.
      try connection.runUncached("PRAGMA temp_store = FILE")
      defer { try? connection.runUncached("PRAGMA temp_store = MEMORY") }
      try connection.run("VACUUM")
      try connection.checkpoint(truncating: true)
    }
    endWrite(committed: false)
  }
}

package import CadastreSQLite

/// The size of a store on the disk in bytes.
package struct StoreSize: Hashable, Sendable {
  /// The size of the file.
  package let file: Int
  /// The size of the write-ahead log.
  package let log: Int
  /// The size of the pages in use; the others are free for new rows.
  package let used: Int

  /// The size of the file and its log.
  package var total: Int { file + log }
}

extension StoreFile {
  /// Returns the size of the store at its newest version.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func measure() throws(StoreError) -> StoreSize {
    let snapshot = try snapshot()
    let pageSize = try snapshot.connection.integer("PRAGMA page_size") ?? 0
    let pages = try snapshot.connection.integer("PRAGMA page_count") ?? 0
    let free = try snapshot.connection.integer("PRAGMA freelist_count") ?? 0
    return StoreSize(
      file: Self.size(of: path) ?? 0, log: Self.size(of: path + "-wal") ?? 0,
      used: Int((pages - free) * pageSize))
  }

  /// Returns unused space to the file system.
  ///
  /// Rewrites all rows in one transaction that does not change the store's version. Readers continue. While
  /// a reader of any process holds an older state of the file, the rewritten pages stay in the log, and a
  /// later commit copies them into the file. Needs free space for two copies of the pages in use.
  ///
  /// - Parameter timeout: How long to wait for the write lock.
  /// - Throws: ``StoreError``; the store is unchanged then.
  /// - Complexity: O(n) in the size of the store.
  package func compact(timeout: Duration = writeTimeout) throws(StoreError) {
    try lockWriter(timeout) { (connection) throws(StoreError) in
      try connection.run("VACUUM")
      try connection.checkpoint(truncating: true)
    }
    endWrite(committed: false)
  }
}

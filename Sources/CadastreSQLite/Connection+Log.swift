import CSQLite

/// The write-ahead log of a connection: when it is synchronised with the disk, and when it is copied into the file.
extension Connection {
  /// A value of SQLite's pragma `synchronous`.
  ///
  /// Source: SQLite, `src/wal.c`, `sqlite3WalFrames` and `walCheckpoint`; `src/pager.c`, `sqlite3PagerSetFlags`.
  package enum Synchronous: String, Sendable {
    /// SQLite synchronises nothing.
    case off = "OFF"
    /// A commit synchronises nothing, except the header of a log that it restarts. A checkpoint synchronises the
    /// log before it copies pages, and the file afterwards. So a loss of power undoes the last commits, and the
    /// remaining versions are intact.
    case normal = "NORMAL"
    /// A commit also synchronises the log, and is rolled back where that fails.
    case full = "FULL"
  }

  /// Sets `synchronous` for the next transactions, unless it has the value; takes 0.5 µs.
  ///
  /// - Throws: ``StoreError`` in a transaction, where SQLite refuses the change.
  package func setSynchronous(_ value: Synchronous) throws(StoreError) {
    guard value != synchronous else { return }
    // The pragma takes effect while it is prepared.
    try runUncached("PRAGMA synchronous = \(value.rawValue)")
    synchronous = value
  }

  /// Whether the last call has failed because a file could not be synchronised with the disk.
  package var hasFailedSync: Bool {
    // `SQLITE_IOERR_FSYNC`, whose macro Swift does not import.
    sqlite3_extended_errcode(handle) == SQLITE_IOERR | 4 << 8
  }

  /// Synchronises the log with the disk, as a commit with `synchronous` `full` does.
  ///
  /// The descriptor is that of this connection. Linux reports a failed write of a page once to each descriptor
  /// that was open then, so a connection that is opened before a commit detects each failed write of the commit.
  ///
  /// - Throws: ``StoreError`` when the log cannot be synchronised; a second call may succeed although the pages are
  ///   lost.
  package func syncLog() throws(StoreError) {
    // The connection opens the log with its first read.
    var log: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log))
    guard let log, let sync = log.pointee.pMethods?.pointee.xSync else {
      throw StoreError(
        .sqlite(code: Int(SQLITE_MISUSE), message: "the log is not open"), path: path)
    }
    let code = sync(log, SQLITE_SYNC_NORMAL)
    guard code == SQLITE_OK else {
      throw StoreError(code: code, message: String(cString: sqlite3_errstr(code)), path: path)
    }
  }

  /// Runs a checkpoint after which the next commit writes the write-ahead log from its beginning.
  ///
  /// Call this function only under the store's write lock.
  ///
  /// - Returns: Whether the log restarts; false while a reader needs it.
  /// - Throws: ``StoreError`` when reading or writing fails.
  package func restartLog() throws(StoreError) -> Bool {
    try runCheckpoint(SQLITE_CHECKPOINT_RESTART) != nil
  }

  /// Runs a checkpoint, which copies the write-ahead log into the file.
  ///
  /// Call this function only under the store's write lock. While a reader needs the log, the log stays.
  ///
  /// SQLite synchronises the log before it copies pages, and the file afterwards, unless `synchronous` is `off`.
  ///
  /// - Parameter truncating: Whether to truncate the log to zero bytes.
  /// - Returns: Whether the file contains the whole log; false while a reader needs an older version.
  /// - Throws: ``StoreError`` when reading or writing fails.
  @discardableResult
  package func checkpoint(truncating: Bool) throws(StoreError) -> Bool {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    return try runCheckpoint(mode).map { $0.copied == $0.logged } ?? false
  }
}

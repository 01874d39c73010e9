import CSQLite

extension Connection {
  /// Enables the checkpoint and the removal of the log when the last connection to the file is closed.
  package func checkpointOnClose() throws(StoreError) {
    try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
  }

  /// Runs a closure that may write the shadow tables of virtual tables, which are read-only otherwise.
  package func withWritableShadowTables(
    _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try setOption(SQLITE_DBCONFIG_DEFENSIVE, false)
    let outcome = Result { () throws(StoreError) in try body() }
    try setOption(SQLITE_DBCONFIG_DEFENSIVE, true)
    try outcome.get()
  }

  /// A size of the page cache, which is filled on demand.
  package enum PageCache: Int {
    /// 64 MiB: traversing a spatial index of 1,000,000 points takes 0.74 ms, and 2.5 ms with 2 MiB.
    case usual = 65_536
    /// 2 MiB: reading a table of 200 MB once takes 95 ms. It takes 143 ms with 64 MiB, because most pages are
    /// allocated for a single use.
    case forOneScan = 2048
  }

  /// Changes the size of the page cache; SQLite evicts pages beyond the new size.
  package func setPageCache(_ size: PageCache) throws(StoreError) {
    try runUncached("PRAGMA cache_size = -\(size.rawValue)")
  }

  func setOption(_ option: Int32, _ isOn: Bool) throws(StoreError) {
    try check(cadastre_sqlite3_db_config(handle, option, isOn ? 1 : 0, nil))
  }
}

extension Connection {
  /// Replaces the content of the database by a copy of the database of another connection.
  package func copyPages(of source: Connection) throws(StoreError) {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_errcode(handle), statement: nil)
    }
    sqlite3_backup_step(backup, -1)
    try check(sqlite3_backup_finish(backup))
  }

  /// Calls a closure with the bytes of the database, uncommitted changes of this connection included; nil if
  /// they exceed SQLite's limit of 2 GiB for a database in memory.
  package func withSerializedPages<Result, Failure>(
    _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var count: sqlite3_int64 = 0
    let bytes = sqlite3_serialize(handle, "main", &count, 0)
    defer { sqlite3_free(bytes) }
    return try body(bytes.map { UnsafeRawBufferPointer(start: $0, count: Int(count)) })
  }
}

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
  /// The version, such as `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Whether this version can lose committed pages when one connection runs a checkpoint while another
  /// restarts the write-ahead log.
  ///
  /// Cadastre's write lock excludes this race, unless another program runs checkpoints on a store without
  /// taking the lock.
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
  /// Whether SQLite keeps no statistics of its memory; false where the application has initialized SQLite before.
  private static let hasNoMemoryStatistics =
    cadastre_sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK

  /// Configures the library; this has no effect after its initialization, by the application for instance.
  ///
  /// With statistics of memory each allocation takes a lock of the process, for which threads wait that read at the
  /// same time. Source: sqlite.org/malloc.html, "Memory Allocation Statistics".
  static func configure() { _ = hasNoMemoryStatistics }
}

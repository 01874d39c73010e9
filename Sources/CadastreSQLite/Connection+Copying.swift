import CSQLite

extension Connection {
  /// Replaces the whole content by what another connection sees.
  package func copyPages(of source: Connection) throws(StoreError) {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_errcode(handle), statement: nil)
    }
    sqlite3_backup_step(backup, -1)
    try check(sqlite3_backup_finish(backup))
  }

  /// Calls a closure with the bytes of the database as this connection sees it, its own uncommitted changes
  /// included; nil where they are more than SQLite holds in memory (2 GiB).
  package func withSerializedPages<Result, Failure>(
    _ body: (UnsafeRawBufferPointer?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var count: sqlite3_int64 = 0
    let bytes = sqlite3_serialize(handle, "main", &count, 0)
    defer { sqlite3_free(bytes) }
    return try body(bytes.map { UnsafeRawBufferPointer(start: $0, count: Int(count)) })
  }
}

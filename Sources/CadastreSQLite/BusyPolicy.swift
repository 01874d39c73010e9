import CSQLite

/// The policy for locks of SQLite that another connection or program holds.
///
/// Writers of Cadastre wait for each other at the store's write lock, before they use SQLite. So only another
/// program, such as `sqlite3`, can hold the lock of SQLite that a connection needs.
package enum BusyPolicy {
  /// A call waits for 10 s and fails then; the usual policy of a connection.
  case wait
  /// A call fails at once; the policy of a checkpoint, which would wait for readers otherwise.
  case fail

  /// The busy timeout of SQLite.
  package var timeoutMilliseconds: Int32 {
    switch self {
    case .wait: 10_000
    case .fail: 0
    }
  }

  /// Whether a result code, which may be an extended one, means that another connection holds a lock.
  package static func isBusy(_ code: Int32) -> Bool { code & 0xFF == SQLITE_BUSY }

  /// Whether a result code means a lock, which may be one of the same connection; ``StoreError`` has the reason
  /// `busy` then.
  package static func isLocked(_ code: Int32) -> Bool {
    isBusy(code) || code & 0xFF == SQLITE_LOCKED
  }
}

extension Connection {
  /// Calls a closure whose statements fail at once where another program holds a lock of SQLite.
  package func withoutWaiting<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    setBusyPolicy(.fail)
    defer { setBusyPolicy(.wait) }
    return try body()
  }

  /// Sets what the following calls do when another connection holds a lock.
  func setBusyPolicy(_ policy: BusyPolicy) {
    sqlite3_busy_timeout(handle, policy.timeoutMilliseconds)
  }

  /// Runs a checkpoint that does not wait for readers.
  ///
  /// - Parameter mode: The mode, such as `SQLITE_CHECKPOINT_PASSIVE`.
  /// - Returns: The numbers of pages in the log and of those that were copied into the file; nil where another
  ///   connection needs the log, which stays.
  /// - Throws: ``StoreError`` when reading or writing fails, or when this connection is in a transaction.
  func runCheckpoint(_ mode: Int32) throws(StoreError) -> (logged: Int32, copied: Int32)? {
    setBusyPolicy(.fail)
    defer { setBusyPolicy(.wait) }
    var (logged, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &logged, &copied)
    // SQLITE_LOCKED is an error here: this connection itself is in a transaction.
    guard !BusyPolicy.isBusy(code) else { return nil }
    try check(code)
    return (logged, copied)
  }
}

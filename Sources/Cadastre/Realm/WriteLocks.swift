import CadastreStore

/// Write locks that a caller must not wait for, because it has them itself.
enum WriteLocks {
  /// Waits for the write lock of a store; one that the caller holds already stops the process.
  static func begin(
    _ file: StoreFile, timeout: Duration
  ) throws(StoreError) -> WriteTransaction {
    requireNoLock(of: file)
    return try file.beginWrite(timeout: timeout)
  }

  /// Stops the process where the caller has the write lock already, and would wait for itself.
  static func requireNoLock(of file: StoreFile) {
    guard file.isWritten(by: .current) else { return }
    ProgrammingError.stop(
      "This thread or task is already in a write transaction of the same store, through another "
        + "Realm; transactions cannot be nested. Use the one Realm for both.")
  }
}

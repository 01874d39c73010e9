import CadastreSQLite
import Foundation

/// The creation of a store that gets its name when its first transaction is committed.
///
/// Its pages are written once, into a file under a temporary name; a store that others can open writes each page
/// to the log first, with a checksum, and then to the file. The write lock of the path is held until the end, so
/// that no other process creates a store there.
package enum NewStore {
  /// Creates a store with the content that a closure writes, unless the path is taken.
  ///
  /// If the process ends or the power is lost, there is no store or the complete one.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - timeout: How long to wait for other writers.
  ///   - write: Commits a write transaction of the store. It must not keep a reference to the store or the
  ///     transaction, nor open snapshots.
  /// - Returns: The result of the closure; nil, without a call of the closure, where the path or one of its
  ///   side files is taken.
  /// - Throws: ``StoreError``, or the error of the closure; there is no store then.
  package static func create<Result>(
    at path: String, timeout: Duration = StoreFile.writeTimeout,
    writing write: (StoreFile) throws -> Result
  ) throws -> Result? {
    let path = try OpenStores.canonicalPath(path)
    // A process that was killed after naming the store has left its folder.
    TemporaryFolder.removeAbandoned(in: path.parentFolder)
    guard isFree(path) else { return nil }
    let lock = try FileLock.acquired(beside: path, until: .now + timeout)
    defer { lock.unlock() }
    // Another process may have created the store meanwhile.
    guard isFree(path) else { return nil }
    do {
      return try create(path, write)
    } catch {
      for suffix in ["-wait", "-lock"] { unlink(path + suffix) }
      // Errors name the target path, never a temporary file.
      if let error = error as? StoreError {
        throw StoreError(error.reason, path: path, statement: error.statement)
      }
      throw error
    }
  }

  /// Returns whether a path has neither a store nor a log that SQLite would apply to a new one.
  private static func isFree(_ path: String) -> Bool {
    ["", "-wal", "-journal"].allSatisfy { suffix in
      var status = stat()
      return lstat(path + suffix, &status) != 0 && errno == ENOENT
    }
  }

  private static func create<Result>(
    _ path: String, _ write: (StoreFile) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryFolder(in: .folder(path.parentFolder))
    defer { withExtendedLifetime(folder) {} }
    let temporary = folder.path + "/store"
    let result = try written(temporary, write)
    try useLog(temporary)
    guard isFree(path) else { throw StoreError(.fileExists, path: path) }
    let identity = FileIdentity(path: temporary)
    do throws(StoreError) {
      try FinishedFile.publish(temporary, as: path)
    } catch {
      // The name of the store may not be durable.
      if identity != nil, FileIdentity(path: path) == identity { unlink(path) }
      throw error
    }
    return result
  }

  /// Calls a closure that writes a store, closes the store, and returns the result of the closure.
  private static func written<Result>(
    _ path: String, _ write: (StoreFile) throws -> Result
  ) throws -> Result {
    weak var open: StoreFile?
    let result = try { () throws in
      let file = StoreFile(unpublishedAt: path)
      open = file
      return try write(file)
    }()
    // Closing any descriptor of a file releases SQLite's locks on it.
    precondition(open == nil, "the new store is closed before it gets its name")
    return result
  }

  /// Switches a closed store to the write-ahead log, durably.
  private static func useLog(_ path: String) throws(StoreError) {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.checkpointOnClose()
  }
}

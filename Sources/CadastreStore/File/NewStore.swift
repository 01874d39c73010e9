import CadastreSQLite
import Foundation

/// The creation of a store that gets its name when its first transaction is committed.
///
/// Its pages are written once, into a file under a temporary name; a store that others can open writes each page
/// to the log first, with a checksum, and then to the file. The write lock of the path is held meanwhile, so that
/// no other process creates a store there.
package enum NewStore {
  /// Creates a store with what a closure writes, unless a file has its name.
  ///
  /// The end of the process or the power at any time leaves no store or the complete one.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - timeout: How long to wait for other writers.
  ///   - write: Commits a write transaction of the store, and keeps no reference to either. It must not open
  ///     snapshots.
  /// - Returns: The result of the closure; nil, without a call, where the path or one beside it is taken.
  /// - Throws: ``StoreError``, or what the closure throws; there is no store then.
  package static func create<Result>(
    at path: String, timeout: Duration = StoreFile.writeTimeout,
    writing write: (StoreFile) throws -> Result
  ) throws -> Result? {
    let path = try OpenStores.canonicalPath(path)
    // A process that was killed after the store got its name has left its folder.
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

  /// Whether neither a store nor a log that would be applied to it is at a path.
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
      // Its name may not be durable.
      if identity != nil, FileIdentity(path: path) == identity { unlink(path) }
      throw error
    }
    return result
  }

  /// Returns the result of a closure that writes a store, which is closed then.
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

  /// Makes transactions of a closed store use the log from now on, and makes that durable.
  private static func useLog(_ path: String) throws(StoreError) {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.checkpointOnClose()
  }
}

import CadastreModel
import CadastreSQLite
import Foundation

/// The connections that read a store: opened on demand and reused when their snapshot has ended.
final class ReaderPool: Sendable {
  private let path: String
  private let access: StoreFile.Access
  private let idle = Guarded<[Connection]>([])
  /// The identity of the file that was read first, whose content is cached.
  private let identity = Guarded<FileIdentity?>(nil)

  /// The state at the last call of `read(_:)` of a file that is read without locks.
  private let lastState = Guarded<FileState?>(nil)

  /// The maximum number of idle connections; each may have a page cache.
  private static let maximumIdle = 8

  init(path: String, access: StoreFile.Access = .readWrite) {
    (self.path, self.access) = (path, access)
  }

  /// Returns a connection without an open transaction.
  ///
  /// - Throws: ``StoreError`` when the file is missing or cannot be read, `removed` where another file has
  ///   replaced it.
  func take() throws(StoreError) -> Connection {
    if let connection = idle.withLock({ $0.popLast() }) { return connection }
    let connection = try open()
    guard isInPlace else { throw StoreError(.removed, path: path) }
    return connection
  }

  /// Calls a closure with a connection outside of a transaction.
  ///
  /// - Returns: The result; nil where the file is missing or cannot be read, or is read without locks and has not
  ///   changed since the last call.
  func read<Result>(_ body: (Connection) throws(StoreError) -> Result) -> Result? {
    if isReadAsImmutable {
      var status = stat()
      let state = stat(path, &status) == 0 ? FileState(status) : nil
      let isKnown = lastState.withLock { last in
        defer { last = state }
        return last == state
      }
      guard !isKnown else { return nil }
    }
    guard let connection = try? take(), let result = try? body(connection) else { return nil }
    if !connection.isImmutable { keep(connection) }
    return result
  }

  /// Records the identity of the file after the first successful read.
  func noteIdentity() {
    identity.withLock { identity in
      if identity == nil { identity = FileIdentity(path: path) }
    }
  }

  /// Whether the file at the path is the one that was read first; true before the first read.
  var isInPlace: Bool {
    identity.withLock { $0.map { $0 == FileIdentity(path: path) } ?? true }
  }

  /// Ends the transaction of a connection and returns the connection to the pool.
  func recycle(_ connection: Connection) {
    if connection.cancellation != nil { connection.cancellation = nil }
    // A file that was opened as immutable may change later, when another process may write it.
    guard !connection.isImmutable, (try? connection.run(TransactionSQL.rollback)) != nil else {
      return
    }
    keep(connection)
  }

  private func keep(_ connection: Connection) {
    idle.withLock { idle in
      if idle.count < Self.maximumIdle { idle.append(connection) }
    }
  }

  /// Removes and returns the idle connections.
  func removeAll() -> [Connection] {
    idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
  }

  private func open() throws(StoreError) -> Connection {
    guard isAllowed(path, F_OK) else { throw StoreError(systemError: errno, path: path) }
    if isReadAsImmutable { return try Connection(path: path, mode: .immutable) }
    // A process without permission to create the log's index needs an existing one.
    guard mayCreateIndex || StoreFile.size(of: path + "-shm") != nil else {
      throw StoreError(.unreadableLog, path: path)
    }
    return try Connection(path: path, mode: .read)
  }

  private var mayCreateIndex: Bool {
    isAllowed(path, W_OK) && isAllowed(path.parentFolder, W_OK)
  }

  /// Whether the file is read without locks and side files.
  ///
  /// This is the case where there is neither a log nor permission to create its index, and where the path is
  /// only a further hard link of the store.
  private var isReadAsImmutable: Bool {
    if access == .readOnly, StoreName.isFurtherLink(path) { return true }
    guard !mayCreateIndex else { return false }
    guard let log = StoreFile.size(of: path + "-wal") else { return true }
    return log == 0 && StoreFile.size(of: path + "-shm") == nil
  }

  private func isAllowed(_ path: String, _ mode: Int32) -> Bool {
    faccessat(AT_FDCWD, path, mode, 0) == 0
  }
}

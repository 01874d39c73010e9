import CadastreModel
import CadastreSQLite
import Foundation

/// The one connection that writes a store, and the locks that admit one writer at a time.
///
/// Threads and tasks wait for the `WriteLock`, processes for the `FileLock`, both in the order of their requests.
final class StoreWriter: Sendable {
  private let path: String
  let kind: Kind
  /// The lock of the writers of this process.
  let lock: WriteLock
  /// The catalogues that the process has read: a store that was removed before the first may be created again.
  private let catalogues: CatalogueCache
  private let current = Guarded<OpenWriter?>(nil)
  /// Whether this writer has created the store, and no write has begun since.
  private let isUnused = Guarded(false)

  /// The kinds of stores, by the durability of their transactions.
  enum Kind {
    /// A store that others may open at any time.
    case durable
    /// A store that is deleted at the end of the process.
    case temporary
    /// A store that gets its name when its only transaction is committed, and is deleted otherwise.
    case unpublished

    /// Whether transactions write pages into the file without a log: there are no readers, and an incomplete
    /// file is deleted.
    fileprivate var hasNoLog: Bool { self == .unpublished }
  }

  init(path: String, kind: Kind, catalogues: CatalogueCache) {
    self.path = path
    self.kind = kind
    self.catalogues = catalogues
    lock = WriteLock(path: path)
  }

  // MARK: The write lock

  /// Waits for the write lock and calls a closure with the connection.
  ///
  /// The lock stays held until `release()`, unless this throws.
  ///
  /// - Parameters:
  ///   - deadline: How long to wait for other writers.
  ///   - request: A request whose position in the queue the thread takes over; nil for the end.
  ///   - body: Begins the write.
  /// - Returns: The closure's result.
  /// - Throws: ``StoreError`` `busy` at the deadline, `removed`, or the error of the closure.
  func acquire<Result>(
    until deadline: ContinuousClock.Instant, replacing request: WriteLock.Request?,
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try lock.acquire(until: deadline, replacing: request)
    return try open(until: deadline, body)
  }

  /// Calls a closure with the connection once this process has the lock between processes; the caller has `lock`.
  ///
  /// Both locks are released where this throws.
  func open<Result>(
    until deadline: ContinuousClock.Instant, _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    do throws(StoreError) {
      let open = try lockedWriter(until: deadline)
      do throws(StoreError) {
        let result = try body(open.connection)
        isUnused.withLock { $0 = false }
        return result
      } catch {
        removeUnused()
        open.lock.unlock()
        throw error
      }
    } catch {
      lock.release()
      throw error
    }
  }

  /// Waits for the lock between processes, see ``ProcessLock``.
  func lockProcesses(until deadline: ContinuousClock.Instant?) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try lockedWriter(until: deadline ?? .now)
      return true
    } catch {
      guard deadline == nil, case .busy = error.reason else { throw error }
      return false
    }
  }

  /// Releases the lock between processes.
  func unlockProcesses() { current.withLock { $0?.lock.unlock() } }

  /// Releases the write lock.
  func release() {
    current.withLock { current in
      guard let open = current else { return }
      open.lock.unlock()
      // A transaction that cannot be rolled back ends with its connection.
      if open.connection.isInTransaction { current = nil }
    }
    lock.release()
  }

  /// Whether the files that the connection has open are still at their paths; true without a connection.
  var isInPlace: Bool {
    guard kind != .temporary, let open = current.withLock({ $0 }) else { return true }
    return open.files.areInPlace
  }

  /// The state that the connection keeps between transactions; nil where there is no connection.
  var memory: WriterMemory? { current.withLock { $0?.memory } }

  /// Moves the connection to other connections of the store, which the caller closes.
  ///
  /// - Returns: The lock between processes; nil where there is no connection.
  func moveConnection(to connections: inout [Connection]) -> FileLock? {
    guard let open = current.withLock({ $0 }) else { return nil }
    current.withLock { $0 = nil }
    connections.append(open.connection)
    return open.lock
  }

  // MARK: Opening

  /// An open connection with its lock and its files.
  // A class, because each transaction copies it several times.
  private final class OpenWriter: Sendable {
    let connection: Connection
    let lock: FileLock
    let files: StoreFileIdentities
    let memory = WriterMemory()

    init(connection: Connection, lock: FileLock, files: StoreFileIdentities) {
      self.connection = connection
      self.lock = lock
      self.files = files
    }
  }

  /// Returns the writer with its process lock held.
  private func lockedWriter(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> OpenWriter {
    while true {
      let open = try openWriter(until: deadline)
      try open.lock.lock(until: deadline)
      if open.lock.isInPlace, kind == .temporary || open.files.areInPlace { return open }
      open.lock.unlock()
      // A failed import removes the store that it has created, with all files. A handle that has read nothing
      // may recreate the store, but not beside an old log, which would damage the new file.
      guard catalogues.isEmpty, !open.files.isLogInPlace else {
        throw StoreError(.removed, path: path)
      }
      current.withLock { $0 = nil }
    }
  }

  private func openWriter(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> OpenWriter {
    if let open = current.withLock({ $0 }) { return open }
    let opened = try open(until: deadline)
    current.withLock { $0 = opened }
    return opened
  }

  private func open(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> OpenWriter {
    let lock = try FileLock.acquired(beside: path, until: deadline)
    // The lock stays held, so that no other process uses a store that may be removed again.
    var isOpen = false
    defer {
      if !isOpen {
        removeUnused()
        lock.unlock()
      }
    }
    let connection = try createdStore()
    try connection.setSynchronous(kind == .temporary ? .off : .full)
    // Readers of old versions make the log larger than this; the rest is freed when they end.
    try connection.run("PRAGMA journal_size_limit = \(CheckpointPolicy.logBytes)")
    connection.trackLogSize()
    if kind == .durable {
      // Two processes that open two names of a file at the same time find each other here, where both hold locks.
      try StoreName.check(path, .readWrite)
      LogMark.write(at: path)
    }
    try upgrade(connection)
    isOpen = true
    return OpenWriter(
      connection: connection, lock: lock, files: StoreFileIdentities(beside: path))
  }

  /// Opens the file, and creates a store in an empty one; a file that this call created is removed after an
  /// error.
  private func createdStore() throws(StoreError) -> Connection {
    let existed = StoreFile.size(of: path) != nil
    do throws(StoreError) {
      let connection = try Connection(path: path, mode: .readWrite)
      connection.trackNodes()
      if kind.hasNoLog { try connection.run("PRAGMA journal_mode = MEMORY") }
      if try connection.integer("PRAGMA user_version") == 0 { try create(connection) }
      if !kind.hasNoLog { try connection.run("PRAGMA journal_mode = WAL") }
      // A read opens the log and its index.
      _ = try connection.integer("PRAGMA user_version")
      if !existed { isUnused.withLock { $0 = true } }
      return connection
    } catch {
      if !existed { removeFiles() }
      throw error
    }
  }

  /// Removes a store that was created for a write that could not begin.
  private func removeUnused() {
    let isUnused = isUnused.withLock { isUnused in
      defer { isUnused = false }
      return isUnused
    }
    guard isUnused else { return }
    removeFiles()
    current.withLock { $0 = nil }
  }

  /// Removes the files of a store that this process created.
  ///
  /// The process has had the write lock since the creation, so the store is still empty.
  private func removeFiles() {
    for suffix in StoreFile.fileSuffixes + ["-journal"] { unlink(path + suffix) }
  }

  /// Rewrites a store of an earlier format, unless another process has it open.
  private func upgrade(_ connection: Connection) throws(StoreError) {
    let format = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard format < FileProbe.formatVersion else { return }
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
    defer { DatabaseFiles.close(descriptor) }
    guard try FileLocks.holder(of: .connections, descriptor, path) == nil else {
      throw StoreError(.olderFormat(found: format, isInUse: true), path: path)
    }
    try StoreUpgrade(connection).run()
  }

  /// Creates an empty store in one transaction.
  private func create(_ connection: Connection) throws(StoreError) {
    try connection.inWriteTransaction { () throws(StoreError) in
      try Catalogue.create(on: connection)
      try connection.run("PRAGMA application_id = \(FileProbe.applicationIdentifier)")
      try connection.run("PRAGMA user_version = \(FileProbe.formatVersion)")
    }
  }
}

/// The files that a connection to a store has open: the store, its log and the log's index.
struct StoreFileIdentities: Sendable {
  private struct OpenFile: Sendable {
    let path: String
    let identity: FileIdentity?

    init(path: String) {
      self.path = path
      identity = FileIdentity(path: path)
    }

    var isInPlace: Bool { FileIdentity(path: path) == identity }
  }

  private let store: OpenFile
  private let log: OpenFile
  private let logIndex: OpenFile

  /// Records the current files of a store.
  init(beside path: String) {
    store = OpenFile(path: path)
    log = OpenFile(path: path + "-wal")
    logIndex = OpenFile(path: path + "-shm")
  }

  /// Whether the same files are still at their paths.
  var areInPlace: Bool { store.isInPlace && log.isInPlace && logIndex.isInPlace }

  /// Whether the connection had a log, which is still at its path.
  var isLogInPlace: Bool { log.identity != nil && log.isInPlace }
}

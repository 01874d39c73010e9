import CadastreModel
import Dispatch
import Foundation

/// A store's file as this process has it open: the pool of readers and the one writer.
///
/// Readers never wait. Writers wait for each other, across processes too.
package final class StoreFile: Sendable {
  /// The canonical path of the file.
  package let path: String
  /// The folder that vanishes with this store; nil for one that stays.
  private let folder: TemporaryFolder?
  /// What the newest commits changed.
  let history = ChangeHistory()
  /// Tells of new versions.
  let commits = CommitSignal()
  /// Looks out for the commits of other processes, while somebody wants to know.
  private let foreign = Guarded<ForeignCommits?>(nil)
  /// The columns that are kept in memory.
  package let columns = ColumnCache()
  private let state = Guarded(State())
  private let writerTurn = DispatchSemaphore(value: 1)
  private let writer = Guarded<Writer?>(nil)

  private struct State {
    var idleReaders: [Connection] = []
    var catalogue: Catalogue?
    /// How many snapshots there are of each version.
    var snapshots: [Int64: Int] = [:]
  }

  private struct Writer {
    let connection: Connection
    let lock: FileLock
  }

  init(path: String) {
    self.path = path
    folder = nil
  }

  /// A store that vanishes with this instance, and need not survive a loss of power.
  init(in folder: TemporaryFolder) {
    path = folder.path + "/store.cadastre"
    self.folder = folder
  }

  deinit { closeConnections() }

  /// Closes what is open.
  ///
  /// The last process to leave copies the log into the file and removes it, under the write lock.
  private func closeConnections() {
    var (connections, writeLock) = takeConnections()
    guard !connections.isEmpty, let lock = writeLock ?? (try? FileLock(beside: path)),
      lock.tryLock()
    else { return }
    for connection in connections { try? connection.checkpointOnClose() }
    // Nobody else holds them, so they close here, while the lock is held.
    connections = []
    lock.unlock()
  }

  private func takeConnections() -> (connections: [Connection], lock: FileLock?) {
    var connections = state.withLock { state in
      defer { state.idleReaders = [] }
      return state.idleReaders
    }
    return writer.withLock { writer in
      defer { writer = nil }
      if let writer { connections.append(writer.connection) }
      return (connections, writer?.lock)
    }
  }

  /// What follows the path in the names of a store's files.
  package static let fileSuffixes = ["", "-wal", "-shm", "-lock", "-wait"]

  // MARK: Reading

  /// Opens a snapshot of the newest version.
  package func snapshot() throws(StoreError) -> Snapshot {
    let idle = state.withLock { $0.idleReaders.popLast() }
    let connection: Connection
    if let idle { connection = idle } else { connection = try openReader() }
    try connection.run("BEGIN")
    let versions = try StoreVersions(reading: connection)
    let catalogue = try catalogue(versions.catalogue, connection)
    state.withLock { $0.snapshots[versions.commit, default: 0] += 1 }
    return Snapshot(file: self, connection: connection, versions: versions, catalogue: catalogue)
  }

  /// The number of versions that snapshots of this process hold.
  package var activeVersionCount: Int { state.withLock { $0.snapshots.count } }

  private func openReader() throws(StoreError) -> Connection {
    guard access(path, F_OK) == 0 else { throw StoreError(systemError: errno, path: path) }
    let folder = (path as NSString).deletingLastPathComponent
    let isWritable = access(path, W_OK) == 0 && access(folder, W_OK) == 0
    var log = stat()
    let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
    return try Connection(path: path, mode: isWritable || hasLog ? .read : .immutable)
  }

  /// Takes back the connection of a snapshot.
  func recycle(_ connection: Connection, _ version: Int64) {
    state.withLock { state in
      let left = state.snapshots[version, default: 1] - 1
      state.snapshots[version] = left == 0 ? nil : left
    }
    guard (try? connection.run("ROLLBACK")) != nil else { return }
    state.withLock { state in
      if state.idleReaders.count < Self.maximumIdleReaders { state.idleReaders.append(connection) }
    }
  }

  /// Connections kept open for the next reader; each may hold a page cache.
  private static let maximumIdleReaders = 8

  private func catalogue(
    _ version: Int64, _ connection: Connection
  ) throws(StoreError) -> Catalogue {
    if let known = state.withLock({ $0.catalogue }), known.version == version { return known }
    let catalogue = try Catalogue.read(from: connection, version: version)
    state.withLock { state in
      if state.catalogue.map({ $0.version < version }) ?? true { state.catalogue = catalogue }
    }
    return catalogue
  }

  /// What the commits after one version changed, up to another.
  ///
  /// - Returns: Nil where that is not known, since another process wrote or it was long ago.
  package func changes(after old: Int64, through new: Int64) -> ChangeSet? {
    history.changes(after: old, through: new)
  }

  /// Finds out what others committed between two versions, so that `changes(after:through:)` knows it.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(n) for n rows of the store.
  package func learnChanges(from old: Snapshot, to new: Snapshot) throws(StoreError) {
    history.note(try SnapshotDifference(from: old, to: new).changes())
  }

  /// Calls a closure after each commit, those of other processes included, on some thread, for as long as
  /// the observation is kept.
  ///
  /// The commit of another process is noticed within a tenth of a second.
  package func observeCommits(_ body: @escaping @Sendable () -> Void) -> CommitObservation {
    let observation = commits.observe(body)
    // A store in memory has no other processes.
    if folder == nil { foreign.withLock { if $0 == nil { $0 = ForeignCommits(self) } } }
    return observation
  }

  // MARK: Writing

  /// How long a writer waits for its turn unless it says otherwise.
  package static let writeTimeout: Duration = .seconds(60)

  /// Waits for the turn to write and opens the write transaction.
  ///
  /// Threads come in the order in which they asked, and so do processes.
  ///
  /// - Parameter timeout: How long to wait for others.
  /// - Returns: The transaction.
  /// - Throws: ``StoreError``, `busy` when others still write after that time.
  package func beginWrite(
    timeout: Duration = writeTimeout
  ) throws(StoreError) -> WriteTransaction {
    let deadline = ContinuousClock.now + timeout
    let nanoseconds = Int(min(timeout / .nanoseconds(1), 1e18))
    guard writerTurn.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
      throw StoreError(.busy, path: path)
    }
    do throws(StoreError) {
      let open = try openWriter(until: deadline)
      try open.lock.lock(until: deadline)
      do throws(StoreError) {
        guard open.lock.isInPlace else { throw StoreError(.removed, path: path) }
        try open.connection.run("BEGIN IMMEDIATE")
        let versions = try StoreVersions(reading: open.connection)
        let catalogue = try catalogue(versions.catalogue, open.connection)
        return WriteTransaction(
          file: self, connection: open.connection, versions: versions, catalogue: catalogue)
      } catch {
        if open.connection.isInTransaction { try? open.connection.run("ROLLBACK") }
        open.lock.unlock()
        throw error
      }
    } catch {
      writerTurn.signal()
      throw error
    }
  }

  /// Ends the turn of a transaction that has been committed or rolled back.
  func endWrite(committed: Bool) {
    if committed, let newest = history.newest { foreign.withLock { $0 }?.note(newest) }
    writer.withLock { writer in
      guard let writer else { return }
      if committed, writer.connection.logPages > Self.checkpointPages {
        // A failed checkpoint loses nothing: the log is kept, and the next commit tries again.
        try? writer.connection.checkpoint(truncating: false)
      }
      writer.lock.unlock()
    }
    writerTurn.signal()
    if committed { commits.fire() }
  }

  /// Pages of log after which a commit copies it into the file; SQLite's own choice.
  private static let checkpointPages = 1000
  /// The size that the log may keep when it starts anew, about that of those pages.
  private static let logBytes = 4 << 20

  private func openWriter(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> Writer {
    if let open = writer.withLock({ $0 }) { return open }
    let opened = try makeWriter(until: deadline)
    writer.withLock { $0 = opened }
    return opened
  }

  private func makeWriter(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> Writer {
    var lock = try FileLock(beside: path)
    try lock.lock(until: deadline)
    defer { lock.unlock() }
    // Whoever made the store may have removed it again in the meantime, lock and all.
    while !lock.isInPlace {
      lock.unlock()
      lock = try FileLock(beside: path)
      try lock.lock(until: deadline)
    }
    let connection = try Connection(path: path, mode: .readWrite)
    if try connection.integer("PRAGMA user_version") == 0 { try create(connection) }
    try connection.run("PRAGMA journal_mode = WAL")
    try connection.run("PRAGMA synchronous = \(folder == nil ? "FULL" : "OFF")")
    // What readers of old versions have made grow beyond this is given back when they are gone.
    try connection.run("PRAGMA journal_size_limit = \(Self.logBytes)")
    connection.watchLog()
    return Writer(connection: connection, lock: lock)
  }

  /// Makes an empty store, whole or not at all.
  private func create(_ connection: Connection) throws(StoreError) {
    try connection.run("BEGIN IMMEDIATE")
    do throws(StoreError) {
      try Catalogue.create(on: connection)
      try connection.run("PRAGMA application_id = \(FileProbe.applicationIdentifier)")
      try connection.run("PRAGMA user_version = \(FileProbe.formatVersion)")
      try connection.run("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.run("ROLLBACK") }
      throw error
    }
  }
}

/// The counters of a store.
package struct StoreVersions: Hashable, Sendable {
  /// Counts the commits.
  package var commit: Int64
  /// Counts the changes of the catalogue.
  package var catalogue: Int64
  /// The application's version of the schema, which it counts itself.
  package var schema: UInt64

  init(reading connection: Connection) throws(StoreError) {
    let row = try connection.statement(
      "SELECT commit_version, catalogue_version, schema_version FROM cadastre_state")
    defer { row.reset() }
    guard try row.step() else {
      throw StoreError(.corrupt("its state is missing"), path: connection.path)
    }
    commit = row.integer(0)
    catalogue = row.integer(1)
    schema = UInt64(bitPattern: row.integer(2))
    guard [commit, catalogue].allSatisfy({ (0..<Int64.max / 2).contains($0) }) else {
      throw StoreError(.corrupt("its counters"), path: connection.path)
    }
  }
}

import CadastreModel
package import CadastreSQLite
import Dispatch
import Foundation

/// A store's file as this process has it open: the pool of readers and the one writer.
///
/// Readers never wait. Writers wait for each other, across processes too.
package final class StoreFile: Sendable {
  /// The canonical path of the file.
  package let path: String
  /// What may be done with it.
  package let access: Access
  /// Whether another process had it open when this one opened it.
  package let isOpenElsewhere: Bool
  /// Whether somebody has asked already whether the store was just opened.
  private let isClaimed = Guarded(false)
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

  /// What may be done with a store.
  package enum Access: Sendable {
    /// Everything.
    case readWrite
    /// Reading, also where the file or its folder may not be written.
    case readOnly
  }

  init(path: String, access: Access = .readWrite, isOpenElsewhere: Bool = false) {
    self.path = path
    self.access = access
    self.isOpenElsewhere = isOpenElsewhere
    folder = nil
  }

  /// A store that vanishes with this instance, and need not survive a loss of power.
  init(in folder: TemporaryFolder) {
    path = folder.path + "/store.cadastre"
    access = .readWrite
    isOpenElsewhere = false
    self.folder = folder
  }

  deinit { closeConnections() }

  /// Whether the process has just opened the store: true once.
  package func claimOpening() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }

  /// Closes what is open.
  ///
  /// The last process to leave copies the log into the file and removes it, under the write lock.
  private func closeConnections() {
    var (connections, writeLock) = takeConnections()
    guard !connections.isEmpty else { return }
    if access == .readOnly {
      // Takes an empty log away again, and copies nothing.
      guard size(of: "-wal") == 0 else { return }
      for connection in connections { try? connection.checkpointOnClose() }
      return
    }
    guard let lock = writeLock ?? (try? FileLock(beside: path)), lock.tryLock() else { return }
    for connection in connections { try? connection.checkpointOnClose() }
    // Nobody else holds them, so they close here, while the lock is held.
    connections = []
    lock.unlock()
  }

  /// The bytes of the file, or of one beside it; nil where there is none.
  func size(of suffix: String) -> Int? {
    var status = stat()
    return stat(path + suffix, &status) == 0 ? Int(status.st_size) : nil
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
  package static let fileSuffixes = ["", "-wal", "-shm", "-wait", "-lock"]

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
    guard isAllowed(path, F_OK) else { throw StoreError(systemError: errno, path: path) }
    let folder = (path as NSString).deletingLastPathComponent
    guard !isAllowed(path, W_OK) || !isAllowed(folder, W_OK) else {
      return try Connection(path: path, mode: .read)
    }
    // Without the right to make an index of the log there must be one, or no log.
    let hasIndex = size(of: "-shm") != nil
    guard let log = size(of: "-wal"), log > 0 || hasIndex else {
      return try Connection(path: path, mode: .immutable)
    }
    guard hasIndex else { throw StoreError(.unreadableLog, path: path) }
    return try Connection(path: path, mode: .read)
  }

  private func isAllowed(_ path: String, _ mode: Int32) -> Bool {
    faccessat(AT_FDCWD, path, mode, 0) == 0
  }

  /// Takes back the connection of a snapshot.
  func recycle(_ connection: Connection, _ version: Int64) {
    state.withLock { state in
      let left = state.snapshots[version, default: 1] - 1
      state.snapshots[version] = left == 0 ? nil : left
    }
    // What was opened for good may change once somebody else can write it.
    guard !connection.isImmutable, (try? connection.run("ROLLBACK")) != nil else { return }
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
    try withTurn(timeout) { (connection) throws(StoreError) in
      try connection.run("BEGIN IMMEDIATE")
      do throws(StoreError) {
        let versions = try StoreVersions(reading: connection)
        let catalogue = try catalogue(versions.catalogue, connection)
        return WriteTransaction(
          file: self, connection: connection, versions: versions, catalogue: catalogue)
      } catch {
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
        throw error
      }
    }
  }

  /// Waits for the turn to write, and begins something with the writer; it ends with `endWrite`, or here
  /// where it fails to begin.
  func withTurn<Result>(
    _ timeout: Duration, _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard access == .readWrite else { throw StoreError(.readOnly, path: path) }
    let deadline = ContinuousClock.now + timeout
    let nanoseconds = Int(min(timeout / .nanoseconds(1), 1e18))
    guard writerTurn.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
      throw StoreError(.busy, path: path)
    }
    do throws(StoreError) {
      let open = try lockedWriter(until: deadline)
      do throws(StoreError) {
        return try body(open.connection)
      } catch {
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

  /// The writer, with its lock held.
  private func lockedWriter(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> Writer {
    while true {
      let open = try openWriter(until: deadline)
      try open.lock.lock(until: deadline)
      if open.lock.isInPlace { return open }
      open.lock.unlock()
      // An import that made the store and failed has removed it again; who has read nothing of it yet
      // makes it anew.
      guard state.withLock({ $0.catalogue == nil }) else {
        throw StoreError(.removed, path: path)
      }
      writer.withLock { $0 = nil }
    }
  }

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
    connection.trackLogSize()
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

package import CadastreModel
package import CadastreSQLite
import Foundation

/// A store's file that this process has open.
///
/// Readers never wait. Writers wait for each other, across processes too.
package final class StoreFile: Sendable {
  /// The canonical path of the file.
  package let path: String
  /// The permitted access to the store.
  package let access: Access
  /// The durability of commits.
  package let durability: CommitDurability
  /// Whether another process had the file open when this process opened it.
  package let isOpenElsewhere: Bool
  /// Whether `claimOpening()` has returned true.
  private let isClaimed = Guarded(false)
  /// The folder of a temporary store, which is deleted with the store; nil for other stores.
  private let folder: TemporaryFolder?
  /// The changes of the newest commits.
  let history = ChangeHistory()
  /// The nodes of spatial indexes that the newest commits have changed.
  let nodes = NodeHistory()
  /// Notifies observers of new versions.
  let commits = CommitSignal()
  /// Detects the commits of other processes while there are observers.
  private let foreign = Guarded<ForeignCommits?>(nil)
  /// Makes commits of asynchronous writes durable.
  let barrier = CommitBarrier()
  /// The connection whose descriptor of the log the barrier synchronises; nil before the first asynchronous write.
  private let barrierConnection = Guarded<Connection?>(nil)
  /// Decides when the log is copied into the file.
  let checkpoints = CheckpointPolicy()
  /// The columns that are cached in memory.
  package let columns = ColumnCache()
  /// Stores columns that readers have decoded from rows.
  let backgroundStorage = BackgroundStorage()
  /// The maximum number of rows that each table of a write transaction buffers; tests change it.
  package let bufferCapacity = Guarded(WriteBuffer.capacity)
  let readers: ReaderPool
  let writer: StoreWriter
  private let catalogues = CatalogueCache()
  /// The most recent schemas of the users of the store.
  private let schemas = Guarded<[Schema]>([])
  /// The number of snapshots of each version.
  private let snapshots = Guarded<[Int64: Int]>([:])

  /// The permitted access to a store.
  package enum Access: Sendable {
    /// Reading and writing.
    case readWrite
    /// Reading only, which works also where the file or its folder may not be written.
    case readOnly
  }

  init(
    path: String, access: Access = .readWrite, durability: CommitDurability = .full,
    isOpenElsewhere: Bool = false
  ) {
    self.path = path
    self.access = access
    self.durability = durability
    self.isOpenElsewhere = isOpenElsewhere
    folder = nil
    readers = ReaderPool(path: path, access: access)
    writer = StoreWriter(path: path, kind: .durable, catalogues: catalogues)
  }

  /// Creates a temporary store, which is deleted with this instance and need not survive a loss of power.
  init(in folder: TemporaryFolder) {
    path = folder.path + "/store.cadastre"
    access = .readWrite
    durability = .normal
    isOpenElsewhere = false
    self.folder = folder
    readers = ReaderPool(path: path)
    writer = StoreWriter(path: path, kind: .temporary, catalogues: catalogues)
  }

  /// Creates a store that no other process or thread opens before it is complete, see ``NewStore``.
  init(unpublishedAt path: String) {
    self.path = path
    access = .readWrite
    durability = .full
    isOpenElsewhere = false
    folder = nil
    readers = ReaderPool(path: path)
    writer = StoreWriter(path: path, kind: .unpublished, catalogues: catalogues)
  }

  // A thread that opens the store at the same time gets another instance with separate connections. SQLite
  // closes the log with the last of all connections, and `DatabaseFiles` keeps descriptors open until then.
  deinit { closeConnections() }

  /// Returns true to the first caller in this process, which has just opened the store.
  package func claimOpening() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }

  /// Returns an equal schema: the instance of another user of the store if there is one, so that both share
  /// the data that queries derive from the schema.
  package func shared(_ schema: Schema) -> Schema {
    schemas.withLock { schemas in
      if let known = schemas.first(where: { $0 == schema }) { return known }
      if schemas.count == Self.maximumSchemas { schemas.removeFirst() }
      schemas.append(schema)
      return schema
    }
  }

  private static let maximumSchemas = 8

  /// Closes all connections.
  ///
  /// The last process to close the store copies the log into the file and removes it, under the write lock.
  private func closeConnections() {
    // SQLite deletes the log by its path, where the log of another store may be now.
    let isInPlace = readers.isInPlace && writer.isInPlace
    var connections = readers.removeAll()
    // No commit is pending: the barrier retains the store until they are durable.
    if let connection = barrierConnection.withLock({ $0.take() }) { connections.append(connection) }
    // Only the array may own a connection: a connection in another variable would close after the release of
    // the lock.
    let writerLock = writer.moveConnection(to: &connections)
    guard !connections.isEmpty, isInPlace else { return }
    if access == .readOnly {
      // Closing removes an empty log without copying it.
      guard Self.size(of: path + "-wal") == 0 else { return }
      for connection in connections { try? connection.checkpointOnClose() }
      return
    }
    guard let lock = writerLock ?? (try? FileLock(beside: path)), (try? lock.tryLock()) == true
    else { return }
    let hasMarkedLog = LogMark.identifier(ofLogBeside: path) != nil
    for connection in connections { try? connection.checkpointOnClose() }
    // These are the last references: the connections close while the lock is held.
    connections = []
    if hasMarkedLog, Self.size(of: path + "-wal") == nil { LogMark.renew(at: path) }
    lock.unlock()
  }

  /// The suffixes of a store's files after its path.
  package static let fileSuffixes = ["", "-wal", "-shm", "-wait", "-lock"]

  /// Returns the size of a file in bytes; nil where there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Returns whether the file and its folder may be written.
  static func mayWrite(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, 0) == 0
      && faccessat(AT_FDCWD, path.parentFolder, W_OK, 0) == 0 && !StoreName.isFurtherLink(path)
  }

  // MARK: Reading

  /// Opens a snapshot of the newest version.
  package func snapshot() throws(StoreError) -> Snapshot {
    assert(writer.kind != .unpublished, "a reader would wait for the writer of a new store")
    let connection = try readers.take()
    try connection.run(TransactionSQL.begin)
    let versions = try StoreVersions(reading: connection)
    let catalogue = try catalogues.catalogue(versions.catalogue, connection)
    readers.noteIdentity()
    snapshots.withLock { $0[versions.commit, default: 0] += 1 }
    return Snapshot(file: self, connection: connection, versions: versions, catalogue: catalogue)
  }

  /// Opens a snapshot of the version before the write transaction that has begun.
  ///
  /// A store that gets its name later, see ``NewStore``, was empty, and has no log: another connection would wait for a
  /// transaction that is larger than the page cache.
  package func snapshotBeforeWriting() throws(StoreError) -> Snapshot {
    guard writer.kind == .unpublished else { return try snapshot() }
    let empty = try OpenStores.temporaryStore(UUID().uuidString)
    try empty.beginWrite().rollback()
    return try empty.snapshot()
  }

  /// The size in bytes above which a log is long, so that commits and readers help to restart it.
  static let longLogBytes = 16 << 20

  /// Whether the log is long, so that a reader of the newest version should open the version again.
  ///
  /// A snapshot that is opened after a checkpoint does not need the log.
  package var hasLongLog: Bool { Self.size(of: path + "-wal") ?? 0 > Self.longLogBytes }

  /// Returns the catalogue of some versions, from memory or from the file.
  func catalogue(
    of versions: StoreVersions, on connection: Connection
  ) throws(StoreError) -> Catalogue {
    try catalogues.catalogue(versions.catalogue, connection)
  }

  /// Returns the newest version; nil where the store cannot be read, and for an immutable file that has not
  /// changed.
  func newestVersion() -> Int64? {
    readers.read { (connection) throws(StoreError) in try StoreVersions(reading: connection).commit
    }
  }

  /// The number of versions that snapshots of this process hold open.
  package var activeVersionCount: Int { snapshots.withLock { $0.count } }

  /// Ends the read transaction of a snapshot.
  func release(_ connection: Connection, _ version: Int64) {
    snapshots.withLock { snapshots in
      let left = snapshots[version, default: 1] - 1
      snapshots[version] = left == 0 ? nil : left
    }
    readers.recycle(connection)
  }

  // MARK: Changes

  /// Returns the changes of the commits after one version up to another.
  ///
  /// - Returns: The changes; nil where another process has written, or where they are too old.
  package func changes(after old: Int64, through new: Int64) -> ChangeRange? {
    history.changes(after: old, through: new)
  }

  /// Compares two snapshots and adds the difference to the history for `changes(after:through:)`.
  ///
  /// - Returns: The difference.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(n) for n rows of the store.
  @discardableResult
  package func recordChanges(
    from old: Snapshot, to new: Snapshot
  ) throws(StoreError) -> ChangeRange {
    history.note(try SnapshotDifference(from: old, to: new).changes())
  }

  /// Calls a closure after each commit, those of other processes included, until the observation is
  /// released.
  ///
  /// The closure is called on any thread. The commit of another process is detected within a tenth of a
  /// second.
  ///
  /// - Parameters:
  ///   - version: The version that the observer has read already.
  ///   - body: Causes a call of ``CommitObservation/process(_:)``; called repeatedly until the observation
  ///     has processed the newest version.
  /// - Returns: The observation.
  package func observeCommits(
    after version: Int64, _ body: @escaping @Sendable () -> Void
  ) -> CommitObservation {
    let observation = commits.observe(after: version, body)
    // No other process writes a temporary store.
    if folder == nil { foreign.withLock { if $0 == nil { $0 = ForeignCommits(self) } } }
    return observation
  }

  // MARK: Writing

  /// Rewrites a store of an earlier format in the current one, as each first write does.
  ///
  /// - Throws: ``StoreError``: `olderFormat` where another process has the store open.
  func upgradeFormat() throws(StoreError) {
    // The log may contain an upgrade that was interrupted after its commit.
    try lockWriter(Self.writeTimeout) { (connection) throws(StoreError) in
      _ = try connection.checkpoint(truncating: true)
    }
    releaseWriter()
  }

  /// How long a writer waits for the write lock by default.
  package static let writeTimeout: Duration = .seconds(60)

  /// Waits for the write lock and opens the write transaction.
  ///
  /// Threads get the lock in the order of their requests, and so do processes.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for other writers.
  ///   - request: A request whose position the thread takes over, and which ends; nil for the end of the queue.
  /// - Returns: The transaction.
  /// - Throws: ``StoreError``: `busy` when another writer holds the lock for longer.
  package func beginWrite(
    timeout: Duration = writeTimeout, replacing request: WriteLock.Request? = nil
  ) throws(StoreError) -> WriteTransaction {
    let sync = sync(isAsynchronous: false)
    return try lockWriter(timeout, replacing: request) { (connection) throws(StoreError) in
      try begin(connection, sync)
    }
  }

  /// Requests the write lock without blocking the thread.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for other writers.
  ///   - wake: Called, on any thread, when `beginWrite(of:)` is to be called; it may be called several times.
  /// - Returns: The request, which is to be cancelled unless a transaction begins or an error is thrown.
  package func requestWrite(
    timeout: Duration, wake: @escaping @Sendable () -> Void
  ) -> WriteLock.Request {
    writer.lock.request(until: .now + timeout, wake: wake)
  }

  /// Opens the write transaction if the request can have the write lock; never waits for other writers.
  ///
  /// - Returns: The transaction; nil where the request waits on, so that it will be woken again, and where it was
  ///   cancelled.
  /// - Throws: ``StoreError``: `busy` after the timeout, or why the transaction cannot begin. The request has
  ///   ended then.
  package func beginWrite(
    of request: WriteLock.Request
  ) throws(StoreError) -> WriteTransaction? {
    guard try writer.lock.claim(request, self) else { return nil }
    let sync = sync(isAsynchronous: true)
    return try writer.open(until: request.deadline) { (connection) throws(StoreError) in
      try prepare(connection, sync)
      return try begin(connection, sync)
    }
  }

  /// Returns when the commit of a transaction is synchronised.
  private func sync(isAsynchronous: Bool) -> CommitSync {
    switch (writer.kind, durability) {
    case (.temporary, _): .never
    case (.unpublished, _): .atCommit
    case (.durable, .normal): .byCheckpoint
    case (.durable, .full): isAsynchronous && !barrier.hasFailed ? .byBarrier : .atCommit
    }
  }

  /// Prepares the writing connection for a transaction, under the write lock.
  ///
  /// - Throws: ``StoreError``: `unsyncedLog` where earlier commits are not durable and the log cannot be copied.
  private func prepare(_ connection: Connection, _ sync: CommitSync) throws(StoreError) {
    try connection.setSynchronous(sync.synchronous)
    guard barrier.needsCopy else { return }
    try checkpoints.copyLog(connection) { commits.fire(nil) }
    barrier.noteCopy()
  }

  private func begin(
    _ connection: Connection, _ sync: CommitSync
  ) throws(StoreError) -> WriteTransaction {
    try connection.run(TransactionSQL.beginWrite)
    connection.changedNodes?.removeAll()
    do throws(StoreError) {
      let memory = writer.memory
      let known = memory?.take(at: connection)
      let versions =
        if let known { known.versions } else { try StoreVersions(reading: connection) }
      let catalogue = try catalogues.catalogue(versions.catalogue, connection)
      readers.noteIdentity()
      if sync == .byBarrier { try openBarrierConnection() }
      let tables = TransactionTables(
        connection: connection, versions: versions, catalogue: catalogue, columns: columns,
        history: history, nodes: nodes, tableWriters: known?.tableWriters ?? [:],
        bufferCapacity: bufferCapacity.withLock { $0 })
      return WriteTransaction(tables, CommitPipeline(self, memory: memory, sync: sync))
    } catch {
      if connection.isInTransaction { try? connection.run(TransactionSQL.rollback) }
      throw error
    }
  }

  /// Waits for the write lock and calls a closure with the writing connection.
  ///
  /// `releaseWriter()` releases the lock; where this throws, the lock is released already.
  func lockWriter<Result>(
    _ timeout: Duration, replacing request: WriteLock.Request? = nil,
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard access == .readWrite else { throw StoreError(.readOnly, path: path) }
    let sync = sync(isAsynchronous: false)
    return try writer.acquire(until: .now + timeout, replacing: request) {
      (connection) throws(StoreError) in
      try prepare(connection, sync)
      return try body(connection)
    }
  }

  /// Whether the store's files were neither removed nor replaced, under the write lock.
  var isInPlace: Bool { writer.isInPlace }

  /// Records that the current thread or task has opened the write transaction, until the transaction ends.
  package func noteWriter() { writer.lock.noteCaller() }

  /// Whether the current thread or task has opened the write transaction.
  package var isWrittenByCaller: Bool { writer.lock.isHeldByCaller }

  /// Releases the write lock.
  func releaseWriter() { writer.release() }
}

// The file and not its writer, because a wait for the lock retains the lock's owner, and the file closes its writer when
// it is released.
extension StoreFile: ProcessLock {
  func lockProcesses(until deadline: ContinuousClock.Instant?) throws(StoreError) -> Bool {
    try writer.lockProcesses(until: deadline)
  }

  func unlockProcesses() { writer.unlockProcesses() }
}

extension StoreFile: SyncedLog {
  /// Opens the connection of the barrier, before the first commit that the barrier covers.
  private func openBarrierConnection() throws(StoreError) {
    guard barrierConnection.withLock({ $0 }) == nil else { return }
    let connection = try Connection(path: path, mode: .read)
    // A read opens the log.
    _ = try connection.integer("PRAGMA user_version")
    barrierConnection.withLock { $0 = connection }
  }

  func syncLog() throws(StoreError) {
    guard let connection = barrierConnection.withLock({ $0 }) else {
      throw StoreError(.unsyncedLog, path: path)
    }
    try connection.syncLog()
  }

  func copyLog() throws(StoreError) {
    try lockWriter(Self.writeTimeout) { _ throws(StoreError) in }
    releaseWriter()
  }
}

/// The size of a store on the disk in bytes.
package struct StoreSize: Hashable, Sendable {
  /// The size of the file.
  package let file: Int
  /// The size of the write-ahead log.
  package let log: Int
  /// The size of the pages in use; the others are free for new rows.
  package let used: Int

  /// The size of the file and its log.
  package var total: Int { file + log }
}

extension StoreFile {
  /// Returns the size of the store at its newest version.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  package func measure() throws(StoreError) -> StoreSize {
    let snapshot = try snapshot()
    let pageSize = try snapshot.connection.integer("PRAGMA page_size") ?? 0
    let pages = try snapshot.connection.integer("PRAGMA page_count") ?? 0
    let free = try snapshot.connection.integer("PRAGMA freelist_count") ?? 0
    return StoreSize(
      file: Self.size(of: path) ?? 0, log: Self.size(of: path + "-wal") ?? 0,
      used: Int((pages - free) * pageSize))
  }

  /// Returns unused space to the file system, stores columns, and adds integer primary keys to the entries of ordered
  /// indexes.
  ///
  /// The indexes of stores of earlier versions are rebuilt first, in a transaction, and the columns of classes are stored
  /// in others. Another one, which does not change
  /// the store's version, rewrites all rows. Readers continue. While a
  /// reader of any process needs an older state of the file, the rewritten pages stay in the log, and a later
  /// commit copies them into the file. Needs free space for two copies of the pages in use.
  ///
  /// - Parameters:
  ///   - storage: The classes whose columns are stored.
  ///   - timeout: How long to wait for the write lock.
  /// - Throws: ``StoreError``; the store is unchanged then, or has other indexes or columns.
  /// - Complexity: O(n) in the size of the store.
  package func compact(
    storing storage: ColumnStorage = .automatic, timeout: Duration = writeTimeout
  ) throws(StoreError) {
    try addIDsToIndexes(timeout)
    try storeColumns(storage, timeout: timeout)
    try lockWriter(timeout) { (connection) throws(StoreError) in
      try connection.run("VACUUM")
      try connection.checkpoint(truncating: true)
    }
    releaseWriter()
  }

  private func addIDsToIndexes(_ timeout: Duration) throws(StoreError) {
    guard try !snapshot().catalogue.indexesWithoutID.isEmpty else { return }
    let transaction = try beginWrite(timeout: timeout)
    do throws(StoreError) {
      if try transaction.addIDsToIndexes() { try transaction.commit() }
      transaction.rollback()
    } catch {
      transaction.rollback()
      throw error
    }
  }
}

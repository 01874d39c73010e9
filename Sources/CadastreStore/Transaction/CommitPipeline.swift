import CadastreModel
import CadastreSQLite
import Foundation

/// The end of a write transaction, from the last flush to the acknowledgement, with all steps in their order.
///
/// 1. Flush: the buffered rows, the index entries and the counters are stored.
/// 2. Change set: computed once, for the history and the caller. An empty transaction is rolled back here.
/// 3. Check: the files are at their paths, so that the commit does not go to a removed store.
/// 4. Version: the counter in the file, and the marks on stored segments.
/// 5. History: noted before a reader can see the version, and withdrawn if the commit fails.
/// 6. `COMMIT`, which also publishes the version for other processes: they poll the counter.
/// 7. Checkpoint, if the log is long.
/// 8. Snapshot of exactly this version, because no other writer has begun.
/// 9. Barrier: it is requested under the lock, so that the order of acknowledgements is that of versions.
/// 10. Release of the write lock.
/// 11. Signal to the observers of this process.
///
/// The writer waits for the barrier after that, see ``PendingCommit``.
struct CommitPipeline {
  /// Receives the state for the next transaction.
  private let memory: WriterMemory?
  private let file: StoreFile
  /// When the commit is synchronised with the disk.
  private let sync: CommitSync

  init(_ file: StoreFile, memory: WriterMemory?, sync: CommitSync) {
    self.memory = memory
    self.file = file
    self.sync = sync
  }

  /// Commits a transaction, and releases the write lock.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - reading: Whether to open a snapshot of exactly this version.
  ///   - observation: An observation that is not called, because its Realm has the version; nil for none.
  /// - Returns: The committed version.
  /// - Throws: ``StoreError``; the transaction is still open then.
  func commit(
    _ transaction: WriteTransaction, reading: Bool, skipping observation: CommitObservation?
  ) throws(StoreError) -> Commit {
    let (tables, changes) = try transaction.write(.everything) { flushed throws(StoreError) in
      let tables = flushed.tables
      try tables.resumeIndexes()
      let changes = tables.changes
      if !changes.isEmpty { try commit(tables, changes) }
      return (tables, changes)
    }
    guard !changes.isEmpty else {
      // What the writer has read may not be durable yet.
      let pending = file.barrier.last
      let snapshot = reading ? try? file.snapshot() : nil
      transaction.rollback()
      let version = tables.versions.commit
      return Commit(
        changes: ChangeSet(from: version, to: version), snapshot: snapshot, pending: pending)
    }
    // The version is visible: no later step fails the transaction.
    if let committed = tables.committed { memory?.keep(committed, at: tables.connection) }
    // The header of the file has its format, and an older program reads the header before the log.
    file.checkpoints.run(tables.connection, isRequired: tables.changesFormat) {
      file.commits.fire(nil)
    }
    let snapshot = reading ? try? file.snapshot() : nil
    let pending = sync == .byBarrier ? file.barrier.add(changes.version, to: file) : nil
    transaction.noteCommit()
    file.releaseWriter()
    file.commits.fire(changes.version, skipping: observation)
    return Commit(changes: changes, snapshot: snapshot, pending: pending)
  }

  private func commit(_ tables: TransactionTables, _ changes: ChangeSet) throws(StoreError) {
    guard file.isInPlace else { throw StoreError(.removed, path: file.path) }
    let update = try tables.connection.statement(
      try tables.finishSegments()
        ? TransactionSQL.setCommitVersions : TransactionSQL.setCommitVersion)
    try update.bind(integer: changes.version, at: 1)
    try update.bind(integer: tables.versions.row, at: 2)
    try update.run()
    file.history.note(changes)
    file.nodes.note(changes.version, tables.changedNodes)
    do throws(StoreError) {
      try tables.connection.run(TransactionSQL.commit)
    } catch {
      file.history.withdraw(changes.version)
      file.nodes.withdraw(changes.version)
      if tables.connection.hasFailedSync { file.barrier.noteFailedSync() }
      throw error
    }
  }

  /// Rolls a transaction back, and releases the write lock.
  ///
  /// - Parameter tables: The tables of the transaction, whose buffers are not flushed.
  func rollback(_ tables: TransactionTables) {
    let connection = tables.connection
    if connection.isInTransaction { try? connection.run(TransactionSQL.rollback) }
    if let unchanged = tables.unchanged { memory?.keep(unchanged, at: connection) }
    file.releaseWriter()
  }
}

/// A committed transaction.
package struct Commit {
  /// The changes, and the version.
  package let changes: ChangeSet
  /// A snapshot of exactly this version; nil if none was requested, and if the version cannot be read.
  package let snapshot: Snapshot?
  /// The commit at its barrier; nil if the commit is as durable as it becomes.
  package let pending: PendingCommit?
}

// MARK: - Fsync

/// The durability of the commits of a store.
package enum CommitDurability: Hashable, Sendable {
  /// An acknowledged commit survives a loss of power.
  case full
  /// A loss of power may undo the last commits, and the remaining version is consistent. The end of the process
  /// undoes none.
  case normal
}

/// When a commit is synchronised with the disk: the policy of `fsync`.
enum CommitSync {
  /// `COMMIT` synchronises the log, and is rolled back where that fails: a synchronous write blocks its thread until
  /// the commit is durable, so nothing is gained by releasing the lock earlier. The log contains all earlier
  /// commits, so they are durable too.
  case atCommit
  /// `COMMIT` synchronises nothing, and ``CommitBarrier`` makes the commit durable before it is acknowledged: an
  /// asynchronous write does not block, so many writes share one synchronisation of the log.
  case byBarrier
  /// Only checkpoints synchronise: the program has chosen `CommitDurability.normal`.
  case byCheckpoint
  /// Nothing is synchronised: a temporary store ends with the process.
  case never

  /// The value of SQLite's pragma for the transaction.
  var synchronous: Connection.Synchronous {
    switch self {
    case .atCommit: .full
    case .byBarrier, .byCheckpoint: .normal
    case .never: .off
    }
  }
}

// MARK: - Checkpoints

/// The policy of checkpoints: after which commits the log is copied into the file and restarts.
final class CheckpointPolicy: Sendable {
  /// The number of pages of the log from which on a commit tries to restart it.
  private let nextRestart = Guarded(CheckpointPolicy.longLogPages)
  /// Whether a commit has required a checkpoint since the last one that copied the whole log.
  private let isCopyDue = Guarded(false)

  /// The number of pages of the log above which a commit copies the log into the file; SQLite's default.
  private static let checkpointPages = 1000
  /// The size in bytes to which a restart truncates the log, about `checkpointPages` pages.
  static let logBytes = 4 << 20
  /// The number of pages above which a log is long: 16 MiB.
  private static let longLogPages = StoreFile.longLogBytes / 4096
  /// The number of attempts, and the microseconds between two of them: 200 ms in total.
  private static let (attempts, pause): (Int, UInt32) = (80, 2500)
  /// The maximum number of series of attempts in one commit: 1.6 s, for a log of 128 MiB or more.
  private static let mostSeries = 8
  /// The number of failed checkpoints after which a copy of the log is given up.
  ///
  /// The first one may report the failed write that is the reason for the copy.
  private static let mostErrors = 2

  /// Runs the checkpoint that is due after a commit, under the write lock.
  ///
  /// SQLite restarts the log only when no reader needs it. With overlapping readers and a series of commits
  /// there is no such moment, although each reader moves to the newest version soon. So a commit with a long log
  /// delays the next one for a short time, in which the readers move to its version. Readers that open the version
  /// after the checkpoint read the file only.
  ///
  /// A failed checkpoint loses nothing: the log stays, and the next commit tries again. A required one is due after
  /// each commit until the whole log has been copied, because a reader of an older version keeps a part of it.
  ///
  /// - Parameters:
  ///   - connection: The connection that has committed.
  ///   - isRequired: Whether a checkpoint is due for a short log too.
  ///   - wake: Causes the readers of this process to open the newest version.
  func run(_ connection: Connection, isRequired: Bool = false, waking wake: () -> Void) {
    let pages = connection.logPages
    let isCopyDue = isCopyDue.withLock { isDue in
      isDue = isDue || isRequired
      return isDue
    }
    let isCopied: Bool
    if isRestartDue(pages) {
      // Readers of older versions get the more time, the longer the log is.
      let series = min(Self.mostSeries, pages / Self.longLogPages)
      isCopied = Self.attempt(series, waking: wake) { (try? connection.restartLog()) == true }
    } else if isCopyDue || pages > Self.checkpointPages {
      isCopied = (try? connection.checkpoint(truncating: false)) == true
    } else {
      return
    }
    if isCopied { self.isCopyDue.withLock { $0 = false } }
  }

  private func isRestartDue(_ pages: Int) -> Bool {
    nextRestart.withLock { next in
      if pages < Self.longLogPages { next = Self.longLogPages }
      guard pages >= next else { return false }
      // Makes restart attempts rare while a reader stays at an old version.
      next = pages + pages / 4
      return true
    }
  }

  /// Copies the whole log into the file, under the write lock and outside of a transaction.
  ///
  /// - Throws: ``StoreError``: `unsyncedLog` if a reader needs an older version for long, or why copying fails.
  func copyLog(_ connection: Connection, waking wake: () -> Void) throws(StoreError) {
    var errors: [StoreError] = []
    let isCopied = Self.attempt(1, waking: wake) {
      do throws(StoreError) {
        // Without the truncation, a log with a hole would stay, and new commits would follow the hole.
        return try connection.checkpoint(truncating: true)
      } catch {
        errors.append(error)
        return errors.count == Self.mostErrors
      }
    }
    guard isCopied, errors.count < Self.mostErrors else {
      throw StoreError(.unsyncedLog, path: connection.path)
    }
    do throws(StoreError) {
      // After a loss of power, the old log would replace pages of the file by older ones.
      try connection.syncLog()
    } catch {
      // The descriptor reports the failed write; the log has no pages that could be lost now.
      try connection.syncLog()
    }
  }

  /// Repeats an attempt until it returns true, and wakes the readers in between.
  ///
  /// - Returns: Whether an attempt has returned true.
  private static func attempt(
    _ series: Int, waking wake: () -> Void, _ body: () -> Bool
  ) -> Bool {
    for round in 0..<attempts * series {
      if body() { return true }
      if round % 8 == 0 { wake() }
      usleep(pause)
    }
    return false
  }
}

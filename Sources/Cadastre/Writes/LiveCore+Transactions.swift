import CadastreQuery
import CadastreStore
import Synchronization

/// Begin, commit and rollback of write transactions.
extension LiveCore {
  /// Waits for the write lock, moves to the newest version, and opens a transaction.
  func beginTransaction() throws {
    requireNoTransaction()
    // Initial states and earlier changes are delivered before new changes, as in Realm.
    if observers.hasUndelivered {
      observers.deliver(in: self)
      requireNoTransaction()
    }
    var begun = try lockedTransaction()
    // Notifications of earlier commits are delivered first; other writers may commit in the meantime.
    for _ in 0..<Self.mostRefreshes where isBehind(begun) && !observers.isEmpty {
      guard !observers.isDelivering else { break }
      begun.rollback()
      _ = moveToNewest()
      observers.deliver(in: self)
      requireNoTransaction()
      begun = try lockedTransaction()
    }
    try open(begun)
  }

  private func lockedTransaction() throws(StoreError) -> WriteTransaction {
    file.requireOtherWriter()
    return try asyncWrites.beginBlocking(self)
  }

  /// The maximum number of times that the lock is released to deliver notifications.
  private static let mostRefreshes = 4

  private func isBehind(_ begun: WriteTransaction) -> Bool {
    version.map { $0 != begun.version - 1 } ?? false
  }

  /// Stops the process if a transaction cannot be opened.
  func requireNoTransaction() {
    requireNoWrite()
    if let most = configuration.maximumNumberOfActiveVersions, most > 0 {
      let count = file.activeVersionCount
      guard count <= most else {
        ProgrammingError.stop(
          "Number of active versions (\(count)) in the Realm exceeded the limit of \(most): release "
            + "frozen objects and of Realms that do not refresh.")
      }
    }
  }

  /// Opens a transaction that has the write lock.
  ///
  /// - Throws: `StoreError` `schemaChanged` if another process has migrated the store; the transaction has
  ///   ended then.
  func open(_ begun: WriteTransaction) throws(StoreError) {
    // Observers called by this method must not write through another Realm.
    file.noteWriter()
    do throws(StoreError) {
      try requireOwnClasses(begun.catalogue)
    } catch {
      begun.rollback()
      throw error
    }
    let base = begun.version - 1
    let isMoving = isBehind(begun)
    // Under the write lock, the newest snapshot is that of the version before the transaction.
    if isMoving {
      // A snapshot that other threads read too would have to be waited for, with the write lock.
      move(to: base, comparing: sharing == nil ? snapshot : nil, try? file.snapshot())
    }
    releaseReaders()
    version = base
    use(nil)
    begun.bufferRows(inBackground: queryThreads.maximum > 1) { [unowned self] className, row in
      if let table = table(named: className) { stopForDuplicate(table, row) }
    }
    write = .begun(begun)
    AbandonedWrites.forget(file.path)
    generation.beginTransaction()
    begun.record(in: generation)
    if isMoving { observers.notifyRealmObservers(.didChange, self) }
  }

  /// Commits a transaction, and moves to its version.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - skipped: Tokens of observers that are not notified of the changes.
  /// - Returns: The commit while it is not durable; nil for a durable one.
  /// - Throws: `StoreError`, or the error that failed the transaction; the transaction is then rolled back.
  func commit(
    _ transaction: WriteTransaction, withoutNotifying skipped: [NotificationToken]
  ) throws -> PendingCommit? {
    let notifiers = skipped.compactMap { $0.notifier(in: self) }
    // An observer with undelivered changes of earlier commits receives them with those of this one.
    let current = notifiers.filter { $0.hasBegun && !$0.isBehind }
    let commit: Commit
    do {
      let failure = transaction.failure
      endWrite()
      if let failure {
        rollBack(transaction)
        throw failure
      }
      commit = try Logger.measured(.transaction) {
        try transaction.commit(
          reading: movesByRefreshOnly,
          skipping: observers.observationWithoutObservers)
      } _: {
        "committed version \($0.changes.version) of '\(file.path)': \($0.changes.touchedCount) objects"
      }
    } catch {
      undo(transaction)
      throw error
    }
    outcome = nil
    let changes = commit.changes
    if changes.version > changes.base { lastOwnVersion = changes.version }
    version = changes.version
    use(commit.snapshot)
    // Without a snapshot of exactly this version, skipping could include the next commit of another writer.
    if changes.version > changes.base, commit.snapshot != nil {
      for notifier in current { notifier.skip() }
    }
    observers.notifyRealmObservers(.didChange, self, except: notifiers)
    return commit.pending
  }

  /// Rolls back a transaction.
  func cancel(_ transaction: WriteTransaction) {
    endWrite()
    rollBack(transaction)
    Logger.write(.debug, .transaction, "cancelled a write to '\(file.path)'")
    undo(transaction)
    requestWake()
  }

  /// Whether the Realm moves to a version of others by a refresh only.
  private var movesByRefreshOnly: Bool { observers.hasObservers || !autorefresh }

  /// Rolls back a transaction, and stays at the version before it if the Realm moves by a refresh only.
  private func rollBack(_ transaction: WriteTransaction) {
    // Under the write lock, the newest version is that before the transaction.
    if transaction.isOpen, movesByRefreshOnly { use(try? file.snapshot()) }
    transaction.rollback()
  }

  /// Discards rows and results cached in a rolled-back transaction, and invalidates the instances of objects that it
  /// inserted or deleted.
  private func undo(_ transaction: WriteTransaction) {
    forgetWrite()
    outcome?.noteRollback()
    outcome = nil
    let catalogue = transaction.catalogue
    revocations.revoke(
      transaction.changes, since: generation.transactionStart, at: currentGeneration
    ) {
      catalogue.layout($0)?.fields.presenceColumns ?? []
    }
    readState.pointee.newestRevocation = revocations.newest
  }

  /// The outcome of the open transaction, created on first use; nil without a transaction.
  var outcomeOfTransaction: TransactionOutcome? {
    guard transaction != nil else { return nil }
    if let outcome { return outcome }
    let made = TransactionOutcome()
    outcome = made
    return made
  }
}

/// The outcome of a write transaction, for values that leave its thread before it ends.
final class TransactionOutcome: Sendable {
  private let rolledBack = Atomic<Bool>(false)

  /// Whether the transaction was rolled back; false while it is open.
  var isRolledBack: Bool { rolledBack.load(ordering: .acquiring) }

  /// Records a rollback.
  func noteRollback() { rolledBack.store(true, ordering: .releasing) }
}

extension StoreFile {
  /// Stops the process if the current thread or task has the write lock, because it would wait for itself.
  func requireOtherWriter() {
    guard isWrittenByCaller else { return }
    ProgrammingError.stop(
      "This thread or task is already in a write transaction of the same store, through another "
        + "Realm; transactions cannot be nested. Use the one Realm for both.")
  }
}

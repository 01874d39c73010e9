import CadastreModel
import CadastreQuery
import CadastreStore
import Synchronization

/// The write of a Realm between `beginWrite()` and its end.
enum RealmWrite {
  case none
  /// The transaction could not begin: changes are ignored, and the commit throws the error.
  case refused(any Error)
  case begun(WriteTransaction)
}

/// The write of a Realm, whether it could begin or not.
extension RealmCore {
  /// The open transaction; nil if there is none.
  var transaction: WriteTransaction? {
    if case .begun(let transaction) = write { transaction } else { nil }
  }

  /// Whether a write has begun, or could not begin, and has not ended.
  var isInWriteTransaction: Bool {
    if case .none = write { false } else { true }
  }

  /// Stops the process if a write has begun.
  func requireNoWrite() {
    guard !isInWriteTransaction else {
      ProgrammingError.stop(
        "The Realm is already in a write transaction; transactions cannot be nested.")
    }
  }

  /// Begins a write that fails after an error on begin: changes are ignored, and the commit throws the error.
  func failWrite(_ error: any Error) {
    write = .refused(error)
    generation.beginTransaction()
  }

  /// Commits the write, and blocks the thread until the commit is durable.
  ///
  /// - Parameter skipped: Tokens of observers that are not notified of the changes.
  /// - Throws: `StoreError`, or the error that failed the transaction; the transaction is then rolled back, except with
  ///   the reason `notDurable`.
  func commitWrite(withoutNotifying skipped: [NotificationToken] = []) throws {
    try commit(withoutNotifying: skipped)?.wait()
  }

  /// Commits the write, and moves to its version.
  ///
  /// - Parameter skipped: Tokens of observers that are not notified of the changes.
  /// - Returns: The commit while it is not durable; nil for a durable one.
  /// - Throws: `StoreError`, or the error that failed the write; the transaction is then rolled back.
  func commit(withoutNotifying skipped: [NotificationToken] = []) throws -> PendingCommit? {
    checkThread()
    switch write {
    case .none: stopWithoutWrite("commit")
    case .refused(let error):
      endWrite()
      forgetWrite()
      throw error
    case .begun(let transaction):
      return try liveForWrites().commit(transaction, withoutNotifying: skipped)
    }
  }

  /// Rolls back the write.
  func cancelWrite() {
    checkThread()
    switch write {
    case .none: stopWithoutWrite("cancel")
    case .refused:
      endWrite()
      forgetWrite()
      live?.requestWake()
    case .begun(let transaction): liveForWrites().cancel(transaction)
    }
  }

  private func stopWithoutWrite(_ verb: String) -> Never {
    ProgrammingError.stop(
      "Can't \(verb) a non-existing write transaction: call beginWrite() first."
        + AbandonedWrites.advice(for: file.path))
  }

  /// Ends the use of the transaction for reading and writing.
  func endWrite() {
    releaseReaders()
    write = .none
  }

  /// Discards what was cached in a write that was not committed.
  func forgetWrite() {
    generation.rollBackTransaction()
    if lastRefusedKey < 0 { tables.forgetRefusedRows() }
  }
}

/// Stores whose write was rolled back because its Realm was released.
///
/// In 10.54 of Realm Swift a thread's Realm outlived such a temporary value, so programs contain
/// `try Realm().beginWrite()`; 20.0 ended it.
enum AbandonedWrites {
  private static let paths = Guarded<Set<String>>([])
  /// Whether there may be such stores; without, a write costs one atomic load.
  private static let mayExist = Atomic<Bool>(false)

  /// Notes that a Realm of a store was released within a write.
  static func note(_ path: String) {
    paths.withLock { _ = $0.insert(path) }
    mayExist.store(true, ordering: .releasing)
  }

  /// Forgets an abandoned write, because another one has begun.
  static func forget(_ path: String) {
    guard mayExist.load(ordering: .relaxed) else { return }
    paths.withLock { _ = $0.remove(path) }
  }

  /// Returns what to add to an error about a missing write; empty where no write was abandoned.
  static func advice(for path: String) -> String {
    guard paths.withLock({ $0.contains(path) }) else { return "" }
    return
      " A write of this store was rolled back when its Realm was released: keep the Realm in a "
      + "variable until the commit, as in let realm = try Realm(); realm.beginWrite(); …; try realm.commitWrite()."
  }
}

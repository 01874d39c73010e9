import CadastreModel
package import CadastreSQLite
import Dispatch

/// The barrier that makes the commits of asynchronous writes durable, many with one synchronisation of the log.
///
/// A commit is added under the write lock, so the order of commits is that of versions. A synchronisation covers the
/// commits that were added before it begins; the next one covers those that are added meanwhile. There is no timer:
/// the first commit starts the worker, which ends when no commit is left.
///
/// After a failed synchronisation the system may regard the lost pages as written, and a second one would succeed.
/// So the log is then copied into the file, which writes the pages again and synchronises the file. The commits are
/// durable if that succeeds. Otherwise their writers receive ``StoreError`` `notDurable`, and no transaction begins
/// until the log has been copied.
final class CommitBarrier: Sendable {
  private struct State {
    /// The commits without a synchronisation, in the order of their versions.
    var pending: [PendingCommit] = []
    /// The log of the pending commits, which stays open until they are durable; nil without such commits.
    var log: (any SyncedLog)?
    /// The last commit; nil if it is acknowledged.
    var last: PendingCommit?
    /// Whether the worker runs, or is about to.
    var isRunning = false
    /// Whether a synchronisation has failed and the log has not been copied into the file since.
    var needsCopy = false
    /// Whether commits were reported as not durable.
    var hasFailed = false
  }

  private let state = Guarded(State())
  private let worker = DispatchQueue(label: "cadastre.commit-barrier")

  /// Whether the log must be copied into the file before the next transaction.
  var needsCopy: Bool { state.withLock { $0.needsCopy } }

  /// Whether commits were reported as not durable, so that later commits synchronise the log themselves.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// The last commit that is not acknowledged; nil if all are.
  var last: PendingCommit? { state.withLock { $0.last } }

  /// Adds a commit, and starts the worker unless it runs.
  ///
  /// Call this function under the write lock, after the commit.
  ///
  /// - Parameters:
  ///   - version: The version of the commit.
  ///   - log: The log, which is retained until the commit is durable, and released before it is acknowledged.
  /// - Returns: The commit, which is acknowledged on the thread of the worker.
  func add(_ version: Int64, to log: any SyncedLog) -> PendingCommit {
    let commit = PendingCommit(version)
    let startsWorker = state.withLock { state in
      defer { state.isRunning = true }
      state.pending.append(commit)
      state.last = commit
      state.log = log
      return !state.isRunning
    }
    if startsWorker { worker.async { self.run() } }
    return commit
  }

  /// Records that another descriptor could not synchronise the log while commits are pending.
  func noteFailedSync() {
    state.withLock { if $0.isRunning { $0.needsCopy = true } }
  }

  /// Records that the file contains the whole log and is synchronised.
  func noteCopy() { state.withLock { $0.needsCopy = false } }

  private func run() {
    while let (commits, error) = syncPending() {
      state.withLock { if $0.last === commits.last { $0.last = nil } }
      for commit in commits { commit.acknowledge(error) }
    }
  }

  /// Makes the pending commits durable, and ends the run of the worker if there are none.
  ///
  /// - Returns: The commits, and the error if they are not durable; nil if there are none.
  private func syncPending() -> (commits: [PendingCommit], error: StoreError?)? {
    let (commits, log) = state.withLock { state in
      defer { (state.pending, state.log) = ([], nil) }
      state.isRunning = state.log != nil
      return (state.pending, state.log)
    }
    // The log is released at the return: a handler may remove the store.
    return log.map { (commits, sync($0)) }
  }

  private func sync(_ log: any SyncedLog) -> StoreError? {
    do throws(StoreError) {
      guard !needsCopy else { return copy(log) }
      try log.syncLog()
      // Another descriptor may have received the report of a failed write.
      return needsCopy ? copy(log) : nil
    } catch {
      state.withLock { $0.needsCopy = true }
      return copy(log)
    }
  }

  private func copy(_ log: any SyncedLog) -> StoreError? {
    do throws(StoreError) {
      try log.copyLog()
      noteCopy()
      return nil
    } catch {
      state.withLock { $0.hasFailed = true }
      return StoreError(.notDurable, path: error.path)
    }
  }
}

/// A log that a barrier synchronises.
protocol SyncedLog: Sendable {
  /// Synchronises the log with the disk.
  func syncLog() throws(StoreError)

  /// Takes the write lock, copies the whole log into the file, and synchronises the file.
  func copyLog() throws(StoreError)
}

/// A commit of an asynchronous write, visible to readers and not yet durable.
package final class PendingCommit: Sendable {
  private enum State {
    case pending(handlers: [@Sendable (StoreError?) -> Void])
    case acknowledged(StoreError?)
  }

  /// The version of the commit.
  let version: Int64
  private let state = Guarded(State.pending(handlers: []))

  init(_ version: Int64) { self.version = version }

  /// Calls a closure when the commit is durable, or with the error if it is not; at once if that is decided.
  ///
  /// - Parameter handler: The closure, which is called on any thread.
  package func whenAcknowledged(_ handler: @escaping @Sendable (StoreError?) -> Void) {
    let state = state.withLock { state in
      if case .pending(let handlers) = state { state = .pending(handlers: handlers + [handler]) }
      return state
    }
    if case .acknowledged(let error) = state { handler(error) }
  }

  /// Blocks the thread until the commit is durable.
  ///
  /// - Throws: ``StoreError`` `notDurable`.
  package func wait() throws(StoreError) {
    let outcome = Guarded<StoreError?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    whenAcknowledged { error in
      outcome.withLock { $0 = error }
      semaphore.signal()
    }
    semaphore.wait()
    if let error = outcome.withLock({ $0 }) { throw error }
  }

  /// Suspends the task until the commit is durable, also if the task is cancelled.
  ///
  /// - Parameter isolation: The actor of the caller.
  /// - Throws: ``StoreError`` `notDurable`.
  package func acknowledgement(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) {
    let error = await withCheckedContinuation { continuation in
      whenAcknowledged { continuation.resume(returning: $0) }
    }
    if let error { throw error }
  }

  fileprivate func acknowledge(_ error: StoreError?) {
    let handlers = state.withLock { state in
      defer { state = .acknowledged(error) }
      if case .pending(let handlers) = state { return handlers }
      return []
    }
    for handler in handlers { handler(error) }
  }
}

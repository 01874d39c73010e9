import CadastreModel
import CadastreStore
import DequeModule
import Dispatch

/// The queue of asynchronous writes of a Realm, in the order of the requests.
final class AsyncWrites {
  /// A requested write.
  struct Pending {
    let id: AsyncTransactionId
    /// The closure that writes.
    let body: () -> Void
    /// Whether the transaction is committed after `body`; otherwise it is rolled back unless `body` has
    /// committed it.
    let commits: Bool
    let onComplete: (((any Error)?) -> Void)?
  }

  private var pending: Deque<Pending> = []
  private var lastID: AsyncTransactionId = 0
  /// The completion handlers of commits, by number.
  private var completions: [AsyncTransactionId: Completion] = [:]
  /// The last commit by `commitAsyncWrite`, which the block of another asynchronous write may contain.
  private var innerCommit: PendingCommit?
  private var isRunning = false
  /// The number of tasks in `asyncWrite`.
  private var taskCount = 0
  /// The lock request of the next write; nil if there is none.
  private var lockRequest: WriteLock.Request?
  /// Schedules closures in the confinement of the Realm.
  private var schedule: Scheduler?

  deinit { lockRequest?.cancel() }

  /// Whether a write or a completion handler is pending or running.
  var isActive: Bool {
    isRunning || taskCount > 0 || !pending.isEmpty || !completions.isEmpty
  }

  func beginTask() { taskCount += 1 }

  func endTask() { taskCount -= 1 }

  func makeID() -> AsyncTransactionId {
    lastID += 1
    return lastID
  }

  func add(_ write: Pending, to core: LiveCore, _ schedule: @escaping Scheduler) {
    pending.append(write)
    self.schedule = schedule
    request(core)
  }

  /// Cancels a pending write, or the completion handler of a commit.
  func cancel(_ id: AsyncTransactionId) {
    pending.removeAll { $0.id == id }
    completions.removeValue(forKey: id)?.cancel()
    guard pending.isEmpty else { return }
    // Without a pending write the lock would only block other processes.
    lockRequest?.cancel()
    lockRequest = nil
  }

  /// Calls a completion handler in the confinement of the Realm when a commit is durable.
  ///
  /// The handler can be cancelled, and is also called if the Realm is released before.
  ///
  /// - Parameters:
  ///   - id: The number for the cancellation.
  ///   - pending: The commit; nil to schedule the call at once.
  ///   - core: The Realm.
  ///   - schedule: Schedules closures in the confinement of the Realm.
  ///   - body: The handler, with the error if the commit is not durable.
  func complete(
    _ id: AsyncTransactionId, after pending: PendingCommit?, _ core: LiveCore,
    _ schedule: @escaping Scheduler, _ body: @escaping ((any Error)?) -> Void
  ) {
    let completion = Completion(body)
    completions[id] = completion
    let reference = core.reference
    let run: @Sendable (StoreError?) -> Void = { error in
      schedule {
        reference.core?.asyncWrites.completions[id] = nil
        completion.run(error.map { Realm.Error($0) })
      }
    }
    if let pending { pending.whenAcknowledged(run) } else { run(nil) }
  }

  /// Records a commit by `commitAsyncWrite`.
  func note(_ pending: PendingCommit?) { innerCommit = pending }

  /// Runs the block of a write.
  ///
  /// - Returns: The result of the block, and its commit if that is not durable yet; nil if the block has not committed.
  func run<Result>(_ block: () throws -> Result) rethrows -> (Result, committed: PendingCommit?) {
    innerCommit = nil
    defer { innerCommit = nil }
    return (try block(), innerCommit)
  }

  private func request(_ core: LiveCore) {
    guard !pending.isEmpty, !isRunning, lockRequest == nil, let schedule else { return }
    let reference = core.reference
    lockRequest = core.file.requestWrite(timeout: core.configuration.writeWait) {
      schedule { reference.core.map { $0.asyncWrites.runNext(in: $0) } }
    }
  }

  /// Waits for the write lock and opens a transaction for a blocking write.
  ///
  /// The write takes over the lock request of the next asynchronous write, because it would wait for that request
  /// otherwise, which only this thread can claim.
  func beginBlocking(_ core: LiveCore) throws(StoreError) -> WriteTransaction {
    let timeout = core.configuration.writeWait
    guard let taken = lockRequest else { return try core.file.beginWrite(timeout: timeout) }
    lockRequest = nil
    defer { request(core) }
    return try core.file.beginWrite(timeout: timeout, replacing: taken)
  }

  /// Runs the next write, if the lock request is granted.
  private func runNext(in core: LiveCore) {
    // A blocking write may have used the request.
    guard let lockRequest else { return }
    let outcome: Result<WriteTransaction, StoreError>
    do throws(StoreError) {
      guard let begun = try core.file.beginWrite(of: lockRequest) else { return }
      outcome = .success(begun)
    } catch {
      outcome = .failure(error)
    }
    self.lockRequest = nil
    defer { request(core) }
    guard let next = pending.popFirst() else {
      if case .success(let begun) = outcome { begun.rollback() }
      return
    }
    switch outcome {
    case .failure(let error):
      if let onComplete = next.onComplete {
        onComplete(Realm.Error(error))
      } else if error.reason == .busy {
        // A write without a completion handler is queued again.
        pending.prepend(next)
      } else {
        core.report(error)
      }
    case .success(let begun):
      do throws(StoreError) {
        try core.open(begun)
      } catch {
        if let onComplete = next.onComplete {
          onComplete(Realm.Error(error))
        } else {
          core.report(error)
        }
        return
      }
      isRunning = true
      let (_, committed) = run(next.body)
      isRunning = false
      finish(next, after: committed, in: core)
    }
  }

  /// Ends a write whose block has run.
  ///
  /// - Parameters:
  ///   - write: The write.
  ///   - committed: The commit that the block has made, if it is not durable yet.
  ///   - core: The Realm.
  private func finish(_ write: Pending, after committed: PendingCommit?, in core: LiveCore) {
    guard core.isInWriteTransaction else {
      // `commitAsyncWrite` reports the failure of its commit.
      if write.onComplete != nil { complete(write, after: committed, core) }
      return
    }
    guard write.commits else { return core.cancelWrite() }
    do {
      complete(write, after: try core.commit() ?? committed, core)
    } catch {
      guard let onComplete = write.onComplete else { return core.report(error) }
      onComplete((error as? StoreError).map { Realm.Error($0) } ?? error)
    }
  }

  /// Calls the handler of a committed write when the commit is durable.
  private func complete(_ write: Pending, after pending: PendingCommit?, _ core: LiveCore) {
    guard let pending, let schedule else {
      write.onComplete?(nil)
      return
    }
    guard let onComplete = write.onComplete else { return core.reportFailure(of: pending) }
    // The number of the write cancels it only before it begins.
    complete(makeID(), after: pending, core, schedule, onComplete)
  }
}

/// A completion handler of a commit, which may outlive the Realm.
// Safe because it is used only in the confinement of the Realm.
private final class Completion: @unchecked Sendable {
  private var body: (((any Error)?) -> Void)?

  init(_ body: @escaping ((any Error)?) -> Void) { self.body = body }

  func run(_ error: (any Error)?) { body?(error) }

  func cancel() { body = nil }
}

/// The number of an asynchronous write, for its cancellation.
public typealias AsyncTransactionId = UInt32

extension Realm {
  /// Whether asynchronous writes of this Realm are pending or running.
  public var isPerformingAsynchronousWriteOperations: Bool {
    core.live?.asyncWrites.isActive ?? false
  }

  /// Runs a block in a write transaction and commits, once the write lock is free; does not block the caller.
  ///
  /// Blocks run in the order of the calls, in the confinement of the Realm: an actor, a queue or a thread
  /// with a run loop. The changes are visible after the commit, and durable when `onComplete` is called.
  /// - Parameters:
  ///   - block: Makes the changes.
  ///   - onComplete: Called in the confinement of the Realm when the commit is durable, or with the error.
  /// - Returns: A number for the cancellation of the write before it begins.
  @discardableResult
  public func writeAsync(
    _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId { add(block, commits: true, onComplete) }

  /// Runs a block in a write transaction, once the write lock is free; the block commits with
  /// `commitAsyncWrite` or `commitWrite`, otherwise the changes are rolled back.
  ///
  /// - Parameter block: Makes the changes, and commits them.
  /// - Returns: A number for the cancellation of the write before it begins.
  @discardableResult
  public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
    add(block, commits: false, nil)
  }

  /// Commits a write transaction, and calls a block in the confinement of the Realm when the commit is durable.
  ///
  /// In a transaction of `beginAsyncWrite` the call does not wait for the disk; otherwise the commit is durable at once.
  ///
  /// - Parameters:
  ///   - allowGrouping: Has no effect: each commit is a version, and commits share synchronisations of the disk.
  ///   - onComplete: Called with the error if there was one.
  /// - Returns: A number for the cancellation of the scheduled call.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    let outcome = Swift.Result { try Error.translating { try core.commit() } }
    guard let live = core.live else {
      // The write of a Realm that cannot be read was refused.
      if let onComplete, case .failure(let error) = outcome {
        onComplete(error)
      } else {
        core.attempt(or: ()) { _ = try outcome.get() }
      }
      return 0
    }
    return live.complete(outcome, onComplete)
  }

  /// Cancels a pending asynchronous write, or the scheduled call after an asynchronous commit.
  ///
  /// Does nothing if the write has begun, or the call was made.
  public func cancelAsyncWrite(_ id: AsyncTransactionId) throws {
    core.checkThread()
    core.live?.asyncWrites.cancel(id)
  }

  /// Runs a block in a write transaction and commits, once the write lock is free; suspends the task without
  /// blocking its actor, and returns when the commit is durable.
  ///
  /// Commits of many tasks share synchronisations of the disk. Other tasks of the actor run meanwhile; they and all
  /// readers see the changes before a loss of power can no longer undo them.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller.
  ///   - block: Makes the changes; if the block throws, they are rolled back.
  /// - Returns: The result of the block.
  /// - Throws: The error of the block, ``Realm/Error``, or `CancellationError` if the task was cancelled
  ///   before the block began; it does not wait for the lock then. A cancellation after the commit has no effect.
  ///   If the disk fails after the commit, the error says that the changes are committed.
  @discardableResult
  public func asyncWrite<Result>(
    isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
  ) async throws -> Result {
    let core = core.liveForWrites()
    core.requireNoTransaction()
    core.asyncWrites.beginTask()
    defer { core.asyncWrites.endTask() }
    try await openTransaction(core, isolation)
    var pending: PendingCommit?
    let (result, committed) = try core.asyncWrites.run {
      try finishWrite(block) { pending = try Error.translating { try core.commit() } }
    }
    do {
      try await (pending ?? committed)?.acknowledgement()
    } catch {
      throw Error(error)
    }
    return result
  }

  /// Suspends the task until the write lock is free, and opens a transaction.
  // A function of its own, so that the suspended task does not retain the transaction while it waits for the disk.
  private func openTransaction(
    _ core: LiveCore, _ isolation: isolated (any Actor)?
  ) async throws {
    let wakeUp = TaskWakeUp()
    let request = core.file.requestWrite(timeout: core.configuration.writeWait) {
      wakeUp.resume()
    }
    while true {
      await withTaskCancellationHandler {
        await withCheckedContinuation { wakeUp.hold($0) }
      } onCancel: {
        wakeUp.resume()
      }
      guard !Task.isCancelled else {
        request.cancel()
        throw CancellationError()
      }
      if let begun = try Error.translating({ try core.file.beginWrite(of: request) }) {
        return try Error.translating { try core.open(begun) }
      }
    }
  }

  /// Moves to the newest version, without blocking the actor; returns whether there was a newer one.
  @discardableResult
  public func asyncRefresh(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    refresh()
  }

  private func add(
    _ block: @escaping () -> Void, commits: Bool, _ onComplete: (((any Swift.Error)?) -> Void)?
  ) -> AsyncTransactionId {
    let core = core.liveForWrites()
    let id = core.asyncWrites.makeID()
    core.asyncWrites.add(
      .init(id: id, body: block, commits: commits, onComplete: onComplete), to: core,
      core.requiredScheduler)
    return id
  }
}

extension LiveCore {
  /// Calls the handler of an asynchronous commit when the commit is durable.
  ///
  /// - Returns: A number for the cancellation of the call.
  fileprivate func complete(
    _ outcome: Result<PendingCommit?, any Error>, _ onComplete: (((any Error)?) -> Void)?
  ) -> AsyncTransactionId {
    let pending = try? outcome.get()
    asyncWrites.note(pending)
    let id = asyncWrites.makeID()
    if let onComplete {
      asyncWrites.complete(id, after: pending, self, requiredScheduler) { error in
        if case .failure(let failure) = outcome { onComplete(failure) } else { onComplete(error) }
      }
    } else if let pending {
      reportFailure(of: pending)
    } else {
      attempt(or: ()) { _ = try outcome.get() }
    }
    return id
  }

  /// Reports the error of a commit without a completion handler, if the disk fails.
  fileprivate func reportFailure(of pending: PendingCommit) {
    guard let schedule = confinement.scheduler else { return }
    let reference = reference
    pending.whenAcknowledged { error in
      guard let error else { return }
      schedule { reference.core?.report(error) }
    }
  }

  /// The scheduler of the Realm's confinement; a confinement without one stops the process.
  fileprivate var requiredScheduler: Scheduler {
    guard let scheduler = confinement.scheduler else {
      ProgrammingError.stop(
        "Asynchronous writes need a Realm that belongs to an actor, a queue or a thread with a run loop; in "
          + "a task, await asyncWrite.")
    }
    return scheduler
  }
}

/// A signal that resumes a suspended task; a signal before the suspension resumes the task immediately.
private final class TaskWakeUp: Sendable {
  private struct State {
    var isPending = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Guarded(State())

  func hold(_ continuation: CheckedContinuation<Void, Never>) {
    let isPending = state.withLock { state in
      defer { state.isPending = false }
      if !state.isPending { state.continuation = continuation }
      return state.isPending
    }
    if isPending { continuation.resume() }
  }

  func resume() {
    let waiting = state.withLock { state in
      defer { state.continuation = nil }
      if state.continuation == nil { state.isPending = true }
      return state.continuation
    }
    waiting?.resume()
  }
}

import CadastreModel
import CadastreStore
import DequeModule
import Dispatch

/// The asynchronous writes of a Realm, in the order in which they were requested.
final class AsyncWrites {
  /// One write.
  struct Pending {
    let id: AsyncTransactionId
    /// The closure that writes.
    let body: () -> Void
    /// Whether the write is committed when it returns, else it is cancelled unless it has
    /// committed.
    let commits: Bool
    let onComplete: (((any Error)?) -> Void)?
  }

  private var pending: Deque<Pending> = []
  private var lastID: AsyncTransactionId = 0
  /// Completions of commits, by their numbers.
  private var completions: [AsyncTransactionId: () -> Void] = [:]
  private var isRunning = false
  /// The number of tasks in `asyncWrite`.
  private var taskCount = 0
  /// The request for the write lock for the next write; nil if there is none.
  private var lockRequest: WriteRequest?
  /// Runs closures where the Realm is confined.
  private var schedule: Scheduler?

  deinit { lockRequest?.cancel() }

  /// Whether there is something left to do.
  var isActive: Bool {
    isRunning || taskCount > 0 || !pending.isEmpty || !completions.isEmpty
  }

  func beginTask() { taskCount += 1 }

  func endTask() { taskCount -= 1 }

  func makeID() -> AsyncTransactionId {
    lastID += 1
    return lastID
  }

  func add(_ write: Pending, to core: RealmCore, _ schedule: @escaping Scheduler) {
    pending.append(write)
    self.schedule = schedule
    request(core)
  }

  /// Takes back a write that has not begun, or the completion of a commit.
  func cancel(_ id: AsyncTransactionId) {
    pending.removeAll { $0.id == id }
    completions[id] = nil
    guard pending.isEmpty else { return }
    // Without a write the lock between processes would be reference for nothing.
    lockRequest?.cancel()
    lockRequest = nil
  }

  /// Calls a closure later, unless it is cancelled before.
  func complete(
    _ id: AsyncTransactionId, _ core: RealmCore, _ schedule: Scheduler, _ body: @escaping () -> Void
  ) {
    completions[id] = body
    let reference = core.reference
    schedule { reference.core?.asyncWrites.runCompletion(id) }
  }

  private func runCompletion(_ id: AsyncTransactionId) { completions.removeValue(forKey: id)?() }

  private func request(_ core: RealmCore) {
    guard !pending.isEmpty, !isRunning, lockRequest == nil, let schedule else { return }
    let reference = core.reference
    lockRequest = WriteRequest(core.file, timeout: core.configuration.writeWait) {
      schedule { reference.core.map { $0.asyncWrites.runNext(in: $0) } }
    }
  }

  /// Opens a transaction for a write that blocks its thread, with the request for the next write, so that it does
  /// not wait behind that.
  ///
  /// - Returns: The transaction; nil if there is no request.
  /// - Throws: ``StoreError`` where the transaction cannot begin.
  func takeLockEarly(_ core: RealmCore) throws(StoreError) -> WriteTransaction? {
    guard let taken = lockRequest else { return nil }
    lockRequest = nil
    defer { request(core) }
    return try taken.beginBlocking()
  }

  /// Runs the next write, if the request for the lock has its turn.
  private func runNext(in core: RealmCore) {
    // A write that blocks its thread may have used the request.
    guard let lockRequest else { return }
    let outcome: Result<WriteTransaction, StoreError>
    do throws(StoreError) {
      guard let begun = try lockRequest.begin() else { return }
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
        // A write without a completion handler waits on.
        pending.prepend(next)
      } else {
        core.report(error)
      }
    case .success(let begun):
      do throws(StoreError) {
        try core.open(begun)
      } catch {
        next.onComplete?(Realm.Error(error))
        return
      }
      isRunning = true
      next.body()
      isRunning = false
      finish(next, in: core)
    }
  }

  private func finish(_ write: Pending, in core: RealmCore) {
    guard core.isInWriteTransaction else {
      write.onComplete?(nil)
      return
    }
    guard write.commits else { return core.cancelWrite() }
    do {
      try core.commitWrite()
      write.onComplete?(nil)
    } catch {
      write.onComplete?((error as? StoreError).map { Realm.Error($0) } ?? error)
    }
  }
}

/// The number of an asynchronous write, by which it can be cancelled.
public typealias AsyncTransactionId = UInt32

extension Realm {
  /// Whether asynchronous writes of this Realm are waiting or running.
  public var isPerformingAsynchronousWriteOperations: Bool { core.asyncWrites.isActive }

  /// Runs a block in a write transaction and commits, once the write lock is free; the caller does
  /// not wait.
  ///
  /// Blocks run in the order in which they were given, where the Realm is confined: on an actor, a
  /// queue or a thread with a run loop.
  /// - Parameters:
  ///   - block: Makes the changes.
  ///   - onComplete: Called after the commit, with the error if there was one.
  /// - Returns: A number by which the write can be cancelled before it begins.
  @discardableResult
  public func writeAsync(
    _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId { add(block, commits: true, onComplete) }

  /// Runs a block in a write transaction, once the write lock is free; the block ends it with
  /// `commitAsyncWrite` or `commitWrite`, else the changes are rolled back.
  ///
  /// - Parameter block: Makes the changes, and commits them.
  /// - Returns: A number by which the write can be cancelled before it begins.
  @discardableResult
  public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
    add(block, commits: false, nil)
  }

  /// Commits a write transaction, and calls a block later, where the Realm belongs.
  ///
  /// - Parameters:
  ///   - allowGrouping: Whether the commit may be made durable together with later ones; it never
  ///     is.
  ///   - onComplete: Called with the error if there was one.
  /// - Returns: A number by which the call of the block can be cancelled.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    let outcome = Swift.Result { try commitWrite() }
    let id = core.asyncWrites.makeID()
    if let onComplete {
      core.asyncWrites.complete(id, core, core.requiredScheduler) {
        if case .failure(let error) = outcome { onComplete(error) } else { onComplete(nil) }
      }
    } else {
      core.attempt(or: ()) { try outcome.get() }
    }
    return id
  }

  /// Takes back an asynchronous write that has not begun, or the call after an asynchronous commit.
  ///
  /// Nothing happens when it has begun, or has been made.
  public func cancelAsyncWrite(_ id: AsyncTransactionId) throws {
    core.checkThread()
    core.asyncWrites.cancel(id)
  }

  /// Runs a block in a write transaction and commits, once the write lock is free; the task waits,
  /// its actor does not.
  ///
  /// - Parameters:
  ///   - isolation: The actor of the caller.
  ///   - block: Makes the changes; a block that throws changes nothing.
  /// - Returns: The result of the block.
  /// - Throws: The error of the block, ``Realm/Error``, or `CancellationError` if the task was cancelled
  ///   before the block began; it does not wait for the lock then.
  @discardableResult
  public func asyncWrite<Result>(
    isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
  ) async throws -> Result {
    let core = core
    core.requireNoTransaction()
    let (file, wait) = (core.file, core.configuration.writeWait)
    core.asyncWrites.beginTask()
    defer { core.asyncWrites.endTask() }
    let wakeUp = TaskWakeUp()
    let request = WriteRequest(file, timeout: wait) { wakeUp.resume() }
    var transaction: WriteTransaction?
    while transaction == nil {
      await withTaskCancellationHandler {
        await withCheckedContinuation { wakeUp.hold($0) }
      } onCancel: {
        wakeUp.resume()
      }
      guard !Task.isCancelled else {
        request.cancel()
        throw CancellationError()
      }
      transaction = try Error.translating { try request.begin() }
    }
    guard let begun = transaction else { throw CancellationError() }
    try Error.translating { try core.open(begun) }
    return try finishWrite([], block)
  }

  /// Moves to the newest version once there is one, without keeping the actor waiting; true if
  /// there was a newer one.
  @discardableResult
  public func asyncRefresh(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    core.refresh()
  }

  private func add(
    _ block: @escaping () -> Void, commits: Bool, _ onComplete: (((any Swift.Error)?) -> Void)?
  ) -> AsyncTransactionId {
    core.checkThread()
    core.requireWritable()
    let id = core.asyncWrites.makeID()
    core.asyncWrites.add(
      .init(id: id, body: block, commits: commits, onComplete: onComplete), to: core,
      core.requiredScheduler)
    return id
  }
}

extension RealmCore {
  /// The scheduler of the Realm's confinement; without one the process stops.
  fileprivate var requiredScheduler: Scheduler {
    guard let scheduler = confinement.scheduler else {
      ProgrammingError.stop(
        "Asynchronous writes need a Realm that belongs to an actor, a queue or a thread with a run loop; in "
          + "a task, await asyncWrite.")
    }
    return scheduler
  }
}

/// Resumes a task that waits; a call before it waits resumes it as soon as it does.
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

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
  private let turn = WriteLockRequest()

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
    request(core, schedule)
  }

  /// Takes back a write that has not begun, or the completion of a commit.
  func cancel(_ id: AsyncTransactionId) {
    pending.removeAll { $0.id == id }
    completions[id] = nil
  }

  /// Calls a closure later, unless it is cancelled before.
  func complete(
    _ id: AsyncTransactionId, _ core: RealmCore, _ schedule: Scheduler, _ body: @escaping () -> Void
  ) {
    completions[id] = body
    let held = core.reference
    schedule { held.core?.asyncWrites.runCompletion(id) }
  }

  private func runCompletion(_ id: AsyncTransactionId) { completions.removeValue(forKey: id)?() }

  private func request(_ core: RealmCore, _ schedule: @escaping Scheduler) {
    guard !pending.isEmpty, !isRunning, !turn.isAwaited else { return }
    let held = core.reference
    turn.await(core.file, core.configuration.writeWait) {
      schedule { held.core?.runNextAsyncWrite(schedule) }
    }
  }

  /// The transaction that the next write has got; nil where a write that waited itself took it.
  func takeLock() -> Result<WriteTransaction, StoreError>? { turn.take(waiting: false) }

  /// The transaction requested for the next write, which waits until it has the write lock; nil
  /// where none is.
  func takeLockEarly() -> Result<WriteTransaction, StoreError>? { turn.take(waiting: true) }

  /// Runs the next write with a transaction that has been opened.
  func runNext(
    _ outcome: Result<WriteTransaction, StoreError>?, in core: RealmCore,
    _ schedule: @escaping Scheduler
  ) {
    defer { request(core, schedule) }
    guard let outcome else { return }
    guard let next = pending.popFirst() else {
      if case .success(let begun) = outcome { begun.rollback() }
      return
    }
    switch outcome {
    case .failure(let error):
      // A write without a completion handler waits on.
      guard let onComplete = next.onComplete else { return pending.prepend(next) }
      onComplete(Realm.Error(error))
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

/// A request for the write lock that waits in the background.
final class WriteLockRequest: Sendable {
  // Safe because the transaction is handed from one owner to the next.
  private struct State: @unchecked Sendable {
    var isAwaited = false
    var isAbandoned = false
    var outcome: Result<WriteTransaction, StoreError>?
  }

  private let state = Guarded(State())
  private let hasCome = DispatchSemaphore(value: 0)

  var isAwaited: Bool { state.withLock { $0.isAwaited } }

  /// Waits in the background, and calls a closure when the lock is held.
  func await(_ file: StoreFile, _ timeout: Duration, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.isAwaited = true }
    let deadline = ContinuousClock.now + timeout
    // One thread waits for all requests of the process, so that the holder of the lock gets one.
    file.writeRequests.async { [self] in
      let timeout = max(.zero, deadline - ContinuousClock.now)
      let arrived = State(
        isAwaited: true,
        outcome: Result { () throws(StoreError) in try file.beginWrite(timeout: timeout) })
      let isAbandoned = state.withLock { state in
        let isAbandoned = state.isAbandoned
        state = isAbandoned ? State() : arrived
        return isAbandoned
      }
      if isAbandoned {
        if case .success(let begun) = arrived.outcome { begun.rollback() }
      } else {
        hasCome.signal()
        body()
      }
    }
  }

  /// Rolls back the transaction when the lock is held, unless it is held already.
  func abandon() { state.withLock { if $0.outcome == nil { $0.isAbandoned = true } } }

  /// Takes the transaction, once it has the write lock.
  func take(waiting: Bool) -> Result<WriteTransaction, StoreError>? {
    guard isAwaited else { return nil }
    guard hasCome.wait(timeout: waiting ? .distantFuture : .now()) == .success else { return nil }
    return state.withLock { state in
      defer { state = State() }
      return State(outcome: state.outcome)
    }.outcome
  }
}

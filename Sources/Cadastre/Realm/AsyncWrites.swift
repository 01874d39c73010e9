import CadastreModel
import CadastreStore
import DequeModule

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
  /// The request for the write lock for the next write; nil where there is none.
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
    // Without a write the lock between processes would be held for nothing.
    lockRequest?.cancel()
    lockRequest = nil
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

  private func request(_ core: RealmCore) {
    guard !pending.isEmpty, !isRunning, lockRequest == nil, let schedule else { return }
    let held = core.reference
    lockRequest = WriteRequest(core.file, timeout: core.configuration.writeWait) {
      schedule { held.core.map { $0.asyncWrites.runNext(in: $0) } }
    }
  }

  /// Opens a transaction for a write that blocks its thread, with the request for the next write, so that it does
  /// not wait behind that.
  ///
  /// - Returns: The transaction; nil where there is no request.
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

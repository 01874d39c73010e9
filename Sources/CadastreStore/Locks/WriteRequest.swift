import CadastreModel
import Dispatch

/// A request for the write lock of a store that waits without a thread.
///
/// The requests of a process are served in their order, together with the threads that wait for the lock. Only
/// the one request that has the turn waits for other processes, on a queue of the store.
package final class WriteRequest: Sendable {
  private enum State {
    case waiting
    /// A queue waits for the writers of other processes.
    case waitingForProcesses
    /// That wait has failed.
    case failed(StoreError)
    case cancelled
  }

  private let file: StoreFile
  private let turn: WriterTurns.Request
  private let state = Guarded(State.waiting)
  private let onTurn: @Sendable () -> Void

  /// Requests the write lock.
  ///
  /// - Parameters:
  ///   - file: The store.
  ///   - timeout: How long to wait for other writers.
  ///   - onTurn: Called, on any thread and at any time, when `begin()` is to be called; it may be called several
  ///     times.
  package init(
    _ file: StoreFile, timeout: Duration, onTurn: @escaping @Sendable () -> Void
  ) {
    self.file = file
    self.onTurn = onTurn
    turn = WriterTurns.Request(until: .now + timeout, wake: onTurn)
    file.writerTurns.add(turn)
  }

  /// Opens the write transaction if the request has the turn; never waits for other writers.
  ///
  /// - Returns: The transaction; nil where the request waits on, so that `onTurn` will be called again.
  /// - Throws: ``StoreError``: `busy` after the timeout, or why the transaction cannot begin. The request has
  ///   ended then.
  package func begin() throws(StoreError) -> WriteTransaction? {
    switch state.withLock({ $0 }) {
    case .failed(let error): throw error
    case .waitingForProcesses: return nil
    case .waiting, .cancelled: break
    }
    switch file.writerTurns.claim(turn) {
    case .waiting: return nil
    case .expired: throw StoreError(.busy, path: file.path)
    case .granted: break
    }
    do throws(StoreError) {
      guard try file.lockProcesses(until: nil) else {
        waitForProcesses()
        return nil
      }
    } catch {
      file.releaseWriter()
      throw error
    }
    return try file.beginWriteWithTurn(until: turn.deadline, isAsynchronous: true)
  }

  /// Blocks the thread until the request has its turn, and opens the write transaction.
  ///
  /// - Returns: The transaction; nil where a queue waits for other processes on behalf of the request, which is
  ///   cancelled then.
  /// - Throws: ``StoreError``: `busy` after the timeout, or why the transaction cannot begin.
  package func beginBlocking() throws(StoreError) -> WriteTransaction? {
    let isWaiting = state.withLock { state in
      if case .waiting = state { return true }
      return false
    }
    guard isWaiting else {
      cancel()
      return nil
    }
    guard file.writerTurns.wait(until: turn.deadline, replacing: turn) else {
      throw StoreError(.busy, path: file.path)
    }
    return try file.beginWriteWithTurn(until: turn.deadline, isAsynchronous: false)
  }

  /// Withdraws the request; it does nothing where the transaction has begun.
  package func cancel() {
    let isWaitedFor = state.withLock { state in
      defer { state = .cancelled }
      if case .waitingForProcesses = state { return true }
      return false
    }
    // The queue that waits ends the turn.
    guard !isWaitedFor, file.writerTurns.cancel(turn) else { return }
    file.releaseWriter()
  }

  /// Waits for the writers of other processes on a queue of the store.
  private func waitForProcesses() {
    state.withLock { $0 = .waitingForProcesses }
    file.processWaits.async { [self] in
      let outcome = Result { () throws(StoreError) in
        try file.lockProcesses(until: turn.deadline)
      }
      let isWithdrawn = state.withLock { state in
        if case .cancelled = state { return true }
        if case .failure(let error) = outcome { state = .failed(error) } else { state = .waiting }
        return false
      }
      guard !isWithdrawn, case .success = outcome else {
        file.releaseWriter()
        if !isWithdrawn { onTurn() }
        return
      }
      file.writerTurns.offerAgain(turn)
      // Before the offer a cancellation had no turn to end.
      if isCancelled, file.writerTurns.cancel(turn) { file.releaseWriter() }
      let deadline = DispatchTime.now() + .milliseconds(Self.claimMilliseconds)
      file.processWaits.asyncAfter(deadline: deadline) { [self] in unlockUnclaimed() }
    }
  }

  /// Releases the lock between processes where the turn was not claimed, because what would claim it is busy.
  private func unlockUnclaimed() {
    guard file.writerTurns.withdrawOffer(of: turn) else { return }
    file.unlockProcesses()
    file.writerTurns.release()
  }

  /// How long the lock between processes waits for a claim of the turn.
  private static let claimMilliseconds = 20

  private var isCancelled: Bool {
    state.withLock { state in
      if case .cancelled = state { true } else { false }
    }
  }
}

import CPostgreSQL
import Synchronization

/// The right to cancel the statement that a connection runs, from any thread.
final class CancelRequest: Sendable {
  private struct State {
    var isRunning = false
    var wasSent = false
  }

  // Immutable after initialisation; PQcancel may be called from any thread.
  private nonisolated(unsafe) let handle: OpaquePointer?
  private let state = Mutex(State())

  /// Creates a request for an open connection.
  init(_ connection: OpaquePointer) { handle = PQgetCancel(connection) }

  deinit { PQfreeCancel(handle) }

  /// Marks the beginning of a statement.
  func begin() { state.withLock { $0 = State(isRunning: true) } }

  /// Marks the end of a statement; later calls of ``cancel()`` have no effect.
  func end() { state.withLock { $0.isRunning = false } }

  /// Whether the current statement, or the last one, was cancelled.
  var wasSent: Bool { state.withLock { $0.wasSent } }

  /// Asks the server to stop the current statement.
  func cancel() {
    // Under the lock, so that the request cannot reach the next statement of the connection.
    state.withLock { state in
      guard state.isRunning else { return }
      state.wasSent = true
      send()
    }
  }

  /// Asks the server again, if the statement was cancelled: it ignores a request that arrives before
  /// the statement.
  func repeatIfSent() {
    state.withLock { state in
      if state.isRunning, state.wasSent { send() }
    }
  }

  private func send() {
    var message = [CChar](repeating: 0, count: 256)
    _ = PQcancel(handle, &message, Int32(message.count))
  }
}

import CPostgreSQL
import Dispatch
import Foundation
import Synchronization

/// Cancels the statement that a connection runs, from any thread.
///
/// `PQcancel` blocks without a limit, so that a new thread sends each request, one request at a time.
final class CancelRequest: Sendable {
  private struct State {
    var isRunning = false
    var wasSent = false
    /// The semaphore that the sending thread signals at its end; nil while no request is sent.
    var sending: DispatchSemaphore?
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
  ///
  /// - Parameter seconds: The maximum time to wait for the end of a running request.
  /// - Returns: Whether all requests have ended, so that none can reach the next statement.
  func end(waiting seconds: Double) -> Bool {
    let sending = state.withLock { state in
      state.isRunning = false
      return state.sending
    }
    return sending?.wait(timeout: .now() + seconds) != .timedOut
  }

  /// Whether the current statement, or the last one, was cancelled.
  var wasSent: Bool { state.withLock { $0.wasSent } }

  /// Requests the server to stop the current statement.
  func cancel() {
    state.withLock { state in
      guard state.isRunning else { return }
      state.wasSent = true
      send(&state)
    }
  }

  /// Sends the request of a cancelled statement again, because the server ignores a request that arrives
  /// before the statement.
  func repeatIfSent() {
    state.withLock { state in
      if state.isRunning, state.wasSent { send(&state) }
    }
  }

  private func send(_ state: inout State) {
    guard state.sending == nil else { return }
    let end = DispatchSemaphore(value: 0)
    state.sending = end
    Thread.detachNewThread {
      var message = [CChar](repeating: 0, count: 256)
      _ = PQcancel(self.handle, &message, Int32(message.count))
      self.state.withLock { $0.sending = nil }
      end.signal()
    }
  }
}

import CadastreModel
import CadastreSQLite
import Foundation

/// A pool of threads for reads of the store, which would block the event loops of the server.
final class WorkQueue: Sendable {
  private let queue: OperationQueue
  private let waiting = Guarded(0)
  private let timeout: Duration
  private let deadlines: Deadlines

  /// The maximum number of queued and running requests.
  private static let mostWaiting = 256

  init(threads: Int, timeout: Duration) {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = threads
    queue.qualityOfService = .userInitiated
    self.timeout = timeout
    deadlines = Deadlines(after: timeout)
  }

  /// Runs a closure on a thread; cancelling the task, or the timeout, cancels its queries.
  ///
  /// - Throws: The error of the closure, or ``RequestError`` 503 for too many requests or after the timeout.
  func run<Result: Sendable>(
    _ cancellation: QueryCancellation, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let isAdmitted = waiting.withLock { count in
      guard count < Self.mostWaiting else { return false }
      count += 1
      return true
    }
    guard isAdmitted else {
      throw RequestError(503, "busy", "too many requests wait; try again later")
    }
    defer { waiting.withLock { $0 -= 1 } }
    let request = deadlines.add(cancellation)
    defer { deadlines.remove(request) }
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          queue.addOperation {
            continuation.resume(
              with: Swift.Result {
                guard !cancellation.isCancelled else { throw CancellationError() }
                return try body()
              })
          }
        }
      } onCancel: {
        cancellation.cancel()
      }
    } catch  where cancellation.isCancelled {
      let seconds =
        Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
      throw RequestError(
        503, "timeout",
        "the request took longer than \(JSONItem.number(seconds).text) s and was cancelled; "
          + "narrow the condition, or ask for fewer objects")
    }
  }
}

/// Cancels requests after a timeout, with one timer for all requests.
///
/// A sleeping task per request would occupy memory until the timeout, also after a cancellation.
final class Deadlines: Sendable {
  private struct State {
    var next = 0
    var requests: [Int: (end: ContinuousClock.Instant, cancellation: QueryCancellation)] = [:]
  }

  private let timeout: Duration
  private let state = Guarded(State())

  /// The interval between two checks of the requests.
  private static let interval = Duration.milliseconds(100)

  init(after timeout: Duration) {
    self.timeout = timeout
    Task { [weak self] in
      while self != nil {
        try await Task.sleep(for: Self.interval)
        self?.cancelLateRequests()
      }
    }
  }

  /// Adds a request and returns its number.
  func add(_ cancellation: QueryCancellation) -> Int {
    if timeout <= .zero { cancellation.cancel() }
    return state.withLock { state in
      state.next += 1
      state.requests[state.next] = (.now + timeout, cancellation)
      return state.next
    }
  }

  /// Removes a request that has ended.
  func remove(_ number: Int) { state.withLock { $0.requests[number] = nil } }

  private func cancelLateRequests() {
    let now = ContinuousClock.now
    state.withLock { state in
      for request in state.requests.values where request.end <= now {
        request.cancellation.cancel()
      }
    }
  }
}

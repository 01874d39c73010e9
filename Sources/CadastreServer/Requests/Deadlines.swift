import CadastreModel
import CadastreSQLite

/// Cancels requests whose time is over, by one timer for all.
///
/// A sleeping task for each request would stay in memory until its end, also where it is cancelled.
final class Deadlines: Sendable {
  private struct State {
    var next = 0
    var requests: [Int: (end: ContinuousClock.Instant, cancellation: QueryCancellation)] = [:]
  }

  private let timeout: Duration
  private let state = Guarded(State())

  /// The time between two looks at the requests.
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

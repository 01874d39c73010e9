import CadastreModel
import DequeModule
import Dispatch

/// The turns of the writers of one store within this process, in the order of their requests.
///
/// A thread waits until it has the turn. A request that waits without a thread is offered the turn, and
/// has it once it claims it. An offer that is not claimed for a while is passed to the next request, because
/// the threads that could run the claim may themselves wait for the turn; the request that was passed over is
/// the next one as soon as it tries to claim.
final class WriterTurns: Sendable {
  /// One request.
  final class Request: Sendable {
    /// When the request fails.
    let deadline: ContinuousClock.Instant
    /// Whether a thread waits for it.
    fileprivate let isBlocking: Bool
    /// Called when the turn is offered, and when the deadline has passed.
    fileprivate let wake: @Sendable () -> Void

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - deadline: When the request fails.
    ///   - wake: Called, on any thread, whenever `claim(_:)` may have another result.
    convenience init(
      until deadline: ContinuousClock.Instant, wake: @escaping @Sendable () -> Void
    ) {
      self.init(until: deadline, isBlocking: false, wake: wake)
    }

    fileprivate init(
      until deadline: ContinuousClock.Instant, isBlocking: Bool,
      wake: @escaping @Sendable () -> Void
    ) {
      self.deadline = deadline
      self.isBlocking = isBlocking
      self.wake = wake
    }
  }

  /// The result of a claim.
  enum Claim { case granted, waiting, expired }

  fileprivate enum Holder {
    case none
    case writer
    case offered(Request, since: ContinuousClock.Instant)
  }

  fileprivate struct State {
    var holder = Holder.none
    var waiting: Deque<Request> = []
    /// Requests whose offers were passed on.
    var passed: [Request] = []
    var isInspectionScheduled = false
  }

  private let state = Guarded(State())
  private let inspections = DispatchQueue(label: "cadastre.writer-turns")

  /// How long an offer stays with a request that does not claim it while others wait.
  private static let offerDuration: Duration = .milliseconds(20)

  // MARK: Threads

  /// Blocks the thread until it has the turn.
  ///
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - request: A request whose position in the queue the thread takes over; nil for the end.
  /// - Returns: Whether the thread has the turn.
  func wait(
    until deadline: ContinuousClock.Instant, replacing request: Request? = nil
  ) -> Bool {
    if request == nil, takeFree() { return true }
    let semaphore = DispatchSemaphore(value: 0)
    let own = Request(until: deadline, isBlocking: true) { semaphore.signal() }
    let hasTurn = change { state in
      if let request {
        if case .offered(let offered, _) = state.holder, offered === request {
          state.holder = .writer
          return (true, nil)
        }
        if let index = state.waiting.firstIndex(where: { $0 === request }) {
          state.waiting[index] = own
          return (false, nil)
        }
        state.passed.removeAll { $0 === request }
      }
      guard state.waiting.isEmpty, case .none = state.holder else {
        state.waiting.append(own)
        return (false, nil)
      }
      state.holder = .writer
      return (true, nil)
    }
    if hasTurn { return true }
    let nanoseconds = Int(min((deadline - .now) / .nanoseconds(1), 1e18))
    if semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success { return true }
    // The turn may have come since the timeout.
    return state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0 === own }) else { return true }
      state.waiting.remove(at: index)
      return false
    }
  }

  /// Takes the turn where nobody has it or waits for it.
  private func takeFree() -> Bool {
    state.withLock { state in
      guard state.waiting.isEmpty, case .none = state.holder else { return false }
      state.holder = .writer
      return true
    }
  }

  // MARK: Requests without a thread

  /// Adds a request; it is offered the turn when those before it have ended.
  func add(_ request: Request) {
    change { state in
      state.waiting.append(request)
      return ((), state.offerNext())
    }
  }

  /// Takes the turn that a request was offered.
  ///
  /// - Returns: Whether the request has the turn, waits on, or has failed by its deadline.
  func claim(_ request: Request) -> Claim {
    change { state in
      if case .offered(let offered, _) = state.holder, offered === request {
        state.holder = .writer
        return (.granted, nil)
      }
      if state.waiting.contains(where: { $0 === request }) { return (.waiting, nil) }
      guard let index = state.passed.firstIndex(where: { $0 === request }) else {
        return (.expired, nil)
      }
      state.passed.remove(at: index)
      state.waiting.prepend(request)
      return (.waiting, state.offerNext())
    }
  }

  /// Gives the turn of a request back to it, after something else that it waits for.
  func offerAgain(_ request: Request) {
    change { state in
      state.waiting.prepend(request)
      state.holder = .none
      return ((), state.offerNext())
    }
  }

  /// Takes an offered turn back from a request, which is the next one then.
  ///
  /// A request whose offer was passed on stays as it is.
  ///
  /// - Returns: Whether the request was offered the turn; the caller has the turn then, and releases it.
  func withdrawOffer(of request: Request) -> Bool {
    state.withLock { state in
      guard case .offered(let offered, _) = state.holder, offered === request else { return false }
      state.holder = .writer
      // A claim before the release finds the request waiting, not expired.
      state.waiting.prepend(request)
      return true
    }
  }

  /// Withdraws a request.
  ///
  /// - Returns: Whether it was offered the turn; the caller has the turn then, and releases it.
  func cancel(_ request: Request) -> Bool {
    state.withLock { state in
      state.waiting.removeAll { $0 === request }
      state.passed.removeAll { $0 === request }
      guard case .offered(let offered, _) = state.holder, offered === request else { return false }
      state.holder = .writer
      return true
    }
  }

  // MARK: The end

  /// Ends the turn of the writer.
  func release() {
    change { state in
      state.holder = .none
      return ((), state.offerNext())
    }
  }

  /// Changes the state, and wakes the request that was given the turn by the change.
  private func change<Result: Sendable>(
    _ body: (inout State) -> (Result, Request?)
  ) -> Result {
    let (result, woken, inspects) = state.withLock { state in
      let (result, woken) = body(&state)
      let inspects = state.needsInspection && !state.isInspectionScheduled
      if inspects { state.isInspectionScheduled = true }
      return (result, woken, inspects)
    }
    woken?.wake()
    if inspects { scheduleInspection() }
    return result
  }

  // MARK: Deadlines

  private func scheduleInspection() {
    inspections.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
      self?.inspect()
    }
  }

  /// Removes requests whose deadlines have passed, and passes on an offer that is not claimed.
  private func inspect() {
    let now = ContinuousClock.now
    let expired = state.withLock { state in
      state.isInspectionScheduled = false
      let expired = state.waiting.filter { !$0.isBlocking && $0.deadline <= now }
      if !expired.isEmpty { state.waiting.removeAll { !$0.isBlocking && $0.deadline <= now } }
      return expired
    }
    for request in expired { request.wake() }
    change { state in
      guard case .offered(let request, let since) = state.holder, !state.waiting.isEmpty,
        now - since >= Self.offerDuration
      else { return ((), nil) }
      state.passed.append(request)
      state.holder = .none
      // A thread that waits may be the one that has to run the claim.
      return ((), state.offerNext(blockingFirst: true))
    }
  }
}

extension WriterTurns.State {
  /// Gives a free turn to the first request, or to the first thread, and returns the request.
  fileprivate mutating func offerNext(blockingFirst: Bool = false) -> WriterTurns.Request? {
    guard case .none = holder, !waiting.isEmpty else { return nil }
    let index = blockingFirst ? waiting.firstIndex { $0.isBlocking } ?? 0 : 0
    let next = waiting.remove(at: index)
    holder = next.isBlocking ? .writer : .offered(next, since: .now)
    return next
  }

  /// Whether requests may expire or an offer may have to be passed on.
  fileprivate var needsInspection: Bool {
    guard !waiting.isEmpty else { return false }
    if case .offered = holder { return true }
    return waiting.contains { !$0.isBlocking }
  }
}

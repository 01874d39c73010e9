import CadastreModel
import DequeModule
import Dispatch
import Foundation

/// The lock between processes, which a ``WriteLock`` takes for its requests.
protocol ProcessLock: Sendable {
  /// Takes the lock; does nothing while this process has it.
  ///
  /// - Parameter deadline: How long to wait; nil not to wait.
  /// - Returns: Whether this process has the lock; false only without a deadline.
  /// - Throws: ``StoreError``; `busy` only after a deadline.
  func lockProcesses(until deadline: ContinuousClock.Instant?) throws(StoreError) -> Bool

  /// Releases the lock.
  func unlockProcesses()
}

/// The lock of the writers of one store within this process, which they get in the order of their requests.
///
/// A request blocks a thread or calls a closure. A thread receives the lock. A closure receives an offer, and `claim`
/// takes the lock. An offer that is not claimed for 20 ms is passed on, because the threads that could run the
/// claim may themselves wait for the lock. The request keeps its position, and is offered the lock again after its
/// next claim.
///
/// The lock between processes comes second. A thread waits for it itself. A claim that finds it taken leaves the wait to
/// a queue, so that no thread of the caller blocks, and the request is offered the lock again afterwards.
package final class WriteLock: Sendable {
  private let path: String
  private let contents = Guarded(Contents())
  private let inspections = DispatchQueue(label: "cadastre.write-lock")
  private let processWaits = DispatchQueue(label: "cadastre.process-waits")
  private let offerDuration: Duration

  /// Creates a free lock.
  ///
  /// - Parameters:
  ///   - path: The path of the store, which errors name.
  ///   - offerDuration: How long an offer lasts while another request or another process may need the lock.
  init(path: String, offerDuration: Duration = .milliseconds(20)) {
    self.path = path
    self.offerDuration = offerDuration
  }

  // MARK: Threads

  /// Blocks the thread until it has the lock.
  ///
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - request: A request whose position the thread takes over; nil for the end of the queue.
  /// - Throws: ``StoreError`` `busy` at the deadline.
  func acquire(
    until deadline: ContinuousClock.Instant, replacing request: Request? = nil
  ) throws(StoreError) {
    if request == nil, takeFree() { return }
    let semaphore = DispatchSemaphore(value: 0)
    let own = Request(self, until: deadline, .thread(semaphore))
    change { contents in
      contents.add(own, replacing: request)
      if case .granted = own.state { return own }
      return contents.grantFree()
    }
    let nanoseconds = Int(min((deadline - .now) / .nanoseconds(1), 1e18))
    if semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success { return }
    // The lock may have come since the timeout.
    let isGranted = contents.withLock { contents in
      if case .granted = own.state { return true }
      _ = contents.end(own, .expired)
      return false
    }
    guard isGranted else { throw StoreError(.busy, path: path) }
  }

  private func takeFree() -> Bool {
    contents.withLock { contents in
      guard !contents.isTaken else { return false }
      contents.isTaken = true
      return true
    }
  }

  /// Releases the lock.
  func release() {
    change { contents in
      contents.caller = nil
      contents.isTaken = false
      return contents.grantFree()
    }
  }

  // MARK: Requests with a closure

  /// Adds a request, which is offered the lock when those before it have ended.
  ///
  /// - Parameters:
  ///   - deadline: When the request fails.
  ///   - wake: Called, on any thread, whenever `claim` may have another result.
  /// - Returns: The request.
  func request(
    until deadline: ContinuousClock.Instant, wake: @escaping @Sendable () -> Void
  ) -> Request {
    let request = Request(self, until: deadline, .closure(wake))
    change { contents in
      contents.add(request)
      return contents.grantFree()
    }
    return request
  }

  /// Takes this lock and the lock between processes for a request that was offered the lock; never waits.
  ///
  /// - Returns: Whether the request has both locks. Otherwise its closure will be called again, unless the request has
  ///   ended by a cancellation or an earlier claim.
  /// - Throws: ``StoreError``: `busy` after the deadline, or the error of `processes`. The request has ended then.
  func claim(_ request: Request, _ processes: some ProcessLock) throws(StoreError) -> Bool {
    let state = change { contents -> (State, Request?) in
      let state = request.state
      switch state {
      // A cancellation during the attempt below finds the request in this state.
      case .offered: request.state = .waitingForProcesses
      case .passedOver: request.state = .waiting
      default: break
      }
      return (state, contents.grantFree())
    }
    switch state {
    case .offered: break
    case .expired: throw StoreError(.busy, path: path)
    case .failed(let error): throw error
    case .waiting, .passedOver, .waitingForProcesses, .granted, .cancelled: return false
    }
    let isFree: Bool
    do throws(StoreError) {
      isFree = try processes.lockProcesses(until: nil)
    } catch {
      endWait(for: processes, error, claimedBy: request)
      throw error
    }
    if isFree { return endWait(for: processes, nil, claimedBy: request) }
    // The closure retains the owner of the lock between processes.
    processWaits.async { [self] in
      do throws(StoreError) {
        _ = try processes.lockProcesses(until: request.deadline)
        endWait(for: processes, nil)
      } catch {
        endWait(for: processes, error)
      }
    }
    return false
  }

  /// Ends the wait for other processes; the request may have been cancelled or replaced by a thread meanwhile.
  ///
  /// - Parameters:
  ///   - processes: The lock between processes.
  ///   - error: Why it is not held; nil where it is held.
  ///   - claimant: The request whose claim calls this; nil after a wait on the queue.
  /// - Returns: Whether the claimant has both locks.
  @discardableResult
  private func endWait(
    for processes: some ProcessLock, _ error: StoreError?, claimedBy claimant: Request? = nil
  ) -> Bool {
    var (isGranted, passesOn) = (false, false)
    change { contents in
      guard let request = contents.current else {
        passesOn = true
        return nil
      }
      if request.isBlocking {
        // The thread waits for the lock between processes itself where this wait has failed.
        contents.grant(request)
      } else if let error {
        contents.current = nil
        request.state = .failed(error)
        passesOn = true
      } else if request === claimant {
        contents.grant(request)
        isGranted = true
      } else {
        contents.offer(request, holding: processes)
      }
      return request === claimant ? nil : request
    }
    if passesOn { passOn(processes) }
    return isGranted
  }

  fileprivate func cancel(_ request: Request) {
    guard let offer = contents.withLock({ $0.end(request, .cancelled) }) else { return }
    passOn(offer.processes)
  }

  /// Passes the lock on to the next request after an offer or a wait that has ended.
  private func passOn(_ processes: (any ProcessLock)?, threadsFirst: Bool = false) {
    // This lock is still taken, so that no writer relies on the lock between processes meanwhile.
    processes?.unlockProcesses()
    change { contents in
      contents.isTaken = false
      return contents.grantFree(threadsFirst: threadsFirst)
    }
  }

  // MARK: The caller

  /// Records that the current thread or task has the lock.
  func noteCaller() { contents.withLock { $0.caller = .current } }

  /// Whether the current thread or task has the lock and has noted that.
  var isHeldByCaller: Bool { contents.withLock { $0.caller.map { $0 == .current } ?? false } }

  // MARK: Changes and deadlines

  /// Changes the contents, and wakes the request that has received the lock or has ended.
  private func change(_ body: (inout Contents) -> Request?) {
    change { contents in ((), body(&contents)) }
  }

  /// Changes the contents, wakes a request, and returns a result.
  private func change<Result: Sendable>(
    _ body: (inout Contents) -> (Result, Request?)
  ) -> Result {
    let (result, woken, inspects) = contents.withLock { contents in
      let (result, woken) = body(&contents)
      let inspects = contents.needsInspection && !contents.isInspectionScheduled
      if inspects { contents.isInspectionScheduled = true }
      return (result, woken, inspects)
    }
    woken?.wake()
    if inspects {
      inspections.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
        self?.inspect()
      }
    }
    return result
  }

  /// Ends the requests whose deadlines have passed, and passes on an offer that was not claimed.
  private func inspect() {
    let now = ContinuousClock.now
    let (expired, offer) = contents.withLock { contents in
      contents.isInspectionScheduled = false
      let expired = contents.queue.filter { !$0.isBlocking && $0.deadline <= now }
      for request in expired { _ = contents.end(request, .expired) }
      return (expired, contents.withdrawOffer(madeBefore: now - offerDuration))
    }
    for request in expired { request.wake() }
    if let offer {
      // A waiting thread may be needed for the claim.
      passOn(offer.processes, threadsFirst: true)
    } else {
      change { _ in nil }
    }
  }
}

extension WriteLock {
  /// A request for the lock.
  // Safe because the lock of the contents guards the mutable properties.
  package final class Request: @unchecked Sendable {
    fileprivate enum Waiter {
      case thread(DispatchSemaphore)
      case closure(@Sendable () -> Void)
    }

    /// When the request fails.
    let deadline: ContinuousClock.Instant
    private let waiter: Waiter
    // Weak, because the lock retains the requests that wait.
    private weak var lock: WriteLock?
    /// The position in the order of the requests.
    fileprivate var number = 0
    fileprivate var state = State.waiting {
      willSet { assert(state.mayBecome(newValue), "\(state) became \(newValue)") }
    }

    fileprivate init(_ lock: WriteLock, until deadline: ContinuousClock.Instant, _ waiter: Waiter) {
      self.lock = lock
      self.deadline = deadline
      self.waiter = waiter
    }

    fileprivate var isBlocking: Bool { if case .thread = waiter { true } else { false } }

    fileprivate func wake() {
      switch waiter {
      case .thread(let semaphore): semaphore.signal()
      case .closure(let closure): closure()
      }
    }

    /// Withdraws the request; does nothing where it has ended.
    package func cancel() { lock?.cancel(self) }
  }

  /// The offer of the lock to a request.
  fileprivate struct Offer: Sendable {
    let start = ContinuousClock.now
    /// The lock between processes, where the offer holds it; its owner is retained meanwhile.
    let processes: (any ProcessLock)?
  }

  /// The states of a request.
  fileprivate enum State: Sendable {
    /// In the queue.
    case waiting
    /// The lock is reserved for the request until its claim.
    case offered(Offer)
    /// In the queue, and not offered the lock before the next claim.
    case passedOver
    /// The request has the lock, and waits for the lock between processes.
    case waitingForProcesses
    case granted
    case expired
    case cancelled
    case failed(StoreError)

    func mayBecome(_ next: State) -> Bool {
      switch self {
      case .waiting:
        switch next {
        case .offered, .waitingForProcesses, .granted, .expired, .cancelled: true
        case .waiting, .passedOver, .failed: false
        }
      case .offered:
        switch next {
        case .waiting, .passedOver, .waitingForProcesses, .cancelled: true
        case .offered, .granted, .expired, .failed: false
        }
      case .passedOver:
        switch next {
        case .waiting, .expired, .cancelled: true
        case .offered, .passedOver, .waitingForProcesses, .granted, .failed: false
        }
      case .waitingForProcesses:
        switch next {
        case .offered, .granted, .expired, .cancelled, .failed: true
        case .waiting, .passedOver, .waitingForProcesses: false
        }
      case .granted, .expired, .cancelled, .failed: false
      }
    }
  }

  fileprivate struct Contents {
    /// Whether the lock is taken: by a writer, for the current request, or to be passed on.
    var isTaken = false
    /// The request that is offered the lock, or has it and waits for other processes.
    var current: Request?
    /// The requests that wait or were passed over, in their order; a free lock has none that waits.
    var queue: Deque<Request> = []
    var lastNumber = 0
    /// The caller that has the lock; nil where it is not noted.
    var caller: Caller?
    var isInspectionScheduled = false

    /// Adds a request at the end, or in place of another one that has not ended, which is cancelled.
    mutating func add(_ request: Request, replacing old: Request? = nil) {
      let state = old?.state
      if let old {
        request.number = old.number
        _ = end(old, .cancelled)
      }
      switch state {
      case .waiting, .passedOver: insert(request)
      case .offered: grant(request)
      case .waitingForProcesses:
        request.state = .waitingForProcesses
        current = request
      case nil, .granted, .expired, .cancelled, .failed:
        lastNumber += 1
        request.number = lastNumber
        queue.append(request)
      }
    }

    private mutating func insert(_ request: Request) {
      queue.insert(
        request, at: queue.firstIndex { $0.number > request.number } ?? queue.count)
    }

    /// Gives a free lock to the first request that waits.
    ///
    /// - Parameter threadsFirst: Whether a thread that waits comes before the others.
    /// - Returns: The request that has received the lock or an offer.
    mutating func grantFree(threadsFirst: Bool = false) -> Request? {
      guard !isTaken, !queue.isEmpty else { return nil }
      let thread = threadsFirst ? queue.firstIndex { $0.isBlocking } : nil
      guard let index = thread ?? queue.firstIndex(where: Self.isWaiting) else { return nil }
      let request = queue.remove(at: index)
      isTaken = true
      if request.isBlocking { grant(request) } else { offer(request, holding: nil) }
      return request
    }

    mutating func grant(_ request: Request) {
      current = nil
      request.state = .granted
    }

    mutating func offer(_ request: Request, holding processes: (any ProcessLock)?) {
      current = request
      request.state = .offered(Offer(processes: processes))
    }

    /// Ends a request that has not ended.
    ///
    /// - Returns: The offer that the request had; the lock stays taken, and the caller passes it on.
    mutating func end(_ request: Request, _ state: State) -> Offer? {
      switch request.state {
      case .waiting, .passedOver: queue.removeAll { $0 === request }
      case .offered, .waitingForProcesses: current = nil
      case .granted, .expired, .cancelled, .failed: return nil
      }
      defer { request.state = state }
      if case .offered(let offer) = request.state { return offer }
      return nil
    }

    /// Ends an offer that other requests or processes wait for, and returns its request to the queue.
    ///
    /// - Returns: The offer; the lock stays taken, and the caller passes it on.
    mutating func withdrawOffer(madeBefore instant: ContinuousClock.Instant) -> Offer? {
      guard let request = current, case .offered(let offer) = request.state,
        offer.start <= instant
      else { return nil }
      let hasRival = queue.contains(where: Self.isWaiting)
      guard hasRival || offer.processes != nil else { return nil }
      current = nil
      request.state = hasRival ? .passedOver : .waiting
      insert(request)
      return offer
    }

    /// Whether a deadline may pass, or an offer may have to be withdrawn.
    var needsInspection: Bool {
      guard current != nil || !queue.isEmpty else { return false }
      if case .offered(let offer) = current?.state,
        offer.processes != nil || queue.contains(where: Self.isWaiting)
      {
        return true
      }
      return queue.contains { !$0.isBlocking }
    }

    private static func isWaiting(_ request: Request) -> Bool {
      if case .waiting = request.state { true } else { false }
    }
  }
}

/// The thread or the task that has opened a write transaction.
///
/// On a thread two Realms of one store are the same, but not within a task; there a nested write would wait for ever.
// Safe because the reference to a thread is only compared.
private enum Caller: Equatable, @unchecked Sendable {
  case thread(pthread_t)
  case task(Int)

  static var current: Caller {
    withUnsafeCurrentTask { $0.map { .task($0.hashValue) } ?? .thread(pthread_self()) }
  }
}

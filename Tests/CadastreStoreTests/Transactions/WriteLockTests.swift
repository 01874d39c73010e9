import CadastreModel
import CadastreTestSupport
import Dispatch
import Foundation
import Testing
import TestingSupport

@testable import CadastreStore

/// A lock between processes that tests hold, release and let fail.
private final class TestProcesses: ProcessLock {
  private struct State {
    var isFree = true
    var isHeld = false
    var error: StoreError?
  }

  private let state = Guarded(State())
  /// Called during each attempt without a deadline.
  let duringAttempt = Guarded<@Sendable () -> Void>({})
  /// Ends a wait with a deadline.
  let arrived = DispatchSemaphore(value: 0)

  var isHeld: Bool { state.withLock { $0.isHeld } }

  func takeByOther() { state.withLock { $0.isFree = false } }

  /// Ends the wait of a request with the lock, or with an error.
  func endWait(_ error: StoreError? = nil) {
    state.withLock { state in
      state.isFree = error == nil
      state.error = error
    }
    arrived.signal()
  }

  func lockProcesses(until deadline: ContinuousClock.Instant?) throws(StoreError) -> Bool {
    if deadline == nil { duringAttempt.withLock { $0 }() } else { arrived.wait() }
    return try state.withLock { (state) throws(StoreError) in
      if let error = state.error { throw error }
      state.isHeld = state.isHeld || state.isFree
      return state.isHeld
    }
  }

  func unlockProcesses() { state.withLock { $0.isHeld = false } }
}

extension ContinuousClock.Instant {
  fileprivate static var distant: Self { .now + .seconds(3600) }
}

/// The lock of the writers of a process, without a store.
@Suite struct WriteLockTests {
  /// Offers last until they are claimed.
  private let lock = WriteLock(path: "a.cadastre", offerDuration: .seconds(3600))
  private let processes = TestProcesses()
  private let woken = Guarded<[Int]>([])
  private let busy = StoreError(.busy, path: "a.cadastre")

  private func request(
    _ number: Int, on lock: WriteLock? = nil, until deadline: ContinuousClock.Instant = .distant
  ) -> WriteLock.Request {
    (lock ?? self.lock).request(until: deadline) { [woken] in woken.withLock { $0.append(number) } }
  }

  private var calls: [Int] { woken.withLock { $0 } }

  /// Releases both locks, as a writer does.
  private func release(_ lock: WriteLock? = nil) {
    processes.unlockProcesses()
    (lock ?? self.lock).release()
  }

  private func expectFree(_ lock: WriteLock? = nil) throws {
    #expect(!processes.isHeld)
    try (lock ?? self.lock).acquire(until: .now)
    (lock ?? self.lock).release()
  }

  /// Takes the lock on a new thread, and releases it.
  private func acquireOnThread(replacing request: WriteLock.Request?) throws {
    try onNewThread { [lock, processes] in
      try lock.acquire(until: .distant, replacing: request)
      processes.unlockProcesses()
      lock.release()
    }
  }

  // MARK: Order

  @Test func `requests get the lock in their order`() throws {
    try lock.acquire(until: .now)
    let requests = (0..<4).map { request($0) }
    #expect(throws: busy) { try lock.acquire(until: .now) }
    for request in requests { #expect(try !lock.claim(request, processes)) }
    #expect(calls == [])
    release()
    for (number, request) in requests.enumerated() {
      #expect(calls == Array(0...number))
      #expect(try lock.claim(request, processes))
      #expect(try !lock.claim(request, processes))
      #expect(processes.isHeld)
      release()
    }
    try expectFree()
  }

  @Test func `a thread waits behind a request`() throws {
    let first = request(0)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [lock] in
      try? lock.acquire(until: .distant)
      lock.release()
      isDone.signal()
    }
    #expect(try lock.claim(first, processes))
    release()
    isDone.waitForEvent("the thread behind the request")
    try expectFree()
  }

  @Test func `the caller is noted until the release`() throws {
    try lock.acquire(until: .now)
    #expect(!lock.isHeldByCaller)
    lock.noteCaller()
    #expect(lock.isHeldByCaller)
    let isHeldByOther = try onNewThread { [lock] in lock.isHeldByCaller }
    #expect(!isHeldByOther)
    release()
    #expect(!lock.isHeldByCaller)
  }

  // MARK: Offers

  @Test func `an unclaimed offer passes on, and the request keeps its position`() throws {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .milliseconds(1))
    let absent = request(0, on: lock)
    // The offer is passed to this thread.
    try lock.acquire(until: .distant)
    let next = request(1, on: lock)
    #expect(calls == [0])
    #expect(try !lock.claim(absent, processes))
    release(lock)
    try claim(absent, on: lock)
    release(lock)
    try claim(next, on: lock)
    release(lock)
    try expectFree(lock)
  }

  /// Claims a lock whose offers pass on, until it is granted.
  private func claim(_ request: WriteLock.Request, on lock: WriteLock) throws {
    try blockUntil("the lock") { try lock.claim(request, processes) }
  }

  @Test func `an offer without rivals lasts`() throws {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .zero)
    let first = request(0, on: lock)
    let late = request(1, on: lock, until: .now)
    // The inspection that ends the second request has seen the offer too.
    blockUntil("the end of a request") { calls.contains(1) }
    #expect(throws: busy) { try lock.claim(late, processes) }
    try claim(first, on: lock)
    release(lock)
    try expectFree(lock)
  }

  @Test func `an unclaimed offer does not keep the lock between processes`() throws {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .milliseconds(1))
    processes.takeByOther()
    let first = request(0, on: lock)
    #expect(try !lock.claim(first, processes))
    let second = request(1, on: lock)
    processes.endWait()
    // Neither the first request nor the second one claims its offer.
    blockUntil("the offer to the second request") { calls.contains(1) }
    #expect(!processes.isHeld)
    second.cancel()
    try claim(first, on: lock)
    release(lock)
    try expectFree(lock)
  }

  @Test func `an unclaimed offer without rivals does not keep the lock between processes`() throws {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .milliseconds(1))
    processes.takeByOther()
    let first = request(0, on: lock)
    #expect(try !lock.claim(first, processes))
    processes.endWait()
    blockUntil("two offers after the wait") { calls.count == 3 }
    #expect(!processes.isHeld)
    try claim(first, on: lock)
    release(lock)
    try expectFree(lock)
  }

  // MARK: Cancellation

  @Test func `a cancelled request leaves the queue`() throws {
    try lock.acquire(until: .now)
    let requests = (0..<3).map { request($0) }
    requests[0].cancel()
    release()
    #expect(calls == [1])
    requests[1].cancel()
    #expect(calls == [1, 2])
    for request in requests[0...1] { #expect(try !lock.claim(request, processes)) }
    #expect(try lock.claim(requests[2], processes))
    // The cancellation of a request that has the lock does nothing.
    requests[2].cancel()
    #expect(throws: busy) { try lock.acquire(until: .now) }
    release()
    requests[2].cancel()
    try expectFree()
  }

  @Test func `a request that was passed over can be cancelled`() throws {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .milliseconds(1))
    let absent = request(0, on: lock)
    try lock.acquire(until: .distant)
    absent.cancel()
    release(lock)
    #expect(try !lock.claim(absent, processes))
    #expect(calls == [0])
    try expectFree(lock)
  }

  @Test func `a cancellation during a claim is not lost`() throws {
    for isFree in [true, false] {
      let processes = TestProcesses()
      if !isFree { processes.takeByOther() }
      let first = request(0)
      processes.duringAttempt.withLock { $0 = { first.cancel() } }
      #expect(try !lock.claim(first, processes))
      if !isFree { processes.endWait() }
      try lock.acquire(until: .distant)
      #expect(!processes.isHeld)
      lock.release()
    }
    #expect(calls == [0, 0])
  }

  @Test func `a cancellation during a wait for processes passes the lock on`() throws {
    processes.takeByOther()
    let first = request(0)
    #expect(try !lock.claim(first, processes))
    let next = request(1)
    first.cancel()
    #expect(calls == [0])
    processes.endWait()
    blockUntil("the next offer") { calls == [0, 1] }
    #expect(!processes.isHeld)
    #expect(try !lock.claim(first, processes))
    #expect(try lock.claim(next, processes))
    release()
    try expectFree()
  }

  // MARK: Deadlines and errors

  @Test func `a request ends at its deadline`() throws {
    try lock.acquire(until: .now)
    let late = request(0, until: .now + .milliseconds(5))
    let next = request(1)
    blockUntil("the deadline") { calls == [0] }
    #expect(throws: busy) { try lock.claim(late, processes) }
    release()
    #expect(try lock.claim(next, processes))
    release()
    try expectFree()
  }

  @Test func `a request that was passed over is woken at its deadline`() throws {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .milliseconds(1))
    let absent = request(0, on: lock, until: .now + .milliseconds(50))
    try lock.acquire(until: .distant)
    blockUntil("the deadline") { calls == [0, 0] }
    #expect(throws: busy) { try lock.claim(absent, processes) }
    release(lock)
    try expectFree(lock)
  }

  @Test func `a failed wait for processes ends the request with its error`() throws {
    let removed = StoreError(.removed, path: "a.cadastre")
    processes.takeByOther()
    let first = request(0)
    let next = request(1)
    #expect(try !lock.claim(first, processes))
    processes.endWait(removed)
    blockUntil("the error and the next offer") { calls == [0, 0, 1] }
    for _ in 0..<2 { #expect(throws: removed) { try lock.claim(first, processes) } }
    // The next claim fails at once.
    #expect(throws: removed) { try lock.claim(next, processes) }
    #expect(calls == [0, 0, 1])
    try expectFree()
  }

  @Test func `claims at any time of a wait for processes find the request`() throws {
    for _ in 0..<50 {
      let processes = TestProcesses()
      processes.takeByOther()
      let first = request(0)
      #expect(try !lock.claim(first, processes))
      let isClaimed = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [lock] in
        #expect(throws: Never.self) { while try !lock.claim(first, processes) {} }
        isClaimed.signal()
      }
      processes.endWait()
      isClaimed.waitForEvent("the claim")
      processes.unlockProcesses()
      lock.release()
    }
    try expectFree()
  }

  // MARK: A thread in place of a request

  @Test func `a thread takes over the position of a request that waits`() throws {
    try lock.acquire(until: .now)
    let requests = (0..<3).map { request($0) }
    #expect(throws: busy) { try lock.acquire(until: .now, replacing: requests[0]) }
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [lock, woken] in
      try? lock.acquire(until: .distant, replacing: requests[1])
      woken.withLock { $0.append(-1) }
      lock.release()
      isDone.signal()
    }
    release()
    isDone.waitForEvent("the thread")
    // The request is offered the lock where the thread comes after the release.
    #expect(calls.filter { $0 != 1 } == [-1, 2])
    for request in requests[0...1] { #expect(try !lock.claim(request, processes)) }
    #expect(try lock.claim(requests[2], processes))
    release()
    try expectFree()
  }

  @Test func `a thread takes over an offer`() throws {
    let first = request(0)
    let next = request(1)
    try lock.acquire(until: .now, replacing: first)
    #expect(try !lock.claim(first, processes))
    #expect(calls == [0])
    release()
    #expect(calls == [0, 1])
    #expect(try lock.claim(next, processes))
    release()
    try expectFree()
  }

  @Test func `a thread takes over a wait for processes, with its result`() throws {
    for error in [nil, busy] {
      let processes = TestProcesses()
      processes.takeByOther()
      let first = request(0)
      #expect(try !lock.claim(first, processes))
      #expect(throws: busy) { try lock.acquire(until: .now, replacing: request(2)) }
      processes.endWait(error)
      // A failed wait gives the lock to the thread too, which waits for the other process itself.
      try lock.acquire(until: .distant, replacing: first)
      if error == nil { #expect(processes.isHeld) }
      processes.unlockProcesses()
      lock.release()
    }
    try expectFree()
  }

  @Test func `a thread in place of a wait for processes can give up`() throws {
    processes.takeByOther()
    let first = request(0)
    let next = request(1)
    #expect(try !lock.claim(first, processes))
    #expect(throws: busy) {
      try lock.acquire(until: .now + .milliseconds(5), replacing: first)
    }
    #expect(calls == [0])
    processes.endWait()
    blockUntil("the next offer") { calls == [0, 1] }
    #expect(!processes.isHeld)
    #expect(try lock.claim(next, processes))
    release()
    try expectFree()
  }

  @Test func `a thread in place of a request that has ended is the last`() throws {
    try lock.acquire(until: .now)
    let ended = request(0)
    ended.cancel()
    let first = request(1)
    #expect(throws: busy) { try lock.acquire(until: .now, replacing: ended) }
    release()
    #expect(try lock.claim(first, processes))
    release()
    try acquireOnThread(replacing: ended)
    try expectFree()
  }
}

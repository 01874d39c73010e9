import CadastreModel
import CadastreTestSupport
import Dispatch
import Foundation
import Testing

@testable import CadastreStore

/// Requests for the write lock that wait without a thread.
@Suite struct WriteRequestTests {
  private let folder: TestFolder
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    file = try OpenStores.store(at: folder.file("a.cadastre"))
    try file.prepare(for: Boats.schema)
  }

  /// Requests, and the numbers of those that were woken.
  private final class Calls: Sendable {
    let numbers = Guarded<[Int]>([])
    let arrived = DispatchSemaphore(value: 0)

    func request(_ number: Int, _ file: StoreFile, timeout: Duration = .seconds(3600))
      -> WriteLock.Request
    {
      file.requestWrite(timeout: timeout) {
        self.numbers.withLock { $0.append(number) }
        self.arrived.signal()
      }
    }

    var all: [Int] { numbers.withLock { $0 } }
  }

  private func finish(_ request: WriteLock.Request) throws {
    try #require(try file.beginWrite(of: request)).rollback()
  }

  @Test func `a free lock is offered at once`() throws {
    let calls = Calls()
    let request = calls.request(0, file)

    #expect(calls.all == [0])
    try finish(request)
    try file.beginWrite(timeout: .zero).rollback()
  }

  @Test func `requests get the lock in their order`() throws {
    let calls = Calls()
    let holder = try file.beginWrite()
    let requests = (0..<5).map { calls.request($0, file) }

    #expect(calls.all == [])
    for request in requests { #expect(try file.beginWrite(of: request) == nil) }
    holder.rollback()
    for (number, request) in requests.enumerated() {
      #expect(calls.all == Array(0...number))
      try finish(request)
    }
    try file.beginWrite(timeout: .zero).rollback()
  }

  @Test func `a cancelled request leaves the queue`() throws {
    let calls = Calls()
    let holder = try file.beginWrite()
    let requests = (0..<4).map { calls.request($0, file) }
    requests[0].cancel()
    requests[2].cancel()
    holder.rollback()

    #expect(calls.all == [1])
    requests[1].cancel()
    #expect(calls.all == [1, 3])
    try finish(requests[3])
    try file.beginWrite(timeout: .zero).rollback()
  }

  @Test func `a request fails after its timeout and leaves the queue`() throws {
    let calls = Calls()
    let holder = try file.beginWrite()
    let late = calls.request(0, file, timeout: .milliseconds(10))
    let next = calls.request(1, file)
    calls.arrived.wait()

    #expect(calls.all == [0])
    #expect(throws: StoreError(.busy, path: file.path)) { try file.beginWrite(of: late) }
    holder.rollback()
    try finish(next)
  }

  @Test func `an offer that nobody claims passes to a thread, and then returns`() throws {
    let calls = Calls()
    let holder = try file.beginWrite()
    let absent = calls.request(0, file)
    let second = calls.request(1, file)
    holder.rollback()

    // This thread is the one that would have to claim the offer.
    let own = try file.beginWrite()
    #expect(try file.beginWrite(of: absent) == nil)
    own.rollback()
    #expect(calls.all == [0, 0])
    try finish(absent)
    #expect(calls.all == [0, 0, 1])
    try finish(second)
  }

  @Test func `a thread takes over the position of a request`() throws {
    let calls = Calls()
    let first = calls.request(0, file)
    let second = calls.request(1, file)

    try file.beginWrite(replacing: first).rollback()
    #expect(calls.all == [0, 1])
    #expect(try file.beginWrite(of: first) == nil)
    try finish(second)
  }

  @Test func `a request waits for another process without a thread of its own`() throws {
    let calls = Calls()
    let other = try FileLock(beside: file.path)
    try other.lock(until: .now + .seconds(3600))
    let request = calls.request(0, file)
    let next = calls.request(1, file)

    #expect(try file.beginWrite(of: request) == nil)
    #expect(try file.beginWrite(of: request) == nil)
    #expect(calls.all == [0])
    other.unlock()
    calls.arrived.wait()
    calls.arrived.wait()
    #expect(calls.all.prefix(2) == [0, 0])
    try finish(request)
    try finish(next)
    #expect(try other.tryLock())
  }

  @Test func `a thread takes over a request that waits for another process`() throws {
    let calls = Calls()
    let other = try FileLock(beside: file.path)
    try other.lock(until: .now + .seconds(3600))
    let request = calls.request(0, file)
    let next = calls.request(1, file)
    #expect(try file.beginWrite(of: request) == nil)
    #expect(throws: StoreError(.busy, path: file.path)) {
      try file.beginWrite(timeout: .milliseconds(20), replacing: request)
    }
    #expect(try file.beginWrite(of: request) == nil)

    let third = calls.request(2, file)
    other.unlock()
    // The wait of the cancelled request ends, and the next request follows.
    calls.arrived.wait()
    calls.arrived.wait()
    try finish(next)
    try finish(third)
    #expect(calls.all == [0, 1, 2])
    #expect(try other.tryLock())
  }

  @Test func `a request gives up waiting for another process`() throws {
    let calls = Calls()
    let other = try FileLock(beside: file.path)
    try other.lock(until: .now + .seconds(3600))
    let late = calls.request(0, file, timeout: .milliseconds(20))
    let cancelled = calls.request(1, file)

    #expect(try file.beginWrite(of: late) == nil)
    calls.arrived.wait()
    calls.arrived.wait()
    #expect(throws: StoreError(.busy, path: file.path)) { try file.beginWrite(of: late) }
    #expect(try file.beginWrite(of: cancelled) == nil)
    cancelled.cancel()
    other.unlock()
    try file.beginWrite().rollback()
    #expect(try other.tryLock())
  }

  @Test func `a request that is cancelled at any time keeps no lock`() throws {
    let other = try FileLock(beside: file.path)
    for round in 0..<200 {
      try other.lock(until: .now + .seconds(3600))
      let request = file.requestWrite(timeout: .seconds(3600)) {}
      #expect(try file.beginWrite(of: request) == nil)
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        // A yield takes a time slice of each other thread on a busy machine.
        var spins = 0
        while spins < round * 200 { spins += 1 }
        request.cancel()
        isDone.signal()
      }
      other.unlock()
      isDone.wait()
      // The lock is free, or becomes free without a turn of anybody.
      try other.lock(until: .now + .seconds(3600))
      other.unlock()
      try file.beginWrite().rollback()
      #expect(try other.tryLock())
      other.unlock()
    }
  }

  @Test func `an offer that nobody claims does not keep the lock between processes`() throws {
    let calls = Calls()
    let other = try FileLock(beside: file.path)
    try other.lock(until: .now + .seconds(3600))
    let request = calls.request(0, file)
    #expect(try file.beginWrite(of: request) == nil)
    other.unlock()
    calls.arrived.wait()
    calls.arrived.wait()

    // What would claim the offer is busy.
    try other.lock(until: .now + .seconds(3600))
    #expect(try file.beginWrite(of: request) == nil)
    other.unlock()
    var transaction: WriteTransaction?
    while transaction == nil {
      calls.arrived.wait()
      transaction = try file.beginWrite(of: request)
    }
    transaction?.rollback()
    #expect(try other.tryLock())
  }

  @Test func `a process that waits and was stopped is passed over`() throws {
    // A stopped process holds the head of the queue, and takes no lock.
    let stopped = open(file.path + "-wait", O_RDWR | O_CREAT, 0o644)
    defer { close(stopped) }
    try #require(stopped >= 0 && flock(stopped, LOCK_EX) == 0)

    try file.beginWrite(timeout: .seconds(3600)).rollback()

    // Later writers need no queue.
    #expect(access(file.path + "-wait", F_OK) != 0)
    try file.beginWrite(timeout: .zero).rollback()
  }

  @Test func `all processes that wait behind a stopped one pass it over`() throws {
    let holder = try FileLock(beside: file.path)
    try holder.lock(until: .now + .seconds(3600))
    let stopped = open(file.path + "-wait", O_RDWR | O_CREAT, 0o644)
    defer { close(stopped) }
    try #require(stopped >= 0 && flock(stopped, LOCK_EX) == 0)

    let waiters = try (0..<3).map { _ in try FileLock(beside: file.path) }
    let isDone = DispatchSemaphore(value: 0)
    for waiter in waiters {
      Thread.detachNewThread {
        try? waiter.lock(until: .now + .seconds(3600))
        waiter.unlock()
        isDone.signal()
      }
    }
    holder.unlock()
    for _ in waiters { #expect(isDone.wait(timeout: .now() + 50) == .success) }
  }
}

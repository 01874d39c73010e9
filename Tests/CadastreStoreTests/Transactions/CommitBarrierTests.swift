import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Dispatch
import Testing
import TestingSupport

@testable import CadastreStore

/// The barrier without a store: the log is a recorder whose synchronisations the test delays and fails.
@Suite struct CommitBarrierTests {
  /// What happens to a log.
  private enum Event: Equatable {
    case sync, copy, released
    case acknowledged(Int64, isDurable: Bool)
  }

  private final class Recorder: Sendable {
    private let recorded = Guarded<[Event]>([])
    /// Signalled when a synchronisation begins.
    let begun = DispatchSemaphore(value: 0)
    /// A synchronisation that is delayed waits for it.
    let resumed = DispatchSemaphore(value: 0)
    /// Signalled for each acknowledgement.
    let acknowledged = DispatchSemaphore(value: 0)

    var events: [Event] { recorded.withLock { $0 } }

    func note(_ event: Event) {
      recorded.withLock { $0.append(event) }
      if case .acknowledged = event { acknowledged.signal() }
    }
  }

  /// A log whose first calls fail.
  private final class Log: SyncedLog {
    let recorder: Recorder
    private let isDelayed: Bool
    private let failures: Guarded<(syncs: Int, copies: Int)>

    init(_ recorder: Recorder, isDelayed: Bool = false, failedSyncs: Int = 0, failedCopies: Int = 0)
    {
      self.recorder = recorder
      self.isDelayed = isDelayed
      failures = Guarded((failedSyncs, failedCopies))
    }

    deinit { recorder.note(.released) }

    func syncLog() throws(StoreError) {
      recorder.note(.sync)
      if isDelayed {
        recorder.begun.signal()
        recorder.resumed.waitForEvent("the test to resume a synchronisation")
      }
      let fails = failures.withLock { failures in
        failures.syncs -= 1
        return failures.syncs >= 0
      }
      if fails { throw StoreError(.sqlite(code: 1034, message: "fsync"), path: "/log") }
    }

    func copyLog() throws(StoreError) {
      recorder.note(.copy)
      let fails = failures.withLock { failures in
        failures.copies -= 1
        return failures.copies >= 0
      }
      if fails { throw StoreError(.unsyncedLog, path: "/log") }
    }
  }

  private let barrier = CommitBarrier()
  private let recorder = Recorder()

  /// Adds commits, whose acknowledgements are recorded.
  private func add(_ versions: ClosedRange<Int64>, to log: Log) {
    for version in versions {
      barrier.add(version, to: log).whenAcknowledged { [recorder] error in
        recorder.note(.acknowledged(version, isDurable: error == nil))
      }
    }
  }

  private func wait(for count: Int) {
    for _ in 0..<count { recorder.acknowledged.waitForEvent("an acknowledgement") }
  }

  private func durable(_ versions: ClosedRange<Int64>) -> [Event] {
    versions.map { .acknowledged($0, isDurable: true) }
  }

  private func lost(_ versions: ClosedRange<Int64>) -> [Event] {
    versions.map { .acknowledged($0, isDurable: false) }
  }

  @Test func `a synchronisation covers the commits before it, the next one those meanwhile`() {
    let log = Log(recorder, isDelayed: true)
    add(1...1, to: log)
    recorder.begun.waitForEvent("the first synchronisation")
    add(2...5, to: log)
    #expect(recorder.events == [.sync])
    recorder.resumed.signal()
    recorder.begun.waitForEvent("the second synchronisation")
    #expect(recorder.events == [.sync] + durable(1...1) + [.sync])
    recorder.resumed.signal()
    wait(for: 5)
    #expect(recorder.events == [.sync] + durable(1...1) + [.sync] + durable(2...5))
    #expect(!barrier.needsCopy && !barrier.hasFailed)
    withExtendedLifetime(log) {}
  }

  @Test func `commits of many threads are acknowledged in the order of their versions`() {
    let log = Log(recorder)
    // The write lock.
    let last = Guarded<Int64>(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<200 {
        last.withLock { last in
          last += 1
          add(last...last, to: log)
        }
      }
    }
    wait(for: 1600)
    let events = recorder.events
    #expect(events.filter { $0 != .sync } == durable(1...1600))
    // No commit is acknowledged before a synchronisation.
    #expect(events.first == .sync)
  }

  @Test func `after a failed synchronisation the log is copied, and the commits are durable`() {
    let log = Log(recorder, failedSyncs: 1)
    add(1...1, to: log)
    wait(for: 1)
    #expect(recorder.events == [.sync, .copy] + durable(1...1))
    #expect(!barrier.needsCopy && !barrier.hasFailed)
    add(2...2, to: log)
    wait(for: 1)
    #expect(recorder.events == [.sync, .copy] + durable(1...1) + [.sync] + durable(2...2))
  }

  @Test func `where copying fails too, each writer gets the error, and the next step is a copy`() {
    let log = Log(recorder, isDelayed: true, failedSyncs: 1, failedCopies: 1)
    add(1...1, to: log)
    recorder.begun.waitForEvent("the synchronisation")
    recorder.resumed.signal()
    wait(for: 1)
    #expect(recorder.events == [.sync, .copy] + lost(1...1))
    #expect(barrier.needsCopy && barrier.hasFailed)
    // A second synchronisation would succeed. If the worker finds the first commit alone, it synchronises the second.
    recorder.resumed.signal()
    add(2...3, to: log)
    wait(for: 2)
    let next = Array(recorder.events.dropFirst(3))
    #expect(next.filter { $0 != .copy && $0 != .sync } == durable(2...3))
    #expect(next.first == .copy)
    #expect(!barrier.needsCopy && barrier.hasFailed)
  }

  @Test func `the error says that the commit is visible`() {
    let log = Log(recorder, failedSyncs: 1, failedCopies: 1)
    let commit = barrier.add(7, to: log)
    #expect(throws: StoreError(.notDurable, path: "/log")) { try commit.wait() }
  }

  @Test func `a commit that fails meanwhile makes a synchronisation untrusted`() {
    let log = Log(recorder, isDelayed: true)
    barrier.noteFailedSync()
    #expect(!barrier.needsCopy)
    add(1...1, to: log)
    recorder.begun.waitForEvent("the synchronisation")
    barrier.noteFailedSync()
    recorder.resumed.signal()
    wait(for: 1)
    #expect(recorder.events == [.sync, .copy] + durable(1...1))
    #expect(!barrier.needsCopy)
  }

  @Test func `the log is closed after the synchronisation and before the acknowledgement`() {
    var log: Log? = Log(recorder, isDelayed: true)
    if let log { add(1...1, to: log) }
    recorder.begun.waitForEvent("the synchronisation")
    log = nil
    #expect(recorder.events == [.sync])
    recorder.resumed.signal()
    wait(for: 1)
    #expect(recorder.events == [.sync, .released] + durable(1...1))
  }

  @Test func `a handler after the acknowledgement is called at once`() throws {
    let commit = barrier.add(1, to: Log(recorder))
    try commit.wait()
    try commit.wait()
    let isCalled = Guarded(false)
    commit.whenAcknowledged { error in isCalled.withLock { $0 = error == nil } }
    #expect(isCalled.withLock { $0 })
  }

  @Test func `a cancelled task still waits until its commit is durable`() async throws {
    let log = Log(recorder, isDelayed: true)
    let commit = barrier.add(1, to: log)
    let recorder = recorder
    let task = Task {
      try await commit.acknowledgement()
      recorder.note(.acknowledged(1, isDurable: true))
    }
    task.cancel()
    recorder.begun.waitForEvent("the synchronisation")
    #expect(recorder.events == [.sync])
    recorder.resumed.signal()
    try await task.value
    #expect(recorder.events == [.sync] + durable(1...1))
    withExtendedLifetime(log) {}
  }
}

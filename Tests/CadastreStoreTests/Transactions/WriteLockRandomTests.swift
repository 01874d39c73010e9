import CadastreModel
import CadastreTestSupport
import Dispatch
import Foundation
import Testing
import TestingSupport

@testable import CadastreStore

/// Random requests for the lock of the writers, compared with a model.
@Suite struct WriteLockRandomTests {
  private struct FileProcesses: ProcessLock {
    let lock: FileLock

    func lockProcesses(until deadline: ContinuousClock.Instant?) throws(StoreError) -> Bool {
      guard let deadline else { return try lock.tryLock() }
      try lock.lock(until: deadline)
      return true
    }

    func unlockProcesses() { lock.unlock() }
  }

  /// The lock between processes of a store that no other process uses.
  private struct NoProcesses: ProcessLock {
    func lockProcesses(until deadline: ContinuousClock.Instant?) -> Bool { true }

    func unlockProcesses() {}
  }

  // MARK: One thread

  /// The queue of a lock whose offers last until they are claimed.
  private struct Model {
    enum Holder: Equatable { case none, offered(Int), writer }

    var holder = Holder.none
    var waiting: [Int] = []
    var woken: [Int] = []

    mutating func offerNext() {
      holder = .none
      guard !waiting.isEmpty else { return }
      let next = waiting.removeFirst()
      holder = .offered(next)
      woken.append(next)
    }

    mutating func add(_ number: Int) {
      waiting.append(number)
      if holder == .none { offerNext() }
    }

    mutating func claim(_ number: Int) -> Bool {
      guard holder == .offered(number) else { return false }
      holder = .writer
      return true
    }

    mutating func cancel(_ number: Int) {
      waiting.removeAll { $0 == number }
      if holder == .offered(number) { offerNext() }
    }

    /// A thread takes over a request, and does not wait.
    mutating func replace(_ number: Int) -> Bool {
      waiting.removeAll { $0 == number }
      guard holder == .offered(number) || holder == .none else { return false }
      holder = .writer
      return true
    }
  }

  @Test(arguments: Seeds.usual(1...20))
  func `any sequence of operations agrees with the model`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lock = WriteLock(path: "a.cadastre", offerDuration: .seconds(3600))
    let woken = Guarded<[Int]>([])
    var requests: [WriteLock.Request] = []
    var model = Model()
    for step in 0..<300 {
      let number = random.below(requests.count + 1)
      let recent = max(0, requests.count - 1 - random.below(6))
      let operation = random.below(6)
      switch operation {
      case 0 where !requests.isEmpty:
        requests[recent].cancel()
        model.cancel(recent)
      case 1 where !requests.isEmpty:
        let isGranted = (try? lock.acquire(until: .now, replacing: requests[recent])) != nil
        #expect(isGranted == model.replace(recent), "step \(step), seed \(seed)")
      case 2 where model.holder == .writer:
        lock.release()
        model.offerNext()
      case 3, 4:
        let claimed: Int
        if case .offered(let offered) = model.holder { claimed = offered } else { claimed = number }
        guard claimed < requests.count else { continue }
        let isGranted = try lock.claim(requests[claimed], NoProcesses())
        #expect(isGranted == model.claim(claimed), "step \(step), seed \(seed)")
      default:
        let added = requests.count
        // The model comes first, because the request may be woken at once.
        model.add(added)
        requests.append(
          lock.request(until: .now + .seconds(3600)) { woken.withLock { $0.append(added) } })
      }
      #expect(woken.withLock { $0 } == model.woken, "step \(step), seed \(seed)")
    }
  }

  // MARK: Many threads

  /// The writers of one of two processes.
  private struct Writers: Sendable {
    let lock = WriteLock(path: "a.cadastre", offerDuration: .milliseconds(1))
    let processes: FileProcesses
    /// The number of writers that have the lock, in both processes, and whether it was ever more than one.
    let holders: Guarded<(count: Int, most: Int)>

    /// Writes under both locks, and releases them.
    func write() {
      holders.withLock { $0 = ($0.count + 1, max($0.most, $0.count + 1)) }
      holders.withLock { $0.count -= 1 }
      processes.unlockProcesses()
      lock.release()
    }

    /// Writes on this thread.
    ///
    /// - Returns: Whether it has received the lock.
    func writeBlocking(
      until deadline: ContinuousClock.Instant, replacing request: WriteLock.Request? = nil
    ) -> Bool {
      guard (try? lock.acquire(until: deadline, replacing: request)) != nil else { return false }
      guard (try? processes.lockProcesses(until: deadline)) == true else {
        lock.release()
        return false
      }
      write()
      return true
    }
  }

  /// A request that is claimed on a queue whenever it is woken.
  private final class Client: Sendable {
    enum Outcome { case granted, failed, withdrawn }

    let writers: Writers
    let request = Guarded<WriteLock.Request?>(nil)
    let outcomes = Guarded<Set<Outcome>>([])
    let grants = Guarded(0)
    /// How long the first claim comes after the offer; a client that is always late would never be granted the lock
    /// while another one is late too.
    private let delay: Guarded<DispatchTimeInterval>
    private let group: DispatchGroup

    init(_ writers: Writers, delay: DispatchTimeInterval, _ group: DispatchGroup) {
      self.writers = writers
      self.delay = Guarded(delay)
      self.group = group
      group.enter()
    }

    func start(until deadline: ContinuousClock.Instant) {
      let made = writers.lock.request(until: deadline) { [self] in
        let delay = delay.withLock { delay in
          defer { delay = .seconds(0) }
          return delay
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { self.claim() }
      }
      request.withLock { $0 = made }
      // A closure that was called before has found no request.
      claim()
    }

    private func claim() {
      guard let request = request.withLock({ $0 }) else { return }
      do {
        guard try writers.lock.claim(request, writers.processes) else { return }
        writers.write()
        grants.withLock { $0 += 1 }
        end(.granted)
      } catch {
        end(.failed)
      }
    }

    func end(_ outcome: Outcome) {
      let isFirst = outcomes.withLock { outcomes in
        defer { outcomes.insert(outcome) }
        return outcomes.isEmpty
      }
      if isFirst { group.leave() }
    }
  }

  @Test(arguments: Seeds.usual(1...3))
  func `one writer has the lock, and each request ends once`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let holders = Guarded<(count: Int, most: Int)>((0, 0))
    let both = try (0..<2).map { _ in
      Writers(
        processes: FileProcesses(lock: try FileLock(beside: folder.file("a.cadastre"))),
        holders: holders)
    }
    let group = DispatchGroup()
    var clients: [Client] = []
    for number in 0..<60 {
      let writers = random.pick(both)
      guard !random.oneIn(3) else {
        group.enter()
        let limit: Duration = random.oneIn(3) ? .milliseconds(2) : .seconds(3600)
        Thread.detachNewThread {
          let isGranted = writers.writeBlocking(until: .now + limit)
          #expect(isGranted || limit < .seconds(1), "thread \(number), seed \(seed)")
          group.leave()
        }
        continue
      }
      let client = Client(
        writers, delay: .milliseconds(random.oneIn(6) ? 30 : 0), group)
      clients.append(client)
      client.start(until: .now + (random.oneIn(4) ? .milliseconds(3) : .seconds(3600)))
      switch random.below(5) {
      case 0:
        DispatchQueue.global().async {
          client.request.withLock { $0 }?.cancel()
          client.end(.withdrawn)
        }
      case 1:
        Thread.detachNewThread {
          let request = client.request.withLock { $0 }
          #expect(
            writers.writeBlocking(until: .now + .seconds(3600), replacing: request),
            "thread \(number), seed \(seed)")
          client.end(.withdrawn)
        }
      default: break
      }
    }
    let isDone = DispatchSemaphore(value: 0)
    group.notify(queue: .global()) { isDone.signal() }
    isDone.waitForEvent("the ends of all requests")
    // A claim may have come before a cancellation, and may still write.
    for writers in both { #expect(writers.writeBlocking(until: .now + .seconds(3600))) }
    #expect(holders.withLock { $0.most } == 1, "seed \(seed)")
    for client in clients {
      let outcomes = client.outcomes.withLock { $0 }
      #expect(client.grants.withLock { $0 } <= 1, "seed \(seed)")
      #expect(!outcomes.isSuperset(of: [.granted, .failed]), "seed \(seed)")
      client.request.withLock { $0 = nil }
    }
  }
}

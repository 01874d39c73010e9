import Foundation
import Synchronization

/// Threads that repeat one query, each with its own engine.
struct Readers<Engine: MeasuredEngine> {
  private let data: EngineData
  private let work: URL
  private let name: String

  init(_ data: EngineData, _ work: URL, _ name: String) {
    (self.data, self.work, self.name) = (data, work, name)
  }

  /// Returns the queries per second of all readers, and the commits per second of a concurrent
  /// writer.
  ///
  /// - Throws: The error of the first thread that failed.
  func run(
    _ readers: Int, seconds: Double, besideWriter: Bool
  ) throws -> (queries: Double, commits: Double?) {
    let threads = TimedThreads(seconds: seconds)
    for _ in 0..<readers {
      threads.start { [self] in
        var engine = Engine(data, work)
        try engine.open()
        let query = try engine.query(name, in: data).run
        // The first run reads pages and columns into memory and is not measured.
        _ = try query()
        return { _ in _ = try query() }
      } finishing: { rounds, counts in
        counts.queries += rounds
      }
    }
    if besideWriter {
      threads.start { [self] in
        var engine = Engine(data, work)
        try engine.open()
        let writer = engine
        return { number in try writer.commit(number) }
      } finishing: { rounds, counts in
        counts.commits += rounds
      }
    }
    let counts = try threads.wait()
    if besideWriter {
      var engine = Engine(data, work)
      try engine.open()
      try engine.removeNew()
    }
    return (
      Double(counts.queries) / seconds, besideWriter ? Double(counts.commits) / seconds : nil
    )
  }
}

/// Threads that are prepared, start at the same time, and stop after the same duration.
private final class TimedThreads: Sendable {
  struct Counts: Sendable {
    var queries = 0
    var commits = 0
    var failure: (any Error)?
  }

  private let time: Duration
  private let counts = Mutex(Counts())
  private let gate = DispatchSemaphore(value: 0)
  private let ready = DispatchSemaphore(value: 0)
  private let done = DispatchGroup()
  private let started = Mutex(0)

  init(seconds: Double) { time = .seconds(seconds) }

  /// Starts a thread that prepares a round and repeats it, numbered from 0, until the time is over.
  func start(
    _ prepare: @escaping @Sendable () throws -> (Int) throws -> Void,
    finishing finish: @escaping @Sendable (Int, inout Counts) -> Void
  ) {
    started.withLock { $0 += 1 }
    done.enter()
    Thread { [self] in
      defer { done.leave() }
      do {
        let prepared = Result { try prepare() }
        ready.signal()
        gate.wait()
        let round = try prepared.get()
        let end = ContinuousClock.now + time
        var rounds = 0
        while ContinuousClock.now < end {
          try round(rounds)
          rounds += 1
        }
        let completed = rounds
        counts.withLock { finish(completed, &$0) }
      } catch {
        counts.withLock { $0.failure = $0.failure ?? error }
      }
    }.start()
  }

  func wait() throws -> Counts {
    let threads = started.withLock { $0 }
    for _ in 0..<threads { ready.wait() }
    for _ in 0..<threads { gate.signal() }
    done.wait()
    let counts = counts.withLock { $0 }
    if let failure = counts.failure { throw failure }
    return counts
  }
}

import Foundation
import Synchronization

/// Threads that ask one question over and over, each with an engine of its own.
struct Readers<Engine: MeasuredEngine> {
  private let data: EngineData
  private let work: URL
  private let name: String

  init(_ data: EngineData, _ work: URL, _ name: String) {
    (self.data, self.work, self.name) = (data, work, name)
  }

  /// Questions a second of all readers, and commits a second of a writer beside them.
  ///
  /// - Throws: What the first thread that failed threw.
  func run(
    _ readers: Int, seconds: Double, besideWriter: Bool
  ) throws -> (questions: Double, commits: Double?) {
    let turns = Turns(seconds: seconds)
    for _ in 0..<readers {
      turns.start { [self] in
        var engine = Engine(data, work)
        try engine.open()
        let asking = try engine.asking(name, in: data).ask
        // What is read for the first time is not what is measured.
        _ = try asking()
        return { _ in _ = try asking() }
      } finishing: { asked, counts in
        counts.questions += asked
      }
    }
    if besideWriter {
      turns.start { [self] in
        var engine = Engine(data, work)
        try engine.open()
        let writer = engine
        return { number in try writer.commit(number) }
      } finishing: { committed, counts in
        counts.commits += committed
      }
    }
    let counts = try turns.wait()
    if besideWriter {
      var engine = Engine(data, work)
      try engine.open()
      try engine.removeNew()
    }
    return (
      Double(counts.questions) / seconds, besideWriter ? Double(counts.commits) / seconds : nil
    )
  }
}

/// Threads that start together, once all of them are prepared, and stop together.
private final class Turns: Sendable {
  struct Counts: Sendable {
    var questions = 0
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

  /// Starts a thread that prepares a round and repeats it, with numbers from 0, until time is up.
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
        let all = rounds
        counts.withLock { finish(all, &$0) }
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

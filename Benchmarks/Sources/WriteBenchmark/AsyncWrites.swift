import BenchmarkSupport
import Cadastre
import Foundation

/// An actor with a Realm of its own.
actor Writer {
  private var realm: Realm?

  func open(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm.open(configuration: configuration)
  }

  func add(_ id: Int) async throws {
    guard let realm else { return }
    try await realm.asyncWrite { realm.create(Counter.self, value: ["id": id, "value": id]) }
  }
}

/// Compares the asynchronous writes of many tasks with the same plain writes on one thread.
func measureAsyncWrites(_ folder: URL) async throws {
  header("durable writes of one object", "asyncWrite", "write")
  for (tasks, writes) in [(64, 10), (200, 5)] {
    var times: (async: [Double], plain: [Double]) = ([], [])
    for _ in 0..<5 {
      let shared = configuration(folder, Counter.self)
      let writers = (0..<4).map { _ in Writer() }
      for writer in writers { try await writer.open(shared) }
      let start = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            for write in 0..<writes {
              try await writers[task % writers.count].add(task * writes + write)
            }
          }
        }
        try await group.waitForAll()
      }
      times.async.append(seconds(since: start))
      times.plain.append(try plainWrites(tasks * writes, configuration(folder, Counter.self)))
    }
    let count = Double(tasks * writes)
    report(
      "\(tasks) tasks on 4 actors, \(writes) writes each", median(times.async) * 1e9 / count,
      sqlite: median(times.plain) * 1e9 / count)
  }
}

/// Returns the seconds of writes on one thread.
private func plainWrites(_ count: Int, _ configuration: Realm.Configuration) throws -> Double {
  let realm = try Realm(configuration: configuration)
  let start = ContinuousClock.now
  for id in 0..<count {
    try realm.write { realm.create(Counter.self, value: ["id": id, "value": id]) }
  }
  return seconds(since: start)
}

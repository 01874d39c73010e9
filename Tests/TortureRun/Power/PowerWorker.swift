import Cadastre
import CadastreModel
import CadastreTestSupport
import Foundation

/// A process that commits while the interposer records all changes of its files.
enum PowerWorker {
  private typealias Mark = @convention(c) (Int64) -> Void

  /// The mark of a finished copy of the store in the record.
  static let copyMark = 1_000_000

  /// The largest number of tasks that write at the same time; each one has at most one unacknowledged commit.
  static let tasks = 5

  /// Commits a number of times, and marks each commit in the record when it is acknowledged.
  ///
  /// Commits are blocking writes, or asynchronous ones of several tasks. The process sometimes closes the store,
  /// compacts it, copies it, or keeps an old version open.
  static func main(_ arguments: [String]) throws {
    guard arguments.count == 3, let commits = Int(arguments[1]), let seed = UInt64(arguments[2])
    else { throw Failure("a worker needs a folder, a number of commits and a seed") }
    guard let symbol = dlsym(nil, "cadastre_torture_mark") else {
      throw Failure("the interposer is not loaded")
    }
    let mark = unsafeBitCast(symbol, to: Mark.self)
    Logger.shared = Logger { _, _, _ in }
    var random = SeededGenerator(seed: seed)
    let configuration = Workload.configuration(arguments[0] + "/store.cadastre")
    var (done, copies) = (0, 0)
    while done < commits {
      let realm = try Realm(configuration: configuration)
      var old: Realm?
      repeat {
        if random.oneIn(3) {
          let count = 1 + random.below(tasks)
          done =
            try writeInTasks(configuration, count, random.below(3)) { mark(Int64($0)) } ?? done
          realm.refresh()
        } else {
          done = try Workload.next(Workload.victim, realm)
          mark(Int64(done))
        }
        switch random.below(24) {
        case 0: try Realm.compact(for: configuration)
        case 1:
          copies += 1
          try realm.writeCopy(
            toFile: URL(fileURLWithPath: arguments[0] + "/copy\(copies).cadastre"))
          mark(Int64(copyMark + copies))
        case 2...4: old = realm.freeze()
        case 5...6: old = nil
        default: break
        }
      } while done < commits && !random.oneIn(10)
      withExtendedLifetime(old) {}
    }
  }

  /// Writes as many tasks of an actor do.
  private actor Writer {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm.open(configuration: configuration)
    }

    func commit() async throws -> Int {
      guard let realm else { throw Failure("the writer has no Realm") }
      return try await realm.asyncWrite { Workload.change(Workload.victim, realm) }
    }
  }

  /// Commits a number of times in each of several tasks.
  ///
  /// - Parameters:
  ///   - configuration: The store.
  ///   - tasks: The number of tasks.
  ///   - writes: The number of commits of a task.
  ///   - acknowledge: Called with the number of each commit when it is acknowledged.
  /// - Returns: The number of the newest commit; nil without any.
  /// - Throws: The error of a write.
  private static func writeInTasks(
    _ configuration: Realm.Configuration, _ tasks: Int, _ writes: Int,
    _ acknowledge: @escaping @Sendable (Int) -> Void
  ) throws -> Int? {
    try onNewTask {
      let writer = Writer()
      try await writer.open(configuration)
      return try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            var last: Int?
            for _ in 0..<writes {
              let commit = try await writer.commit()
              acknowledge(commit)
              last = commit
            }
            return last
          }
        }
        return try await group.reduce(into: nil) { newest, last in
          newest = [newest, last].compactMap { $0 }.max()
        }
      }
    }
  }

  /// Runs a closure in a task, and blocks the thread until it ends.
  private static func onNewTask<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) throws -> Result {
    let outcome = Guarded<Swift.Result<Result, any Error>?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    Task {
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      semaphore.signal()
    }
    semaphore.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

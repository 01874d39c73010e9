import Cadastre
import CadastreTestSupport
import Foundation

/// A process whose threads and tasks open a Realm, commit and release it, over and over, until it is killed.
///
/// Each opening uses one of several names of the store. The log has a line for each acknowledged commit.
struct ChurnWorker: Sendable {
  /// The number of tasks of each process, in addition to its threads.
  private static let tasks = 2

  private let log: EventLog
  private let configurations: [Realm.Configuration]

  /// The writers of a process: its threads, and then its tasks.
  static func writers(ofProcess number: Int) -> [Int] {
    (0..<threads(ofProcess: number) + tasks).map { number * 10 + $0 }
  }

  private static func threads(ofProcess number: Int) -> Int { 2 + number % 2 }

  static func main(_ arguments: [String]) throws -> Never {
    guard arguments.count > 4, let number = Int(arguments[1]), let seed = UInt64(arguments[2])
    else { throw Failure("a worker needs a log, its number, a seed, a store and its other names") }
    Logger.shared = Logger { _, _, _ in }
    StandardInput.whenClosed { _exit(0) }
    let worker = try ChurnWorker(arguments[0], Array(arguments[3...]))
    let writers = writers(ofProcess: number)
    for writer in writers.dropLast(tasks) {
      Thread.detachNewThread {
        var random = SeededGenerator(seed: seed &+ UInt64(writer))
        while true { worker.commit(writer, &random) }
      }
    }
    for writer in writers.suffix(tasks) {
      Task.detached {
        var random = SeededGenerator(seed: seed &+ UInt64(writer))
        while true {
          worker.commit(writer, &random)
          await Task.yield()
        }
      }
    }
    while true { sleep(3600) }
  }

  private init(_ logPath: String, _ names: [String]) throws {
    let log = try EventLog(logPath)
    self.log = log
    configurations = names.map { name in
      var configuration = SoakWorkload.configuration(name)
      configuration.readErrorHandler = { log.note("error reading '\(name)': \($0)") }
      return configuration
    }
  }

  /// Opens a Realm, commits and releases it.
  private func commit(_ writer: Int, _ random: inout SeededGenerator) {
    let name = random.oneIn(2) ? 0 : 1 + random.below(configurations.count - 1)
    do {
      let realm = try Realm(configuration: configurations[name])
      let commit = try SoakWorkload.next(writer, realm)
      log.note("committed \(writer) \(commit)")
      if random.oneIn(20), let fault = SoakWorkload.fault(writer, realm).fault {
        log.note("error \(fault)")
      }
    } catch {
      log.note("error of writer \(writer): \(error)")
      usleep(20_000)
    }
  }
}

import Cadastre
import CadastreTestSupport
import Foundation
import Synchronization

/// A process of writers, observers and readers of frozen versions, each on a thread, a queue, an actor or in a task of
/// its own.
///
/// Its log has a line for each transaction before it begins and after it is acknowledged, and one for each version
/// that a reader sees, see ``IsolationHistory``. The writers end when standard input is closed; the others when the
/// process is killed.
struct IsolationWorker: Sendable {
  /// The readers that are notified of commits.
  enum Watcher: String, CaseIterable {
    /// `observe` of results, on a queue.
    case results
    /// `observe` of a Realm, on a thread with a run loop.
    case realm
    /// `changes()` of a collection, in a task.
    case changes
  }

  /// The number of writers: threads, and the last one an actor.
  static let writers = 3
  private static let isEnding = Atomic<Bool>(false)

  private let configuration: Realm.Configuration
  private let name: String
  private let seed: UInt64
  private let log: EventLog
  private let newest: NewestVersion

  static func main(_ arguments: [String]) throws -> Never {
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
      throw Failure("a worker needs a folder, its name and a seed")
    }
    Logger.shared = Logger { _, _, _ in }
    StandardInput.whenClosed {
      isEnding.store(true, ordering: .relaxed)
      // Longer than the parent waits for observers; it kills this process before.
      sleep(300)
      _exit(0)
    }
    try IsolationWorker(arguments[0], arguments[1], seed).run()
  }

  private init(_ folder: String, _ name: String, _ seed: UInt64) throws {
    let log = try EventLog(folder + "/" + name + ".log")
    var configuration = IsolationWorkload.configuration(folder + "/store.cadastre")
    configuration.readErrorHandler = { log.note("error reading: \($0)") }
    self.configuration = configuration
    (self.name, self.seed, self.log) = (name, seed, log)
    newest = try NewestVersion(folder + "/newest")
  }

  private func run() throws -> Never {
    let token = try observeResults()
    for number in 1..<Self.writers { onThread { try write(number) } }
    onTask { try await Writer().write(self) }
    onThread { observeRealm() }
    onThread { try readFrozen() }
    onTask { try await readChanges() }
    while true {
      sleep(3600)
      withExtendedLifetime(token) {}
    }
  }

  private func onThread(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread {
      do { try body() } catch { log.note("error \(error)") }
    }
  }

  private func onTask(_ body: @escaping @Sendable () async throws -> Void) {
    Task.detached {
      do { try await body() } catch { log.note("error \(error)") }
    }
  }

  // MARK: Writing

  /// The transactions of one writer.
  private struct Turns {
    /// The thread, whatever the number of processes that were killed before.
    let writer: String
    private let prefix: String
    private var number = 0
    var random: SeededGenerator

    init(_ worker: IsolationWorker, _ writer: Int) {
      // The name of a process is its number and that of its start.
      let process = worker.name.split(separator: "-").first ?? ""
      self.writer = "\(process).\(writer)"
      prefix = "\(worker.name).\(writer)."
      random = SeededGenerator(seed: worker.seed &+ UInt64(writer))
    }

    /// The name of the next transaction.
    mutating func next() -> String {
      number += 1
      return prefix + "\(number)"
    }
  }

  private func write(_ number: Int) throws {
    var turns = Turns(self, number)
    while !Self.isEnding.load(ordering: .relaxed) {
      let realm = try Realm(configuration: configuration)
      for _ in 0..<1 + turns.random.below(60) where !Self.isEnding.load(ordering: .relaxed) {
        let id = turns.next()
        try acknowledge(id) {
          try realm.write { try IsolationWorkload.make(id, turns.writer, realm, &turns.random) }
        }
        usleep(UInt32(turns.random.below(8000)))
      }
    }
    log.note("written")
  }

  /// Writes as programs of tasks do.
  private actor Writer {
    func write(_ worker: IsolationWorker) async throws {
      var turns = Turns(worker, IsolationWorker.writers)
      let writer = turns.writer
      let realm = try await Realm.open(configuration: worker.configuration)
      while !IsolationWorker.isEnding.load(ordering: .relaxed) {
        let (id, seed) = (turns.next(), turns.random.next() as UInt64)
        worker.log.note("begin \(id)")
        do {
          let version = try await realm.asyncWrite {
            var random = SeededGenerator(seed: seed)
            return try IsolationWorkload.make(id, writer, realm, &random)
          }
          worker.noteCommit(id, version)
        } catch is CancelledTurn {
          worker.log.note("cancelled \(id)")
        }
        try await Task.sleep(for: .microseconds(turns.random.below(8000)))
      }
      worker.log.note("written")
    }
  }

  private func acknowledge(_ id: String, _ body: () throws -> Int) throws {
    log.note("begin \(id)")
    do {
      noteCommit(id, try body())
    } catch is CancelledTurn {
      log.note("cancelled \(id)")
    }
  }

  private func noteCommit(_ id: String, _ version: Int) {
    newest.note(version)
    log.note("committed \(id) \(version)")
  }

  // MARK: Reading

  /// Logs the version that a Realm reads, with the hashes of its content.
  private func see(_ reader: String, _ realm: Realm, atLeast floor: Int = 0) throws {
    let version = try IsolationWorkload.version(of: realm)
    if version < floor {
      log.note("error \(reader) reads version \(version), and \(floor) was acknowledged before")
    }
    let hashes = IsolationContent(realm, version: version).hashes(at: version)
    let steps = (0..<CardCommand.owners).map { CardCommand.steps(of: $0, realm) ?? -1 }
    let numbers = steps.map { "\($0)" } + hashes.map { "\($0)" }
    log.note("seen \(reader) \(version) \(numbers.joined(separator: " "))")
  }

  private func readFrozen() throws {
    var random = SeededGenerator(seed: seed &+ 100)
    let realm = try Realm(configuration: configuration)
    while true {
      let floor = newest.value
      realm.refresh()
      let frozen = realm.freeze()
      try see("frozen", frozen, atLeast: floor)
      usleep(UInt32(random.below(80_000)))
      try see("frozen", frozen)
    }
  }

  /// Follows the sheets by their changes.
  private func observeResults() throws -> NotificationToken {
    let realm = try Realm(configuration: configuration)
    let queue = DispatchQueue(label: "results")
    var followed: [Int] = []
    return realm.objects(Sheet.self).sorted(byKeyPath: "number").observe(on: queue) { change in
      switch change {
      case .initial(let sheets):
        followed = sheets.values(of: \.number)
        note(sheets.realm)
      case .update(let sheets, let deletions, let insertions, let modifications):
        let numbers = sheets.values(of: \.number)
        let before = followed
        for index in deletions.reversed() { followed.remove(at: index) }
        for index in insertions { followed.insert(numbers[index], at: index) }
        if followed != numbers || !modifications.isEmpty {
          log.note(
            "error results: -\(deletions) +\(insertions) ~\(modifications) does not lead from \(before) "
              + "to \(numbers)")
          followed = numbers
        }
        note(sheets.realm)
      case .error(let error): log.note("error results: \(error)")
      }
    }
  }

  private func note(_ realm: Realm?) {
    guard let realm else { return log.note("error the results have no Realm") }
    do {
      try see(Watcher.results.rawValue, realm)
    } catch {
      log.note("error \(error)")
    }
  }

  private func observeRealm() {
    RunLoopThread.run { held in
      do {
        let realm = try Realm(configuration: configuration)
        held.token = realm.observe { _, realm in
          do { try see(Watcher.realm.rawValue, realm) } catch { log.note("error \(error)") }
        }
        try see(Watcher.realm.rawValue, realm)
      } catch {
        log.note("error \(error)")
      }
    }
  }

  private func readChanges() async throws {
    let realm = try Realm(configuration: configuration)
    for await _ in realm.objects(Account.self).changes() {
      try see(Watcher.changes.rawValue, realm)
    }
    log.note("error the changes of the accounts have ended")
  }
}

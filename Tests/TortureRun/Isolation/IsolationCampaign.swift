import Cadastre
import CadastreTestSupport
import Foundation

/// Processes of several writers and readers use one store with the command line, while they are killed and stopped;
/// then all that they have seen is compared with the commits of the store.
///
/// Each acknowledged transaction must be in the store exactly once, each other one completely or not at all. Each
/// version that a reader sees must be what the commits up to it give, never older than one before, nor than what was
/// acknowledged before it was read. Each observer that lives must be notified of the last commit.
///
/// `--seed S --round R` repeats the random choices of one round, which has a store of its own.
enum IsolationCampaign {
  private static let secondsOfRound = 20

  static func main(_ options: Options) throws {
    let seconds = try options.number("seconds", default: 60)
    let seed = try options.seed()
    Report.say("isolation, \(seconds) s, seed \(seed)")
    Logger.shared = Logger { _, _, _ in }
    let work = try WorkFolder("isolation")
    var findings = Findings()
    var totals = IsolationTotals()
    let end = ContinuousClock.now + .seconds(seconds)
    if options["round"] != nil {
      let number = try options.number("round", default: 0)
      try run(number, seed, until: end, work, &totals, &findings)
    } else {
      var number = 0
      repeat {
        let longest = ContinuousClock.now + .seconds(secondsOfRound)
        try run(number, seed, until: min(end, longest), work, &totals, &findings)
        number += 1
      } while ContinuousClock.now < end
    }
    Report.say(totals.summary + ", \(findings.count) findings")
    if findings.count == 0 { work.remove() } else { Report.say("stores and logs: \(work.path)") }
    try findings.requireNone()
  }

  private static func run(
    _ number: Int, _ seed: UInt64, until end: ContinuousClock.Instant, _ work: WorkFolder,
    _ totals: inout IsolationTotals, _ findings: inout Findings
  ) throws {
    let folder = try work.folder("round\(number)")
    var found: [String] = []
    do {
      var round = try IsolationRound(folder, seed: seed &+ UInt64(number) &* 7919)
      found = try round.run(until: end)
      totals.add(round.totals)
    } catch {
      found = ["\(error)"]
    }
    for finding in found { findings.add("--seed \(seed) --round \(number): \(finding)") }
    if found.isEmpty { try? FileManager.default.removeItem(atPath: folder) }
  }
}

/// What the rounds did.
struct IsolationTotals {
  var (kills, stops, commits, commands, killedCommands, unacknowledged, sights) =
    (0, 0, 0, 0, 0, 0, 0)

  mutating func add(_ other: IsolationTotals) {
    kills += other.kills
    stops += other.stops
    commits += other.commits
    commands += other.commands
    killedCommands += other.killedCommands
    unacknowledged += other.unacknowledged
    sights += other.sights
  }

  var summary: String {
    "\(commits) acknowledged transactions, \(unacknowledged) complete ones more, \(commands) commands, "
      + "\(killedCommands) of them killed, \(kills) kills, \(stops) stops, \(sights) versions seen"
  }
}

/// A store and the processes that use it.
private struct IsolationRound {
  private static let processCount = 3

  private let folder: String
  private let store: String
  private let base: Int
  private var random: SeededGenerator
  /// The processes that live, and what each one has logged, the killed ones included.
  private var processes: [RoleProcess] = []
  private var histories: [IsolationHistory] = []
  private var starts = 0
  /// The steps of the command line for each owner of cards.
  private var steps = [Int](repeating: 0, count: CardCommand.owners)
  private(set) var totals = IsolationTotals()

  init(_ folder: String, seed: UInt64) throws {
    self.folder = folder
    store = folder + "/store.cadastre"
    random = SeededGenerator(seed: seed)
    base = try IsolationWorkload.create(store)
    for number in 0..<Self.processCount { processes.append(try start(number)) }
  }

  private mutating func start(_ number: Int) throws -> RoleProcess {
    starts += 1
    let name = "\(number)-\(starts)"
    histories.append(IsolationHistory(name, in: folder))
    return try RoleProcess(
      name, ["isolation-worker", folder, name, "\(random.next() as UInt64)"], in: folder)
  }

  /// Returns what contradicts the commits.
  mutating func run(until end: ContinuousClock.Instant) throws -> [String] {
    while ContinuousClock.now < end {
      let command = try startCommand()
      if random.oneIn(3) { try disturb(random.below(processes.count)) }
      try finish(command)
      usleep(UInt32(random.below(200_000)))
      try update()
    }
    return try settle()
  }

  private mutating func update() throws {
    for index in histories.indices { try histories[index].update() }
    for process in processes where !process.isRunning {
      throw Failure("process \(process.name) ended by itself, \(process.kill())")
    }
    if let history = histories.first(where: { !$0.errors.isEmpty }) {
      throw Failure("process \(history.name): \(history.errors[0])")
    }
  }

  private mutating func disturb(_ index: Int) throws {
    if random.oneIn(2) {
      totals.kills += 1
      let outcome = processes[index].kill()
      guard outcome.signal == SIGKILL else {
        throw Failure("process \(processes[index].name) ended by itself, \(outcome)")
      }
      let number = processes[index].name.split(separator: "-").first.flatMap { Int($0) } ?? 0
      processes[index] = try start(number)
    } else {
      totals.stops += 1
      processes[index].signal(SIGSTOP)
      usleep(UInt32(random.below(1_500_000)))
      processes[index].signal(SIGCONT)
    }
  }

  // MARK: The command line

  private mutating func startCommand() throws -> (process: RoleProcess, command: CardCommand) {
    totals.commands += 1
    let owner = random.below(CardCommand.owners)
    let command = CardCommand(owner: owner, step: steps[owner] + 1)
    let process = try RoleProcess(
      "command\(totals.commands)", cadastre: command.arguments(store, in: folder), in: folder)
    return (process, command)
  }

  private mutating func finish(_ run: (process: RoleProcess, command: CardCommand)) throws {
    let (process, command) = run
    if random.oneIn(4) {
      usleep(UInt32(random.below(60_000)))
      let outcome = process.kill()
      if outcome.signal == SIGKILL {
        totals.killedCommands += 1
        // Whether it has committed before, only the store tells.
        let realm = try Realm(configuration: IsolationWorkload.configuration(store))
        let found = CardCommand.steps(of: command.owner, realm)
        guard let found, found == command.step - 1 || found == command.step else {
          throw Failure(
            "the killed command of step \(command.step) of owner \(command.owner) has left the cards of step "
              + (found.map { "\($0)" } ?? "none"))
        }
        steps[command.owner] = found
        return
      }
      try require(outcome, of: command)
    } else {
      try require(process.wait(), of: command)
    }
    steps[command.owner] = command.step
  }

  private func require(_ outcome: Outcome, of command: CardCommand) throws {
    guard outcome.status == 0 else {
      throw Failure(
        "the command of step \(command.step) of owner \(command.owner) failed, \(outcome)")
    }
  }

  // MARK: The end

  /// Ends the writers, waits for the observers, and checks the history and the store.
  private mutating func settle() throws -> [String] {
    for process in processes { try process.closeInput() }
    let live = processes.map(\.name)
    try wait(for: "the writers to end") { round in
      round.histories.allSatisfy { history in
        !live.contains(history.name) || history.endedWriters == IsolationWorker.writers
      }
    }
    let check = try check()
    // No commit follows: an observer that has missed the last one is not notified any more.
    for watcher in IsolationWorker.Watcher.allCases {
      let last = check.lastChange(for: watcher)
      for name in live {
        try wait(for: "\(watcher.rawValue) of process \(name) to see version \(last)") { round in
          round.histories.contains {
            $0.name == name && $0.newest[watcher.rawValue, default: 0] >= last
          }
        }
      }
    }
    for process in processes { _ = process.kill() }
    for index in histories.indices { try histories[index].update() }
    var findings = check.findings(histories)
    findings += try storeFindings(check)
    totals.commits = histories.reduce(0) { $0 + $1.committed.count }
    totals.unacknowledged = check.turns.count - totals.commits
    totals.sights = histories.reduce(0) { $0 + $1.sights.count }
    return findings
  }

  /// Waits until the logs say something.
  ///
  /// - Throws: ``Failure`` after a time that no process needs.
  private mutating func wait(
    for what: String, _ isDone: (IsolationRound) -> Bool
  ) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    try update()
    while !isDone(self) {
      guard ContinuousClock.now < deadline else { throw Failure("waited 60 s for \(what)") }
      usleep(20_000)
      try update()
    }
  }

  private func check() throws -> IsolationCheck {
    let realm = try Realm(configuration: IsolationWorkload.configuration(store))
    let stored = realm.objects(Turn.self).sorted(byKeyPath: "version")
    let turns: [TurnRecord] = try stored.map { turn in
      guard let record = TurnRecord(turn) else {
        throw Failure("transaction \(turn.id) has the kind \(turn.kind)")
      }
      return record
    }
    return IsolationCheck(
      turns: turns, base: base, newest: try IsolationWorkload.version(of: realm))
  }

  /// Compares the store at the end with all commits, and lets the command line check it.
  private func storeFindings(_ check: IsolationCheck) throws -> [String] {
    var findings: [String] = []
    let realm = try Realm(configuration: IsolationWorkload.configuration(store))
    let version = try IsolationWorkload.version(of: realm)
    if version != check.newest {
      findings.append("version \(check.newest) became \(version) without a commit")
    }
    var content = IsolationContent()
    for turn in check.turns { content.apply(turn) }
    let (found, expected) = (
      IsolationContent(realm, version: version).texts(at: version), content.texts(at: version)
    )
    for (part, name) in IsolationContent.parts.enumerated() where found[part] != expected[part] {
      findings.append("the \(name) of the store are \(found[part]), expected \(expected[part])")
    }
    for owner in 0..<CardCommand.owners
    where CardCommand.steps(of: owner, realm) != steps[owner] {
      findings.append("the cards of owner \(owner) are not those of step \(steps[owner])")
    }
    findings += try StoreContent.problems(of: store)
    let outcome = try RoleProcess.run("check", cadastre: ["check", store], in: folder)
    if outcome.status != 0 { findings.append("cadastre check: \(outcome)") }
    return findings
  }
}

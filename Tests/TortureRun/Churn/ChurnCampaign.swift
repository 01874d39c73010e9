import Cadastre
import CadastreTestSupport
import Foundation

/// Two processes whose threads and tasks open, write and release a store through several names, while they are
/// killed and the command line reads and writes it.
///
/// Each acknowledged commit must be in the store at each kill and at the end, no read may fail, and the checks of the
/// store must be clean. `--seconds N` is the duration, `--seed S` repeats the random choices.
enum ChurnCampaign {
  static func main(_ options: Options) throws {
    let seconds = try options.number("seconds", default: 60)
    let seed = try options.seed()
    Report.say("churn, \(seconds) s, seed \(seed)")
    Logger.shared = Logger { _, _, _ in }
    let work = try WorkFolder("churn")
    var churn = try Churn(work.path, seed: seed, seconds: seconds)
    do {
      try churn.run()
    } catch {
      churn.add("\(error)")
    }
    Report.say(churn.summary)
    if churn.findings.count == 0 {
      work.remove()
    } else {
      Report.say("store and logs: \(work.path)")
    }
    try churn.findings.requireNone()
  }
}

/// The processes, and what they have acknowledged.
private struct Churn {
  private static let processCount = 2
  /// The counter that only the command line changes.
  private static let commandCounter = 1000

  /// What is known of a writer.
  private struct Writer {
    /// The number of its last acknowledged commit.
    var last = 0
    /// Whether its process was killed since, so that one more commit may be in the store.
    var mayHaveOneMore = false
  }

  private let options: String
  private let seconds: Int
  private let folder: String
  private let names: StoreNames
  private var random: SeededGenerator
  private var processes: [RoleProcess] = []
  private var logs: [EventReader] = []
  private var writers: [Int: Writer] = [:]
  private(set) var findings = Findings()
  private var (kills, commits, lost, starts, commands, sets) = (0, 0, 0, 0, 0, 0)

  init(_ folder: String, seed: UInt64, seconds: Int) throws {
    options = "--seed \(seed) --seconds \(seconds)"
    self.seconds = seconds
    self.folder = folder
    names = try StoreNames(in: folder)
    random = SeededGenerator(seed: seed)
    let realm = try current()
    try realm.write { realm.create(SoakCounter.self, value: ["writer": Self.commandCounter]) }
    for number in 0..<Self.processCount {
      logs.append(EventReader(folder + "/\(number).log"))
      for writer in ChurnWorker.writers(ofProcess: number) { writers[writer] = Writer() }
      processes.append(try start(number))
    }
  }

  private mutating func start(_ number: Int) throws -> RoleProcess {
    starts += 1
    return try RoleProcess(
      "\(number)-\(starts)",
      ["churn-worker", logs[number].path, "\(number)", "\(random.next() as UInt64)", names.store]
        + names.links, in: folder)
  }

  var summary: String {
    "\(kills) kills, \(commits) acknowledged commits, \(lost) of them lost, \(commands) commands, "
      + "\(findings.count) findings"
  }

  mutating func add(_ finding: String) { findings.add("\(options): \(finding)") }

  mutating func run() throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      usleep(UInt32(random.below(1_500_000)))
      for number in processes.indices where !processes[number].isRunning {
        add("process \(number) ended by itself, \(processes[number].kill())")
        processes[number] = try start(number)
      }
      try runCommand()
      if random.oneIn(2) {
        let number = random.below(processes.count)
        try kill(number)
        processes[number] = try start(number)
      }
    }
    for number in processes.indices { try kill(number) }
    try verify(ended: Set(writers.keys))
    let outcome = try RoleProcess.run("check", cadastre: ["check", names.store], in: folder)
    if outcome.status != 0 { add("cadastre check: \(outcome)") }
  }

  // MARK: Commits

  private mutating func kill(_ number: Int) throws {
    kills += 1
    let outcome = processes[number].kill()
    if outcome.signal != SIGKILL { add("process \(number) ended by itself, \(outcome)") }
    try verify(ended: Set(ChurnWorker.writers(ofProcess: number)))
  }

  /// Reads what the processes have acknowledged.
  private mutating func readLogs() throws {
    for index in logs.indices {
      for line in try logs[index].lines() {
        let words = line.split(separator: " ")
        guard words.first == "committed", words.count == 3, let writer = Int(words[1]),
          let commit = Int(words[2])
        else {
          add("process \(index): \(line)")
          continue
        }
        acknowledge(writer, commit)
      }
    }
  }

  /// The number of a commit follows from that in the store, so that one after a loss has a number again.
  private mutating func acknowledge(_ number: Int, _ commit: Int) {
    var writer = writers[number] ?? Writer()
    if commit <= writer.last {
      lose(writer.last - commit + 1, "writer \(number) acknowledged commit \(commit) again")
    } else if commit - writer.last > (writer.mayHaveOneMore ? 2 : 1) {
      add("writer \(number) acknowledged commit \(commit) after \(writer.last)")
    }
    commits += 1
    writer = Writer(last: commit)
    writers[number] = writer
  }

  private mutating func lose(_ count: Int, _ sentence: String) {
    lost += count
    add("\(sentence): \(count) acknowledged commits are lost")
  }

  /// Compares the store with the acknowledgements.
  ///
  /// - Parameter ended: The writers whose process was killed.
  /// - Throws: Where the store cannot be read.
  private mutating func verify(ended: Set<Int>) throws {
    try readLogs()
    let realm = try current()
    for (number, writer) in writers.sorted(by: { $0.key < $1.key }) {
      let (commits, fault) = SoakWorkload.fault(number, realm)
      if let fault { add(fault) }
      if commits < writer.last {
        lose(
          writer.last - commits,
          "writer \(number) acknowledged \(writer.last) commits, the store has \(commits)")
        writers[number]?.last = commits
      }
      guard ended.contains(number) else { continue }
      if commits > writer.last + 1 {
        add("writer \(number) acknowledged \(writer.last) commits, the store has \(commits)")
      }
      writers[number]?.mayHaveOneMore = true
    }
    for problem in try StoreContent.problems(of: names.store) { add("the check finds: \(problem)") }
  }

  /// The newest version of the store.
  private func current() throws -> Realm {
    let realm = try Realm(configuration: SoakWorkload.configuration(names.store))
    realm.refresh()
    return realm
  }

  // MARK: The command line

  /// Reads or writes the store with the command line, through any of its names.
  private mutating func runCommand() throws {
    commands += 1
    let name = random.pick([names.store] + names.links)
    let number = "\(Self.commandCounter)"
    var arguments: [String] = []
    switch random.below(3) {
    case 0:
      sets += 1
      arguments = ["set", name, "SoakCounter", "writer == \(number)", "last=\(sets)"]
    case 1: arguments = ["query", name, "SoakNote", "commit > 0", "--format", "count"]
    default: arguments = ["check", name]
    }
    let outcome = try RoleProcess.run("command", cadastre: arguments, in: folder)
    if outcome.status != 0 { add("\(arguments.joined(separator: " ")): \(outcome)") }
    guard arguments[0] == "set" else { return }
    let found = try current().object(ofType: SoakCounter.self, forPrimaryKey: Self.commandCounter)
    if found?.last != sets {
      let text = found.map { "\($0.last)" } ?? "missing"
      lose(1, "the command line set the counter to \(sets), it is \(text)")
    }
  }
}

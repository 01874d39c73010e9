import Cadastre
import CadastreTestSupport
import Foundation

/// Commits at random moments, and requires that each commit reaches each watching process before the next one.
///
/// Nothing else commits, so that a notification that is missed never comes. Half of the commits are made beside busy
/// loops, some by the command line. `--commits N` is their number, `--seed S` repeats the pauses, and `--idle N` is
/// the number of seconds in which the wake-ups of idle watchers are counted. `--wakes N` is the largest number of
/// wake-ups per second.
struct WatchCampaign {
  /// A process that watches, and what it has seen.
  private struct Watcher {
    let kind: WatchWorker.Kind
    let process: RoleProcess
    let pipe: Pipe
    var wakes = 0.0
    /// The times of delivery in milliseconds, without and beside busy loops.
    var times: [[Double]] = [[], []]
  }

  /// The time after which a notification is missed; no right program needs a part of it.
  private static let limitSeconds = 60

  private let folder: String
  private let store: String
  private let seed: UInt64
  private let commits: Int
  private let realm: Realm
  /// The version in which the number is 0.
  private let base: Int
  private var random: SeededGenerator
  private var watchers: [Watcher] = []
  private var spinners: [RoleProcess] = []
  private var commands = 0

  static func main(_ options: Options) throws {
    let seed = try options.seed()
    let commits = try options.number("commits", default: 200)
    Report.say("watch, \(commits) commits, seed \(seed)")
    Logger.shared = Logger { _, _, _ in }
    let work = try WorkFolder("watch")
    var findings = Findings()
    do {
      var campaign = try WatchCampaign(work.path, seed, commits)
      try campaign.start()
      let wakes = try campaign.countWakes(
        seconds: options.number("idle", default: 5), limit: options.number("wakes", default: 100))
      for finding in wakes { findings.add(finding) }
      try campaign.run()
      campaign.report()
    } catch {
      findings.add("--seed \(seed) --commits \(commits): \(error)")
    }
    if findings.count == 0 { work.remove() } else { Report.say("store: \(work.path)") }
    try findings.requireNone()
  }

  private init(_ folder: String, _ seed: UInt64, _ commits: Int) throws {
    (self.folder, self.seed, self.commits) = (folder, seed, commits)
    random = SeededGenerator(seed: seed)
    store = folder + "/store.cadastre"
    let realm = try Realm(configuration: WatchWorker.configuration(store))
    try realm.write { realm.create(Beat.self, value: ["id": 0]) }
    self.realm = realm
    base = try IsolationWorkload.version(of: realm)
  }

  /// Starts the watchers, and waits until each has seen the first state.
  private mutating func start() throws {
    for kind in WatchWorker.Kind.allCases {
      let pipe = Pipe()
      let process = try RoleProcess(
        kind.rawValue, ["watch-worker", store, kind.rawValue], in: folder, output: pipe)
      watchers.append(Watcher(kind: kind, process: process, pipe: pipe))
    }
    for watcher in watchers { _ = try receive(0, watcher, "the first state") }
  }

  // MARK: Commits

  private mutating func run() throws {
    for number in 1..<commits + 1 {
      if number == commits / 2 + 1 {
        for spinner in 0..<ProcessInfo.processInfo.activeProcessorCount {
          spinners.append(try RoleProcess("spinner\(spinner)", ["watch-spinner"], in: folder))
        }
      }
      usleep(pause())
      let isCommand = random.oneIn(8)
      try commit(number, isCommand)
      let committed = Delivery.now
      let name = "commit \(number)\(isCommand ? " by the command line" : "")"
      for index in watchers.indices {
        let delivery = try receive(number, watchers[index], name)
        let milliseconds = Double(max(0, delivery.time - committed)) / 1e6
        watchers[index].times[spinners.isEmpty ? 0 : 1].append(milliseconds)
      }
    }
    for spinner in spinners { _ = spinner.kill() }
    for watcher in watchers { _ = watcher.process.kill() }
  }

  /// A pause in microseconds: often none or one that is shorter than the time between two polls, at times beyond a
  /// second.
  private mutating func pause() -> UInt32 {
    switch random.below(20) {
    case 0...7: 0
    case 8...15: UInt32(random.below(100_000))
    case 16...18: UInt32(random.below(300_000))
    default: UInt32(1_000_000 + random.below(600_000))
    }
  }

  private mutating func commit(_ number: Int, _ isCommand: Bool) throws {
    guard isCommand else {
      try realm.write {
        realm.object(ofType: Beat.self, forPrimaryKey: 0)?.number = number
      }
      return
    }
    commands += 1
    let outcome = try RoleProcess.run(
      "command", cadastre: ["set", store, "Beat", "id == 0", "number=\(number)"], in: folder)
    guard outcome.status == 0 else { throw Failure("cadastre set: \(outcome)") }
  }

  /// Waits for the delivery of a number.
  ///
  /// - Throws: ``Failure`` where it does not come, or another number or version does.
  private func receive(_ number: Int, _ watcher: Watcher, _ name: String) throws -> Delivery {
    let file = watcher.pipe.fileHandleForReading.fileDescriptor
    while true {
      var input = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard poll(&input, 1, Int32(Self.limitSeconds * 1000)) > 0 else {
        throw Failure("\(watcher.kind) was not notified of \(name) within \(Self.limitSeconds) s")
      }
      guard let delivery = Delivery(from: file) else {
        let outcome = try watcher.process.wait()
        throw Failure("\(watcher.kind) ended by itself, \(outcome)")
      }
      guard delivery.version == base + delivery.number else {
        throw Failure(
          "\(watcher.kind) saw number \(delivery.number) in version \(delivery.version), expected "
            + "version \(base + delivery.number)")
      }
      if delivery.number == number { return delivery }
      // A commit may be delivered twice.
      guard delivery.number == number - 1 else {
        throw Failure("\(watcher.kind) saw number \(delivery.number), expected \(number)")
      }
    }
  }

  // MARK: Figures

  /// Counts how often watchers wake while nothing is written.
  ///
  /// - Returns: A sentence for each that wakes more often than the limit.
  private mutating func countWakes(seconds: Int, limit: Int) throws -> [String] {
    guard seconds > 0 else { return [] }
    let before = watchers.map { Self.switches(of: $0.process.identifier) }
    sleep(UInt32(seconds))
    var findings: [String] = []
    for index in watchers.indices {
      let count = Self.switches(of: watchers[index].process.identifier) - before[index]
      watchers[index].wakes = Double(count) / Double(seconds)
      if count > limit * seconds {
        findings.append(
          "\(watchers[index].kind) wakes \(count / seconds) times per second while nothing is written, the "
            + "limit is \(limit)")
      }
    }
    return findings
  }

  /// The number of times that the threads of a process have begun to wait; 0 where the system does not tell.
  private static func switches(of process: Int32) -> Int {
    let tasks = "/proc/\(process)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return names.reduce(0) { sum, name in
      let status = try? String(contentsOfFile: "\(tasks)/\(name)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
    }
  }

  private func report() {
    Report.say("\(commits) commits, \(commands) of them by the command line, reached each watcher")
    for watcher in watchers {
      let wakes = (watcher.wakes * 10).rounded() / 10
      Report.say(
        "  \(watcher.kind): \(Self.text(watcher.times[0])), beside busy loops "
          + "\(Self.text(watcher.times[1])), \(wakes) wake-ups per second while idle")
    }
  }

  private static func text(_ times: [Double]) -> String {
    let sorted = times.sorted()
    guard let last = sorted.last else { return "no commit" }
    let figures = [sorted[sorted.count / 2], sorted[(sorted.count - 1) * 99 / 100], last].map {
      "\(($0 * 10).rounded() / 10)"
    }
    return "median \(figures[0]), 99 % \(figures[1]), largest \(figures[2]) ms"
  }
}

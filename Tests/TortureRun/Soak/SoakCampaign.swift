import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation

/// Eight programs use one store for a long time, while they are killed and stopped, the disk of one is
/// full at times and its clock jumps, old versions stay open, and the store is compacted and copied.
///
/// All acknowledged commits must be in the store, no program may end by itself, and the sizes of the
/// file, its log and the programs must stay bounded.
enum SoakCampaign {
  static func main(_ options: Options) throws {
    let seconds = try options.number("seconds", default: 3600)
    let seed = try options.seed()
    Report.say("soak of \(seconds) s, seed \(seed)")
    let work = try WorkFolder("soak")
    var campaign = try Soak(work, seed: seed)
    do {
      try campaign.run(seconds)
    } catch {
      throw Failure("\(error); the store is in \(work.path)")
    }
    Report.say(campaign.summary)
    work.remove()
  }
}

/// The programs and what they have acknowledged.
private struct Soak {
  /// A program, and what is known of it.
  private struct Program {
    let role: SoakWorker.Role
    let number: Int
    var child: Child
    /// The commits of a writer in the store after its process was killed last.
    var known = 0
    var acknowledgements = 0

    var isWriter: Bool { role == .writer || role == .faultyWriter }
  }

  private static let roles: [SoakWorker.Role] = [
    .writer, .writer, .writer, .faultyWriter, .longReader, .reader, .reader, .keeper,
  ]
  /// The largest size in bytes of the store with its log, and of a program's memory.
  private static let (mostFileBytes, mostMemory) = (256 << 20, 512 << 20)

  private let store: String
  /// The control of the program whose calls fail, and that of the others.
  private let (control, others): (FaultControl, FaultControl)
  private var random: SeededGenerator
  private var programs: [Program] = []
  private var (kills, stops, fullDisks, jumps) = (0, 0, 0, 0)
  private var (largestFile, largestMemory) = (0, 0)

  init(_ work: WorkFolder, seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    let folder = try work.folder("store")
    control = try FaultControl(path: work.path + "/control")
    others = try FaultControl(path: work.path + "/others")
    for control in [control, others] { control.watch(folder) }
    store = folder + "/store.cadastre"
    for (number, role) in Self.roles.enumerated() {
      programs.append(
        Program(role: role, number: number, child: try start(role, number)))
    }
  }

  var summary: String {
    let commits = programs.filter(\.isWriter).reduce(0) { $0 + $1.acknowledgements }
    let reads = programs.filter { !$0.isWriter }.reduce(0) { $0 + $1.acknowledgements }
    return "\(kills) kills, \(stops) stops, \(fullDisks) full disks, \(jumps) jumps of the clock: "
      + "all \(commits) acknowledged commits are in the store; \(reads) checks and copies; "
      + "\(control.guardedWrites + others.guardedWrites) writes under the lock of the writers; "
      + "at most \(largestFile >> 20) MiB of files and \(largestMemory >> 20) MiB of memory"
  }

  private mutating func start(_ role: SoakWorker.Role, _ number: Int) throws -> Child {
    try Child(
      ["soak-worker", role.rawValue, store, "\(number)", "\(random.next() as UInt64)"],
      environment: role == .faultyWriter ? control.environment : others.environment)
  }

  mutating func run(_ seconds: Int) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      usleep(UInt32(50_000 + random.below(300_000)))
      try disturb(random.below(programs.count))
      try measure()
      for index in programs.indices {
        programs[index].child.listen()
        try programs[index].child.requireRunning()
      }
    }
    control.disarm()
    for index in programs.indices { try kill(index) }
    for control in [control, others] { try control.requireGuardedLogs() }
    try SoakWorker.requireClean(store)
  }

  private mutating func disturb(_ index: Int) throws {
    switch random.below(8) {
    case 0...2:
      try kill(index)
      programs[index].child = try start(programs[index].role, programs[index].number)
    case 3...4:
      stops += 1
      programs[index].child.signal(SIGSTOP)
      usleep(UInt32(random.below(1_500_000)))
      programs[index].child.signal(SIGCONT)
    case 5:
      fullDisks += 1
      control.arm(
        (store as NSString).deletingLastPathComponent, Self.fullDisk, at: 1 + random.below(20))
      usleep(UInt32(random.below(500_000)))
      control.disarm()
    case 6:
      jumps += 1
      control.moveClock(by: random.below(2_000_000) - 1_000_000)
    default: break
    }
  }

  private static let fullDisk = Fault(
    name: "enospc-forever", kinds: [.write, .make], code: Int64(ENOSPC), isForever: true)

  /// Kills a program, and compares the store with what a writer has acknowledged.
  private mutating func kill(_ index: Int) throws {
    kills += 1
    let child = programs[index].child
    try child.kill()
    programs[index].acknowledgements += child.acknowledgements
    guard programs[index].isWriter else { return }
    let number = programs[index].number
    let known = max(programs[index].known, child.acknowledged)
    let (commits, fault) = SoakWorkload.fault(number, try current())
    if let fault { throw Failure(fault) }
    guard commits == known || commits == known + 1 else {
      throw Failure("writer \(number) acknowledged \(known) commits, the store has \(commits)")
    }
    programs[index].known = commits
  }

  /// The newest version of the store.
  private func current() throws -> Realm {
    let realm = try Realm(configuration: SoakWorkload.configuration(store))
    realm.refresh()
    return realm
  }

  private mutating func measure() throws {
    let files = ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(store + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
    }
    largestFile = max(largestFile, files)
    for program in programs {
      largestMemory = max(largestMemory, program.child.residentBytes)
    }
    guard largestFile <= Self.mostFileBytes, largestMemory <= Self.mostMemory else {
      throw Failure("\(largestFile) bytes of files, \(largestMemory) bytes of memory")
    }
  }
}

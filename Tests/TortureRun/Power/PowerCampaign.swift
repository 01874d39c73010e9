import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation

/// Cuts the power of a writing process at random points, and opens the store that is left.
///
/// `--images N` is the number of cuts. `--seed S --round R` repeats one round, which has a recorded process
/// of its own.
struct PowerCampaign {
  private let folder: WorkFolder
  private let control: FaultControl
  private var findings = Findings()
  private var images = 0
  /// The commits in the images that were not acknowledged.
  private var further = 0
  /// Images in which changes were lost that no synchronisation had made durable.
  private var copies = 0

  private static let imagesOfRound = 250

  static func main(_ options: Options) throws {
    let seed = try options.seed()
    let count = try options.number("images", default: 500)
    Report.say("power cuts, seed \(seed)")
    Logger.shared = Logger { _, _, _ in }
    let folder = try WorkFolder("power")
    var campaign = PowerCampaign(
      folder: folder, control: try FaultControl(path: folder.path + "/control"))
    let start = ContinuousClock.now
    if let round = options["round"] {
      try campaign.run(seed, Int(round) ?? 0, Self.imagesOfRound)
    } else {
      var round = 0
      while campaign.images < count {
        try campaign.run(seed, round, min(Self.imagesOfRound, count - campaign.images))
        round += 1
      }
    }
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    Report.say(
      "\(campaign.images) images after a loss of power: all acknowledged commits are in the stores, "
        + "and \(campaign.further) others, and \(campaign.copies) finished copies; "
        + "\(campaign.findings.count) findings (\(seconds) s)")
    try campaign.control.requireGuardedLogs()
    try campaign.findings.requireNone()
    folder.remove()
  }

  private init(folder: WorkFolder, control: FaultControl) {
    (self.folder, self.control) = (folder, control)
  }

  /// Records one process, and cuts its power a number of times.
  private mutating func run(_ seed: UInt64, _ round: Int, _ count: Int) throws {
    var random = SeededGenerator(seed: seed &+ UInt64(round) &* 7919)
    let root = try folder.folder("run")
    let recordPath = folder.path + "/record"
    try? FileManager.default.removeItem(atPath: recordPath)
    control.record(root, to: recordPath)
    // Few rounds reach the commits of many rows.
    try work(root, random.pick([6, 12, 14, 45]), random.next())
    control.endRecord()
    let record = try Record(path: recordPath, root: root)
    let cuts = (0..<count).map { _ in random.below(record.changes.count + 1) }.sorted()
    var disk = Disk()
    var done = 0
    for (index, cut) in cuts.enumerated() {
      while done < cut {
        disk.apply(record.changes[done])
        done += 1
      }
      let image = disk.image(&random)
      // The connections of the previous image close in the background.
      let path = try folder.folder("image\(images)")
      for (name, bytes) in image where !name.contains("/") {
        try bytes.write(to: URL(fileURLWithPath: path + "/" + name))
      }
      images += 1
      if let finding = finding(path, disk, isContinued: index % 8 == 0) {
        findings.add("--seed \(seed) --round \(round), image \(index) of cut \(cut): \(finding)")
      } else {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }

  private func work(_ root: String, _ commits: Int, _ seed: UInt64) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["power-worker", root, "\(commits)", "\(seed)"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(try control.environment) { $1 }
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("the recorded process ended with \(process.terminationStatus)")
    }
  }

  /// Opens an image, and compares it with the acknowledged commits.
  private mutating func finding(_ folder: String, _ disk: Disk, isContinued: Bool) -> String? {
    do {
      let path = folder + "/store.cadastre"
      let realm = try Realm(configuration: Workload.configuration(path))
      let (commits, fault) = Workload.fault(Workload.victim, realm)
      if let fault { return fault }
      guard (disk.acknowledged...disk.acknowledged + PowerWorker.tasks).contains(commits) else {
        return "\(disk.acknowledged) commits were acknowledged, but the store has \(commits)"
      }
      further += commits - disk.acknowledged
      let problems = try StoreContent.problems(of: path)
      guard problems.isEmpty else { return "the check finds \(problems)" }
      if isContinued {
        let next = try Workload.next(Workload.victim, realm)
        guard next == commits + 1, Workload.fault(Workload.victim, realm).fault == nil else {
          return "the store cannot be used any more"
        }
      }
      return try copyFinding(folder, disk)
    } catch {
      return "\(error)"
    }
  }

  /// A copy with its final name is complete.
  private mutating func copyFinding(_ folder: String, _ disk: Disk) throws -> String? {
    for number in 1..<disk.copies + 2 {
      let path = folder + "/copy\(number).cadastre"
      guard FileManager.default.fileExists(atPath: path) else {
        if number > disk.copies { continue }
        return "copy \(number) is missing"
      }
      copies += 1
      let problems = try StoreContent.problems(of: path)
      guard problems.isEmpty else { return "the check of copy \(number) finds \(problems)" }
      let realm = try Realm(configuration: Workload.configuration(path))
      let (commits, fault) = Workload.fault(Workload.victim, realm)
      if let fault { return "copy \(number): \(fault)" }
      guard commits > 0 else { return "copy \(number) is empty" }
    }
    return nil
  }
}

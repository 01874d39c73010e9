import Cadastre
import CadastreTestSupport
import Foundation

/// Fails calls of the system, one after the other, in every workload.
///
/// `--workload NAME`, `--fault NAME` and `--call N` repeat one case; `--sample N` takes N calls of each
/// workload and fault in place of all.
struct FaultCampaign {
  private let folder: WorkFolder
  private let control: FaultControl
  private let sample: Int
  private let call: Int?
  private let faults: [Fault]
  private var random: SeededGenerator
  private var findings = Findings()
  private var runs = 0
  private var failed = 0
  private var kills = 0

  static func main(_ options: Options) throws {
    let seed = try options.seed()
    Report.say("faults, seed \(seed)")
    Logger.shared = Logger { _, _, _ in }
    var campaign = try FaultCampaign(options, seed)
    let start = ContinuousClock.now
    for workload in StoreWorkload.all where [nil, workload.name].contains(options["workload"]) {
      try campaign.run(workload)
    }
    for workload in CommandWorkload.all where [nil, workload.name].contains(options["workload"]) {
      try campaign.run(workload)
    }
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    Report.say(
      "\(campaign.runs) runs with faults: \(campaign.failed) failed calls, \(campaign.kills) kills, "
        + "\(campaign.control.guardedWrites) writes under the lock of the writers, "
        + "\(campaign.findings.count) findings (\(seconds) s)")
    try campaign.control.requireGuardedLogs()
    try campaign.findings.requireNone()
    campaign.folder.remove()
  }

  private init(_ options: Options, _ seed: UInt64) throws {
    folder = try WorkFolder("faults")
    control = try FaultControl(path: folder.path + "/control")
    sample = try options.number("sample", default: 0)
    call = options["call"] == nil ? nil : try options.number("call", default: 1)
    faults = Fault.all.filter { [nil, $0.name].contains(options["fault"]) }
    random = SeededGenerator(seed: seed)
  }

  /// The numbers of the calls that fail, of all calls of a run.
  private mutating func calls(_ count: Int) -> [Int] {
    if let call { return [call] }
    guard count > 0 else { return [] }
    guard sample > 0, sample < count else { return Array(1...count) }
    return Set((0..<sample).map { _ in 1 + random.below(count) }).sorted()
  }

  // MARK: The library

  private mutating func run(_ workload: StoreWorkload) throws {
    let place = try folder.folder("store-" + workload.name)
    var trial = try FaultTrial(workload, place, control)
    var worker: Worker?
    let before = (runs, findings.count)
    for fault in faults {
      if worker == nil { worker = try Worker(workload, place, control) }
      // The first call past the end tells the number of calls.
      let reply = try worker?.ask(fault, Int.max, 0)
      guard case .line(let line)? = reply, line.hasPrefix("ok") else {
        throw Failure(
          "workload \(workload.name) fails without a fault: \(reply.map { "\($0)" } ?? "no reply")")
      }
      for nth in calls(control.count) {
        let name = "--workload \(workload.name) --fault \(fault.name) --call \(nth)"
        if worker == nil { worker = try Worker(workload, place, control) }
        runs += 1
        let known = findings.count
        switch try worker?.ask(fault, nth, runs) {
        case .line(let line)?:
          failed += control.fired
          if !line.hasPrefix("ok") { findings.add("\(name): \(line)") }
        case .ended(let status)?:
          worker = nil
          if fault.isKill, status == SIGKILL {
            kills += 1
            if let finding = trial.findingAfterKill(runs) { findings.add("\(name): \(finding)") }
          } else {
            findings.add("\(name): the process ended with \(status) [\(control.last)]")
          }
        case nil:
          worker = nil
          findings.add("\(name): hangs [\(control.last)]")
        }
        if let breach = control.takeUnguardedWrites() { findings.add("\(name): \(breach)") }
        if findings.count == known {
          try? FileManager.default.removeItem(atPath: place + "/run\(runs)")
        }
      }
    }
    say(workload.name, before)
  }

  private func say(_ name: String, _ before: (runs: Int, findings: Int)) {
    Report.say(
      "  \(name): \(runs - before.runs) runs, \(findings.count - before.findings) findings")
  }

  // MARK: Commands

  private mutating func run(_ workload: CommandWorkload) throws {
    let place = try folder.folder("command-" + workload.name)
    var trial = try CommandTrial(workload, place, control)
    let before = (runs, findings.count)
    for fault in faults {
      let count = try trial.count(fault)
      for nth in calls(count) {
        runs += 1
        let finding = try trial.run(fault, nth) ?? control.takeUnguardedWrites()
        if fault.isKill, control.fired > 0 { kills += 1 } else { failed += control.fired }
        if let finding {
          findings.add(
            "--workload \(workload.name) --fault \(fault.name) --call \(nth): \(finding)")
        }
      }
    }
    say(workload.name, before)
  }
}

/// A ``FaultWorker`` process.
private final class Worker {
  enum Reply {
    case line(String)
    /// The status or the signal of a process that ended.
    case ended(Int32)
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ workload: StoreWorkload, _ folder: String, _ control: FaultControl) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["fault-worker", workload.name, folder, control.path]
    process.environment = ProcessInfo.processInfo.environment
      .merging(try control.environment) { $1 }
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Runs one case; nil where it takes longer than two minutes.
  func ask(_ fault: Fault, _ nth: Int, _ number: Int) throws -> Reply? {
    input.fileHandleForWriting.write(Data("\(fault.name) \(nth) \(number)\n".utf8))
    var line = Data()
    while true {
      var descriptor = pollfd(
        fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 120_000) > 0 else { return nil }
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else {
        process.waitUntilExit()
        return .ended(process.terminationStatus)
      }
      line += bytes
      if line.last == UInt8(ascii: "\n") {
        return .line(String(decoding: line.dropLast(), as: UTF8.self))
      }
    }
  }
}

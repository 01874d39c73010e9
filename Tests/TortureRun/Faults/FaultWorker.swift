import Cadastre
import CadastreStore
import Foundation

/// A process that runs one workload of the library many times, each time with another fault.
///
/// It reads lines of a fault's name, the number of the call and the number of the run from standard input,
/// and writes a line for each of them: `ok`, or the finding. A fault that kills ends the process.
enum FaultWorker {
  static func main(_ arguments: [String]) throws {
    guard arguments.count == 3,
      let workload = StoreWorkload.all.first(where: { $0.name == arguments[0] })
    else { throw Failure("a worker needs a workload, a folder and a control file") }
    let control = try FaultControl(path: arguments[2])
    Logger.shared = Logger { _, _, _ in }
    var trial = try FaultTrial(workload, arguments[1], control)
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.count == 3, let nth = Int(words[1]), let number = Int(words[2]),
        let fault = Fault.all.first(where: { $0.name == words[0] })
      else { throw Failure("expected a fault and two numbers, found '\(line)'") }
      let finding = try trial.run(fault, nth, number)
      Report.say(finding ?? "ok \(control.fired) \(control.count)")
    }
  }
}

/// The runs of one workload of the library.
struct FaultTrial {
  private let workload: StoreWorkload
  private let control: FaultControl
  /// The folder of all runs, the one with the files before the workload, and the one of the last run.
  private let root: String
  private let base: String
  private var folder: String
  /// The contents that the workload may leave: before it, and after each of its transactions.
  private let states: [[StoreContent?]]
  private var newest: [StoreContent?] { states.last ?? [] }

  /// Runs the workload twice without a fault.
  init(_ workload: StoreWorkload, _ folder: String, _ control: FaultControl) throws {
    self.workload = workload
    self.control = control
    root = folder
    base = folder + "/base"
    self.folder = folder + "/intact\(getpid())"
    control.disarm()
    if !FileManager.default.fileExists(atPath: base) {
      try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
      try workload.prepare(base)
      try WorkFolder.waitUntilClosed(base)
    }
    let intact = self.folder
    try WorkFolder.copy(base, to: intact)
    var states = [try Self.contents(intact)]
    try workload.run(intact) { states.append(try Self.contents(intact)) }
    states.append(try Self.contents(intact))
    self.states = states
    self.folder = intact + "-again"
    try WorkFolder.copy(base, to: self.folder)
    try workload.run(self.folder) {}
    guard try Self.contents(self.folder) == newest else {
      throw Failure("workload \(workload.name) gives another content when it is repeated")
    }
  }

  private static func contents(_ folder: String) throws -> [StoreContent?] {
    try [
      StoreContent(of: StoreWorkload.store(folder)), StoreContent(of: StoreWorkload.copy(folder)),
    ]
  }

  /// Runs the workload with a fault.
  ///
  /// - Returns: The finding; nil where everything is as promised.
  mutating func run(_ fault: Fault, _ nth: Int, _ number: Int) throws -> String? {
    // The connections of the previous run close in the background.
    folder = root + "/run\(number)"
    try WorkFolder.copy(base, to: folder)
    control.arm(folder, fault, at: nth)
    var failure: (any Error)?
    do { try workload.run(folder) {} } catch { failure = error }
    control.disarm()
    let finding: String?
    do { finding = try self.finding(failure, fault) } catch {
      finding = "after the fault: \(error)"
    }
    return finding.map { "\($0) [\(control.last); error: \(failure.map { "\($0)" } ?? "none")]" }
  }

  /// Checks the files that a killed run has left.
  mutating func findingAfterKill(_ number: Int) -> String? {
    folder = root + "/run\(number)"
    control.disarm()
    do { return try finding(nil, nil) } catch {
      return "after the kill: \(error) [\(control.last)]"
    }
  }

  private func finding(_ failure: (any Error)?, _ fault: Fault?) throws -> String? {
    if let failure, !(failure is Realm.Error || failure is StoreError) {
      return "an error of type \(type(of: failure))"
    }
    if let fault, fault.isShort, failure != nil { return "a short transfer is an error" }
    if fault != nil, !control.last.hasPrefix("unlink"), let leftover = try leftover() {
      return "\(leftover) is left"
    }
    if let finding = try contentFinding(isDone: fault != nil && failure == nil) { return finding }
    // The process goes on: the same workload now succeeds.
    try WorkFolder.age(folder)
    try workload.run(folder) {}
    for (found, expected) in zip(try Self.contents(folder), newest)
    where found?.counts != expected?.counts {
      let changes = expected.flatMap { found?.difference(from: $0) }
      return "the repeated workload has another content: \(changes ?? "a store is missing")"
    }
    if fault == nil || !control.last.hasPrefix("unlink"), let leftover = try leftover() {
      return "\(leftover) is left after the repeated workload"
    }
    return nil
  }

  private func leftover() throws -> String? {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .first { !StoreWorkload.fileNames.contains($0) }
  }

  /// Compares the stores with those of an undisturbed run.
  private func contentFinding(isDone: Bool) throws -> String? {
    let paths = [StoreWorkload.store(folder), StoreWorkload.copy(folder)]
    for (index, path) in paths.enumerated() {
      let problems = try StoreContent.problems(of: path)
      // The store of the repair is damaged before it.
      if !problems.isEmpty, workload.name != "repair" { return "the check finds \(problems)" }
      let content = try StoreContent(of: path)
      if isDone {
        guard content == newest[index] else { return "the workload succeeded, but not its changes" }
      }
    }
    guard states.contains(try Self.contents(folder)) else {
      return "neither the old nor the new content"
    }
    return nil
  }
}

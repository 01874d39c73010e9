import Cadastre
import CadastreTestSupport
import Foundation

/// Uses one store by several names in several processes: symbolic and hard links, relative names, linked folders,
/// mounted files and folders; and a store that another file, or another log, has replaced.
///
/// No acknowledged commit may be lost, and no store may be read with the log of another: it is refused with an
/// error that names the reason. `--case NAME` repeats one case, `--seed S` its random choices.
struct NamesCampaign {
  /// The ways in which a store has several names, or a log that is not its own.
  enum Case: String, CaseIterable {
    case linkBeside = "link-beside"
    case linkElsewhere = "link-elsewhere"
    case linkedFolder = "linked-folder"
    case linkToLink = "link-to-link"
    case missingTarget = "missing-target"
    case relativeName = "relative-name"
    case linkInOneProcess = "link-in-one-process"
    case hardLink = "hard-link"
    case hardLinkInOneProcess = "hard-link-in-one-process"
    case hardLinkedBackup = "hard-linked-backup"
    case hardLinkedBackupWithLog = "hard-linked-backup-with-log"
    case mountedFile = "mounted-file"
    case mountedFolder = "mounted-folder"
    case restoredStore = "restored-store"
    case restoredOlderFile = "restored-older-file"
    case restoredCopy = "restored-copy"
    case killedOwner = "killed-owner"
    case movedWithLog = "moved-with-log"
    case copiedWithLog = "copied-with-log"
  }

  private static let commits = 100

  private let folder: String
  private let names: StoreNames
  private var random: SeededGenerator
  private var found: [String] = []
  private var processes = 0

  static func main(_ options: Options) throws {
    let seed = try options.seed()
    Report.say("names, seed \(seed)")
    Logger.shared = Logger { _, _, _ in }
    let work = try WorkFolder("names")
    var findings = Findings()
    for kind in Case.allCases where [nil, kind.rawValue].contains(options["case"]) {
      var campaign = try NamesCampaign(work, kind, seed)
      var result = "done"
      do {
        result = try campaign.run(kind) ?? result
      } catch {
        campaign.found.append("\(error)")
      }
      Report.say("  \(kind.rawValue): \(campaign.found.isEmpty ? result : "failed")")
      for finding in campaign.found {
        findings.add("--seed \(seed) --case \(kind.rawValue): \(finding)")
      }
    }
    if findings.count == 0 { work.remove() } else { Report.say("stores and logs: \(work.path)") }
    try findings.requireNone()
  }

  private init(_ work: WorkFolder, _ kind: Case, _ seed: UInt64) throws {
    folder = try work.folder(kind.rawValue)
    names = try StoreNames(in: folder)
    random = SeededGenerator(seed: seed)
  }

  /// Runs a case.
  ///
  /// - Returns: Why it was skipped; nil where it ran.
  private mutating func run(_ kind: Case) throws -> String? {
    switch kind {
    case .linkBeside: try useBoth(names.beside)
    case .linkElsewhere: try useBoth(names.elsewhere)
    case .linkedFolder: try useBoth(names.inLinkedFolder)
    case .linkToLink:
      let link = folder + "/other/second.cadastre"
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: "../linked/beside.cadastre")
      try useBoth(link)
    case .missingTarget: try useBoth(names.elsewhere, isNew: true)
    case .relativeName:
      try useBoth("../linked/beside.cadastre", currentFolder: folder + "/other")
    case .linkInOneProcess: try useInOneProcess(names.beside, mayBeRefused: false)
    case .hardLink:
      try fill(1)
      let link = folder + "/other/hard.cadastre"
      try FileManager.default.linkItem(atPath: names.store, toPath: link)
      try refuseWhileOpen(link, [])
    case .hardLinkInOneProcess:
      try fill(1)
      let link = folder + "/other/hard.cadastre"
      try FileManager.default.linkItem(atPath: names.store, toPath: link)
      try useInOneProcess(link, mayBeRefused: true)
    case .hardLinkedBackup: try backUp(withLog: false)
    case .hardLinkedBackupWithLog: try backUp(withLog: true)
    case .mountedFile: return try useMounted(file: true)
    case .mountedFolder: return try useMounted(file: false)
    case .restoredStore, .restoredOlderFile, .restoredCopy: try restore(kind)
    case .killedOwner: try reopen(names.store, atLeast: leaveLog())
    case .movedWithLog:
      let known = try leaveLog()
      let moved = folder + "/moved.cadastre"
      for suffix in filesWithLog() {
        try FileManager.default.moveItem(atPath: names.store + suffix, toPath: moved + suffix)
      }
      try reopen(moved, atLeast: known)
    case .copiedWithLog:
      let known = try leaveLog()
      let copy = folder + "/copy.cadastre"
      for suffix in filesWithLog() {
        try FileManager.default.copyItem(atPath: names.store + suffix, toPath: copy + suffix)
      }
      try reopen(copy, atLeast: known)
      try reopen(names.store, atLeast: known)
    }
    return nil
  }

  // MARK: One store

  /// Lets two processes write, one by the name of the file, one by another name, and a third wait for the commits
  /// of the first.
  private mutating func useBoth(
    _ name: String, currentFolder: String? = nil, isNew: Bool = false
  ) throws {
    let count = Self.commits
    if !isNew { try fill(0) }
    let watcher =
      try isNew ? nil : start(.watch, 1, count, [name], at: currentFolder, "notified")
    let styles = random.pick([
      [NamesWorker.Style.hold, .open], [.open, .hold], [.open, .open], [.hold, .hold],
    ])
    let first = try start(styles[0], 1, count, [names.store])
    let second = try start(styles[1], 2, count, [name], at: currentFolder)
    for worker in [first, second] { try requireSuccess(worker, "with \(styles)") }
    if let watcher {
      do {
        try requireSuccess(watcher, "waiting for the commits of the other name", seconds: 60)
      } catch {
        found.append("\(error)")
      }
    }
    try requireCommits([1: count...count, 2: count...count], in: names.store)
    try requireReadable(name, at: currentFolder)
    let path = (currentFolder.map { $0 + "/" } ?? "") + name
    guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil else { return }
    for suffix in ["-wal", "-shm", "-lock", "-wait"]
    where FileManager.default.fileExists(atPath: path + suffix) {
      found.append("there is a file '\(suffix)' beside the link in place of the store")
    }
  }

  /// Lets one process write by two names.
  private mutating func useInOneProcess(_ name: String, mayBeRefused: Bool) throws {
    try fill(1)
    let other = try start(.open, 2, Self.commits, [names.store])
    let worker = try start(.both, 1, Self.commits, [names.store, name])
    try requireSuccess(other, "beside a process with two names")
    let outcome = try worker.process.wait()
    let known = acknowledged(worker)
    if outcome.status == NamesWorker.refused, mayBeRefused {
      requireReason(text(of: worker), ["name", "link"])
    } else if outcome.status != 0 {
      found.append("a process with two names: \(outcome), \(text(of: worker))")
    }
    try requireCommits([1: known...known, 2: Self.commits...Self.commits], in: names.store)
  }

  // MARK: Refusals

  /// Expects that a name of a file is refused while a process uses another name, whose log lies elsewhere.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - prefix: The program that runs a process where the name exists, with its arguments; empty for none.
  /// - Throws: Where a process does something else.
  private mutating func refuseWhileOpen(_ name: String, _ prefix: [String]) throws {
    let owner = try start(.serve, 1, 0, [names.store], "committed")
    let other = try start(.hold, 2, 5, [name], prefix: prefix)
    let outcome = try other.process.wait()
    if outcome.status == NamesWorker.refused {
      requireReason(text(of: other), ["name", "link"])
    } else {
      found.append("a process with the other name: \(outcome), expected a refusal")
    }
    if prefix.isEmpty { try requireRefusal(name, ["name", "link"]) }
    try owner.process.closeInput()
    try requireSuccess(owner, "while the other name was refused")
    let known = acknowledged(owner)
    try requireCommits([1: known...known, 2: 0...0], in: names.store)
  }

  /// Makes a copy of a store by hard links, as `cp -al` does, and expects that neither locks the other out.
  private mutating func backUp(withLog: Bool) throws {
    let first = try withLog ? leaveLog() : fill(1)
    let backup = folder + "/backup"
    let outcome = try RoleProcess(
      "cp", program: "/bin/cp", ["-al", folder + "/real", backup], in: folder
    ).wait()
    guard outcome.status == 0 else { throw Failure("cp: \(outcome)") }
    let name = backup + "/store.cadastre"
    try requireReadable(name)
    try requireCommits([1: first...first + 1], in: name, readOnly: true)
    let owner = try start(.open, 2, Self.commits, [names.store])
    try requireSuccess(owner, "after a backup by hard links")
    try requireCommits(
      [1: first...first + 1, 2: Self.commits...Self.commits], in: names.store)
    guard !withLog else {
      // The file has changed, and the log that was linked with it is out of date.
      try requireRefusal(name, ["-wal"])
      return
    }
    try requireReadable(name)
    try refuseWhileOpenAgain(name)
  }

  /// Expects the refusal of a backup while its owner is at work.
  private mutating func refuseWhileOpenAgain(_ name: String) throws {
    let owner = try start(.serve, 3, 0, [names.store], "committed")
    try requireRefusal(name, ["name", "link"])
    try owner.process.closeInput()
    try requireSuccess(owner, "while a backup by hard links was refused")
    let known = acknowledged(owner)
    try requireCommits([3: known...known], in: names.store)
  }

  /// Mounts the file or its folder at another path, in a namespace of its own.
  private mutating func useMounted(file: Bool) throws -> String? {
    try fill(1)
    let manager = FileManager.default
    let target = folder + (file ? "/other/mounted.cadastre" : "/mounted")
    if file {
      _ = manager.createFile(atPath: target, contents: nil)
    } else {
      try manager.createDirectory(atPath: target, withIntermediateDirectories: true)
    }
    let source = file ? names.store : folder + "/real"
    let prefix = [
      "/usr/bin/env", "unshare", "-rm", "sh", "-c",
      #"mount --bind "$1" "$2" && shift 2 && exec "$@""#, "sh", source, target,
    ]
    let probe = try RoleProcess(
      "mount", program: prefix[0], Array(prefix.dropFirst()) + ["true"], in: folder
    ).wait()
    guard probe.status == 0 else { return "skipped, because nothing can be mounted: \(probe)" }
    if file {
      try refuseWhileOpen(target, prefix)
      return nil
    }
    let owner = try start(.hold, 1, Self.commits, [names.store])
    let other = try start(.open, 2, Self.commits, [target + "/store.cadastre"], prefix: prefix)
    for worker in [owner, other] { try requireSuccess(worker, "with a mounted folder") }
    let first = Self.commits + Self.commits
    try requireCommits([1: first...first, 2: Self.commits...Self.commits], in: names.store)
    return nil
  }

  /// Puts another store in the place of one with a log, and expects that it is refused and not changed.
  private mutating func restore(_ kind: Case) throws {
    let manager = FileManager.default
    let backup = folder + "/other/backup.cadastre"
    var expected = [2: Self.commits...Self.commits]
    if kind == .restoredStore {
      let worker = try start(.hold, 2, Self.commits, [backup])
      try requireSuccess(worker, "alone")
    } else {
      try fill(1)
      expected = [1: Self.commits...Self.commits]
      if kind == .restoredCopy {
        let realm = try Realm(configuration: SoakWorkload.configuration(names.store))
        try realm.writeCopy(toFile: URL(fileURLWithPath: backup))
      } else {
        try manager.copyItem(atPath: names.store, toPath: backup)
      }
      // The file changes too when its log is copied into it.
      let worker = try start(.hold, 1, Self.commits, [names.store])
      try requireSuccess(worker, "after a backup")
    }
    _ = try leaveLog()
    // As mv does.
    guard rename(backup, names.store) == 0 else { throw Failure("cannot rename \(backup)") }
    let before = manager.contents(atPath: names.store)
    let worker = try start(.hold, 3, 1, [names.store])
    let outcome = try worker.process.wait()
    if outcome.status == NamesWorker.refused {
      requireReason(text(of: worker), ["log", "-wal"])
    } else {
      found.append("a store with the log of another was opened: \(outcome)")
    }
    try requireRefusal(names.store, ["log", "-wal"])
    if manager.contents(atPath: names.store) != before {
      found.append("the store was changed by the log of another")
    }
    // Without that log it is what was restored.
    for suffix in ["-wal", "-shm"] { unlink(names.store + suffix) }
    if manager.contents(atPath: names.store) == before {
      try requireCommits(expected, in: names.store)
    }
  }

  /// The suffixes of the files with which a store is moved or copied.
  private mutating func filesWithLog() -> [String] {
    random.pick([["", "-wal"], ["", "-wal", "-lock"]])
  }

  /// Opens a store, and expects its commits.
  private mutating func reopen(_ name: String, atLeast known: Int) throws {
    try requireReadable(name)
    let worker = try start(.hold, 2, 5, [name])
    try requireSuccess(worker, "after the owner was killed")
    try requireCommits([1: known...known + 1, 2: 5...5], in: name)
  }

  // MARK: Processes

  private typealias Worker = (process: RoleProcess, log: String)

  /// Starts a process; waits for a line of its log that begins with a word, if one is given.
  private mutating func start(
    _ style: NamesWorker.Style, _ writer: Int, _ count: Int, _ paths: [String],
    at currentFolder: String? = nil, prefix: [String] = [], _ word: String? = nil
  ) throws -> Worker {
    processes += 1
    let log = folder + "/\(processes).log"
    let arguments = NamesWorker.arguments(log, style, writer, count, paths)
    let name = "\(processes)-\(style.rawValue)"
    let process: RoleProcess
    if let program = prefix.first {
      let own = Bundle.main.executableURL?.path ?? ""
      process = try RoleProcess(
        name, program: program, Array(prefix.dropFirst()) + [own] + arguments, in: folder,
        at: currentFolder)
    } else {
      process = try RoleProcess(name, arguments, in: folder, at: currentFolder)
    }
    let worker: Worker = (process, log)
    let deadline = ContinuousClock.now + .seconds(60)
    while let word, !lines(of: worker).contains(where: { $0.hasPrefix(word) }) {
      guard process.isRunning, ContinuousClock.now < deadline else {
        throw Failure("process \(name) does not work: \(process.kill()), \(text(of: worker))")
      }
      usleep(5000)
    }
    return worker
  }

  private func lines(of worker: Worker) -> [Substring] {
    var reader = EventReader(worker.log)
    return (try? reader.lines()) ?? []
  }

  /// The number of the last commit that a process has acknowledged; 0 for none.
  ///
  /// The number of a commit follows from that in the store, so that one after a loss has a number again.
  private mutating func acknowledged(_ worker: Worker) -> Int {
    let commits = lines(of: worker).filter { $0.hasPrefix("committed ") }
      .compactMap { Int($0.dropFirst("committed ".count)) }
    for (commit, next) in zip(commits, commits.dropFirst()) where next != commit + 1 {
      found.append("process \(worker.process.name) acknowledged commit \(next) after \(commit)")
    }
    return commits.last ?? 0
  }

  /// The error in the log of a process.
  private func text(of worker: Worker) -> String {
    lines(of: worker).last { $0.hasPrefix("error ") }.map(String.init) ?? "no error"
  }

  private func requireSuccess(_ worker: Worker, _ what: String, seconds: Int = 180) throws {
    let outcome = try worker.process.wait(seconds: seconds)
    guard outcome.status == 0 else {
      throw Failure("process \(worker.process.name) \(what): \(outcome), \(text(of: worker))")
    }
  }

  /// Creates the store; writer 1 makes as many commits as other writers, or none.
  ///
  /// - Returns: The number of commits.
  @discardableResult
  private mutating func fill(_ writers: Int) throws -> Int {
    let count = writers == 0 ? 0 : Self.commits
    // Some other writer creates the store where this one makes no commit.
    let worker = try start(.hold, writers == 0 ? 9 : 1, max(count, 1), [names.store])
    try requireSuccess(worker, "alone")
    try WorkFolder.waitUntilClosed(folder + "/real")
    return count
  }

  /// Kills a process that has committed, so that its log stays beside the store.
  ///
  /// - Returns: The number of commits that it has acknowledged.
  private mutating func leaveLog() throws -> Int {
    let owner = try start(.serve, 1, 0, [names.store], "committed")
    usleep(UInt32(200_000 + random.below(200_000)))
    _ = owner.process.kill()
    let log = try FileManager.default.attributesOfItem(atPath: names.store + "-wal")[.size] as? Int
    guard let log, log > 0 else { throw Failure("the killed process has left no log") }
    return acknowledged(owner)
  }

  // MARK: Expectations

  /// Compares the commits of writers with those that were acknowledged, and checks the store.
  private mutating func requireCommits(
    _ expected: [Int: ClosedRange<Int>], in path: String, readOnly: Bool = false
  ) throws {
    try compare(expected, path, readOnly)
    // A reader does not copy a log into the file.
    if readOnly { return }
    try WorkFolder.waitUntilClosed(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  private mutating func compare(
    _ expected: [Int: ClosedRange<Int>], _ path: String, _ readOnly: Bool
  ) throws {
    var configuration = SoakWorkload.configuration(path)
    configuration.readOnly = readOnly
    let realm = try Realm(configuration: configuration)
    for (writer, range) in expected.sorted(by: { $0.key < $1.key }) {
      let (commits, fault) = SoakWorkload.fault(writer, realm)
      if !range.contains(commits) {
        let wanted = range.count == 1 ? "" : " or \(range.upperBound)"
        found.append(
          "writer \(writer) acknowledged \(range.lowerBound)\(wanted) commits, the store has "
            + "\(commits)")
      }
      if let fault { found.append(fault) }
    }
    found += try StoreContent.problems(of: path)
  }

  /// Expects that the command line reads and checks a store by a name.
  private mutating func requireReadable(_ name: String, at currentFolder: String? = nil) throws {
    for arguments in Self.commands(name) {
      let outcome = try RoleProcess.run(
        "command", cadastre: arguments, in: folder, at: currentFolder)
      guard outcome.status != 0 else { continue }
      found.append("\(arguments.joined(separator: " ")): \(outcome)")
    }
  }

  /// Expects that the command line refuses a store by a name, with one of some words.
  private mutating func requireRefusal(_ name: String, _ words: [String]) throws {
    for arguments in Self.commands(name) {
      let outcome = try RoleProcess.run("command", cadastre: arguments, in: folder)
      if outcome.status == 1 {
        requireReason(outcome.text, words)
      } else {
        found.append("\(arguments.joined(separator: " ")): \(outcome), expected a refusal")
      }
    }
  }

  private mutating func requireReason(_ text: String, _ words: [String]) {
    // Names of the folders of a campaign are no reason.
    let text = text.replacingOccurrences(of: folder, with: "").lowercased()
    guard !words.contains(where: text.contains) else { return }
    found.append("the refusal says '\(text)', expected one of the words \(words)")
  }

  private static func commands(_ name: String) -> [[String]] {
    [["query", name, "SoakCounter", "--format", "count"], ["check", name]]
  }
}

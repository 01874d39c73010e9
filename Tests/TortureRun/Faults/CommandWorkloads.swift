import CadastreStore
import Foundation

/// A use of the command line that is repeated with faults.
struct CommandWorkload: Sendable {
  let name: String
  /// The commands before it, and the command itself; the folder replaces `@`.
  let prepare: [[String]]
  let command: [String]
  /// The status of success; that of an import with rejected rows is 2.
  var success: Int32 = 0
  /// A folder that the command writes, and never replaces.
  var folder: String?

  private static let fill = [
    ["import", "@/places.csv", "--store", "@/store.cadastre", "--into", "Place", "--pk", "icao"]
  ]

  private static func export(_ file: String, _ options: String...) -> CommandWorkload {
    CommandWorkload(
      name: "export-" + file, prepare: fill,
      command: ["export", "@/store.cadastre", "Place", "--to", "@/" + file, "--overwrite"] + options
    )
  }

  static let all: [CommandWorkload] = [
    CommandWorkload(
      name: "import", prepare: [],
      command: [
        "import", "@/places.csv", "--store", "@/store.cadastre", "--into", "Place", "--pk", "icao",
        "--index", "country", "--upsert",
      ]),
    CommandWorkload(
      name: "import-gzip",
      prepare: fill + [export("places.gpkg").command, ["/usr/bin/gzip", "@/places.gpkg"]],
      command: [
        "import", "@/places.gpkg.gz", "--store", "@/other.cadastre", "--into", "Place", "--pk",
        "icao", "--upsert",
      ]),
    CommandWorkload(
      name: "upsert", prepare: fill,
      command: [
        "import", "@/later.csv", "--store", "@/store.cadastre", "--into", "Place", "--pk", "icao",
        "--upsert", "--rejects", "@/rejects.ndjson", "--max-rejects", "100",
      ], success: 2),
    CommandWorkload(
      name: "index", prepare: fill, command: ["index", "@/store.cadastre", "Place", "name"]),
    CommandWorkload(name: "compact", prepare: fill, command: ["compact", "@/store.cadastre"]),
    CommandWorkload(
      name: "check", prepare: fill, command: ["check", "@/store.cadastre", "--repair"]),
    CommandWorkload(
      name: "set", prepare: fill,
      command: ["set", "@/store.cadastre", "Place", "elevation > 1000", "city=high"]),
    CommandWorkload(
      name: "delete", prepare: fill,
      command: ["delete", "@/store.cadastre", "Place", "elevation > 1000"]),
    CommandWorkload(
      name: "map", prepare: fill,
      command: ["query", "@/store.cadastre", "Place", "--map", "@/map.svg"]),
    export("o.csv"), export("o.csv.gz"), export("o.geojson"), export("o.geojsonl"),
    export("o.gpkg"), export("o.parquet"), export("o.fgb"), export("o.kml"), export("o.kmz"),
    export("o.gpx"),
    CommandWorkload(
      name: "export-parts", prepare: fill,
      command: [
        "export", "@/store.cadastre", "Place", "--to", "@/parts", "--partition-by", "country",
      ], folder: "parts"),
  ]
}

/// The runs of one workload of the command line.
struct CommandTrial {
  private let workload: CommandWorkload
  private let control: FaultControl
  private let base: String
  private let folder: String
  private let program: String
  /// The paths and the bytes of the files after an undisturbed run; nil bytes where they are not the same
  /// in every run.
  private var expected: [String: Data?] = [:]
  private let before: [String: Data]
  /// The contents of the stores before and after it.
  private let states: [[StoreContent?]]

  init(_ workload: CommandWorkload, _ folder: String, _ control: FaultControl) throws {
    guard let program = ProcessInfo.processInfo.environment["CADASTRE_TORTURE_PROGRAM"] else {
      throw Failure("CADASTRE_TORTURE_PROGRAM does not name the program: use Scripts/torture")
    }
    (self.workload, self.control, self.program) = (workload, control, program)
    base = folder + "/base"
    self.folder = folder + "/run"
    control.disarm()
    try Self.makeInputs(base)
    for command in workload.prepare {
      guard try Self.run(program, command, base, nil).status == 0 else {
        throw Failure("cannot prepare workload \(workload.name)")
      }
    }
    before = try Self.files(base)
    try WorkFolder.copy(base, to: self.folder)
    let old = try Self.contents(self.folder)
    var outputs: [[String: Data]] = []
    for _ in 0..<2 {
      try WorkFolder.copy(base, to: self.folder)
      let outcome = try Self.run(program, workload.command, self.folder, nil)
      guard outcome.status == workload.success else {
        throw Failure("workload \(workload.name) fails without a fault: \(outcome)")
      }
      outputs.append(try Self.files(self.folder))
    }
    states = [old, try Self.contents(self.folder), try Self.emptyStore(folder, old)]
    for (path, bytes) in outputs[0] {
      expected[path] = .some(outputs[1][path] == bytes ? bytes : nil)
    }
  }

  /// The number of calls that a fault can hit.
  mutating func count(_ fault: Fault) throws -> Int {
    if let finding = try run(fault, Int.max) {
      throw Failure("workload \(workload.name) fails without a fault: \(finding)")
    }
    return control.count
  }

  /// Runs the workload with a fault, and again without one.
  ///
  /// - Returns: The finding; nil where everything is as promised.
  mutating func run(_ fault: Fault, _ nth: Int) throws -> String? {
    try WorkFolder.copy(base, to: folder)
    control.arm(folder, fault, at: nth)
    let outcome = try Self.run(program, workload.command, folder, control)
    control.disarm()
    do {
      return try finding(outcome, fault).map { "\($0) [\(control.last); \(outcome)]" }
    } catch {
      return "after the fault: \(error) [\(control.last); \(outcome)]"
    }
  }

  private func finding(_ outcome: Outcome, _ fault: Fault) throws -> String? {
    let isKilled = fault.isKill && control.fired > 0
    if isKilled {
      guard outcome.signal == SIGKILL else { return "not killed" }
    } else {
      guard let status = outcome.status else { return "ends with signal \(outcome.signal ?? 0)" }
      guard [workload.success, 1, 3].contains(status) else { return "exit status \(status)" }
      if status != workload.success, outcome.text.isEmpty { return "no message" }
      if fault.isShort, status != workload.success { return "a short transfer is an error" }
      if let finding = try fileFinding(status) { return finding }
    }
    for path in Self.stores(folder) {
      let problems = try StoreContent.problems(of: path)
      guard problems.isEmpty else { return "the check finds \(problems)" }
    }
    let contents = try Self.contents(folder)
    guard states.contains(contents) else { return "neither the old nor the new content" }
    if outcome.status == 1, contents != states[0] { return "status 1, but the store was changed" }
    if outcome.status == workload.success, contents != states[1] {
      return "it succeeded, but the store is as before"
    }
    if let written = workload.folder {
      try? FileManager.default.removeItem(atPath: folder + "/" + written)
    }
    try WorkFolder.age(folder)
    let again = try Self.run(program, workload.command, folder, nil)
    guard again.status == workload.success else { return "the repeated command fails: \(again)" }
    guard try Self.contents(folder).map({ $0?.counts }) == states[1].map({ $0?.counts }) else {
      return "the repeated command has another content"
    }
    return try fileFinding(workload.success, isKilled: isKilled).map {
      "\($0), after the repeated command"
    }
  }

  /// Compares the files with those of an undisturbed run.
  private func fileFinding(_ status: Int32, isKilled: Bool = false) throws -> String? {
    let files = try Self.files(folder)
    // A call that removes a file has failed.
    let mayLeave = control.last.hasPrefix("unlink") && !isKilled
    for (path, bytes) in files {
      guard let intended = expected[path] else {
        if before[path] != nil || mayLeave { continue }
        return "\(path) is left"
      }
      // The folder could not be synchronised after the complete file got its name.
      let isNamed =
        ["sync", "open"].contains { control.last.hasPrefix($0) }
        && (intended ?? bytes) == bytes
      if status == 1, before[path] == nil, !mayLeave, !isNamed {
        return "status 1, but \(path) is there"
      }
      if status == workload.success, let intended, bytes != intended {
        return "\(path) has other content"
      }
    }
    if status == workload.success, let missing = expected.keys.first(where: { files[$0] == nil }) {
      return "\(missing) is missing"
    }
    return nil
  }

  // MARK: Files

  private static func stores(_ folder: String) -> [String] {
    ["store.cadastre", "other.cadastre"].map { folder + "/" + $0 }
  }

  private static func contents(_ folder: String) throws -> [StoreContent?] {
    try stores(folder).map { try StoreContent(of: $0) }
  }

  /// The files of a folder that belong to no store, and folders; those of stores are compared by their content.
  private static func files(_ folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      if let store = path.range(of: ".cadastre-"), !path[store.upperBound...].contains("partial") {
        continue
      }
      if path.hasSuffix(".cadastre") {
        files[path] = Data()
        continue
      }
      files[path] = FileManager.default.contents(atPath: folder + "/" + path) ?? Data()
    }
    return files
  }

  /// The contents where a store was created without its classes, before the process was killed.
  private static func emptyStore(_ folder: String, _ old: [StoreContent?]) throws -> [StoreContent?]
  {
    let path = folder + "/empty.cadastre"
    try OpenStores.store(at: path).beginWrite().rollback()
    let empty = try StoreContent(of: path)
    // The missing store that a command creates; no command of these creates the second one alone.
    var contents = old
    if let missing = old.firstIndex(of: nil) { contents[missing] = empty }
    return contents
  }

  /// Writes the files that the commands import.
  private static func makeInputs(_ folder: String) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: folder)
    try manager.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: true)
    let header = "icao,name,city,country,elevation,lat,lon\n"
    func line(_ id: Int, _ version: Int) -> String {
      "X\(id),Place \(id) of \(version),City \(id % 9),C\(id % 5),\(id * 13 % 3000 + version),"
        + "\(Double(id % 160) - 80),\(Double(id * 7 % 340) - 170)\n"
    }
    try (header + (0..<150).map { line($0, 0) }.joined())
      .write(toFile: folder + "/places.csv", atomically: false, encoding: .utf8)
    try (header + (100..<200).map { line($0, 1) }.joined() + "X300,a,b,c,100,95,400\n")
      .write(toFile: folder + "/later.csv", atomically: false, encoding: .utf8)
  }

  // MARK: Processes

  /// Runs a command; its calls fail where a control file is given.
  private static func run(
    _ program: String, _ command: [String], _ folder: String, _ control: FaultControl?
  ) throws -> Outcome {
    let process = Process()
    // Another program is named by its path.
    let isOther = command[0].hasPrefix("/")
    process.executableURL = URL(fileURLWithPath: isOther ? command[0] : program)
    process.arguments = command.dropFirst(isOther ? 1 : 0)
      .map { $0.replacingOccurrences(of: "@", with: folder) }
    var environment = ProcessInfo.processInfo.environment
    environment["TMPDIR"] = folder + "/tmp"
    environment["SWIFT_BACKTRACE"] = "enable=no"
    if let control { environment.merge(try control.environment) { $1 } }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let watchdog = DispatchSource.makeTimerSource()
    let identifier = process.processIdentifier
    watchdog.schedule(deadline: .now() + 120)
    watchdog.setEventHandler { kill(identifier, SIGABRT) }
    watchdog.resume()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    watchdog.cancel()
    let isExit = process.terminationReason == .exit
    return Outcome(
      status: isExit ? process.terminationStatus : nil,
      signal: isExit ? nil : process.terminationStatus, text: text)
  }
}

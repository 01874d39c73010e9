import Cadastre
import CadastreSQLite
import CadastreStore
import Foundation

/// Reads and writes damaged stores: every image gives an error, or the results of the rows that it contains.
///
/// `--images N` is the number of images; `--seed S --image I` repeats one.
struct DamageCampaign {
  private let folder: WorkFolder
  private let seed: UInt64
  private var findings = Findings()
  private var outcomes: [String: Int] = [:]

  /// Images of one process, which is then replaced to free its memory.
  private static let batch = 200

  static func main(_ options: Options) throws {
    let seed = try options.seed()
    let count = try options.number("images", default: 500)
    Report.say("damaged stores, seed \(seed)")
    let folder = try WorkFolder("damage")
    var campaign = DamageCampaign(folder: folder, seed: seed)
    let start = ContinuousClock.now
    try makeIntact(folder.folder("intact"))
    if let image = options["image"] {
      try campaign.run(Int(image) ?? 0, 1)
    } else {
      try campaign.run(0, count)
    }
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    let counts = campaign.outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    Report.say(
      "\(count) damaged stores: \(counts.joined(separator: ", ")); \(campaign.findings.count) findings "
        + "(\(seconds) s)")
    try campaign.findings.requireNone()
    folder.remove()
  }

  private init(folder: WorkFolder, seed: UInt64) { (self.folder, self.seed) = (folder, seed) }

  /// Makes the stores that are damaged; two of them keep their logs.
  private static func makeIntact(_ folder: String) throws {
    func write(_ name: String, _ ids: Range<Int>, _ version: Int) throws {
      let realm = try Realm(configuration: DamageReading.configuration(folder + "/" + name))
      try realm.write {
        for id in ids {
          let object = realm.create(
            Everything.self, value: Everything.value(id, version), update: .all)
          object.next = realm.object(ofType: Everything.self, forPrimaryKey: id - 1)
        }
      }
    }
    try write("store.cadastre", 0..<60, 0)
    try write("first.cadastre", 0..<60, 0)
    try write("second.cadastre", 0..<30, 1)
    for (name, source) in [("logged", "first"), ("other", "second")] {
      let realm = try Realm(
        configuration: DamageReading.configuration(folder + "/\(source).cadastre"))
      try realm.write {
        for id in 50..<70 {
          realm.create(Everything.self, value: Everything.value(id, 2), update: .all)
        }
      }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder + "/\(source).cadastre" + suffix,
          toPath: folder + "/\(name).cadastre" + suffix)
      }
    }
  }

  private mutating func run(_ first: Int, _ count: Int) throws {
    var next = first
    while next < first + count {
      next = try runBatch(next, min(Self.batch, first + count - next))
    }
  }

  /// Runs one process; returns the number of the image after the last one that it has read.
  private mutating func runBatch(_ first: Int, _ count: Int) throws -> Int {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["damage-worker", folder.path, "\(seed)", "\(first)", "\(count)"]
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
    var lines = LineReader(output.fileHandleForReading)
    var image = first - 1
    while true {
      guard let line = lines.next(seconds: 120) else {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        if image < first + count - 1 || lines.isExpired || !lines.isAnswered {
          let reason = lines.isExpired ? "hangs" : "ends with \(process.terminationStatus)"
          findings.add("--seed \(seed) --image \(max(image, first)): the process \(reason)")
        }
        return max(image, first) + 1
      }
      if let number = Int(line) {
        image = number
      } else if line.hasPrefix("FINDING ") {
        findings.add("--seed \(seed) --image \(image): \(line.dropFirst(8))")
      } else {
        outcomes[line, default: 0] += 1
      }
    }
  }
}

/// The lines of a process.
struct LineReader {
  private let file: FileHandle
  private var rest = Data()
  /// Whether the last line did not come in time.
  private(set) var isExpired = false
  /// Whether the last line was no number.
  private(set) var isAnswered = true

  init(_ file: FileHandle) { self.file = file }

  /// Returns the next line; nil at the end, or where it does not come in time.
  mutating func next(seconds: Int32) -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = Data(rest[(end + 1)...])
        isAnswered = Int(line) == nil
        return line
      }
      var descriptor = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, seconds * 1000) > 0 else {
        isExpired = true
        return nil
      }
      let bytes = file.availableData
      if bytes.isEmpty { return nil }
      rest += bytes
    }
  }
}

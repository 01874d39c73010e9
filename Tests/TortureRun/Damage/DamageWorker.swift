import Cadastre
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation

/// A process that reads and writes damaged stores, one after the other.
///
/// It prints the number of an image before it reads it, so that a crash belongs to an image, and then
/// `clean`, `changed`, `found`, or a finding.
enum DamageWorker {
  /// The memory that a damaged store may make a process use.
  private static let memory: rlim_t = 4 << 30

  static func main(_ arguments: [String]) throws {
    guard arguments.count == 4, let seed = UInt64(arguments[1]), let first = Int(arguments[2]),
      let count = Int(arguments[3])
    else { throw Failure("a worker needs a folder, a seed, a first image and their number") }
    // The address sanitizer reserves more.
    if ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil {
      var limit = rlimit(rlim_cur: memory, rlim_max: memory)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
    Logger.shared = Logger { _, _, _ in }
    let root = arguments[0]
    let intact = try StoreContent(of: root + "/intact/store.cadastre")
    for number in first..<first + count {
      Report.say("\(number)")
      Report.say(try outcome(root, seed &+ UInt64(number) &* 0x9E37_79B9, number, intact))
    }
  }

  private static func outcome(
    _ root: String, _ seed: UInt64, _ number: Int, _ intact: StoreContent?
  ) throws -> String {
    var random = SeededGenerator(seed: seed)
    let folder = root + "/image\(number)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let image = try DamagedImage(from: root + "/intact", in: folder, &random)
    let path = folder + "/store.cadastre"
    // The content before anything repairs it.
    let isForeignLog = image.description.contains("log") || image.description.contains("journal")
    let reading = DamageReading(path)
    let outcome = verdict(reading, path, intact, image, isForeignLog)
    reading.write(path)
    if let error = reading.strangeErrors.first { return "FINDING \(image.description): \(error)" }
    if !outcome.hasPrefix("FINDING") { try? FileManager.default.removeItem(atPath: folder) }
    return outcome
  }

  private static func verdict(
    _ reading: DamageReading, _ path: String, _ intact: StoreContent?, _ image: DamagedImage,
    _ isForeignLog: Bool
  ) -> String {
    guard reading.problems == [] else { return "found" }
    guard let content = try? StoreContent(of: path) else { return "found" }
    let isSame = content.lines == intact?.lines
    // The check does not read the averages of a full-text index, which sorting by relevance needs.
    let failed = reading.results.keys.contains("words") ? reading.errors : reading.errors - 1
    if isSame, failed > 0, !isForeignLog {
      return "FINDING \(image.description): an intact store gives an error"
    }
    let isCatalogue = { (line: String) in line.hasPrefix("cadastre_") }
    // Another catalogue describes other classes.
    guard content.lines.filter(isCatalogue) == intact?.lines.filter(isCatalogue) else {
      return "changed"
    }
    guard let plain = try? PlainReading(path) else { return "found" }
    for (name, result) in plain.results {
      guard let found = reading.results[name], found != result else { continue }
      return
        "FINDING \(image.description): query '\(name)' gives \("\(found)".prefix(100)) in place of "
        + "\("\(result)".prefix(100)), and the check is clean"
    }
    return isSame ? "clean" : image.isEdit || isForeignLog ? "edited" : "changed"
  }
}

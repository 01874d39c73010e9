import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreQuery
import CadastreStore
import Foundation

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure the predicates of a file, one a line.",
    discussion: """
      Blank lines and lines that begin with # are passed over. Each predicate is run --runs times in one process; the \
      time is that of planning the query and of finding the keys of all matching objects. The first run may read the \
      file of the store, unless an earlier predicate has read the same columns. --compare prints the ratio of the \
      medians.

      EXAMPLES
        cadastre bench a.cadastre Airport predicates.txt
        cadastre bench a.cadastre Airport predicates.txt --format json > before.json
        cadastre bench a.cadastre Airport predicates.txt --compare before.json
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: "The class.", completion: .custom(StoreCompletion.classNames))
  var className: String

  @Argument(help: "The file with the predicates; - is standard input.", completion: .file())
  var file: String

  @Option(help: ArgumentHelp("The number of runs of each predicate.", valueName: "N"))
  var runs = 21

  @Option(
    help: ArgumentHelp(
      "An earlier output as JSON, or another store with the class.", valueName: "FILE|STORE"),
    completion: .file())
  var compare: String?

  @Option(help: "The output format.")
  var format = Format.table

  enum Format: String, ExpressibleByArgument, CaseIterable { case table, json }

  func validate() throws {
    guard runs >= 2 else { throw ValidationError("--runs must be at least 2") }
  }

  /// The measurements of a predicate; times in milliseconds.
  private struct Measurement: Codable {
    var predicate: String
    var hits: Int
    var firstMs: Double
    var secondMs: Double
    var medianMs: Double
    var p95Ms: Double
    var plan: String
  }

  func run() throws {
    let predicates = try predicates()
    let before = try compare.map { try earlier($0, predicates) }
    let measurements = try measure(predicates, in: store)
    switch format {
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      try Terminal.write(Array(try encoder.encode(measurements)) + [UInt8(ascii: "\n")])
    case .table: try Terminal.write(lines: table(measurements, before))
    }
  }

  private func predicates() throws -> [String] {
    let data =
      file == "-"
      ? FileHandle.standardInput.readDataToEndOfFile()
      : try Self.content(file)
    let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    guard !lines.isEmpty else {
      throw ValidationError("'\(printable(file))' has no predicates; expected one on each line")
    }
    return lines
  }

  private static func content(_ path: String) throws -> Data {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ValidationError("cannot read '\(printable(path))'")
    }
    return data
  }

  /// Returns the measurements of an earlier output, or those of another store, by predicate.
  private func earlier(_ path: String, _ predicates: [String]) throws -> [String: Measurement] {
    let first = FileHandle(forReadingAtPath: path).flatMap { try? $0.read(upToCount: 1) }
    if first == Data("[".utf8) {
      guard
        let all = try? JSONDecoder().decode([Measurement].self, from: try Self.content(path))
      else { throw ValidationError("'\(printable(path))' is no output of bench --format json") }
      return Dictionary(all.map { ($0.predicate, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let measurements = try measure(predicates, in: path)
    return Dictionary(
      measurements.map { ($0.predicate, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func measure(_ predicates: [String], in store: String) throws -> [Measurement] {
    let snapshot = try OpenStores.readableStore(at: store).snapshot()
    return try predicates.map { try measure($0, in: snapshot) }
  }

  private func measure(_ predicate: String, in snapshot: Snapshot) throws -> Measurement {
    var milliseconds: [Double] = []
    var hits = 0
    for _ in 0..<runs {
      let start = ContinuousClock().now
      let query = try StoreQuery(snapshot, className: className, predicate: predicate)
      hits = try query.keys().count
      milliseconds.append((ContinuousClock().now - start).inSeconds * 1e3)
    }
    let plan = try StoreQuery(snapshot, className: className, predicate: predicate)
      .explain([], measured: false).split(separator: "\n")
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " └─│├")) }
      .joined(separator: " < ")
    let sorted = milliseconds.sorted()
    func rounded(_ number: Double) -> Double { (number * 1e4).rounded() / 1e4 }
    return Measurement(
      predicate: predicate, hits: hits, firstMs: rounded(milliseconds[0]),
      secondMs: rounded(milliseconds[1]), medianMs: rounded(sorted[sorted.count / 2]),
      p95Ms: rounded(sorted[min(sorted.count * 95 / 100, sorted.count - 1)]), plan: plan)
  }

  private func table(
    _ measurements: [Measurement], _ before: [String: Measurement]?
  ) -> String {
    func text(_ milliseconds: Double) -> String { String(format: "%.3f", milliseconds) }
    let numbers =
      ["hits", "first ms", "second", "median", "p95"]
      + (before == nil ? [] : ["before", "ratio"])
    let columns =
      [TableText.Column("predicate")] + numbers.map { TableText.Column($0, isNumeric: true) }
      + [TableText.Column("plan")]
    let rows = measurements.map { found -> [String] in
      var row = [
        found.predicate, grouped(found.hits), text(found.firstMs), text(found.secondMs),
        text(found.medianMs), text(found.p95Ms),
      ]
      if let before {
        let earlier = before[found.predicate]
        row.append(earlier.map { text($0.medianMs) } ?? "")
        row.append(
          earlier.map { String(format: "%.2f", found.medianMs / max($0.medianMs, 1e-4)) } ?? "")
        if let earlier, earlier.hits != found.hits {
          row[1] += " (before \(grouped(earlier.hits)))"
        }
      }
      return row + [found.plan]
    }
    return TableText(columns: columns).text(rows, width: Terminal.width)
  }
}

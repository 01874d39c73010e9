import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import Foundation

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the objects of a class that match a predicate to a file.",
    discussion: """
      The format is told by the name, .csv, .geojson, .geojsonl or .gpkg, unless --format says it; .gz \
      packs the file. The file gets its name when it is whole.

      CSV has longitude and latitude as columns, no third coordinate, and JSON in the fields of nested \
      values. In GeoJSON the id is the primary key, NaN and infinities are texts, moments are ISO 8601.

      EXAMPLES
        cadastre export a.cadastre Airport "country == 'FR'" --to fr.geojson.gz
        cadastre export a.cadastre Airport --to airports.gpkg
        cadastre export a.cadastre Airport --select icao,location --to - \\
          --format csv
      """)

  @OptionGroup var options: QueryOptions

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("The file to make; - is standard output.", valueName: "FILE"),
    completion: .file())
  var target: String

  @Option(help: "The format; by default from the name.")
  var format: Format?

  @Option(
    help: ArgumentHelp("What to write of each object; by default all.", valueName: "A,B,C"),
    completion: .custom(StoreCompletion.fieldNames))
  var select: String?

  @Flag(
    name: .customLong("rs"),
    help: "Begin each line of a GeoJSON sequence with a record separator (RFC 8142).")
  var hasSeparators = false

  @Flag(help: "Replace a file that is there.")
  var overwrite = false

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, geojson, geojsonseq, gpkg

    /// The format that a file's name tells.
    init?(path: String) {
      let name = path.lowercased()
      let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
      switch URL(fileURLWithPath: plain).pathExtension {
      case "csv": self = .csv
      case "geojson", "json": self = .geojson
      case "geojsonl", "geojsons", "geojsonseq", "ndjson", "jsonl": self = .geojsonseq
      case "gpkg": self = .gpkg
      default: return nil
      }
    }
  }

  private var chosenFormat: Format? { format ?? Format(path: target) }

  func validate() throws {
    guard let chosenFormat else {
      throw ValidationError("--format is needed: '\(target)' does not end in one that is known")
    }
    guard chosenFormat == .geojsonseq || !hasSeparators else {
      throw ValidationError("--rs is for geojsonseq")
    }
    guard chosenFormat != .gpkg || (target != "-" && !target.lowercased().hasSuffix(".gz")) else {
      throw ValidationError("a GeoPackage is written to a file that is not packed")
    }
  }

  func run() throws {
    var status = stat()
    if !overwrite, stat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      throw OutputFile.Failure(
        description: "\(target): is there already; --overwrite replaces it")
    }
    let query = try options.query()
    let columns = try query.columns(select)
    let keys = try query.keys()
    let count =
      chosenFormat == .gpkg
      ? try writeLayer(query, keys, columns) : try writeText(query, keys, columns)
    Terminal.say("\(grouped(count)) objects to \(target == "-" ? "standard output" : target)")
  }

  private func writeText(
    _ query: StoreQuery, _ keys: [Int64], _ columns: [OutputColumn]
  ) throws -> Int {
    var options = RecordWriter.Options()
    options.hasSeparators = hasSeparators
    options.identifier = query.primaryKey
    let form: RecordWriter.Format =
      switch chosenFormat {
      case .geojson: .geojson
      case .geojsonseq: .geojsonseq
      default: .csv
      }
    var writer = RecordWriter(form, columns: columns, options)
    if target == "-" {
      try query.write(keys, with: &writer, to: Terminal.write)
    } else {
      let file = try ExportedFile(path: target, isReplacing: overwrite)
      try query.write(keys, with: &writer) { try file.write($0) }
      try file.finish()
    }
    return writer.count
  }

  private func writeLayer(
    _ query: StoreQuery, _ keys: [Int64], _ columns: [OutputColumn]
  ) throws -> Int {
    let layer = LayerColumns(columns)
    let writer = try GeoPackageWriter(
      path: target, layer: options.match.className, columns: layer.columnTypes,
      isReplacing: overwrite)
    var count = 0
    try query.forEachRecord(keys) { record in
      try writer.write(layer.values(record), place: LayerColumns.place(record))
      count += 1
    }
    try writer.finish()
    return count
  }
}

import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastrePredicate
import Foundation

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring files of points into a class of a store.",
    discussion: """
      Reads CSV, TSV, GeoJSON, GeoJSONSeq and NDJSON, GeoPackage, Shapefile and the dumps of \
      GeoNames, all of them also gzipped. The class is made from what the fields hold, every record \
      looked at. Places become the embedded point 'location', nested JSON becomes embedded \
      objects, lists and maps. All is stored in one transaction: a record that is refused beyond \
      the allowance leaves the store as it was.

      EXAMPLES
        cadastre import airports.csv --store a.cadastre --into Airport \\
          --pk icao --index country
        cadastre import quakes.geojson.gz --store q.cadastre --into Quake \\
          --rejects bad.ndjson --max-rejects 100
        curl -s https://example.org/all.csv | cadastre import - \\
          --store a.cadastre --into Place --pk id --upsert
      """)

  @Argument(help: "The files to import, all of one format; - is standard input.")
  var files: [String]

  @Option(help: ArgumentHelp("The store; it is made if it is missing.", valueName: "PATH"))
  var store: String

  @Option(
    name: .customLong("into"),
    help: ArgumentHelp("The class that the rows become objects of.", valueName: "CLASS"))
  var className: String

  @Option(
    help: "csv, tsv, geojson, geojsonseq, gpkg, shp or geonames; by default from name and content.")
  var format: FileFormat?

  @Option(
    name: .customLong("pk"),
    help: ArgumentHelp("The column that is the primary key.", valueName: "FIELD"))
  var primaryKey: String?

  @Option(
    name: .customLong("index"),
    help: ArgumentHelp("A column that gets an ordered index (repeatable).", valueName: "FIELD"))
  var indexes: [String] = []

  @Flag(
    inversion: .prefixedNo,
    help: "Whether the first line of a table names its columns; by default found out.")
  var header: Bool?

  @Flag(help: "Numbers of a table have a comma before their fraction.")
  var decimalComma = false

  @Option(help: ArgumentHelp("The table of a GeoPackage with several.", valueName: "NAME"))
  var layer: String?

  @Option(help: ArgumentHelp("The columns of longitude and latitude.", valueName: "LON,LAT"))
  var location: String?

  @Option(
    name: .customLong("wkt"),
    help: ArgumentHelp("The column of points in WKT.", valueName: "COL"))
  var wktColumn: String?

  @Option(help: ArgumentHelp("Types in place of the guessed ones.", valueName: "a=int,b=date"))
  var types: String?

  @Option(
    name: .customLong("null"),
    help: ArgumentHelp("Text that means null; empty by default.", valueName: "TEXT"))
  var nullText = ""

  @Flag(help: "Change objects whose primary key is stored already.")
  var upsert = false

  @Flag(help: "Leave out rows whose primary key is stored already.")
  var skipExisting = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Take only rows that match a predicate.", valueName: "PREDICATE"))
  var predicate: String?

  @Option(help: ArgumentHelp("Take only places in a box, in degrees.", valueName: "W,S,E,N"))
  var bbox: String?

  @Option(help: ArgumentHelp("Rows to take at most.", valueName: "N"))
  var limit: Int?

  @Option(help: ArgumentHelp("Rows to leave out first.", valueName: "N"))
  var offset = 0

  @Option(
    help: ArgumentHelp(
      "A file for the rejected rows and the reasons, one JSON object a line.", valueName: "FILE"))
  var rejects: String?

  @Option(
    help: ArgumentHelp("Rows that may be rejected before the import fails.", valueName: "N"))
  var maxRejects = 0

  @Flag(help: "Read, guess and check everything, print the class, store nothing.")
  var dryRun = false

  @Flag(help: "Print what each field was found to hold, and why it is taken for that.")
  var reasons = false

  @Flag(inversion: .prefixedNo, help: "A progress bar; on by default on a terminal.")
  var progress: Bool?

  @Option(help: "json prints the summary as JSON on standard output.")
  var summary: SummaryFormat?

  enum SummaryFormat: String, ExpressibleByArgument { case json }

  func validate() throws {
    guard !(upsert && skipExisting) else {
      throw ValidationError("give --upsert or --skip-existing, not both")
    }
    guard limit ?? 0 >= 0, offset >= 0, maxRejects >= 0 else {
      throw ValidationError("--limit, --offset and --max-rejects take no negative numbers")
    }
    guard bbox.map({ BoundingBox($0) != nil }) ?? true else {
      throw ValidationError("--bbox expects W,S,E,N in degrees, such as -5,42,8,51")
    }
  }

  func run() throws {
    let settings = try settings()
    let rejectsFile = try rejects.map { try OutputFile($0) }
    let meter = ProgressMeter(isShown: progress ?? (Terminal.errorWidth != nil))
    let outcome = Result { try Importer(settings, progress: meter.show).run() }
    meter.end()
    let report = try outcome.mapError { shown($0) }.get()
    try rejectsFile?.write(try lines(report.rejects))
    if dryRun { try Terminal.write(report.schemaText + "\n") }
    if reasons { try Terminal.write(reasons(report.fields)) }
    if summary == .json {
      try Terminal.write(report.json + "\n")
    } else {
      Terminal.say(text(report))
    }
    if !report.rejects.isEmpty { throw ExitCode(2) }
  }

  private func settings() throws -> ImportSettings {
    var settings = ImportSettings(files: files, store: store, className: className)
    settings.format = format
    settings.hasHeader = header
    settings.hasDecimalComma = decimalComma
    settings.layer = layer
    settings.primaryKey = primaryKey
    settings.indexes = indexes
    settings.location = location
    settings.wktColumn = wktColumn
    settings.types = types
    settings.nullText = nullText
    settings.keyPolicy = upsert ? .update : skipExisting ? .skip : .fail
    settings.predicate = try predicate.map { try QueryPredicate(parsing: $0) }
    settings.bounds = bbox.flatMap(BoundingBox.init)
    settings.limit = limit
    settings.offset = offset
    settings.maximumRejects = maxRejects
    settings.isDryRun = dryRun
    return settings
  }

  /// An error that shows the place in the predicate, if it has one.
  private func shown(_ error: any Error) -> any Error {
    guard let error = error as? QueryPredicateError, let predicate else { return error }
    return error.found(in: predicate)
  }

  private func text(_ report: ImportReport) -> String {
    var parts = ["\(grouped(report.inserted)) inserted"]
    if report.updated > 0 { parts.append("\(grouped(report.updated)) updated") }
    if report.skipped > 0 { parts.append("\(grouped(report.skipped)) skipped") }
    if !report.rejects.isEmpty { parts.append("\(grouped(report.rejects.count)) rejected") }
    let seconds = (report.seconds * 100).rounded() / 100
    return
      "\(dryRun ? "would import" : "imported") into \(className): \(grouped(report.read)) rows "
      + "read, \(parts.joined(separator: ", ")) in \(seconds) s "
      + "(\(grouped(Int(report.rowsPerSecond))) rows/s)"
  }

  /// What each field holds, as a table.
  private func reasons(_ fields: [DatasetField]) -> String {
    TableText(columns: ["field", "holds", "because"].map { TableText.Column($0) })
      .text(fields.map { [$0.name, $0.shape.words, $0.reason] }, width: Terminal.width)
  }

  private func lines(_ rejects: [RejectedRow]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try rejects.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
      .joined()
  }
}

extension FileFormat: ExpressibleByArgument {}

extension ImportReport {
  /// The summary as one JSON object.
  fileprivate var json: String {
    "{\"read\":\(read),\"inserted\":\(inserted),\"updated\":\(updated),\"skipped\":\(skipped),"
      + "\"rejected\":\(rejects.count),\"seconds\":\((seconds * 1e6).rounded() / 1e6),"
      + "\"rowsPerSecond\":\(Int(rowsPerSecond))}"
  }
}

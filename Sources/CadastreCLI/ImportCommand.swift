import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastrePredicate
import Foundation

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import files of places and shapes into a class, or a Realm file.",
    discussion: """
      Reads \(FormatDescriptor.importHelp). The types of the class are inferred from all records; \
      with --limit and without a condition, from those that it can need. Points become the embedded object 'location', nested JSON becomes embedded objects, lists \
      and maps. The import is one transaction: if more than --max-rejects rows are rejected, the \
      store is unchanged.

      The types of a Parquet file are those that it declares. A folder means all its Parquet files; \
      names such as country=FR in their paths become columns. --bbox and --where skip row groups \
      without a match, --columns reads only some columns; --bbox reads only the needed part of a \
      FlatGeobuf file with an index.

      A .realm file is imported with all its classes, or those of --class and the classes embedded \
      in them, which must be new in the store: types, links, embedded objects, collections, \
      indexes and the schema version are those of the file. The file must not be in use.

      EXAMPLES
        cadastre import airports.csv --store a.cadastre --into Airport \\
          --pk icao --index country
        cadastre import quakes.geojson.gz --store q.cadastre --into Quake \\
          --rejects bad.ndjson --max-rejects 100
        curl -s https://example.org/all.csv | cadastre import - \\
          --store a.cadastre --into City --pk id --upsert
        cadastre import places.parquet --store p.cadastre --into Place \\
          --bbox 5,45,11,48 --columns geometry,name
        cadastre import app.realm --store app.cadastre
      """)

  @Argument(help: "The files to import, all of one format; - is standard input.")
  var files: [String]

  @Option(help: ArgumentHelp("The store; created if it does not exist.", valueName: "PATH"))
  var store: String

  @Option(
    name: .customLong("into"),
    help: ArgumentHelp(
      "The class of the imported objects; required except for a Realm file.", valueName: "CLASS"))
  var className: String?

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("The classes to import from a Realm file.", valueName: "A,B"))
  var classes: String?

  @OptionGroup var key: RealmKeyOption

  @Option(
    help: "\(FormatDescriptor.names); by default detected.")
  var format: ImportFormatName?

  @Option(
    name: .customLong("pk"),
    help: ArgumentHelp("The column that is the primary key.", valueName: "FIELD"))
  var primaryKey: String?

  @Option(
    name: .customLong("index"),
    help: ArgumentHelp(
      "A column that gets an ordered index, or several columns of one index as A,B (repeatable).",
      valueName: "FIELD"))
  var indexes: [String] = []

  @OptionGroup var table: TableOptions

  @Option(
    help: ArgumentHelp(
      "The layer of a GeoPackage, GPX or TopoJSON file that has several.", valueName: "NAME"))
  var layer: String?

  @Option(
    help: ArgumentHelp(
      "The member of a JSON file that holds the records, such as result.records, or . for the file; by default detected.",
      valueName: "MEMBER"))
  var records: String?

  @Option(
    help: ArgumentHelp("The fields to import, geometry for the geometries.", valueName: "A,B"))
  var columns: String?

  @Option(
    help: ArgumentHelp(
      "The columns of longitude and latitude, or the column of points.", valueName: "LON,LAT"))
  var location: String?

  @Option(
    name: .customLong("wkt"),
    help: ArgumentHelp("The column of points in WKT, or as 'LAT, LON'.", valueName: "COL"))
  var wktColumn: String?

  @Option(
    help: ArgumentHelp(
      "The reference system of the coordinates, which PROJ converts; by default that of the file, else WGS 84.",
      valueName: "EPSG:CODE"))
  var crs: String?

  @Flag(help: "Take longitudes beyond ±180° as those of the other side: 190 as -170.")
  var wrap = false

  @Option(
    help: ArgumentHelp(
      "Invalid geometries, such as polygons whose rings cross: reject the row, keep the geometry, or "
        + "repair it.", valueName: "reject|keep|repair"))
  var onInvalid = InvalidShapes.reject

  @OptionGroup var columnStorage: ColumnStorageOption

  @Flag(help: "Ignore the geometries of the records, and import only their fields.")
  var noGeometry = false

  @Flag(help: "Store the centroids of lines and polygons as points, in 'location'.")
  var centroid = false

  @Option(
    help: ArgumentHelp(
      "Types that replace the inferred ones; with ? the property is optional.",
      valueName: "a=int,b=date?"))
  var types: String?

  @Option(
    name: .customLong("null"),
    help: ArgumentHelp(
      "Text that denotes null (repeatable); empty text by default.", valueName: "TEXT"))
  var nullTexts: [String] = []

  @Flag(
    help: "Update the fields of the files in objects whose primary key is stored already.")
  var upsert = false

  @Flag(help: "Skip rows whose primary key is stored already.")
  var skipExisting = false

  @Flag(help: "Delete the objects that have no row in the files; needs --upsert.")
  var deleteMissing = false

  @Option(
    help: ArgumentHelp(
      "Compare and update only objects whose value of a field, such as a version or a date, differs; needs --upsert.",
      valueName: "FIELD"))
  var whereChanged: String?

  @Flag(
    help:
      "Change the stored class where the files do not match it: types become wider, fields optional, new fields are added."
  )
  var alter = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Import only rows that match a predicate.", valueName: "PREDICATE"))
  var predicate: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Import only points in a box, in degrees.", valueName: "W,S,E,N"))
  var bbox: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum number of rows to import.", valueName: "N"))
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number of rows to skip first.", valueName: "N"))
  var offset = 0

  @Option(
    help: ArgumentHelp(
      "A file for the rejected rows and the reasons, one JSON object per line; - is standard output.",
      valueName: "FILE"))
  var rejects: String?

  @Option(
    help: ArgumentHelp("The number of rejected rows above which the import fails.", valueName: "N"))
  var maxRejects = 0

  @OptionGroup var overwriting: OverwriteOption

  @Flag(help: "Read and validate all rows, print the class, store nothing.")
  var dryRun = false

  @Flag(help: "Print the inferred type of each field and the reason.")
  var reasons = false

  @Flag(inversion: .prefixedNo, help: "Show a progress bar; on by default on a terminal.")
  var progress: Bool?

  @Option(help: "json: print the summary as JSON on standard output.")
  var summary: SummaryFormat?

  enum SummaryFormat: String, ExpressibleByArgument { case json }

  func validate() throws {
    guard !(upsert && skipExisting) else {
      throw ValidationError("--upsert and --skip-existing exclude each other")
    }
    guard !(noGeometry && centroid) else {
      throw ValidationError("--no-geometry and --centroid exclude each other")
    }
    guard !noGeometry || location == nil && wktColumn == nil && bbox == nil else {
      throw ValidationError("--no-geometry excludes --location, --wkt and --bbox")
    }
    let isPartial = predicate != nil || bbox != nil || limit != nil || offset != 0
    guard !deleteMissing || upsert && !isPartial else {
      throw ValidationError(
        "--delete-missing needs --upsert and all rows: no --where, --bbox, --limit or --offset")
    }
    guard limit ?? 0 >= 0, offset >= 0, maxRejects >= 0 else {
      throw ValidationError("--limit, --offset and --max-rejects must not be negative")
    }
    guard whereChanged == nil || upsert else {
      throw ValidationError("--where-changed needs --upsert")
    }
    try MatchOptions.validate(bbox: bbox)
  }

  func run() throws {
    if let file = try files.first.flatMap(key.file) { return try importRealmFile(file) }
    guard classes == nil else {
      throw ValidationError("--class applies to a Realm file; name the class with --into")
    }
    guard let className else {
      throw ValidationError("Missing expected argument '--into <CLASS>'")
    }
    let settings = try settings(className)
    let rules = overwriting.rules(
      replacing: RejectedRow.isFile, inputs: files, store: store)
    let rejectsFile = try (rejects == "-" ? nil : rejects).map {
      try OutputFile(path: $0, rules)
    }
    let meter = ProgressMeter(isShown: progress ?? (Terminal.errorWidth != nil))
    let importer = Importer(settings, progress: meter.show) { report in
      try rejectsFile?.write(try RejectedRow.lines(report.rejects))
      try rejectsFile?.complete()
    }
    let outcome = Result { try importer.run() }
    meter.end()
    let report = try outcome.mapError { located($0) }.get()
    try Terminal.afterChange(isChanged: !dryRun) {
      try rejectsFile?.publish()
      if rejects == "-" { try Terminal.write(try RejectedRow.lines(report.rejects)) }
      try print(report, className)
    }
    if !report.rejects.isEmpty { throw ExitCode(2) }
  }

  private func print(_ report: ImportReport, _ className: String) throws {
    if dryRun { try Terminal.write(lines: report.schemaText + "\n") }
    if reasons { try Terminal.write(reasons(report.fields)) }
    if summary == .json {
      try Terminal.write(try report.json + "\n")
    } else {
      for notice in report.notices { Terminal.say("note: \(notice)") }
      for change in report.alterations {
        Terminal.say((dryRun ? "would alter: " : "altered: ") + change)
      }
      Terminal.say(text(report, className))
    }
  }

  private func settings(_ className: String) throws -> ImportSettings {
    var settings = ImportSettings(files: files, store: store, className: className)
    settings.format = format?.format
    settings.table = table.settings
    settings.layer = layer
    settings.records = records
    settings.columns = columns.map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    settings.primaryKey = primaryKey
    settings.indexes = indexes
    settings.location = location
    settings.wktColumn = wktColumn
    settings.referenceSystem = crs
    settings.wrapsLongitudes = wrap
    settings.invalidShapes = onInvalid
    settings.geometryUse = noGeometry ? .ignored : centroid ? .centroid : .stored
    settings.types = types
    if !nullTexts.isEmpty { settings.nullTexts = nullTexts }
    settings.keyPolicy = upsert ? .update : skipExisting ? .skip : .fail
    settings.deletesMissing = deleteMissing
    settings.versionField = whereChanged
    settings.altersClass = alter
    settings.predicate = try predicate.map { try QueryPredicate(parsing: $0) }
    settings.bounds = bbox.flatMap(BoundingBox.init)
    settings.limit = limit
    settings.offset = offset
    settings.maximumRejects = maxRejects
    settings.isDryRun = dryRun
    settings.columnStorage = columnStorage.storage
    return settings
  }

  /// Returns an error; the error of the predicate includes the text of the predicate.
  private func located(_ error: any Error) -> any Error {
    guard let error = error as? QueryPredicateError, let predicate else { return error }
    return error.found(in: predicate)
  }

  private func text(_ report: ImportReport, _ className: String) -> String {
    var parts = ["\(grouped(report.inserted)) inserted"]
    if report.updated > 0 { parts.append("\(grouped(report.updated)) updated") }
    if report.unchanged > 0 { parts.append("\(grouped(report.unchanged)) unchanged") }
    if report.deleted > 0 { parts.append("\(grouped(report.deleted)) deleted") }
    if report.skipped > 0 { parts.append("\(grouped(report.skipped)) skipped") }
    if !report.rejects.isEmpty { parts.append("\(grouped(report.rejects.count)) rejected") }
    let seconds = (report.seconds * 100).rounded() / 100
    return
      "\(dryRun ? "would import" : "imported") into \(className): \(grouped(report.read)) rows "
      + "read, \(parts.joined(separator: ", ")) in \(seconds) s"
      // The speed of a short import says nothing.
      + (report.seconds < 1 ? "" : " (\(grouped(Int(report.rowsPerSecond))) rows/s)")
  }

  /// Returns the inferred type of each field and the reason, as a table.
  private func reasons(_ fields: [DatasetField]) -> String {
    TableText(columns: ["field", "type", "reason"].map { TableText.Column($0) })
      .text(fields.map { [$0.name, $0.shape.typeDescription, $0.reason] }, width: Terminal.width)
  }
}

/// The name of a file format as an argument.
struct ImportFormatName: ExpressibleByArgument {
  let format: FormatDescriptor

  init?(argument: String) {
    guard let format = FormatDescriptor.named(argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { FormatDescriptor.all.map(\.name) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension InvalidShapes: ExpressibleByArgument {}

extension ImportReport {
  /// The summary as one JSON object.
  fileprivate var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      let altered =
        alterations.isEmpty
        ? "" : "\"altered\":\(String(decoding: try encoder.encode(alterations), as: UTF8.self)),"
      return "{\"read\":\(read),\"inserted\":\(inserted),\"updated\":\(updated),"
        + "\"unchanged\":\(unchanged),\"deleted\":\(deleted),\"skipped\":\(skipped),"
        + "\"rejected\":\(rejects.count),\(altered)"
        + "\"seconds\":\((seconds * 1e6).rounded() / 1e6),"
        + "\"rowsPerSecond\":\(Int(rowsPerSecond))}"
    }
  }
}

/// The options of an import that apply to text tables.
struct TableOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Whether the first line of a table names its columns; by default detected.")
  var header: Bool?

  @Flag(help: "Numbers of a table have a decimal comma: 48,85 or 1.488,2.")
  var decimalComma = false

  @Option(
    help: ArgumentHelp(
      "The encoding of a table, such as latin1 or windows-1252; UTF-8 and UTF-16 are detected.",
      valueName: "NAME"))
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      "The delimiter of a table: a character, or tab; by default detected.", valueName: "C"))
  var delimiter: String?

  @Option(help: ArgumentHelp("The quote of a table: a character, or none.", valueName: "C"))
  var quote: String?

  @Option(
    help: ArgumentHelp("The number of lines of a table before its header.", valueName: "N"))
  var skipLines = 0

  @Option(help: ArgumentHelp("Ignore lines of a table that begin with this.", valueName: "C"))
  var comment: String?

  @Flag(help: "Lines of a table may have fewer fields than the header: the missing ones are null.")
  var padRows = false

  @Option(
    name: .customLong("rename"),
    help: ArgumentHelp("Rename a field of the files (repeatable).", valueName: "old=new"))
  var renames: [String] = []

  @Option(
    help: ArgumentHelp(
      "The form of dates in a table; by default ISO 8601.", valueName: "'%d.%m.%Y %H:%M'"))
  var dateFormat: String?

  func validate() throws {
    guard skipLines >= 0 else { throw ValidationError("--skip-lines must not be negative") }
  }

  /// The settings of the reader of tables.
  var settings: TableSettings {
    var settings = TableSettings()
    settings.hasHeader = header
    settings.hasDecimalComma = decimalComma
    settings.encoding = encoding
    settings.delimiter = delimiter
    settings.quote = quote
    settings.skippedLines = skipLines
    settings.comment = comment
    settings.padsRows = padRows
    settings.renames = renames
    settings.dateFormat = dateFormat
    return settings
  }
}

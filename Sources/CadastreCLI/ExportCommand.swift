import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import Foundation

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the objects of a class that match a predicate to a file.",
    discussion: """
      The extension of the name decides the format: \
      \(FormatDescriptor.writableExtensions(prefix: ".")); --format overrides it. With .gz the file is compressed. The file gets its name when it is complete.

      CSV has columns for longitude and latitude, no third coordinate, and nested values as JSON. \
      All other formats have one geometry, which is the first geometry or else the first point; \
      further ones are attributes. In GeoJSON the primary key is the id, NaN and infinities are strings, dates are ISO 8601.
      A .parquet file is GeoParquet 1.1, in the order of a Hilbert curve unless --sort is given; \
      days are dates, other dates microseconds or, where these are not enough, nanoseconds; \
      mixed values are JSON. A \
      .fgb file has an index if all objects have a geometry, and is in the order of the index.
      With --partition-by a folder of Parquet files is written, one for each combination of values, such \
      as country=FR/part-0.parquet; import reads the folder.
      A GeoPackage can have several classes, separated by commas, as layers.
      In KML, text columns name and description become these elements and all others extended data. \
      GPX has points as waypoints, lines and rings as tracks, and fields as extensions.

      EXAMPLES
        cadastre export a.cadastre Airport "country == 'FR'" --to fr.geojson.gz
        cadastre export a.cadastre Airport --to airports.gpkg
        cadastre export a.cadastre Airport,Country --to all.gpkg
        cadastre export a.cadastre Airport --to airports.parquet
        cadastre export a.cadastre Airport --to by-country \\
          --partition-by country
        cadastre export a.cadastre Airport --select icao,location --to - \\
          --format csv
      """)

  @OptionGroup var options: QueryOptions

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("The file to write; - is standard output.", valueName: "FILE"),
    completion: .file())
  var target: String

  @Option(help: "The format; by default decided by the file name.")
  var format: ExportFormatName?

  @Option(
    help: ArgumentHelp("The fields to write; by default all.", valueName: "A,B,C"),
    completion: .custom(StoreCompletion.fieldNames))
  var select: String?

  @Option(
    help: ArgumentHelp(
      "The reference system of the coordinates, which the library GDAL converts; by default WGS 84.",
      valueName: "EPSG:CODE"))
  var crs: String?

  @Flag(
    name: .customLong("rs"),
    help: "Begin each line of a GeoJSON sequence with a record separator (RFC 8142).")
  var hasSeparators = false

  @OptionGroup var measures: EllipsoidOption

  @OptionGroup var formulas: FormulaOption

  @Option(
    help: ArgumentHelp("The number of rows in a row group of a Parquet file.", valueName: "N"))
  var rowGroup = ObjectExport.defaultGroupRows

  @Option(
    help: ArgumentHelp(
      """
      Write a folder of Parquet files, one for each value of fields, parts of dates or cells: \
      'country', 'year(opened)', 'tile(location, 4)'.
      """, valueName: "A,B,C"),
    completion: .custom(StoreCompletion.fieldNames))
  var partitionBy: String?

  @OptionGroup var overwriting: OverwriteOption

  /// The exported classes; several classes become the layers of one file.
  private var classNames: [String] {
    options.match.className.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The options with the first class only.
  private var firstClass: QueryOptions {
    var options = options
    options.match.className = classNames[0]
    return options
  }

  private var outputFormat: FormatDescriptor? {
    format?.format ?? (partitionBy == nil ? .writable(byFile: target) : .parquet)
  }

  func validate() throws {
    try measures.check(options, select: select)
    guard partitionBy == nil || outputFormat == .parquet && target != "-" else {
      throw ValidationError("--partition-by writes a folder of Parquet files")
    }
    guard partitionBy == nil || !overwriting.overwrite else {
      throw ValidationError("--overwrite replaces no folder; remove it, or choose another name")
    }
    guard let outputFormat else {
      throw ValidationError(
        "'\(target)' has no known extension; expected \(FormatDescriptor.writableExtensions(prefix: ".")), or "
          + "--format"
          + (GDALLibrary.failure.map { "; more with the library GDAL: \($0)" } ?? ""))
    }
    guard crs == nil || target != "-" && partitionBy == nil else {
      throw ValidationError(
        "--crs needs a file in one of the formats gpkg, fgb, geojson and those of GDAL")
    }
    guard classNames.count == 1 || outputFormat == .gpkg else {
      throw ValidationError("several classes are the layers of a GeoPackage; write them to a .gpkg")
    }
    guard classNames.count == 1 || !options.isRestricted && select == nil else {
      throw ValidationError("several classes are written with all of their objects and fields")
    }
    guard Set(classNames.map { $0.lowercased() }).count == classNames.count else {
      throw ValidationError("'\(options.match.className)' names a class twice")
    }
    guard outputFormat == .geojsonseq || !hasSeparators else {
      throw ValidationError("--rs needs the format geojsonseq")
    }
    try formulas.check(isCSV: outputFormat == .csv || outputFormat == .tsv)
    guard rowGroup > 0 else { throw ValidationError("--row-group must be positive") }
    if partitionBy == nil, let objection = outputFormat.objection(to: target) {
      throw ValidationError(objection)
    }
  }

  func run() throws {
    if let partitionBy { return try write(partitionedBy: partitionBy) }
    // The file is opened before the store: closing a descriptor of the store's file would release its locks.
    let file = target == "-" ? nil : try outputFile()
    if let objects = try options.remote() { return try run(on: objects, file) }
    let query = try measures.applied(to: firstClass.query())
    var export = ObjectExport(query, outputFormat ?? .csv)
    export.keys = try query.keys()
    export.select = select
    export.groupRows = rowGroup
    export.keepsOrder = options.isSorted
    export.hasSeparators = hasSeparators
    export.referenceSystem = crs
    export.guardsFormulas = formulas.guardFormulas
    export.otherClasses = Array(classNames.dropFirst())
    export.notice = Self.note
    report(try export.write(to: file.map { .file($0) } ?? .stream(Terminal.write)))
  }

  private static func note(_ notice: String) { Terminal.say("note: \(notice)") }

  private func report(_ count: Int) {
    Terminal.say("\(counted(count, "object")) to \(target == "-" ? "standard output" : target)")
  }

  private func run(on objects: RemoteObjects, _ file: OutputFile?) throws {
    try RemoteDatabase.refuse([
      ("the format \(outputFormat?.name ?? "")", outputFormat.map { $0.text == nil } == true)
    ])
    let writer = recordWriter(try objects.columns(select), identifier: objects.primaryKey)
    report(
      try objects.write(with: writer) { bytes in
        if let file { try file.write(bytes) } else { try Terminal.write(bytes) }
      })
    try file?.finish()
  }

  private func outputFile() throws(OutputError) -> OutputFile {
    let rules = overwriting.rules(inputs: options.match.inputs, store: options.match.store)
    return try OutputFile(
      path: target, rules, compression: FormatDescriptor.compression(path: target))
  }

  private func recordWriter(_ columns: [OutputColumn], identifier: String?) -> RecordWriter {
    var options = RecordWriter.Options()
    options.hasSeparators = hasSeparators
    options.guardsFormulas = formulas.guardFormulas
    options.identifier = identifier
    return RecordWriter(outputFormat?.text ?? .csv, columns: columns, options)
  }

  /// Writes a folder of Parquet files.
  private func write(partitionedBy fields: String) throws {
    guard try options.remote() == nil else {
      return try RemoteDatabase.refuse([("--partition-by", true)])
    }
    let query = try measures.applied(to: options.query())
    let output = try PartitionedOutput(query, by: fields, select: select)
    let keys = options.isSorted ? try query.keys() : try query.inHilbertOrder(try query.keys())
    let folder = try OutputFolder(path: target)
    let count = try output.write(keys, groupRows: rowGroup, to: folder)
    try folder.finish()
    for notice in count.notices { Self.note(notice) }
    Terminal.say(
      "\(counted(count.objects, "object")) in \(counted(count.files, "file")) to \(folder.path)")
  }
}

/// The name of a file format that can be written, as an argument.
struct ExportFormatName: ExpressibleByArgument {
  let format: FormatDescriptor

  init?(argument: String) {
    guard let format = FormatDescriptor.named(argument), format.isWritable else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { FormatDescriptor.writable.map(\.name) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

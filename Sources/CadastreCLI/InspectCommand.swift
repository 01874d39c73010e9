import ArgumentParser
import CadastreDatasets
import CadastreFormatting
import CadastreStore
import Foundation

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Describe a file before its import: layers, fields, types, extent, rows.",
    discussion: """
      The file is read as by import, into a temporary store. Of a file with several layers, the layers are listed; \
      --layer describes one of them.

      EXAMPLES
        cadastre inspect airports.csv
        cadastre inspect airports.csv --rows 20
      """)

  @Argument(help: "The file, or a file in a zip archive as a.zip/b.shp.", completion: .file())
  var file: String

  @Option(help: "\(FormatDescriptor.names); by default detected.")
  var format: ImportFormatName?

  @Option(help: ArgumentHelp("The layer of a file that has several.", valueName: "NAME"))
  var layer: String?

  @Option(
    help: ArgumentHelp("The reference system of the coordinates.", valueName: "EPSG:CODE"))
  var crs: String?

  @Option(help: ArgumentHelp("The number of rows to print.", valueName: "N"))
  var rows = 5

  func validate() throws {
    guard rows >= 0 else { throw ValidationError("--rows must not be negative") }
  }

  func run() throws {
    let layers = try FileLayers(of: file, format: format?.format)
    if layers.all.count > 1, layer == nil {
      return try Terminal.write(lines: heading(layers) + text(layers))
    }
    var settings = ImportSettings(
      files: [file], store: "inspect", className: Self.className(layer ?? file))
    settings.format = format?.format
    settings.layer = layer
    settings.referenceSystem = crs
    settings.maximumRejects = .max
    settings.columnStorage = .never
    let store = try OpenStores.temporaryStore(UUID().uuidString)
    let report = try Importer(settings, into: store).run()
    try Terminal.write(lines: heading(layers) + text(report))
    guard report.read > 0 else { return }
    let query = try StoreQuery(try store.snapshot(), className: settings.className, limit: rows)
    if let extent = try query.extent() { try Terminal.write(lines: "extent   \(extent)\n") }
    guard rows > 0 else { return }
    try Terminal.write(lines: "\n")
    try Terminal.write(
      query.keys(), of: query, as: .table, query.columns(nil), guardsFormulas: false,
      mostCellWidth: Terminal.describedWidth)
  }

  /// Returns a name for the class of a file.
  private static func className(_ name: String) -> String {
    let stem = name.split(separator: "/").last?.split(separator: ".").first ?? "File"
    let letters = stem.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let isName = letters.first.map { $0.isLetter } ?? false
    return isName ? letters.prefix(1).uppercased() + letters.dropFirst().prefix(40) : "File"
  }

  private func heading(_ layers: FileLayers) -> String {
    let format = layers.format == .gdal ? "read by GDAL" : layers.format.help
    return "file     \(printable(file)), \(format)\n"
  }

  private func text(_ layers: FileLayers) -> String {
    "\n"
      + TableText(columns: ["layer", "geometry", "rows"].map { TableText.Column($0) }).text(
        layers.all.map { layer in
          [layer.name, layer.geometry ?? "", layer.rows.map { grouped($0) } ?? ""]
        }, width: Terminal.width)
      + "\ncadastre inspect \(printable(file)) --layer NAME describes one of them.\n"
  }

  private func text(_ report: ImportReport) -> String {
    var text = "rows     \(grouped(report.read))"
    if !report.rejects.isEmpty {
      text +=
        ", of which \(grouped(report.rejects.count)) are invalid, the first: "
        + "\(printable(report.rejects[0].reason))"
    }
    text += "\n"
    for notice in report.notices { text += "note     \(notice)\n" }
    let table = TableText(columns: ["field", "type", "reason"].map { TableText.Column($0) }).text(
      report.fields.map { [$0.name, $0.shape.typeDescription, $0.reason] }, width: Terminal.width)
    return text + "\n" + table + "\n"
  }
}

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the file formats that this machine reads and writes.",
    discussion: """
      Formats of the library GDAL are listed where it is installed; they are read and written through a temporary \
      GeoPackage.

      EXAMPLES
        cadastre formats
        cadastre formats --format json
      """)

  @Option(help: "The output format.")
  var format = ReportFormat.text

  /// A format of files.
  private struct Support: Encodable {
    let format: String
    let name: String
    let extensions: [String]
    let reads: Bool
    let writes: Bool
  }

  func run() throws {
    var all = FormatDescriptor.all.filter { $0 != .gdal }.map { format in
      Support(
        format: format.name, name: format.help, extensions: format.extensions, reads: true,
        writes: format.isWritable)
    }
    for driver in GDALLibrary.drivers where driver.isReadable || driver.isWritable {
      all.append(
        Support(
          format: driver.name, name: "\(driver.longName) (GDAL)", extensions: driver.extensions,
          reads: driver.isReadable, writes: driver.isWritable))
    }
    switch format {
    case .json: try format.write(all)
    case .text:
      let columns = ["format", "support", "extensions", "name"].map { TableText.Column($0) }
      let rows = all.map { format in
        [
          format.format,
          [format.reads ? "reads" : nil, format.writes ? "writes" : nil].compactMap(\.self)
            .joined(separator: ", "),
          format.extensions.joined(separator: " "), format.name,
        ]
      }
      try Terminal.write(lines: TableText(columns: columns).text(rows, width: Terminal.width))
    }
    if let failure = GDALLibrary.failure { Terminal.say("note: \(failure)") }
  }
}

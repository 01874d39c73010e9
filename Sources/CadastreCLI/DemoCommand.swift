import ArgumentParser
import CadastreBundledData
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastreMaps
import CadastreQuery
import Foundation

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Import the bundled airports, run a few queries, explain one, draw a map.",
    discussion: """
      EXAMPLE
        cadastre demo --store airports.cadastre
      """)

  @Option(
    help: ArgumentHelp(
      "The store to create; by default one in a temporary folder.", valueName: "PATH"))
  var store: String?

  @Option(help: ArgumentHelp("The map to draw.", valueName: "FILE"))
  var map = "airports.svg"

  @OptionGroup var overwriting: OverwriteOption

  private struct ExampleQuery {
    let title: String
    let predicate: String
    let sort: String
    let columns: String
  }

  private static let aroundParis = "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)"

  private static let queries = [
    ExampleQuery(
      title: "High airports within 100 km of Paris",
      predicate: "\(aroundParis) AND elevation > 300 AND country == 'FR'",
      sort: "elevation desc", columns: "icao,name,city,elevation"),
    ExampleQuery(
      title: "On both sides of the antimeridian, in a box from Fiji to Samoa",
      predicate: "location GEOWITHIN geoBox([176, -20], [-171, -12])",
      sort: "country,icao", columns: "icao,name,country,location"),
    ExampleQuery(
      title: "Names with 'international' in any case, in a polygon over central Europe",
      predicate: "name CONTAINS[c] 'international' AND location GEOWITHIN "
        + "geoPolygon({[5, 47], [16, 46], [19, 50], [14, 55], [6, 54], [5, 47]})",
      sort: "name", columns: "icao,name,country,elevation"),
  ]

  func run() throws {
    guard let airports = BundledData.airportsCSV else {
      throw ValidationError("the bundled airports are missing next to this program; build it again")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    if store == nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let path = store ?? folder.appendingPathComponent("airports.cadastre").path
    let drawing = try OutputFile(
      path: map, overwriting.rules(replacing: MapSVG.isMap, store: path))
    try load(airports, into: path)
    try Terminal.afterChange(isChanged: store != nil) { try show(path, drawing) }
  }

  private func show(_ path: String, _ drawing: OutputFile) throws {
    for query in Self.queries { try run(query, path) }
    try explain(path)
    let around = try StoreQuery(
      store: path, className: "Airport", predicate: Self.aroundParis)
    try MapDrawing(around).write(
      try around.keys(), to: drawing,
      MapDrawing.Style(title: "Airports within 100 km of Paris", predicate: Self.aroundParis))
  }

  private func load(_ airports: URL, into path: String) throws {
    var settings = ImportSettings(files: [airports.path], store: path, className: "Airport")
    settings.primaryKey = "icao"
    settings.indexes = ["country"]
    let report = try Importer(settings).run()
    try Terminal.write(
      "\(grouped(report.inserted)) airports imported, with a spatial index, in "
        + "\((report.seconds * 100).rounded() / 100) s (\(grouped(Int(report.rowsPerSecond))) "
        + "rows/s).\n")
  }

  private func run(_ example: ExampleQuery, _ path: String) throws {
    let query = try StoreQuery(
      store: path, className: "Airport", predicate: example.predicate, order: example.sort,
      limit: 8)
    let count = try StoreQuery(
      store: path, className: "Airport", predicate: example.predicate
    ).count()
    try Terminal.write("\n\(example.title): \(grouped(count))\n  \(example.predicate)\n\n")
    var options = RecordWriter.Options()
    options.width = Terminal.width ?? 100
    options.isStyled = Terminal.isStyled
    var writer = RecordWriter(.table, columns: try query.columns(example.columns), options)
    try query.write(try query.keys(), with: &writer, to: Terminal.write)
  }

  private func explain(_ path: String) throws {
    let query = try StoreQuery(
      store: path, className: "Airport", predicate: Self.queries[0].predicate,
      order: Self.queries[0].sort)
    let plan = try query.explain([.estimates, .candidates], measured: true)
    try Terminal.write("\nHow the first query runs:\n\n\(plan)\n\n")
  }
}

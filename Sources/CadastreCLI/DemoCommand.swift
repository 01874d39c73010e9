import ArgumentParser
import CadastreBundledData
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastrePlanner
import Foundation

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Import the bundled airports, ask a few questions, explain one, draw a map.",
    discussion: """
      EXAMPLE
        cadastre demo --store airports.cadastre
      """)

  @Option(
    help: ArgumentHelp(
      "The store to make; by default one in a temporary folder.", valueName: "PATH"))
  var store: String?

  @Option(help: ArgumentHelp("The map to draw.", valueName: "FILE"))
  var map = "airports.svg"

  private struct Question {
    let title: String
    let predicate: String
    let sort: String
    let columns: String
  }

  private static let aroundParis = "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)"

  private static let questions = [
    Question(
      title: "High airports within 100 km of Paris",
      predicate: "\(aroundParis) AND elevation > 300 AND country == 'FR'",
      sort: "elevation desc", columns: "icao,name,city,elevation"),
    Question(
      title: "Either side of the antimeridian, in a box from Fiji to Samoa",
      predicate: "location GEOWITHIN geoBox([176, -20], [-171, -12])",
      sort: "country,icao", columns: "icao,name,country,location"),
    Question(
      title: "Names with 'international', whatever the case, in a polygon over central Europe",
      predicate: "name CONTAINS[c] 'international' AND location GEOWITHIN "
        + "geoPolygon({[5, 47], [16, 46], [19, 50], [14, 55], [6, 54], [5, 47]})",
      sort: "name", columns: "icao,name,country,elevation"),
  ]

  func run() throws {
    guard let airports = BundledData.airportsCSV else {
      throw ValidationError("the bundled airports are not beside this program; build it again")
    }
    let drawing = try OutputFile(map)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    if store == nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    let path = store ?? folder.appendingPathComponent("airports.cadastre").path
    try load(airports, into: path)
    for question in Self.questions { try ask(question, path) }
    try explain(path)
    let around = try StoreQuery(
      store: path, className: "Airport", predicate: Self.aroundParis)
    try MapDrawing(around).write(
      try around.keys(), to: drawing, title: "Airports within 100 km of Paris",
      predicate: Self.aroundParis)
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

  private func ask(_ question: Question, _ path: String) throws {
    let asked = try StoreQuery(
      store: path, className: "Airport", predicate: question.predicate, order: question.sort,
      limit: 8)
    let count = try StoreQuery(
      store: path, className: "Airport", predicate: question.predicate
    ).count()
    try Terminal.write("\n\(question.title): \(grouped(count))\n  \(question.predicate)\n\n")
    var options = RecordWriter.Options()
    options.width = Terminal.width ?? 100
    options.isStyled = Terminal.isStyled
    var writer = RecordWriter(.table, columns: try asked.columns(question.columns), options)
    try asked.write(try asked.keys(), with: &writer, to: Terminal.write)
  }

  private func explain(_ path: String) throws {
    let asked = try StoreQuery(
      store: path, className: "Airport", predicate: Self.questions[0].predicate,
      order: Self.questions[0].sort)
    let plan = try asked.explain([.estimates, .candidates], measuring: true)
    try Terminal.write("\nHow the first question is answered:\n\n\(plan)\n\n")
  }
}

import Cadastre
import CadastreBundledData
import CadastreDatasets
import CadastreMaps
import Foundation

/// Imports the bundled airports, queries them around Paris, and draws the result as SVG.
///
/// `swift run ImportAndMap FILE` keeps the map in a file; without an argument the map is drawn and
/// checked only. `CadastreDatasets` and `CadastreMaps` are targets of this package without products;
/// other packages use the command `cadastre` for imports and maps.
@main
struct ImportAndMap {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("airports.cadastre")
    try load(into: store)

    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: store, readOnly: true, objectTypes: [Airport.self, Location.self]))
    guard let center = GeoPoint(latitude: 48.8566, longitude: 2.3522),
      let radius = Distance.kilometers(500)
    else { return stop("the center or the radius is out of range") }
    let airports = realm.objects(Airport.self)
    let near = airports.within(radius, of: center)
    // Without the index: the same objects by their distances.
    let expected = airports.compactMap(\.point).count { $0.distance(to: center) <= radius }
    guard near.count == expected, expected > 0 else {
      return stop("the query found \(near.count) airports, the distances \(expected)")
    }

    let map = try map(of: near, in: GeoCircle(center: center, radius: radius))
    guard map.hasPrefix("<svg"), map.contains("Airports within 500 km of Paris") else {
      return stop("the map is no SVG with its title")
    }
    if let path = CommandLine.arguments.dropFirst().first {
      try map.write(toFile: path, atomically: true, encoding: .utf8)
    }
    print("\(near.count) of \(airports.count) airports on a map of \(map.utf8.count) bytes")
  }

  private static func load(into store: URL) throws {
    guard let file = BundledData.airportsCSV else {
      return stop("the bundled airports are missing next to this program; build it again")
    }
    var settings = ImportSettings(files: [file.path], store: store.path, className: "Airport")
    settings.primaryKey = "icao"
    settings.indexes = ["country"]
    let report = try Importer(settings).run()
    guard report.inserted == report.read, report.inserted > 0 else {
      return stop("\(report.read) rows were read, and \(report.inserted) inserted")
    }
  }

  private static func map(of airports: Results<Airport>, in circle: GeoCircle) throws -> String {
    var map = MapSVG(title: "Airports within 500 km of Paris")
    if let outlines = BundledData.countryOutlines {
      map.outlines = try CountryOutlines(geoJSON: try Data(contentsOf: outlines))
    }
    map.noun = "airport"
    map.regionRings = MapShape.rings(of: .circle(circle))
    return map.text(airports.compactMap(\.point).map { MapPoint($0) })
  }

  private static func stop(_ message: String) {
    FileHandle.standardError.write(Data("ImportAndMap: \(message)\n".utf8))
    exit(1)
  }
}

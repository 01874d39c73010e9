import CadastreBundledData
import CadastreDatasets
import CadastreFormatting
import CadastreMaps
import CadastrePredicate
import Foundation

/// The result of a query, drawn as a map over country outlines.
struct MapDrawing {
  private let query: StoreQuery
  private let outlines: CountryOutlines
  private let rings: [[MapPoint]]

  init(_ query: StoreQuery) throws {
    self.query = query
    outlines =
      try BundledData.countryOutlines.map {
        try CountryOutlines(geoJSON: try Data(contentsOf: $0))
      } ?? .none
    rings = query.regions.flatMap { RegionOutline.rings(of: $0.shape, edges: $0.edges) }
  }

  /// Writes the locations of objects and the regions of the query to a file, as SVG.
  func write(_ keys: [Int64], to file: OutputFile, title: String, predicate: String?) throws {
    var map = MapSVG(title: title, query: predicate ?? "", outlines: outlines)
    map.noun = "object"
    map.regionRings = rings
    let points = try points(keys)
    try file.write(Array(map.text(points).utf8))
    try file.finish()
    Terminal.say("drew \(counted(points.count, "point")) to \(file.path)")
  }

  /// Prints the same map in the characters of the terminal; 80 columns if there is none.
  func print(_ keys: [Int64]) throws {
    var map = TerminalMap(outlines: outlines)
    map.regionRings = rings
    map.isColoured = Terminal.isStyled
    try Terminal.write(map.text(try points(keys), width: Terminal.width ?? 80))
  }

  private func points(_ keys: [Int64]) throws -> [MapPoint] {
    var points: [MapPoint] = []
    try query.forEachRecord(keys) { record in
      if let location = record.location { points.append(MapPoint(location)) }
    }
    return points
  }
}

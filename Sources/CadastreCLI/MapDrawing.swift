import CadastreBundledData
import CadastreDatasets
import CadastrePredicate
import Foundation

/// The answer to a question as a map over the outlines of countries.
struct MapDrawing {
  private let question: StoreQuestion
  private let outlines: CountryOutlines
  private let rings: [[MapPoint]]

  init(_ question: StoreQuestion) throws {
    self.question = question
    outlines = try BundledData.countryOutlines.map { try CountryOutlines(path: $0.path) } ?? .none
    rings = question.regions.flatMap { RegionOutline.rings(of: $0.shape, edges: $0.edges) }
  }

  /// Draws the places of the objects that were found, and the regions asked for, as SVG.
  func write(_ keys: [Int64], to file: OutputFile, title: String, predicate: String?) throws {
    var map = MapSVG(title: title, query: predicate ?? "", outlines: outlines)
    map.noun = "object"
    map.regionRings = rings
    let places = try places(keys)
    try file.write(map.text(places))
    Terminal.say("drew \(grouped(places.count)) places to \(file.path)")
  }

  /// Draws the same in the characters of the terminal, or of 80 columns where there is none.
  func print(_ keys: [Int64]) throws {
    var map = TerminalMap(outlines: outlines)
    map.regionRings = rings
    map.isColoured = Terminal.isStyled
    try Terminal.write(map.text(try places(keys), width: Terminal.width ?? 80))
  }

  private func places(_ keys: [Int64]) throws -> [MapPoint] {
    var places: [MapPoint] = []
    try question.forEachRecord(keys) { record in
      if let place = record.place { places.append(place) }
    }
    return places
  }
}

import CadastreBundledData
import CadastreDatasets
import CadastrePredicate
import Foundation

/// The answer to a question as a map over the outlines of countries.
struct MapDrawing {
  private let question: StoreQuestion
  private let title: String

  init(_ question: StoreQuestion, title: String) {
    self.question = question
    self.title = title
  }

  /// Draws the places of the objects that were found, and the regions asked for.
  func write(_ keys: [Int64], to file: OutputFile, predicate: String?) throws {
    let outlines = try BundledData.countryOutlines.map { try CountryOutlines(path: $0.path) }
    var map = MapSVG(title: title, query: predicate ?? "", outlines: outlines ?? .none)
    map.noun = "object"
    map.regionRings = question.regions.flatMap {
      RegionOutline.rings(of: $0.shape, edges: $0.edges)
    }
    var places: [MapPoint] = []
    for key in keys {
      if let place = try question.record(key)?.place { places.append(place) }
    }
    try file.write(map.text(places))
    Terminal.say("drew \(grouped(places.count)) places to \(file.path)")
  }
}

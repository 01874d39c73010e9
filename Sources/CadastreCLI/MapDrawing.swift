import CadastreBundledData
import CadastreDatasets
import CadastreFormatting
import CadastreMaps
import CadastreModel
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
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - file: The file.
  ///   - title: The heading.
  ///   - predicate: The text below the map.
  ///   - field: The field that decides the colours; nil for one colour.
  /// - Throws: `StoreError`, `QueryPredicateError` for an unknown field, or `OutputError`.
  func write(
    _ keys: [Int64], to file: OutputFile, title: String, predicate: String?,
    colourBy field: String? = nil
  ) throws {
    var map = MapSVG(title: title, query: predicate ?? "", outlines: outlines)
    map.noun = "object"
    map.regionRings = rings
    let path = try field.flatMap { try query.columns($0).first?.path }
    let (points, values) = try points(keys, path)
    if let path {
      map.groupTitle = "\(path):"
      map.groups = Self.groups(points, values)
    }
    try file.write(Array(map.text(points).utf8))
    try file.finish()
    Terminal.say("drew \(counted(points.count, "point")) to \(file.path)")
  }

  /// Prints the same map in the characters of the terminal; 80 columns if there is none.
  func print(_ keys: [Int64]) throws {
    var map = TerminalMap(outlines: outlines)
    map.regionRings = rings
    map.isColoured = Terminal.isStyled
    try Terminal.write(map.text(try points(keys, nil).points, width: Terminal.width ?? 80))
  }

  /// Returns the locations of objects, and the values at a path; none without a path.
  private func points(
    _ keys: [Int64], _ path: PropertyPath?
  ) throws -> (points: [MapPoint], values: [Value]) {
    var points: [MapPoint] = []
    var values: [Value] = []
    try query.forEachRecord(keys) { record in
      guard let location = record.location else { return }
      points.append(MapPoint(location))
      guard let path else { return }
      if case .value(let value) = record.content(path) {
        values.append(value)
      } else {
        values.append(.null)
      }
    }
    return (points, values)
  }

  /// Returns the points by the class of their values; those of no class are drawn first.
  private static func groups(_ points: [MapPoint], _ values: [Value]) -> [MapGroup] {
    let classes = ValueClasses(
      values, intervals: MapPalette.classes.count, categories: MapPalette.categories.count)
    let colours = classes.areIntervals ? MapPalette.classes : MapPalette.categories
    var groups = [MapGroup(label: "other or none", colour: MapPalette.other, points: [])]
    for (label, colour) in zip(classes.labels, colours) {
      groups.append(MapGroup(label: label, colour: colour, points: []))
    }
    for (point, index) in zip(points, classes.indexes) {
      groups[index.map { $0 + 1 } ?? 0].points.append(point)
    }
    return groups.filter { !$0.points.isEmpty }
  }
}

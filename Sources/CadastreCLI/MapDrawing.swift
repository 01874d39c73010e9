import CadastreBundledData
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
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

  /// An object of the map.
  private struct Item {
    var points: [MapPoint] = []
    var shape: MapShape?
    /// The value that decides the colour.
    var value = Value.null
    /// The name; empty without one.
    var name = ""
    /// The position of the name.
    var place: MapPoint?
  }

  /// The fields that a map shows.
  struct Fields {
    /// The field that decides the colours; nil for one colour.
    var colour: String?
    /// The field with the names; nil for none.
    var name: String?
  }

  /// Writes the locations and shapes of objects and the regions of the query to a file, as SVG, or as
  /// an HTML page if its name ends in .html.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - file: The file.
  ///   - title: The heading.
  ///   - predicate: The text below the map.
  ///   - fields: The fields that decide the colours and the names.
  /// - Throws: `StoreError`, `QueryPredicateError` for an unknown field, or `OutputError`.
  func write(
    _ keys: [Int64], to file: OutputFile, title: String, predicate: String?,
    _ fields: Fields = Fields()
  ) throws {
    var map = MapSVG(title: title, query: predicate ?? "", outlines: outlines)
    map.noun = "object"
    map.regionRings = rings
    let path = try fields.colour.flatMap { try query.columns($0).first?.path }
    let items = try items(
      keys, path, name: fields.name.flatMap { try query.columns($0).first?.path })
    map.objectCount = items.count
    if let path {
      map.groupTitle = "\(path):"
      map.groups = Self.groups(items)
    } else {
      map.shapes = items.compactMap(\.shape)
    }
    map.labels = items.compactMap { item in
      item.place.map { MapLabel(item.name, at: $0, isOfArea: item.points.isEmpty) }
    }
    let points = items.flatMap(\.points)
    let isPage = file.path.lowercased().hasSuffix(".html")
    try file.write(Array((isPage ? map.page(points) : map.text(points)).utf8))
    try file.finish()
    let noun = items.contains { $0.shape != nil } ? "object" : "point"
    Terminal.say("drew \(counted(items.count, noun)) to \(file.path)")
  }

  /// Prints the same map in the characters of the terminal; 80 columns if there is none.
  func print(_ keys: [Int64]) throws {
    var map = TerminalMap(outlines: outlines)
    map.regionRings = rings
    map.isColoured = Terminal.isStyled
    let items = try items(keys, nil)
    map.shapes = items.compactMap(\.shape)
    map.objectCount = items.count
    try Terminal.write(map.text(items.flatMap(\.points), width: Terminal.width ?? 80))
  }

  /// Returns the objects that have a point or a geometry, with the values and names at paths.
  private func items(
    _ keys: [Int64], _ path: PropertyPath?, name: PropertyPath? = nil
  ) throws -> [Item] {
    var items: [Item] = []
    try query.forEachRecord(keys) { record in
      var item = Item()
      if let location = record.location {
        item.points = [MapPoint(location)]
      } else if let geometry = record.geometry {
        item.points = geometry.parts.points.map { MapPoint($0.point) }
        item.shape = MapShape(geometry)
      }
      guard !item.points.isEmpty || item.shape != nil else { return }
      if let path, case .value(let value) = record.content(path) { item.value = value }
      if let name, case .value(let value) = record.content(name), !value.isNull {
        item.name = FieldText.plain(.value(value))
        item.place =
          item.points.first ?? record.geometry?.centroid.map { MapPoint($0) }
      }
      items.append(item)
    }
    return items
  }

  /// Returns the objects by the class of their values; those of no class are drawn first.
  private static func groups(_ items: [Item]) -> [MapGroup] {
    let classes = ValueClasses(
      items.map(\.value), intervals: MapPalette.classes.count,
      categories: MapPalette.categories.count)
    let colours = classes.areIntervals ? MapPalette.classes : MapPalette.categories
    var groups = [MapGroup(label: "other or none", colour: MapPalette.other, points: [])]
    for (label, colour) in zip(classes.labels, colours) {
      groups.append(MapGroup(label: label, colour: colour, points: []))
    }
    for (item, index) in zip(items, classes.indexes) {
      let group = index.map { $0 + 1 } ?? 0
      groups[group].points += item.points
      if let shape = item.shape { groups[group].shapes.append(shape) }
    }
    return groups.filter { !$0.points.isEmpty || !$0.shapes.isEmpty }
  }
}

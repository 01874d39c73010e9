import CadastreBundledData
import CadastreDatasets
import CadastreFormatting
import CadastreGeometry
import CadastreMaps
import CadastreModel
import CadastrePredicate
import CadastreStore
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
    rings = query.regions.flatMap { MapShape.rings(of: $0.shape, edges: $0.edges) }
  }

  /// An object of the map.
  private struct Item {
    var points: [MapPoint] = []
    var shape: MapShape?
    /// The value that decides the colour.
    var value = Value.null
    /// The value that decides the size.
    var size = 0.0
    /// The name; empty without one.
    var name = ""
    /// The position of the name; nil without one.
    var namePosition: MapPoint?
  }

  /// The title, the columns and the layers of a map.
  struct Style {
    /// The heading.
    var title: String
    /// The text below the map.
    var predicate: String?
    /// The column that decides the colours; nil for one colour.
    var colour: OutputColumn?
    /// The column that decides the sizes of dots; nil for one size.
    var size: OutputColumn?
    /// The column with the names; nil for none.
    var name: OutputColumn?
    /// Whether points are shown by their density.
    var isHeatMap = false
    /// Whether names of countries are shown.
    var showsCountryNames = true
    /// The lines and polygons below the objects.
    var background: [MapShape] = []
  }

  /// Writes the map to a file: as an HTML page if the name ends in .html, otherwise as SVG.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - file: The file.
  ///   - style: The title, the columns and the layers.
  /// - Throws: `StoreError` or `OutputError`.
  func write(_ keys: [Int64], to file: OutputFile, _ style: Style) throws {
    var map = MapSVG(title: style.title, query: style.predicate ?? "", outlines: outlines)
    map.noun = "object"
    map.regionRings = rings
    map.isHeatMap = style.isHeatMap
    map.showsCountryNames = style.showsCountryNames
    map.background = style.background
    let items = try items(keys, style)
    map.objectCount = items.count
    if let column = style.colour {
      map.groupTitle = "\(column.name):"
      map.groups = Self.groups(items)
    } else if style.size != nil {
      map.groups = [Self.group(items)]
    } else {
      map.shapes = items.compactMap(\.shape)
    }
    if let column = style.size { map.sizeTitle = "\(column.name):" }
    map.labels = items.compactMap { item in
      item.namePosition.map { MapLabel(item.name, at: $0, isOfArea: item.points.isEmpty) }
    }
    let points = items.flatMap(\.points)
    let isPage = file.path.lowercased().hasSuffix(".html")
    try file.write(Array((isPage ? map.page(points) : map.text(points)).utf8))
    try file.finish()
    let noun = items.contains { $0.shape != nil } ? "object" : "point"
    Terminal.say("drew \(counted(items.count, noun)) to \(file.path)")
  }

  /// Prints the map in characters, as wide as the terminal, or in 80 columns without a terminal.
  func print(_ keys: [Int64]) throws {
    var map = TerminalMap(outlines: outlines)
    map.regionRings = rings
    map.isColoured = Terminal.isStyled
    let items = try items(keys, Style(title: ""))
    map.shapes = items.compactMap(\.shape)
    map.objectCount = items.count
    try Terminal.write(map.text(items.flatMap(\.points), width: Terminal.width ?? 80))
  }

  /// Returns the objects that have a point or a geometry, with the values that a style needs.
  private func items(_ keys: [Int64], _ style: Style) throws -> [Item] {
    var items: [Item] = []
    func value(_ column: OutputColumn?, _ record: StoredRecord) -> Value {
      guard let column, case .value(let value) = record.content(column) else { return .null }
      return value
    }
    try query.forEachRecord(keys) { record in
      var item = Item()
      if let location = record.location {
        item.points = [MapPoint(location)]
      } else if let geometry = record.geometry {
        item.points = geometry.parts.points.map { MapPoint($0.point) }
        item.shape = MapShape(geometry)
      }
      guard !item.points.isEmpty || item.shape != nil else { return }
      item.value = value(style.colour, record)
      if style.size != nil { item.size = value(style.size, record).doubleValue ?? 0 }
      let name = value(style.name, record)
      if !name.isNull {
        item.name = FieldText.plain(.value(name))
        item.namePosition =
          item.points.first ?? record.geometry?.centroid.map { MapPoint($0) }
      }
      items.append(item)
    }
    return items
  }

  /// Returns all objects as a group without a label.
  private static func group(_ items: [Item]) -> MapGroup {
    var group = MapGroup(label: "", colour: MapSVG.mainColour, points: [])
    for item in items { add(item, to: &group) }
    return group
  }

  private static func add(_ item: Item, to group: inout MapGroup) {
    group.points += item.points
    group.sizes += item.points.map { _ in item.size }
    if let shape = item.shape { group.shapes.append(shape) }
  }

  /// Returns a group for each class of values; the first group, below the others, has no class.
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
      add(item, to: &groups[group])
    }
    return groups.filter { !$0.points.isEmpty || !$0.shapes.isEmpty }
  }
}

/// The lines and polygons of a file, for the background of a map.
enum BackgroundLayer {
  /// Reads a file in any format that can be imported, and keeps invalid geometries.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: The lines and polygons without the points.
  /// - Throws: `DatasetError`, `ImportError` or `StoreError`.
  static func shapes(_ path: String) throws -> [MapShape] {
    let folder = try TemporaryFolder(in: .disk)
    defer { withExtendedLifetime(folder) {} }
    var settings = ImportSettings(
      files: [path], store: folder.path + "/background.cadastre", className: "Background")
    settings.invalidShapes = .keep
    _ = try Importer(settings).run()
    let query = try StoreQuery(
      store: settings.store, className: settings.className, predicate: nil)
    var shapes: [MapShape] = []
    try query.forEachRecord(query.keys()) { record in
      if let shape = record.geometry.flatMap({ MapShape($0) }) { shapes.append(shape) }
    }
    return shapes
  }
}

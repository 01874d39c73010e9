import CadastreDatasets
import CadastreEngine
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Points of vector tiles.
extension ExplorerService {
  /// The number of points of a tile beyond which they are aggregated.
  private static let mostPoints = 4000
  /// The number of objects up to which a pyramid is made.
  private static let mostPyramidObjects = 1 << 24

  /// A field of a selection in a version of the store.
  struct FieldKey: Hashable {
    let selection: Selection.Version
    let field: String
  }

  /// Adds the points of a tile, or where there are many the cells that contain them.
  func addPoints(
    _ request: TileRequest, _ place: PropertyPath, _ view: StoreView, to layer: inout VectorTile
  ) throws {
    let className = request.selection.className
    if let pyramid = try pyramid(request, place, view),
      let level = pyramid.levels.firstIndex(where: { $0.zoom == request.tile.zoom })
    {
      let level0 = pyramid.levels[level].cells
      let cells = CellGrid.cells(of: request.tile, in: level0.codes)
      if cells.reduce(0, { $0 + Int(level0.counts[$1]) }) > Self.mostPoints {
        let values = try knownValues(request, pyramid, view)
        return Self.add(cells, of: pyramid, level, values, request, to: &layer)
      }
    }
    let keys = try view.query(request.selectionInTile).keys()
    let positions = try view.session.positions(keys, of: className, at: place)
    let pyramid = CellPyramid(keys, positions, CellGrid(around: request.tile))
    let cells = pyramid.levels[0].cells
    guard cells.counts.reduce(0, { $0 + Int($1) }) <= Self.mostPoints else {
      let values = try cellValues(request, pyramid, view)
      return Self.add(cells.codes.indices, of: pyramid, 0, values, request, to: &layer)
    }
    let rows = keys.indices.filter { pyramid.cellOfRow[$0] != CellPyramid.none }
    try addPoints(rows, keys, positions, request, view, to: &layer)
  }

  /// Adds a feature for each of some points.
  private func addPoints(
    _ rows: [Int], _ keys: [Int64], _ positions: MapPositions, _ request: TileRequest,
    _ view: StoreView, to layer: inout VectorTile
  ) throws {
    let shown = rows.map { keys[$0] }
    var attributes = [VectorTile.Attribute?](repeating: nil, count: rows.count)
    if let field = request.field {
      var index = 0
      try view.session.forEachValue(
        shown, of: request.selection.className, at: [PropertyPath(field)]
      ) {
        attributes[index] = $0.first.flatMap(Self.attribute)
        index += 1
      }
    }
    for (index, row) in rows.enumerated() {
      let point = request.tile.position((positions.x[row], positions.y[row]))
      var members: [(name: String, value: VectorTile.Attribute)] = []
      if let field = request.field, let value = attributes[index] { members = [(field, value)] }
      layer.add(
        .points([(Int(point.x.rounded()), Int(point.y.rounded()))]), id: shown[index], members)
    }
  }

  /// Adds a feature for each of some cells: the mean position, the number of points, and the value of the field.
  private static func add(
    _ cells: some Sequence<Int>, of pyramid: CellPyramid, _ level: Int, _ values: CellValues,
    _ request: TileRequest, to layer: inout VectorTile
  ) {
    let known = pyramid.levels[level].cells
    for cell in cells {
      let count = Double(known.counts[cell])
      let point = request.tile.position((known.x[cell] / count, known.y[cell] / count))
      var members: [(name: String, value: VectorTile.Attribute)] = []
      if count > 1 { members.append(("count", .integer(Int64(known.counts[cell])))) }
      if let field = request.field, let value = values.attribute(level: level, cell: cell) {
        members.append((field, value))
      }
      layer.add(
        .points([(Int(point.x.rounded()), Int(point.y.rounded()))]),
        id: pyramid.keys[Int(known.firstRows[cell])], members)
    }
  }

  // MARK: Pyramids

  /// Returns the pyramid of all points of a selection; nil where the tile needs none.
  private func pyramid(
    _ request: TileRequest, _ place: PropertyPath, _ view: StoreView
  ) throws -> CellPyramid? {
    let selection = request.selection
    guard request.tile.zoom <= CellPyramid.mostZoom,
      try view.snapshot.rowCount(selection.className) <= Self.mostPyramidObjects
    else { return nil }
    return try pyramids.value(
      for: Selection.Version(selection: selection, version: view.version), view.checkCancellation,
      cost: \.byteCount
    ) {
      // The field is read in the same pass, because its values are wanted next.
      let (keys, positions) = try view.session.positions(
        selection.isEverything ? nil : view.query(selection).keys(), of: selection.className,
        at: place, reading: request.field.map { PropertyPath($0) })
      return CellPyramid(keys, positions, beyond: Self.mostPoints)
    }
  }

  /// Returns the values of the field of a tile in the cells of a pyramid of the whole map.
  private func knownValues(
    _ request: TileRequest, _ pyramid: CellPyramid, _ view: StoreView
  ) throws -> CellValues {
    guard let field = request.field else { return .none }
    let key = FieldKey(
      selection: Selection.Version(selection: request.selection, version: view.version),
      field: field)
    return try fieldValues.value(for: key, view.checkCancellation, cost: \.byteCount) {
      try self.cellValues(request, pyramid, view)
    }
  }

  private func cellValues(
    _ request: TileRequest, _ pyramid: CellPyramid, _ view: StoreView
  ) throws -> CellValues {
    guard let field = request.field else { return .none }
    let className = request.selection.className
    let type = try view.schema.queriedClass(className)[field]?.type
    if let type, [.int, .double, .float].contains(type),
      let numbers = try view.session.numbers(pyramid.keys, of: className, at: PropertyPath(field))
    {
      return CellValues(numbers, in: pyramid)
    }
    return CellValues(
      try view.session.indexedValues(pyramid.keys, of: className, at: PropertyPath(field)),
      in: pyramid)
  }
}

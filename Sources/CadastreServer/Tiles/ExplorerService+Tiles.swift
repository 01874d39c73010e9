import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// Vector tiles of a class, and the descriptions of tile sets.
extension ExplorerService {
  static let tileType = "application/vnd.mapbox-vector-tile"

  /// The maximum number of lines and polygons of a tile.
  private static let mostShapes = 20_000

  /// Returns the tile `/collections/C/tiles/WebMercatorQuad/z/y/x`; the status of an empty tile is 204.
  func tile(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(
      request,
      allowing: ["filter", "filter-lang", "properties", "version", "f", "token"])
    let numbers = request.path.suffix(3).compactMap { Int($0) }
    guard numbers.count == 3,
      let address = TileAddress(zoom: numbers[0], row: numbers[1], column: numbers[2])
    else {
      throw RequestError.notFound(
        "there is no tile \(request.path.suffix(3).joined(separator: "/"))")
    }
    let view = try view(request)
    let root = try view.queriedClass(request.path[1])
    let selection = try filtered(root, parameters, view.schema)
    let field = parameters["properties"]
    if let field { _ = try view.query(Selection(root.className)).columns(field) }
    let key = TileRequest(
      selection: selection, field: field, tile: address, version: view.version)
    let bytes: [UInt8]
    if let cached = tiles.withLock({ $0.value(for: key) }) {
      bytes = cached
    } else {
      bytes = try encoded(key, root, view)
      tiles.withLock { $0.insert(bytes, for: key, cost: bytes.count + 256) }
    }
    guard !bytes.isEmpty else { return ServerReply([], Self.tileType, status: 204) }
    var reply = ServerReply(bytes, Self.tileType)
    // A tile with the version in its URL never changes.
    reply.headers = [
      ("Cache-Control", parameters["version"] == nil ? "no-cache" : "private, max-age=3600")
    ]
    return reply
  }

  private func encoded(
    _ request: TileRequest, _ root: ObjectSchema, _ view: StoreView
  ) throws -> [UInt8] {
    let schema = view.schema
    guard let place = root.place(in: schema) else {
      throw RequestError(400, "geometry", "class '\(root.className)' has no geometry")
    }
    var layer = VectorTile(layer: root.className)
    if schema.isPoint(place) {
      try addPoints(request, PropertyPath([place.name]), view, to: &layer)
    } else {
      try addShapes(request, place, view, to: &layer)
    }
    return layer.bytes
  }

  // MARK: Shapes

  private func addShapes(
    _ request: TileRequest, _ place: Property, _ view: StoreView, to layer: inout VectorTile
  ) throws {
    let query = try view.query(request.selectionInTile)
    let keys = try query.keys()
    let shapes = TileShape(tile: request.tile)
    let column = try query.columns(place.name)[0]
    let field = try request.field.map { try query.columns($0)[0] }
    let shown = Array(keys.prefix(Self.mostShapes))
    var index = 0
    try query.forEachRecord(shown) { record in
      defer { index += 1 }
      guard case .value(.geometry(let geometry)) = record.content(column),
        let shape = shapes.shape(geometry)
      else { return }
      var attributes: [(name: String, value: VectorTile.Attribute)] = []
      if let field, case .value(let value) = record.content(field),
        let attribute = Self.attribute(value)
      {
        attributes.append((field.name, attribute))
      }
      layer.add(shape, id: shown[index], attributes)
    }
  }

  static func attribute(_ value: Value) -> VectorTile.Attribute? {
    switch value {
    case .null, .data, .link, .object, .list, .map, .geometry: nil
    case .bool(let value): .bool(value)
    case .int(let number): .integer(number)
    case .double(let number): number.isFinite ? .double(number) : nil
    case .float(let number): number.isFinite ? .double(Double(number)) : nil
    default: .string(FieldText.plain(.value(value)))
    }
  }

  // MARK: Tile sets

  private static let matrixSet = "WebMercatorQuad"
  private static let matrixSetAddress =
    "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"

  func tileMatrixSets(_ request: ServerRequest) throws -> ServerReply {
    try response(request, "Tile matrix sets") { links in
      guard request.path.count == 2 else {
        let entry: JSONObject = [
          "id": .string(Self.matrixSet), "uri": .string(Self.matrixSetAddress),
          "links": .list([
            links.link("self", "tileMatrixSets/\(Self.matrixSet)", Self.jsonType, "The definition")
          ]),
        ]
        return ["tileMatrixSets": .list([.object(entry)])]
      }
      guard request.path[1] == Self.matrixSet else {
        throw RequestError.notFound("there is no tile matrix set '\(request.path[1])'")
      }
      let side = 40_075_016.685578488
      let matrices = (0...TileAddress.mostZoom).map { zoom -> JSONItem in
        let count = 1 << zoom
        let size = side / 256 / Double(count)
        let matrix: JSONObject = [
          "id": .string("\(zoom)"), "scaleDenominator": .number(size / 0.00028),
          "cellSize": .number(size), "cornerOfOrigin": .string("topLeft"),
          "pointOfOrigin": .list([.number(-side / 2), .number(side / 2)]),
          "tileWidth": .integer(256), "tileHeight": .integer(256), "matrixWidth": .integer(count),
          "matrixHeight": .integer(count),
        ]
        return .object(matrix)
      }
      return [
        "id": .string(Self.matrixSet), "uri": .string(Self.matrixSetAddress),
        "crs": .string("http://www.opengis.net/def/crs/EPSG/0/3857"),
        "orderedAxes": JSONItem(["X", "Y"]), "tileMatrices": .list(matrices),
      ]
    }
  }

  func tileSets(_ request: ServerRequest) throws -> ServerReply {
    try response(request, "Tiles") { links in
      let root = try view(request).queriedClass(request.path[1])
      let path = "collections/\(Links.encoded(root.className))/tiles"
      guard request.path.count == 3 || request.path[3] == Self.matrixSet else {
        throw RequestError.notFound("there are no tiles in '\(request.path[3])'")
      }
      let set: JSONObject = [
        "title": .string(root.className), "dataType": .string("vector"),
        "crs": .string("http://www.opengis.net/def/crs/EPSG/0/3857"),
        "tileMatrixSetURI": .string(Self.matrixSetAddress),
        "links": .list([
          links.link("self", "\(path)/\(Self.matrixSet)", Self.jsonType, "These tiles"),
          links.template(
            "item", "\(path)/\(Self.matrixSet)/{tileMatrix}/{tileRow}/{tileCol}", Self.tileType,
            "A tile"),
          links.link(
            "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme",
            "tileMatrixSets/\(Self.matrixSet)", Self.jsonType, "The tile matrix set"),
        ]),
      ]
      if request.path.count == 4 { return set }
      return ["tilesets": .list([.object(set)])]
    }
  }

  // MARK: Points

  /// The maximum number of points of a tile without aggregation.
  private static let mostPoints = 4000
  /// The maximum number of objects of a class with a pyramid.
  private static let mostPyramidObjects = 1 << 24

  /// A field of a selection in a version of the store.
  struct FieldKey: Hashable {
    let selection: Selection.Version
    let field: String
  }

  /// Adds the points of a tile, or the cells of a dense tile.
  func addPoints(
    _ request: TileRequest, _ place: PropertyPath, _ view: StoreView, to layer: inout VectorTile
  ) throws {
    let className = request.selection.className
    if let pyramid = try pyramid(request, place, view),
      let level = pyramid.levels.firstIndex(where: { $0.zoom == request.tile.zoom })
    {
      let level0 = pyramid.levels[level].cells
      let cells = AggregationGrid.cells(of: request.tile, in: level0.codes)
      if cells.reduce(0, { $0 + Int(level0.counts[$1]) }) > Self.mostPoints {
        let values = try sharedValues(request, pyramid, view)
        return Self.add(cells, of: pyramid, level, values, request, to: &layer)
      }
    }
    let keys = try view.query(request.selectionInTile).keys()
    let positions = try view.session.positions(keys, of: className, at: place)
    let pyramid = CellPyramid(keys, positions, AggregationGrid(around: request.tile))
    let cells = pyramid.levels[0].cells
    guard cells.counts.reduce(0, { $0 + Int($1) }) <= Self.mostPoints else {
      let values = try cellValues(request, pyramid, view)
      return Self.add(cells.codes.indices, of: pyramid, 0, values, request, to: &layer)
    }
    let rows = keys.indices.filter { pyramid.cellOfRow[$0] != CellPyramid.none }
    try addPoints(rows, keys, positions, request, view, to: &layer)
  }

  /// Adds a feature for each point.
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

  /// Adds a feature for each cell: the mean position, the number of points, and the aggregated value of the field.
  private static func add(
    _ cells: some Sequence<Int>, of pyramid: CellPyramid, _ level: Int, _ values: CellValues,
    _ request: TileRequest, to layer: inout VectorTile
  ) {
    let levelCells = pyramid.levels[level].cells
    for cell in cells {
      let count = Double(levelCells.counts[cell])
      let point = request.tile.position((levelCells.x[cell] / count, levelCells.y[cell] / count))
      var members: [(name: String, value: VectorTile.Attribute)] = []
      if count > 1 { members.append(("count", .integer(Int64(levelCells.counts[cell])))) }
      if let field = request.field, let value = values.attribute(level: level, cell: cell) {
        members.append((field, value))
      }
      layer.add(
        .points([(Int(point.x.rounded()), Int(point.y.rounded()))]),
        id: pyramid.keys[Int(levelCells.firstRows[cell])], members)
    }
  }

  // MARK: Pyramids

  /// Returns the pyramid of all points of a selection; nil for a tile of a high zoom level or a large class.
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
      // The field is read in the same pass, because its values are needed next.
      let (keys, positions) = try view.session.positions(
        selection.isEverything ? nil : view.query(selection).keys(), of: selection.className,
        at: place, reading: request.field.map { PropertyPath($0) })
      return CellPyramid(keys, positions, beyond: Self.mostPoints)
    }
  }

  /// Returns the cached values of the field of a tile in the cells of a pyramid of the whole map.
  private func sharedValues(
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

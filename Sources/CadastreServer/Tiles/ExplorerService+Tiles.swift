import CadastreDatasets
import CadastreEngine
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Vector tiles of a class.
extension ExplorerService {
  static let tileType = "application/vnd.mapbox-vector-tile"

  /// The cells of a side of a tile in which points are aggregated.
  private static let grid = 128
  /// The number of points beyond which they are aggregated.
  private static let mostPoints = 4000
  /// The number of lines and polygons of a tile at most.
  private static let mostShapes = 20_000

  /// Returns a tile as `/collections/C/tiles/WebMercatorQuad/z/y/x`; 204 without a feature.
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
    if let known = tiles.withLock({ $0.value(for: key) }) {
      bytes = known
    } else {
      bytes = try encoded(key, root, view)
      tiles.withLock { $0.insert(bytes, for: key, cost: bytes.count + 256) }
    }
    guard !bytes.isEmpty else { return ServerReply([], Self.tileType, status: 204) }
    var reply = ServerReply(bytes, Self.tileType)
    // A page names the version in the address, so that a tile of it never changes.
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
    let bounds = request.tile.bounds
    var selection = request.selection
    // All objects of the world are found without the index.
    if request.tile.zoom > 0 {
      selection.box = BoundingBox(bounds.west, bounds.south, bounds.east, bounds.north)
    }
    let query = try view.query(selection)
    let keys = try query.keys()
    var layer = VectorTile(layer: root.className)
    if schema.isPoint(place) {
      try addPoints(keys, request, place, view, to: &layer)
    } else {
      try addShapes(keys, request, query, place, to: &layer)
    }
    return layer.bytes
  }

  // MARK: Shapes

  private func addShapes(
    _ keys: [Int64], _ request: TileRequest, _ query: StoreQuery, _ place: Property,
    to layer: inout VectorTile
  ) throws {
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
        let known = Self.attribute(value)
      {
        attributes.append((field.path.description, known))
      }
      layer.add(shape, id: shown[index], attributes)
    }
  }

  private static func attribute(_ value: Value) -> VectorTile.Attribute? {
    switch value {
    case .null, .data, .link, .object, .list, .map, .geometry: nil
    case .bool(let value): .bool(value)
    case .int(let number): .integer(number)
    case .double(let number): number.isFinite ? .double(number) : nil
    case .float(let number): number.isFinite ? .double(Double(number)) : nil
    default: .string(FieldText.plain(.value(value)))
    }
  }

  // MARK: Points

  /// The values of a field: numbers, or others.
  private enum FieldValues {
    case none
    case numbers([Double?], areIntegers: Bool)
    case others([VectorTile.Attribute?])
  }

  private func fieldValues(
    _ field: String?, _ keys: [Int64], _ className: String, _ view: StoreView
  ) throws -> FieldValues {
    guard let field else { return .none }
    let path = PropertyPath(field)
    let session = view.session
    let type = try view.schema.queriedClass(className)[field]?.type
    if let type, [.int, .double, .float].contains(type) {
      var numbers: [Double?] = []
      numbers.reserveCapacity(keys.count)
      try session.forEachNumber(keys, className, path) {
        numbers.append($0.flatMap { $0.isFinite ? $0 : nil })
      }
      return .numbers(numbers, areIntegers: type == .int)
    }
    var others: [VectorTile.Attribute?] = []
    others.reserveCapacity(keys.count)
    try session.forEachValue(keys, of: className, at: [path]) {
      others.append($0.first.flatMap(Self.attribute))
    }
    return .others(others)
  }

  private func addPoints(
    _ keys: [Int64], _ request: TileRequest, _ place: Property, _ view: StoreView,
    to layer: inout VectorTile
  ) throws {
    let className = request.selection.className
    var points: [(index: Int, x: Double, y: Double)] = []
    points.reserveCapacity(keys.count)
    let visible = -TileAddress.buffer...TileAddress.side + TileAddress.buffer
    var index = 0
    _ = try view.session.forEachPosition(keys, of: className, at: PropertyPath([place.name])) {
      defer { index += 1 }
      guard let (longitude, latitude) = $0, abs(latitude) <= TileAddress.mostLatitude else {
        return
      }
      let position = request.tile.position(longitude: longitude, latitude: latitude)
      guard visible.contains(position.x), visible.contains(position.y) else { return }
      points.append((index, position.x, position.y))
    }
    let values = try fieldValues(request.field, keys, className, view)
    guard points.count > Self.mostPoints else {
      for point in points {
        var attributes: [(name: String, value: VectorTile.Attribute)] = []
        if let field = request.field, let value = Self.value(values, point.index) {
          attributes.append((field, value))
        }
        layer.add(
          .points([(Int(point.x.rounded()), Int(point.y.rounded()))]), id: keys[point.index],
          attributes)
      }
      return
    }
    addCells(points, keys, request.field, values, to: &layer)
  }

  private static func value(_ values: FieldValues, _ index: Int) -> VectorTile.Attribute? {
    switch values {
    case .none: nil
    case .numbers(let numbers, let areIntegers):
      numbers[index].map { areIntegers ? .integer(Int64($0)) : .double($0) }
    case .others(let others): others[index]
    }
  }

  private struct Cell {
    var count = 0
    var first = 0
    var (x, y) = (0.0, 0.0)
    var (sum, numbers) = (0.0, 0)
    var counts: [VectorTile.Attribute: Int] = [:]
  }

  /// Adds a feature for each cell of a grid: the mean position, the number of points, and the mean of the
  /// numbers or the most frequent other value.
  private func addCells(
    _ points: [(index: Int, x: Double, y: Double)], _ keys: [Int64], _ field: String?,
    _ values: FieldValues, to layer: inout VectorTile
  ) {
    let size = TileAddress.side / Double(Self.grid)
    // Cells of the buffer are beside those of the tile.
    let margin = Int((TileAddress.buffer / size).rounded(.up))
    let width = Self.grid + 2 * margin
    var cells = [Cell](repeating: Cell(), count: width * width)
    for point in points {
      let column = min(width - 1, max(0, Int((point.x / size).rounded(.down)) + margin))
      let row = min(width - 1, max(0, Int((point.y / size).rounded(.down)) + margin))
      let place = row * width + column
      if cells[place].count == 0 { cells[place].first = point.index }
      cells[place].count += 1
      cells[place].x += point.x
      cells[place].y += point.y
      switch values {
      case .none: break
      case .numbers(let numbers, _):
        if let number = numbers[point.index] {
          cells[place].sum += number
          cells[place].numbers += 1
        }
      case .others(let others):
        if let value = others[point.index] { cells[place].counts[value, default: 0] += 1 }
      }
    }
    for cell in cells where cell.count > 0 {
      var attributes: [(name: String, value: VectorTile.Attribute)] = []
      if cell.count > 1 { attributes.append(("count", .integer(Int64(cell.count)))) }
      if let field {
        if cell.numbers > 0 {
          attributes.append((field, .double(cell.sum / Double(cell.numbers))))
        } else if let most = cell.counts.max(by: { $0.value < $1.value }) {
          attributes.append((field, most.key))
        }
      }
      let count = Double(cell.count)
      layer.add(
        .points([(Int((cell.x / count).rounded()), Int((cell.y / count).rounded()))]),
        id: keys[cell.first], attributes)
    }
  }
}

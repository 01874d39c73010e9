import CadastreDatasets
import CadastreEngine
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Vector tiles of a class.
extension ExplorerService {
  static let tileType = "application/vnd.mapbox-vector-tile"

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
        let known = Self.attribute(value)
      {
        attributes.append((field.path.description, known))
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
}

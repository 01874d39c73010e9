import CadastreDatasets
import CadastreEngine
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The description of the store, for the page.
extension ExplorerService {
  func describeStore(_ request: ServerRequest) throws -> ServerReply {
    _ = try Parameters(request, allowing: ["token"])
    let view = try view(request)
    let schema = view.schema
    let classes = try view.classes.map { root in
      let geometry = root.place(in: schema)
      let object: JSONObject = [
        "name": .string(root.className),
        "count": .integer(try view.snapshot.rowCount(root.className)),
        "geometry": JSONItem(geometry?.name),
        "extent": try extent(root, view).map { .list($0.map(JSONItem.number)) } ?? .null,
        "primaryKey": JSONItem(root.primaryKeyProperty?.name),
        "properties": .list(root.properties.map { .object(Self.description($0, schema)) }),
      ]
      return JSONItem.object(object)
    }
    let object: JSONObject = [
      "name": .string(name), "version": .integer(Int(view.version)), "writable": .bool(isWritable),
      "classes": .list(classes),
    ]
    return ServerReply(object.text)
  }

  private static func description(_ property: Property, _ schema: Schema) -> JSONObject {
    [
      "name": .string(property.name), "type": .string(typeName(property, schema)),
      "collection": JSONItem(property.collection?.rawValue),
      "optional": .bool(property.isOptional),
      "indexed": .bool(property.isIndexed || property.isPrimaryKey),
      "target": JSONItem(property.objectClassName),
    ]
  }

  /// The name of a type in the interface of the page.
  static func typeName(_ property: Property, _ schema: Schema) -> String {
    if schema.isPoint(property) { return "point" }
    return switch property.type {
    case .any: "any"
    case .decimal128: "decimal"
    case .objectId: "objectId"
    default: property.type.description
    }
  }

  /// The box around all objects of a class in degrees: west, south, east, north; nil for none.
  ///
  /// - Complexity: O(n) for n objects, once for each version.
  func extent(_ root: ObjectSchema, _ view: StoreView) throws -> [Double]? {
    let key = ExtentKey(className: root.className, version: view.version)
    if let known = extents.withLock({ $0.value(for: key) }) { return known }
    let found = try computedExtent(root, view)
    extents.withLock { $0.insert(found, for: key, cost: 1) }
    return found
  }

  /// The number of geometries beyond which the extent is that of the first ones.
  private static let measuredGeometries = 20_000

  private func computedExtent(_ root: ObjectSchema, _ view: StoreView) throws -> [Double]? {
    let schema = view.schema
    guard let place = root.place(in: schema) else { return nil }
    guard schema.isPoint(place) else {
      let query = try view.query(Selection(root.className))
      let keys = try query.keys()
      var box: [Double]?
      try query.forEachRecord(Array(keys.prefix(Self.measuredGeometries))) { record in
        guard let found = record.geometry?.boundingBox(edges: .planar) else { return }
        let (low, high) = (found.bottomLeft, found.topRight)
        let sides = [low.longitude, low.latitude, high.longitude, high.latitude]
        box =
          box.map { known in
            [
              min(known[0], sides[0]), min(known[1], sides[1]), max(known[2], sides[2]),
              max(known[3], sides[3]),
            ]
          } ?? sides
      }
      return box
    }
    var (west, south) = (Double.infinity, Double.infinity)
    var (east, north) = (-Double.infinity, -Double.infinity)
    _ = try view.session.forEachPoint(nil, of: root.className, at: PropertyPath([place.name])) {
      batch, longitudes, latitudes in
      for row in batch.allRows where !longitudes.isNull(row) && !latitudes.isNull(row) {
        let (longitude, latitude) = (longitudes.double(row), latitudes.double(row))
        (west, east) = (min(west, longitude), max(east, longitude))
        (south, north) = (min(south, latitude), max(north, latitude))
      }
    }
    return west <= east ? [west, south, east, north] : nil
  }
}

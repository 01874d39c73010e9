import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore
import Foundation

/// Requests of the explorer's page: the store, queries, plans, aggregates and downloads.
extension ExplorerService {
  func checkPredicate(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(request, allowing: Selection.parameters)
    let selection = try Selection(parameters)
    let view = try view(request)
    do {
      _ = try view.query(selection)
      let object: JSONObject = [
        "valid": .bool(true), "normalized": JSONItem(selection.predicate ?? ""),
      ]
      return ServerReply(object.text)
    } catch let error as QueryPredicateError {
      return ServerReply("{\"valid\":false,\"error\":\(RequestError(error).json)}")
    }
  }

  func rows(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(
      request, allowing: Selection.parameters + ["limit", "cursor"])
    let selection = try Selection(parameters)
    let limit = try parameters.integer("limit", in: 1...Self.mostRows) ?? 100
    let start = ContinuousClock.now
    let view = try view(request)
    let query = try view.query(selection)
    let keys = try keys(selection, query, view)
    let first =
      try parameters["cursor"].map {
        try Cursor($0).index(in: keys, isAscending: selection.order == nil)
      } ?? 0
    var page = Array(keys[first..<min(keys.count, first + limit)])
    let columns = try query.columns(nil)
    let identifier = query.primaryKey.map { PropertyPath([$0]) }
    var rows: [JSONItem] = []
    var bytes = 0
    try forEachRecord(of: &page, query) { record, key in
      let id = identifier.map { FieldText.plain(record.content($0)) } ?? "\(key)"
      let row: JSONObject = [
        "key": .integer(Int(key)), "id": .string(id),
        "geometry": JSONItem.raw(Self.geometry(record) ?? "null"),
        "values": .list(columns.map { .raw(FieldText.json(record.written($0))) }),
      ]
      let text = JSONItem.raw(row.text)
      rows.append(text)
      bytes += text.text.utf8.count
      return bytes < Self.mostPageBytes
    }
    let end = first + page.count
    let object: JSONObject = [
      "version": .integer(Int(view.version)), "total": .integer(keys.count),
      "columns": JSONItem(columns.map(\.name)), "rows": .list(rows),
      "next": end < keys.count ? .string(Cursor(after: end, of: keys).text) : .null,
      "milliseconds": .number(Self.milliseconds(since: start)),
    ]
    return ServerReply(object.text)
  }

  static func milliseconds(since start: ContinuousClock.Instant) -> Double {
    ((ContinuousClock.now - start) / .milliseconds(1) * 1000).rounded() / 1000
  }

  /// Returns the geometry of an object as GeoJSON; nil for none.
  static func geometry(_ record: StoredRecord) -> String? {
    (record.location.map { Geometry($0) } ?? record.geometry)?.geoJSON
  }

  func download(_ request: ServerRequest) async throws -> ServerReply {
    let parameters = try Parameters(request, allowing: Selection.parameters + ["format"])
    let selection = try Selection(parameters)
    let isTable = try parameters.word("format", of: ["csv", "geojson"]) != "geojson"
    let pieces = try await work.run(request.cancellation) {
      let view = try self.view(request)
      let query = try view.query(selection)
      var options = RecordWriter.Options()
      options.identifier = query.primaryKey
      let writer = RecordWriter(
        isTable ? .csv : .geojson, columns: try query.columns(nil), options)
      let keys = try self.keys(selection, query, view)
      return DownloadPieces(query, keys, writer, self.work, request.cancellation)
    }
    var reply = ServerReply([], isTable ? "text/csv; charset=utf-8" : "application/geo+json")
    reply.pieces = try await pieces.prepared()
    let name = selection.className.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    let file = "\(name.isEmpty ? "objects" : name).\(isTable ? "csv" : "geojson")"
    reply.headers = [("Content-Disposition", "attachment; filename=\"\(file)\"")]
    return reply
  }

  // MARK: Plans

  private struct Plan: Decodable {
    struct Step: Decodable {
      struct Expected: Decodable {
        let rows: Double
        let cost: Double
      }
      struct Measured: Decodable {
        let rows: Int
        let milliseconds: Double?
      }
      let step: String
      let text: String
      let expected: Expected?
      let measured: Measured?
      let inputs: [Step]
    }
    struct Rejected: Decodable {
      let text: String
      let expected: Step.Expected
    }
    struct Totals: Decodable { let milliseconds: Double }

    let plan: Step
    let rejected: [Rejected]
    let measured: Totals?
  }

  func explain(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(request, allowing: Selection.parameters + ["limit"])
    let selection = try Selection(parameters)
    let query = try view(request).query(
      selection, limit: try parameters.integer("limit", in: 1...Int.max))
    let plan = try JSONDecoder().decode(
      Plan.self, from: Data(try query.explainJSON(measured: true).utf8))
    let options: PlanText.Options = [.estimates, .candidates, .rules]
    let object: JSONObject = [
      "text": .string(try query.explain(options, measured: true)),
      "plan": .object(Self.object(plan.plan)),
      "rejected": .list(
        plan.rejected.map {
          let rejected: JSONObject = [
            "path": .string($0.text), "reason": .string("costs more"),
            "cost": JSONItem($0.expected.cost), "estimatedRows": JSONItem($0.expected.rows),
          ]
          return .object(rejected)
        }),
      "milliseconds": JSONItem(plan.measured?.milliseconds),
    ]
    return ServerReply(object.text)
  }

  private static func object(_ step: Plan.Step) -> JSONObject {
    [
      "node": .string(step.step),
      "detail": .string(
        String(
          step.text.dropFirst(step.text.hasPrefix(step.step) ? step.step.count : 0).drop {
            $0 == " "
          })),
      "estimatedRows": JSONItem(step.expected?.rows), "cost": JSONItem(step.expected?.cost),
      "rows": step.measured.map { .integer($0.rows) } ?? .null,
      "milliseconds": JSONItem(step.measured?.milliseconds),
      "children": .list(step.inputs.map { .object(object($0)) }),
    ]
  }

  // MARK: Aggregates

  func groups(_ request: ServerRequest) throws -> ServerReply {
    let parameters = try Parameters(
      request, allowing: Selection.parameters + ["by", "function", "of", "limit"])
    let selection = try Selection(parameters)
    let function =
      try parameters.word("function", of: ["count", "sum", "avg", "min", "max"]) ?? "count"
    let by = try parameters.required("by")
    let limit = try parameters.integer("limit", in: 1...1000) ?? 20
    let start = ContinuousClock.now
    let view = try view(request)
    let result = function == "count" ? "count" : "\(function)(\(try parameters.required("of")))"
    let aggregate = try AggregateQuery(
      view.query(selection), compute: result == "count" ? "count" : "count, \(result)", by: by)
    let records = try aggregate.records(order: "\(result) desc", limit: limit)
    let object: JSONObject = [
      "groups": .list(
        records.map { record in
          let items = record.fields.map { JSONItem.raw(FieldText.json($0.content)) }
          let group: JSONObject = [
            "value": items.first ?? .null, "count": items.count > 1 ? items[1] : .null,
            "result": items.last ?? .null,
          ]
          return .object(group)
        }),
      "milliseconds": .number(Self.milliseconds(since: start)),
    ]
    return ServerReply(object.text)
  }

  // MARK: Store

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

  /// Returns the name of a type in the interface of the page.
  static func typeName(_ property: Property, _ schema: Schema) -> String {
    if schema.isPoint(property) { return "point" }
    return switch property.type {
    case .any: "any"
    case .decimal128: "decimal"
    case .objectId: "objectId"
    default: property.type.description
    }
  }

  /// Returns the bounding box of all objects of a class in degrees: west, south, east, north; nil for none.
  ///
  /// - Complexity: O(n) for n objects; cached for each version.
  func extent(_ root: ObjectSchema, _ view: StoreView) throws -> [Double]? {
    let key = ExtentKey(className: root.className, version: view.version)
    if let cached = extents.withLock({ $0.value(for: key) }) { return cached }
    let found = try computedExtent(root, view)
    extents.withLock { $0.insert(found, for: key, cost: 1) }
    return found
  }

  /// The maximum number of geometries for the bounding box of a class.
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
          box.map { bounds in
            [
              min(bounds[0], sides[0]), min(bounds[1], sides[1]), max(bounds[2], sides[2]),
              max(bounds[3], sides[3]),
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

/// The streamed body with the objects of a query.
final class DownloadPieces: BodyPieces {
  private struct State {
    var query: StoreQuery
    var keys: [Int64]
    var writer: RecordWriter
    var position = 0
    var isFinished = false

    mutating func next() throws -> [UInt8]? {
      if isFinished { return nil }
      let end = min(keys.count, position + DownloadPieces.objects)
      try query.forEachRecord(Array(keys[position..<end])) { writer.append($0) }
      position = end
      if position == keys.count {
        writer.finish()
        isFinished = true
      }
      return writer.take()
    }
  }

  /// The number of objects per piece.
  private static let objects = 1024

  private let state: Guarded<State>
  private let work: WorkQueue
  private let cancellation: QueryCancellation

  /// Prepares the pieces.
  ///
  /// - Parameters:
  ///   - query: The query that reads the objects.
  ///   - keys: The keys of the objects, in the order of the output.
  ///   - writer: The writer of the format.
  ///   - work: The threads that read the store.
  ///   - cancellation: The cancellation of the reads.
  init(
    _ query: sending StoreQuery, _ keys: [Int64], _ writer: sending RecordWriter,
    _ work: WorkQueue, _ cancellation: QueryCancellation
  ) {
    state = Guarded(State(query: query, keys: keys, writer: writer))
    (self.work, self.cancellation) = (work, cancellation)
  }

  func next() async throws -> [UInt8]? {
    try await work.run(cancellation) { [state] in try state.withLock { try $0.next() } }
  }
}

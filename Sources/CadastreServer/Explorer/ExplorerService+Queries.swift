import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore
import Foundation

/// Queries of the page.
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
      "columns": JSONItem(columns.map(\.path.description)), "rows": .list(rows),
      "next": end < keys.count ? .string(Cursor(after: end, of: keys).text) : .null,
      "milliseconds": .number(Self.milliseconds(since: start)),
    ]
    return ServerReply(object.text)
  }

  static func milliseconds(since start: ContinuousClock.Instant) -> Double {
    ((ContinuousClock.now - start) / .milliseconds(1) * 1000).rounded() / 1000
  }

  /// The geometry of an object as GeoJSON; nil for none.
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
      Plan.self, from: Data(try query.explainJSON(measuring: true).utf8))
    let options: PlanText.Options = [.estimates, .candidates, .rules]
    let object: JSONObject = [
      "text": .string(try query.explain(options, measuring: true)),
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
}

import CadastreGeometry
import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation

@testable import CadastreServer

/// A server of a store in a temporary folder, whose requests need no socket.
final class TestServer {
  let file: StoreFile
  let service: ExplorerService
  let folder: String

  /// Creates a store of places and areas, and its server.
  convenience init(
    _ places: [Place] = [], areas: [String] = [],
    options: StoreServer.Options = StoreServer.Options()
  ) throws {
    try self.init(PlaceSchema.schema, options: options) { transaction in
      let account = try transaction.insert(
        "Account", object: ["number": .value(.string("A-1")), "site": Boats.point(7, 7)])
      for place in places {
        var object = place.object
        object["owner"] = .value(.link(account))
        try transaction.insert("Place", object: object)
      }
      for (index, wkt) in areas.enumerated() {
        try transaction.insert(
          "Area",
          object: [
            "id": .value(.int(Int64(index + 1))),
            "shape": .value(.geometry(try Geometry(wkt: wkt))),
          ])
      }
    }
  }

  /// Creates a store with the objects that a closure inserts, and its server.
  init(
    _ schema: Schema, options: StoreServer.Options = StoreServer.Options(),
    _ insert: (WriteTransaction) throws -> Void
  ) throws {
    folder = FileManager.default.temporaryDirectory.path + "/cadastre-server-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/places.cadastre"
    file = try OpenStores.store(at: path)
    try file.prepare(for: schema)
    let transaction = try file.beginWrite()
    try insert(transaction)
    try transaction.commit()
    service = try ExplorerService(store: path, options: options)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The response to a request.
  func reply(
    _ path: String, _ parameters: [String: String] = [:], headers: [String: String] = [:],
    method: String = "GET"
  ) async -> ServerReply {
    var request = ServerRequest(
      method: method, path: path.split(separator: "/").map(String.init),
      parameters: parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    request.headers = ["host": "127.0.0.1:8080"].merging(headers) { $1 }
    return await service.reply(to: request)
  }

  /// The response to a request that changes something.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String] = [:]
  ) async -> ServerReply {
    await service.reply(to: Self.request(method, path, body, headers))
  }

  /// A request that changes something.
  static func request(
    _ method: String, _ path: String, _ body: String?, _ headers: [String: String]
  ) -> ServerRequest {
    var request = ServerRequest(
      method: method, path: path.split(separator: "/").map(String.init))
    request.headers = ["host": "127.0.0.1:8080"].merging(headers) { $1 }
    request.body = { limit in
      let bytes = Array((body ?? "").utf8)
      guard bytes.count <= limit else { throw RequestError.bodyTooLarge(limit) }
      return bytes
    }
    return request
  }

  /// The content of a response as JSON; other responses are an error.
  func json(_ path: String, _ parameters: [String: String] = [:]) async throws -> [String: Any] {
    let reply = await reply(path, parameters)
    let text = String(decoding: reply.body, as: UTF8.self)
    guard reply.status == 200, let object = reply.json else {
      throw Unexpected(description: "\(path) \(parameters): \(reply.status) \(text)")
    }
    return object
  }

  /// The error of a response: its status and code.
  func error(_ path: String, _ parameters: [String: String] = [:]) async -> String {
    await reply(path, parameters).error
  }

  /// The ids of the features of a request.
  func ids(_ parameters: [String: String], of className: String = "Place") async throws -> [Int] {
    let parameters = ["limit": "10000"].merging(parameters) { $1 }
    let features = try await json("collections/\(className)/items", parameters)["features"]
    return (features as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
  }

  struct Unexpected: Error, CustomStringConvertible {
    let description: String
  }
}

extension ServerReply {
  /// The body as JSON.
  var json: [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
  }

  /// The status and the code of an error.
  var error: String {
    "\(status) \((json?["error"] as? [String: Any])?["code"] as? String ?? "?")"
  }

  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }

  /// The whole body, of pieces too.
  func whole() async throws -> String {
    guard let pieces else { return text }
    let all = Collected()
    try await pieces.forEach { all.bytes.append(contentsOf: $0) }
    return String(decoding: all.bytes, as: UTF8.self)
  }

  private final class Collected { var bytes: [UInt8] = [] }
}

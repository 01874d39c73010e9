import CadastreDatasets
import CadastreModel
import CadastreStore

/// OGC API – Features, Part 4: creation, replacement, update and deletion of features.
///
/// Source: OGC 20-002, a draft.
extension ExplorerService {
  /// The conformance classes of a writable server.
  static let changeConformance = [
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/create-replace-delete",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/update",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/features",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/optimistic-locking-etags",
  ]

  /// The maximum size of the body of a change in bytes.
  static let mostBodyBytes = 4 << 20
  /// The media types of the body of a change.
  static let changeTypes = [featureType, jsonType]
  /// The additional media type of the body of an update.
  static let patchType = "application/merge-patch+json"

  /// Returns the response to a request with a method other than GET and HEAD.
  func change(_ request: ServerRequest) async throws -> ServerReply {
    let methods = methods(of: request.path)
    if request.method == "OPTIONS" {
      var reply = ServerReply([], status: 204)
      reply.headers = [("Allow", methods.joined(separator: ", "))]
      return reply
    }
    guard methods.contains(request.method) else {
      var error = RequestError(
        405, "method",
        "expected \(methods.joined(separator: ", ")), found \(request.method)")
      error.allowedMethods = methods
      throw error
    }
    try rules.checkChange(request)
    _ = try Parameters(request, allowing: ["token"])
    if request.method == "DELETE" {
      return try await work.run(request.cancellation) { try self.change(request, to: nil) }
    }
    try Self.validateType(request)
    if let text = request.headers["content-length"], let length = Int(text),
      length > Self.mostBodyBytes
    {
      throw RequestError.bodyTooLarge(Self.mostBodyBytes)
    }
    let body = try await request.body(Self.mostBodyBytes)
    return try await work.run(request.cancellation) {
      try self.change(request, to: try JSONRecord(parsing: body))
    }
  }

  /// Returns the methods of a resource.
  private func methods(of path: [String]) -> [String] {
    let reading = ["GET", "HEAD", "OPTIONS"]
    guard isWritable, path.first == "collections", path.count > 2, path[2] == "items" else {
      return reading
    }
    return switch path.count {
    case 3: reading + ["POST"]
    case 4: reading + ["PUT", "PATCH", "DELETE"]
    default: reading
    }
  }

  private static func validateType(_ request: ServerRequest) throws(RequestError) {
    let found = request.headers["content-type"] ?? ""
    let type = found.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    let expected = changeTypes + (request.method == "PATCH" ? [patchType] : [])
    guard expected.contains(type) else {
      throw RequestError(
        415, "content-type",
        "'Content-Type': expected \(expected.joined(separator: " or ")), found '\(found)'")
    }
  }

  /// Changes an object in one transaction, and returns the response.
  private func change(_ request: ServerRequest, to feature: JSONRecord?) throws -> ServerReply {
    let transaction = try file.beginWrite(timeout: writeTimeout)
    let changed: (key: ObjectKey, root: ObjectSchema)
    do {
      // The open transaction excludes other writers.
      let before = try view(request)
      let root = try before.queriedClass(request.path[1])
      let change = try FeatureChange(
        transaction, className: root.className, schema: before.schema)
      if request.path.count > 3 {
        let key = try expectedKey(request, root, before)
        switch feature {
        case nil: try transaction.delete(root.className, key)
        case let feature? where request.method == "PUT": try change.replace(key, with: feature)
        case let feature?: try change.merge(key, with: feature)
        }
        changed = (key, root)
      } else if let feature {
        changed = (try change.insert(feature), root)
      } else {
        throw RequestError(400, "feature", "expected a Feature, found no body")
      }
      try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
    return try reply(to: request, of: changed.key, changed.root)
  }

  /// Returns the key of the object of a path, after a check of `If-Match`.
  private func expectedKey(
    _ request: ServerRequest, _ root: ObjectSchema, _ view: StoreView
  ) throws -> ObjectKey {
    let id = request.path[3]
    guard let stored = try feature(id, root, view) else { throw Self.missing(id, root) }
    guard EntityTag(content: stored.text).isExpected(by: request) else {
      throw RequestError(
        412, "changed", "feature '\(id)' has changed since the version of 'If-Match'")
    }
    return ObjectKey(stored.key)
  }

  /// Returns the response after a change, with the URL and the entity tag of the object.
  private func reply(
    to request: ServerRequest, of key: ObjectKey, _ root: ObjectSchema
  ) throws -> ServerReply {
    var reply = ServerReply([], status: request.method == "POST" ? 201 : 204)
    guard request.method != "DELETE" else { return reply }
    let view = try view(request)
    var keys = [key.rawValue]
    let query = try view.query(Selection(root.className))
    guard let text = try features(&keys, query, query.columns(nil)).first else { return reply }
    reply.headers = [EntityTag(content: text).field]
    if request.method == "POST" {
      let id = try self.id(key, root, query)
      let path = "collections/\(Links.encoded(root.className))/items/\(Links.encoded(id))"
      reply.headers.append(("Location", Links(request.origin).address(path)))
    }
    return reply
  }

  /// Returns the id of an object in URLs.
  private func id(_ key: ObjectKey, _ root: ObjectSchema, _ query: StoreQuery) throws -> String {
    guard let property = root.primaryKeyProperty, let record = try query.record(key.rawValue),
      let column = try query.columns(property.name).first
    else { return "\(key.rawValue)" }
    return FieldText.plain(record.written(column))
  }
}

import CadastreModel
import CadastreStore

/// The definition of the interface in OpenAPI 3.0.
extension ExplorerService {
  static let definitionType = "application/vnd.oai.openapi+json;version=3.0"

  func definition(_ request: ServerRequest) throws -> ServerReply {
    try answer(request, "Interface of \(name)", type: Self.definitionType) { _ in
      try definition(try view(request), origin: request.origin)
    }
  }

  private func definition(_ view: StoreView, origin: String) throws -> JSONObject {
    var paths: JSONObject = [:]
    for (path, summary) in [
      ("/", "The landing page"), ("/conformance", "The conformance classes"),
      ("/collections", "The collections"), ("/tileMatrixSets", "The tile matrix sets"),
    ] {
      paths[path] = .object(Self.operation(summary, Self.jsonType, []))
    }
    for root in view.classes {
      let path = "/collections/\(Links.encoded(root.className))"
      paths[path] = .object(Self.operation("Collection \(root.className)", Self.jsonType, []))
      paths["\(path)/queryables"] = .object(
        Self.operation("Properties for filters", "application/schema+json", []))
      let id = Self.parameter("featureId", "string", "The id", isPath: true)
      var items = Self.operation(
        "Features of \(root.className)", Self.featureType, Self.itemDefinitions)
      var item = Self.operation("A feature of \(root.className)", Self.featureType, [id])
      if isWritable {
        items["post"] = Self.change("Create a feature", "201", Self.changeTypes, [])
        item["put"] = Self.change("Replace the feature", "204", Self.changeTypes, [id])
        item["patch"] = Self.change(
          "Update the feature", "204", Self.changeTypes + [Self.patchType], [id])
        item["delete"] = Self.change("Delete the feature", "204", [], [id])
      }
      paths["\(path)/items"] = .object(items)
      paths["\(path)/items/{featureId}"] = .object(item)
    }
    return [
      "openapi": .string("3.0.3"),
      "info": .object(["title": .string(name), "version": .string("\(view.version)")]),
      "servers": .list([.object(["url": .string(origin)])]),
      "paths": .object(paths),
    ]
  }

  private static var itemDefinitions: [JSONObject] {
    [
      parameter("limit", "integer", "The number of features at most; 10 by default"),
      parameter("bbox", "string", "west,south,east,north in degrees"),
      parameter("datetime", "string", "A date, or an interval such as 2020-01-01/.."),
      parameter("filter", "string", "A condition"),
      parameter("filter-lang", "string", "cql2-text, or cadastre for predicates of the store"),
      parameter("sortby", "string", "Properties, each with + or - before it"),
      parameter("properties", "string", "The properties of the response"),
    ]
  }

  private static func parameter(
    _ name: String, _ type: String, _ description: String, isPath: Bool = false
  ) -> JSONObject {
    [
      "name": .string(name), "in": .string(isPath ? "path" : "query"), "required": .bool(isPath),
      "description": .string(description), "schema": .object(["type": .string(type)]),
    ]
  }

  /// An operation that changes an object.
  private static func change(
    _ summary: String, _ status: String, _ types: [String], _ parameters: [JSONObject]
  ) -> JSONItem {
    var content: JSONObject = [:]
    for type in types { content[type] = .object(["schema": .object(["type": .string("object")])]) }
    var responses: JSONObject = [:]
    for (status, description) in [
      (status, summary), ("400", "The feature is invalid"), ("409", "The id is in use"),
      ("412", "The feature has changed since the version of If-Match"),
    ] {
      responses[status] = .object(["description": .string(description)])
    }
    var operation: JSONObject = [
      "summary": .string(summary), "parameters": .list(parameters.map(JSONItem.object)),
      "responses": .object(responses),
    ]
    if !types.isEmpty {
      operation["requestBody"] = .object(["required": .bool(true), "content": .object(content)])
    }
    return .object(operation)
  }

  private static func operation(
    _ summary: String, _ type: String, _ parameters: [JSONObject]
  ) -> JSONObject {
    let content: JSONObject = [type: .object(["schema": .object(["type": .string("object")])])]
    let success: JSONObject = ["description": .string(summary), "content": .object(content)]
    let failure: JSONObject = ["description": .string("The request is invalid")]
    let responses: JSONObject = ["200": .object(success), "400": .object(failure)]
    let get: JSONObject = [
      "summary": .string(summary), "parameters": .list(parameters.map(JSONItem.object)),
      "responses": .object(responses),
    ]
    return ["get": .object(get)]
  }
}

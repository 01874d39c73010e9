import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// OGC API – Features, Part 1 (Core, GeoJSON, OpenAPI 3.0, HTML), Part 3 (filtering) and Tiles.
///
/// Source: OGC 17-069r4, OGC 19-079r2, OGC 20-057.
extension ExplorerService {
  /// The conformance classes; `Scripts/check-server ogc` verifies Features and tiles in the format MVT, `FilterTests`
  /// verifies CQL2.
  static let conformance = [
    "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/html",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables",
    "http://www.opengis.net/spec/cql2/1.0/conf/cql2-text",
    "http://www.opengis.net/spec/cql2/1.0/conf/basic-cql2",
    "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/mvt",
  ]

  static let jsonType = "application/json"
  static let featureType = "application/geo+json"
  static let pageType = "text/html; charset=utf-8"

  func features(_ request: ServerRequest) async throws -> ServerReply {
    let path = request.path
    switch (path[0], path.count) {
    case ("conformance", 1):
      return try response(request, "Conformance") { _ in
        ["conformsTo": JSONItem(Self.conformance + (isWritable ? Self.changeConformance : []))]
      }
    case ("api", 1):
      return try await work.run(request.cancellation) { try self.definition(request) }
    case ("tileMatrixSets", 1...2): return try tileMatrixSets(request)
    case ("collections", 1):
      return try await work.run(request.cancellation) {
        try self.response(request, "Collections") {
          try self.collections(try self.view(request), $0)
        }
      }
    case ("collections", 2):
      return try await work.run(request.cancellation) {
        try self.response(request, path[1]) { links in
          let view = try self.view(request)
          return try self.collection(try view.queriedClass(path[1]), view, links)
        }
      }
    case ("collections", 3...7):
      return try await work.run(request.cancellation) { try self.collectionPart(request) }
    default:
      throw RequestError.notFound("there is no page '/\(path.joined(separator: "/"))'")
    }
  }

  private func collectionPart(_ request: ServerRequest) throws -> ServerReply {
    let path = request.path
    switch (path[2], path.count) {
    case ("queryables", 3), ("schema", 3):
      return try response(request, "\(path[1]): \(path[2])", type: "application/schema+json") {
        links in
        let view = try self.view(request)
        let root = try view.queriedClass(path[1])
        let columns = try view.query(Selection(root.className)).columns(nil)
        return self.propertySchema(
          root, view.schema, links, path[2],
          days: Set(columns.filter(\.isDay).map(\.name)))
      }
    case ("items", 3): return try items(request)
    case ("items", 4): return try item(request)
    case ("tiles", 3), ("tiles", 4): return try tileSets(request)
    case ("tiles", 7): return try tile(request)
    default:
      throw RequestError.notFound("there is no page '/\(path.joined(separator: "/"))'")
    }
  }

  // MARK: Representations

  /// Returns a response with an object as JSON or HTML.
  func response(
    _ request: ServerRequest, _ title: String, type: String = ExplorerService.jsonType,
    _ body: (Links) throws -> JSONObject
  ) throws -> ServerReply {
    let parameters = try Parameters(request, allowing: ["f", "token"])
    let format = try parameters.word("f", of: ["json", "html"])
    let object = try body(Links(request.origin))
    guard request.wantsPage(format) else {
      return ServerReply(object.text, type)
    }
    return ServerReply(DataPage.text(title, object), Self.pageType)
  }

  func landing(_ request: ServerRequest) throws -> ServerReply {
    let format = try Parameters(request, allowing: ["f", "token"]).word("f", of: ["json", "html"])
    if request.wantsPage(format) {
      guard var reply = page["index.html"] else {
        throw RequestError.notFound("the page is missing")
      }
      if let token = rules.token {
        reply.headers.append(
          ("Set-Cookie", "\(AccessRules.cookie)=\(token); HttpOnly; SameSite=Strict; Path=/"))
      }
      return reply
    }
    let links = Links(request.origin)
    let object: JSONObject = [
      "title": .string(name), "description": .string("The classes of a Cadastre store."),
      "links": .list([
        links.link("self", "", Self.jsonType, "This document"),
        links.link("alternate", "?f=html", "text/html", "The explorer"),
        links.link("service-desc", "api", Self.definitionType, "The definition of the interface"),
        links.link("service-doc", "api?f=html", "text/html", "The documentation of the interface"),
        links.link("conformance", "conformance", Self.jsonType, "The conformance classes"),
        links.link("data", "collections", Self.jsonType, "The collections"),
        links.link(
          "http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes", "tileMatrixSets", Self.jsonType,
          "The tile matrix sets"),
      ]),
    ]
    return ServerReply(object.text)
  }

  // MARK: Collections

  private func collections(_ view: StoreView, _ links: Links) throws -> JSONObject {
    let classes = try view.classes.map { JSONItem.object(try collection($0, view, links)) }
    return [
      "links": .list([links.link("self", "collections", Self.jsonType, "This document")]),
      "collections": .list(classes),
    ]
  }

  private func collection(
    _ root: ObjectSchema, _ view: StoreView, _ links: Links
  ) throws -> JSONObject {
    let path = "collections/\(Links.encoded(root.className))"
    var object: JSONObject = [
      "id": .string(root.className), "title": .string(root.className),
      "itemType": .string("feature"), "crs": JSONItem([Self.crs84]),
      "links": .list([
        links.link("self", path, Self.jsonType, "This collection"),
        links.link("items", "\(path)/items", Self.featureType, "The features"),
        links.link("items", "\(path)/items?f=html", "text/html", "The features as a page"),
        links.link(
          "http://www.opengis.net/def/rel/ogc/1.0/queryables", "\(path)/queryables",
          "application/schema+json", "The properties for filters"),
        links.link("describedby", "\(path)/schema", "application/schema+json", "The schema"),
        links.link(
          "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector", "\(path)/tiles", Self.jsonType,
          "Vector tiles"),
      ]),
    ]
    if let box = try extent(root, view) {
      let spatial: JSONObject = [
        "bbox": .list([.list(box.map(JSONItem.number))]), "crs": .string(Self.crs84),
      ]
      let extent: JSONObject = ["spatial": .object(spatial)]
      object["extent"] = .object(extent)
    }
    return object
  }

  static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

  private func propertySchema(
    _ root: ObjectSchema, _ schema: Schema, _ links: Links, _ kind: String, days: Set<String>
  ) -> JSONObject {
    var properties: JSONObject = [:]
    for property in root.properties {
      var object = Self.jsonSchema(property, schema)
      if days.contains(property.name) { object["format"] = .string("date") }
      properties[property.name] = .object(object)
    }
    let path = "collections/\(Links.encoded(root.className))/\(kind)"
    return [
      "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
      "$id": .string(links.address(path)), "type": .string("object"),
      "title": .string(root.className), "properties": .object(properties),
      "additionalProperties": .bool(false),
    ]
  }

  private static func jsonSchema(_ property: Property, _ schema: Schema) -> JSONObject {
    if property.collection == nil, schema.isPoint(property) {
      return ["format": .string("geometry-point")]
    }
    var object: JSONObject =
      switch property.type {
      case .int: ["type": .string("integer")]
      case .float, .double, .decimal128: ["type": .string("number")]
      case .bool: ["type": .string("boolean")]
      case .date: ["type": .string("string"), "format": .string("date-time")]
      case .geometry: ["format": .string("geometry-any")]
      case .object, .linkingObjects: ["type": .string("object")]
      case .any: [:]
      case .string, .data, .objectId, .UUID: ["type": .string("string")]
      }
    if let collection = property.collection {
      object =
        collection == .map
        ? ["type": .string("object")] : ["type": .string("array"), "items": .object(object)]
    }
    if property.isPrimaryKey { object["x-ogc-role"] = .string("id") }
    return object
  }

  // MARK: OpenAPI

  static let definitionType = "application/vnd.oai.openapi+json;version=3.0"

  func definition(_ request: ServerRequest) throws -> ServerReply {
    try response(request, "Interface of \(name)", type: Self.definitionType) { _ in
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

  /// Returns the OpenAPI definition of an operation that changes an object.
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

/// A builder of links to resources of the server.
struct Links {
  private let origin: String

  init(_ origin: String) { self.origin = origin }

  /// Percent-encodes a segment of a path or a value of a parameter.
  static func encoded(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// Returns the URL of a path.
  func address(_ path: String) -> String { "\(origin)/\(path)" }

  func link(_ relation: String, _ path: String, _ type: String, _ title: String) -> JSONItem {
    let link: JSONObject = [
      "rel": .string(relation), "type": .string(type), "title": .string(title),
      "href": .string(address(path)),
    ]
    return .object(link)
  }

  func template(_ relation: String, _ path: String, _ type: String, _ title: String) -> JSONItem {
    let link: JSONObject = [
      "rel": .string(relation), "type": .string(type), "title": .string(title),
      "href": .string(address(path)), "templated": .bool(true),
    ]
    return .object(link)
  }
}

import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreStore
import Foundation

/// OGC API – Features, Part 1 (Core, GeoJSON, OpenAPI 3.0, HTML), Part 3 (filtering) and Tiles.
///
/// Source: OGC 17-069r4, OGC 19-079r2, OGC 20-057.
extension ExplorerService {
  /// The conformance classes that tests verify: `Scripts/check-server ogc` those of Features and tiles in the
  /// format MVT, `FilterTests` those of CQL2.
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
      return try answer(request, "Conformance") { _ in
        ["conformsTo": JSONItem(Self.conformance + (isWritable ? Self.changeConformance : []))]
      }
    case ("api", 1):
      return try await work.run(request.cancellation) { try self.definition(request) }
    case ("tileMatrixSets", 1...2): return try tileMatrixSets(request)
    case ("collections", 1):
      return try await work.run(request.cancellation) {
        try self.answer(request, "Collections") { try self.collections(try self.view(request), $0) }
      }
    case ("collections", 2):
      return try await work.run(request.cancellation) {
        try self.answer(request, path[1]) { links in
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
      return try answer(request, "\(path[1]): \(path[2])", type: "application/schema+json") {
        links in
        let view = try self.view(request)
        let root = try view.queriedClass(path[1])
        let columns = try view.query(Selection(root.className)).columns(nil)
        return self.propertySchema(
          root, view.schema, links, path[2],
          days: Set(columns.filter(\.isDay).map(\.path.description)))
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

  /// Returns an object as JSON, or as a page with the same content.
  func answer(
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

  // MARK: Tiles

  private static let matrixSet = "WebMercatorQuad"
  private static let matrixSetAddress =
    "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"

  private func tileMatrixSets(_ request: ServerRequest) throws -> ServerReply {
    try answer(request, "Tile matrix sets") { links in
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

  private func tileSets(_ request: ServerRequest) throws -> ServerReply {
    try answer(request, "Tiles") { links in
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
}

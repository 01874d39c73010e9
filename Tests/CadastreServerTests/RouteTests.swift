import Testing

@testable import CadastreServer

@Suite struct RouteTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(
      Place.random(60, seed: 1), areas: ["POLYGON ((1 1, 3 1, 3 3, 1 1))", "LINESTRING (5 5, 9 9)"])
  }

  @Test(arguments: [
    "", "conformance", "api", "collections", "collections/Place", "collections/Place/queryables",
    "collections/Place/schema", "collections/Place/items", "collections/Place/items/1",
    "collections/Place/tiles", "collections/Place/tiles/WebMercatorQuad", "tileMatrixSets",
    "tileMatrixSets/WebMercatorQuad", "collections/Area/items/2", "explorer/store",
  ])
  func `a route without parameters answers with JSON`(path: String) async throws {
    #expect(try await !server.json(path).isEmpty)
  }

  @Test(arguments: [
    "conformance", "api", "collections", "collections/Place", "collections/Place/queryables",
    "collections/Place/items", "collections/Place/items/1", "tileMatrixSets",
  ])
  func `the same content is a page`(path: String) async throws {
    let reply = await server.reply(path, ["f": "html"])
    #expect(reply.status == 200)
    #expect(reply.contentType.hasPrefix("text/html"))
    #expect(reply.text.hasPrefix("<!doctype html>"))
    let preferred = await server.reply(
      path, headers: ["accept": "text/html,application/json;q=0.9"])
    #expect(preferred.contentType == reply.contentType)
  }

  @Test(arguments: [
    ("explorer/check", ["class": "Place", "predicate": "level > 2"]),
    ("explorer/complete", ["class": "Place", "predicate": "na"]),
    (
      "explorer/query",
      ["class": "Place", "predicate": "level > 2", "sort": "name", "order": "desc"]
    ),
    ("explorer/explain", ["class": "Place", "predicate": "name == 'Ada'"]),
    ("explorer/aggregate", ["class": "Place", "by": "name", "function": "avg", "of": "score"]),
    ("explorer/values", ["class": "Place", "field": "name", "prefix": "a"]),
  ])
  func `a query of the page answers with JSON`(
    path: String, parameters: [String: String]
  ) async throws {
    #expect(try await !server.json(path, parameters).isEmpty)
  }

  @Test(arguments: [
    ("nothing", [:], "404 not-found"), ("collections/Nope", [:], "404 not-found"),
    ("collections/Spot", [:], "404 not-found"), ("collections/Place/nope", [:], "404 not-found"),
    ("collections/Place/items/999", [:], "404 not-found"),
    ("collections/Place/items/x", [:], "404 not-found"),
    ("collections/Place/items/1/more", [:], "404 not-found"),
    ("collections/Place/tiles/Nope", [:], "404 not-found"),
    ("collections/Place/tiles/WebMercatorQuad/1/2/0", [:], "404 not-found"),
    ("collections/Place/tiles/WebMercatorQuad/23/0/0", [:], "404 not-found"),
    ("collections/Place/tiles/WebMercatorQuad/a/0/0", [:], "404 not-found"),
    ("tileMatrixSets/Nope", [:], "404 not-found"), ("explorer/nope", [:], "404 not-found"),
    ("explorer/assets/nope.js", [:], "404 not-found"),
    ("explorer/query", ["class": "Nope"], "404 not-found"),
    ("explorer/query", [:], "400 parameter"),
    ("explorer/query", ["class": "Place", "sort": "nope"], "400 predicate"),
    ("explorer/query", ["class": "Place", "cursor": "1"], "400 parameter"),
    ("explorer/query", ["class": "Place", "limit": "10001"], "400 parameter"),
    ("explorer/query", ["class": "Place", "predicate": "level >"], "400 predicate"),
    ("explorer/download", ["class": "Place", "format": "pdf"], "400 parameter"),
    ("explorer/download", ["class": "Place", "predicate": "nope == 1"], "400 predicate"),
    ("explorer/aggregate", ["class": "Place", "by": "nope"], "400 predicate"),
    ("explorer/values", ["class": "Place", "field": "nope"], "400 predicate"),
    ("explorer/complete", ["class": "Place", "cursor": "9"], "400 parameter"),
    ("collections/Place/items", ["limit": "0"], "400 parameter"),
    ("collections/Place/items", ["limit": "x"], "400 parameter"),
    ("collections/Place/items", ["nope": "1"], "400 parameter"),
    ("collections/Place/items", ["bbox": "1,2,3"], "400 parameter"),
    ("collections/Place/items", ["bbox": "1,9,2,8"], "400 parameter"),
    ("collections/Place/items", ["bbox-crs": "EPSG:4326"], "400 parameter"),
    ("collections/Place/items", ["datetime": "today"], "400 parameter"),
    ("collections/Place/items", ["datetime": "2020-02-01/2020-01-01"], "400 parameter"),
    ("collections/Place/items", ["datetime": ".."], "400 parameter"),
    ("collections/Place/items", ["filter": "level = "], "400 filter"),
    ("collections/Place/items", ["filter": "nope = 1"], "400 filter"),
    ("collections/Place/items", ["filter": "level", "filter-lang": "sql"], "400 parameter"),
    (
      "collections/Place/items", ["filter": "level ==", "filter-lang": "cadastre"], "400 predicate"
    ),
    ("collections/Place/items", ["level": "high"], "400 parameter"),
    ("collections/Place/items", ["sortby": "nope"], "400 predicate"),
    ("collections/Place/items", ["properties": "nope"], "400 parameter"),
    ("collections/Place/items", ["f": "xml"], "400 parameter"),
    ("conformance", ["a": "b"], "400 parameter"),
  ])
  func `an invalid request is a typed error`(
    path: String, parameters: [String: String], expected: String
  ) async {
    #expect(await server.error(path, parameters) == expected)
  }

  @Test func `suggested relations are operators of the language`() async throws {
    let server = try TestServer()
    let reply = try await server.json(
      "explorer/complete", ["class": "Area", "predicate": "shape GEO"])
    let operators = (reply["items"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
    #expect(operators.count == 8)
    for word in operators {
      let check = try await server.json(
        "explorer/check",
        ["class": "Area", "predicate": "shape \(word) geometry('LINESTRING(1 1, 2 2)')"])
      #expect(check["valid"] as? Bool == true, "\(word): \(check)")
    }
  }

  @Test func `a parameter that occurs twice is an error`() async {
    var request = ServerRequest(
      path: ["collections", "Place", "items"], parameters: [("limit", "1"), ("limit", "2")])
    request.headers["host"] = "localhost"
    #expect(await server.service.reply(to: request).status == 400)
  }

  @Test(arguments: [
    ["predicate": "LIMIT 3"], ["predicate": "level > 1 ORDER BY name"], ["sort": "detail"],
    ["predicate": "name LIKE 'A%'"],
  ])
  func `messages do not name options of the command line`(
    parameters: [String: String]
  ) async {
    for path in ["explorer/query", "explorer/download"] {
      let reply = await server.reply(path, parameters.merging(["class": "Place"]) { $1 })
      #expect(reply.status == 400)
      #expect(!reply.text.contains("--"), "\(reply.text)")
    }
    let groups = await server.reply("explorer/aggregate", ["class": "Place", "by": "detail"])
    #expect(groups.status == 400 && !groups.text.contains("--"), "\(groups.text)")
  }

  @Test func `a download has all matching objects in their order`() async throws {
    let parameters = ["class": "Place", "predicate": "level >= 2", "sort": "id", "order": "desc"]
    let csv = await server.reply("explorer/download", parameters)
    let rows = try await csv.whole().split(separator: "\n")
    let expected = Place.random(60, seed: 1).filter { $0.level.map { $0 >= 2 } == true }
    #expect(rows.count == expected.count + 1)
    #expect(csv.headers.contains { $0.value.contains("filename=\"Place.csv\"") })
    let geojson = await server.reply(
      "explorer/download", parameters.merging(["format": "geojson"]) { $1 })
    let text = try await geojson.whole()
    #expect(text.hasPrefix("{\"type\":\"FeatureCollection\"") && text.hasSuffix("}\n"))
    let firsts = try #require(text.firstMatch(of: /"id":(\d+)/)?.output.1)
    #expect(Int(firsts) == expected.map(\.id).max())
  }
}

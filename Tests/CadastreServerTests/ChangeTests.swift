import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreServer

/// Creating, replacing, updating and deleting of features.
@Suite struct ChangeTests {
  private let server: TestServer

  init() throws {
    var options = StoreServer.Options()
    options.isWritable = true
    server = try TestServer(
      [
        Place(id: 1, name: "Ada", level: 1, position: (1, 2)),
        Place(id: 2, name: "Bo", score: 2.5),
      ], areas: ["POLYGON ((1 1, 3 1, 3 3, 1 1))"], options: options)
  }

  private static let type = ["content-type": "application/geo+json"]

  private func feature(_ properties: String, geometry: String? = nil) -> String {
    "{\"type\":\"Feature\",\"properties\":\(properties)"
      + (geometry.map { ",\"geometry\":\($0)" } ?? "") + "}"
  }

  private func properties(_ id: Int) async throws -> [String: Any] {
    let feature = try await server.json("collections/Place/items/\(id)")
    return try #require(feature["properties"] as? [String: Any])
  }

  // MARK: Changes

  @Test func `a feature is created at the address of its id`() async throws {
    let reply = await server.send(
      "POST", "collections/Place/items",
      feature(
        #"{"id":7,"secret":"s","name":"Cy","level":3,"open":true,"seen":"2020-01-02T03:04:05Z","detail":{"floor":2,"code":"c"}}"#,
        geometry: #"{"type":"Point","coordinates":[5,6]}"#), Self.type)
    #expect(reply.status == 201, "\(reply.text)")
    #expect(
      reply.headers.first { $0.name == "Location" }?.value
        == "http://127.0.0.1:8080/collections/Place/items/7")
    let created = try await server.json("collections/Place/items/7")
    #expect((created["geometry"] as? [String: Any])?["coordinates"] as? [Int] == [5, 6])
    let properties = try await properties(7)
    #expect(properties["name"] as? String == "Cy")
    #expect(properties["open"] as? Bool == true)
    #expect((properties["detail"] as? [String: Any])?["floor"] as? Int == 2)
    #expect(try await server.ids(["bbox": "4,5,6,7"]) == [7])
  }

  @Test func `the id may be a member of the feature`() async throws {
    let reply = await server.send(
      "POST", "collections/Place/items",
      #"{"type":"Feature","id":8,"geometry":null,"properties":{"secret":"s"}}"#, Self.type)
    #expect(reply.status == 201, "\(reply.text)")
    #expect(try await server.ids([:]) == [1, 2, 8])
  }

  @Test func `a replaced feature has no other values than those sent`() async throws {
    let owner = try await properties(1)["owner"] as? NSObject
    let reply = await server.send(
      "PUT", "collections/Place/items/1", feature(#"{"secret":"x","score":1.5}"#), Self.type)
    #expect(reply.status == 204, "\(reply.text)")
    let properties = try await properties(1)
    #expect(properties["score"] as? Double == 1.5)
    #expect(properties["name"] is NSNull && properties["level"] is NSNull)
    #expect(try await server.json("collections/Place/items/1")["geometry"] is NSNull)
    // Links are read only, and keep their values.
    #expect(owner != nil && properties["owner"] as? NSObject == owner)
  }

  @Test func `an update changes what it names, and null removes`() async throws {
    for (body, type) in [
      (#"{"properties":{"name":"Al","level":null}}"#, "application/merge-patch+json"),
      (#"{"type":"Feature","geometry":{"type":"Point","coordinates":[9,9]}}"#, "application/json"),
    ] {
      let reply = await server.send(
        "PATCH", "collections/Place/items/1", body, ["content-type": type])
      #expect(reply.status == 204, "\(reply.text)")
    }
    let properties = try await properties(1)
    #expect(properties["name"] as? String == "Al")
    #expect(properties["level"] is NSNull)
    #expect(properties["secret"] as? String == "hidden-1")
    #expect(try await server.ids(["bbox": "8,8,10,10"]) == [1])
    let removed = await server.send(
      "PATCH", "collections/Place/items/1", #"{"geometry":null}"#, Self.type)
    #expect(removed.status == 204)
    #expect(try await server.json("collections/Place/items/1")["geometry"] is NSNull)
  }

  @Test func `a deleted feature is gone`() async throws {
    #expect(await server.send("DELETE", "collections/Place/items/1").status == 204)
    #expect(try await server.ids([:]) == [2])
    #expect(await server.send("DELETE", "collections/Place/items/1").status == 404)
  }

  @Test func `polygons are created and checked`() async throws {
    let square = #"{"type":"Polygon","coordinates":[[[5,5],[6,5],[6,6],[5,6],[5,5]]]}"#
    let reply = await server.send(
      "POST", "collections/Area/items", feature(#"{"id":9}"#, geometry: square), Self.type)
    #expect(reply.status == 201, "\(reply.text)")
    #expect(try await server.ids(["bbox": "4,4,7,7"], of: "Area") == [9])
    let crossing = #"{"type":"Polygon","coordinates":[[[5,5],[6,6],[6,5],[5,6],[5,5]]]}"#
    let invalid = await server.send(
      "POST", "collections/Area/items", feature(#"{"id":10}"#, geometry: crossing), Self.type)
    #expect(invalid.error == "400 feature")
  }

  @Test func `tiles and counts follow a change`() async throws {
    let path = "collections/Place/tiles/WebMercatorQuad/0/0/0"
    let before = await server.reply(path).body
    let reply = await server.send(
      "PATCH", "collections/Place/items/2",
      #"{"geometry":{"type":"Point","coordinates":[50,50]}}"#, Self.type)
    #expect(reply.status == 204)
    #expect(await server.reply(path).body != before)
  }

  // MARK: Errors

  @Test(arguments: [
    ("", "400 feature"), ("{", "400 feature"), ("[]", "400 feature"), ("null", "400 feature"),
    ("{} {}", "400 feature"), (#"{"type":"Feature","a":1}"#, "400 feature"),
    (#"{"type":"FeatureCollection","features":[]}"#, "400 feature"),
    (#"{"type":"Feature","properties":[]}"#, "400 feature"),
    (#"{"type":"Feature","geometry":5,"properties":{"id":5,"secret":""}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":"x","secret":""}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5.5,"secret":""}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","id":6}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","nope":1}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","level":"high"}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","open":2}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","owner":"A-1"}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","detail":3}}"#, "400 feature"),
    (#"{"type":"Feature","properties":{"id":5,"secret":"","detail":{"x":3}}}"#, "400 feature"),
    (
      #"{"type":"Feature","properties":{"id":5,"secret":""},"geometry":{"type":"Point","coordinates":[200,1]}}"#,
      "400 feature"
    ),
    (
      #"{"type":"Feature","properties":{"id":5,"secret":""},"geometry":{"type":"Point"}}"#,
      "400 feature"
    ),
    (
      #"{"type":"Feature","properties":{"id":5,"secret":""},"geometry":{"type":"LineString","coordinates":[[1,1],[2,2]]}}"#,
      "400 feature"
    ),
    (#"{"type":"Feature","properties":{"id":1,"secret":""}}"#, "409 conflict"),
  ])
  func `an invalid feature is a typed error, and changes nothing`(
    body: String, expected: String
  ) async throws {
    let version = try await server.json("explorer/store")["version"] as? Int
    let reply = await server.send("POST", "collections/Place/items", body, Self.type)
    #expect(reply.error == expected, "\(reply.text)")
    #expect(try await server.json("explorer/store")["version"] as? Int == version)
  }

  @Test func `a message names the property, what was found and what was expected`() async {
    let reply = await server.send(
      "PATCH", "collections/Place/items/1", #"{"properties":{"level":"high"}}"#, Self.type)
    #expect(reply.text.contains("'level': expected a int, found 'high'"), "\(reply.text)")
    let unknown = await server.send(
      "PATCH", "collections/Place/items/1", #"{"properties":{"nope":1}}"#, Self.type)
    #expect(unknown.text.contains("'nope' is no property of class 'Place'; expected "))
  }

  @Test func `deep and long bodies are errors, and never stop the process`() async {
    for body in [
      String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 5000),
      "{\"type\":\"Feature\",\"geometry\":"
        + String(
          repeating: "{\"type\":\"GeometryCollection\",\"geometries\":[", count: 60)
        + String(repeating: "]}", count: 60) + "}", "{\"a\":\"\\ud800\"}", "\u{0}",
    ] {
      let reply = await server.send("POST", "collections/Area/items", body, Self.type)
      #expect((400..<500).contains(reply.status), "\(reply.text)")
    }
    let large = await server.send(
      "POST", "collections/Place/items", String(repeating: " ", count: 5 << 20), Self.type)
    #expect(large.error == "413 body")
    let announced = await server.send(
      "POST", "collections/Place/items", "{}",
      Self.type.merging(["content-length": "99999999"]) { $1 })
    #expect(announced.error == "413 body")
  }

  @Test(arguments: [
    ("", "415 content-type"), ("text/plain", "415 content-type"),
    ("application/x-www-form-urlencoded", "415 content-type"),
    ("multipart/form-data; boundary=x", "415 content-type"),
    ("application/merge-patch+json", "415 content-type"),
    ("application/json; charset=utf-8", "400 feature"), ("Application/GEO+JSON", "400 feature"),
  ])
  func `the type of the body must be that of JSON`(type: String, expected: String) async {
    let reply = await server.send(
      "POST", "collections/Place/items", "{}", ["content-type": type])
    #expect(reply.error == expected)
  }

  @Test(arguments: [
    ("https://evil.example", 403), ("null", 403), ("http://127.0.0.1:3000", 403),
    ("http://localhost:8080", 403), ("http://127.0.0.1:8080", 204),
  ])
  func `a page of another server cannot change anything`(
    origin: String, expected: Int
  ) async throws {
    let reply = await server.send(
      "DELETE", "collections/Place/items/1", nil, ["origin": origin])
    #expect(reply.status == expected)
    #expect(try await server.ids([:]).contains(1) == (expected == 403))
  }

  @Test func `a change needs the token`() async throws {
    var options = StoreServer.Options()
    (options.isWritable, options.token) = (true, "s3cret")
    let server = try TestServer([Place(id: 1)], options: options)
    #expect(await server.send("DELETE", "collections/Place/items/1").status == 401)
    #expect(
      await server.send(
        "DELETE", "collections/Place/items/1", nil, ["authorization": "Bearer s3cret"]
      ).status == 204)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func `methods that an address lacks are refused with those that it has`(
    method: String
  ) async throws {
    for (path, allowed) in [
      ("collections", "GET, HEAD, OPTIONS"), ("explorer/query", "GET, HEAD, OPTIONS"),
      ("collections/Place/items", "GET, HEAD, OPTIONS, POST"),
      ("collections/Place/items/1", "GET, HEAD, OPTIONS, PUT, PATCH, DELETE"),
    ] where !allowed.contains(method) {
      let reply = await server.send(method, path, "{}", Self.type)
      #expect(reply.error == "405 method")
      #expect(reply.headers.first { $0.name == "Allow" }?.value == allowed)
      let options = await server.send("OPTIONS", path)
      #expect(options.status == 204)
      #expect(options.headers.first { $0.name == "Allow" }?.value == allowed)
    }
    let reading = try TestServer([Place(id: 1)])
    let reply = await reading.send(method, "collections/Place/items/1", "{}", Self.type)
    #expect(reply.error == "405 method")
    #expect(reply.headers.first { $0.name == "Allow" }?.value == "GET, HEAD, OPTIONS")
    #expect(try await reading.ids([:]) == [1])
  }

  // MARK: Versions

  @Test func `a tag is that of the contents`() async throws {
    func tag(_ path: String) async -> String {
      await server.reply(path).headers.first { $0.name == "ETag" }?.value ?? "none"
    }
    let (first, second) = (
      await tag("collections/Place/items/1"), await tag("collections/Place/items/2")
    )
    let page = await tag("collections/Place/items")
    #expect(first != second)
    for path in ["collections/Place/items/1", "collections/Place/items"] {
      let known = await server.reply(path, headers: ["if-none-match": await tag(path)])
      #expect(known.status == 304 && known.body.isEmpty)
      #expect(await server.reply(path, headers: ["if-none-match": "\"x\""]).status == 200)
    }
    let reply = await server.send(
      "PATCH", "collections/Place/items/2", #"{"properties":{"level":5}}"#, Self.type)
    #expect(
      reply.headers.first { $0.name == "ETag" }?.value
        == (await tag("collections/Place/items/2")))
    #expect(await tag("collections/Place/items/1") == first)
    #expect(await tag("collections/Place/items/2") != second)
    #expect(await tag("collections/Place/items") != page)
  }

  @Test func `a change of another version than expected is refused`() async throws {
    let path = "collections/Place/items/1"
    let tag = try #require(
      await server.reply(path).headers.first { $0.name == "ETag" }?.value)
    let transaction = try server.file.beginWrite()
    try transaction.delete("Place", ObjectKey(1))
    try transaction.insert("Place", object: Place(id: 1, name: "Other").object)
    try transaction.commit()
    for method in ["PUT", "PATCH", "DELETE"] {
      let reply = await server.send(
        method, path, feature(#"{"secret":""}"#), Self.type.merging(["if-match": tag]) { $1 })
      #expect(reply.error == "412 changed")
    }
    #expect(try await properties(1)["name"] as? String == "Other")
    let now = try #require(
      await server.reply(path).headers.first { $0.name == "ETag" }?.value)
    for tags in ["\"x\", \(now)", "*"] {
      let reply = await server.send(
        "PATCH", path, #"{"properties":{"level":5}}"#,
        Self.type.merging(["if-match": tags]) { $1 })
      #expect(reply.status == 204)
      if tags != "*" { #expect(try await properties(1)["level"] as? Int == 5) }
    }
  }

  @Test func `concurrent updates of one version: one succeeds`() async throws {
    let path = "collections/Place/items/1"
    let tag = try #require(
      await server.reply(path).headers.first { $0.name == "ETag" }?.value)
    let statuses = await withTaskGroup(of: Int.self) { group in
      for level in 10..<18 {
        let request = TestServer.request(
          "PATCH", path, "{\"properties\":{\"level\":\(level)}}",
          Self.type.merging(["if-match": tag]) { $1 })
        group.addTask { [service = server.service] in await service.reply(to: request).status }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [204] + Array(repeating: 412, count: 7))
  }

  // MARK: Descriptions

  @Test func `the interface names changes only where they are possible`() async throws {
    let reading = try TestServer()
    for (server, isWritable) in [(server, true), (reading, false)] {
      #expect(
        await server.reply("conformance").text.contains("ogcapi-features-4") == isWritable)
      let definition = await server.reply("api").text
      for word in ["\"post\"", "\"put\"", "\"patch\"", "\"delete\""] {
        #expect(definition.contains(word) == isWritable)
      }
      #expect(try await server.json("explorer/store")["writable"] as? Bool == isWritable)
    }
  }

  @Test func `hidden classes and fields cannot be changed, and keep their values`() async throws {
    var options = StoreServer.Options()
    options.isWritable = true
    options.visibility = .hiding(
      classes: ["Account"], fields: ["Place.secret", "Detail.code", "Area.shape"])
    let server = try TestServer(
      [Place(id: 1, name: "Ada")], areas: ["POINT (1 1)"], options: options)
    for (method, path, body, expected) in [
      ("POST", "collections/Account/items", feature("{}"), "404 not-found"),
      ("DELETE", "collections/Account/items/A-1", nil, "404 not-found"),
      ("POST", "collections/Place/items", feature(#"{"id":3}"#), "400 feature"),
      ("PATCH", "collections/Place/items/1", #"{"properties":{"secret":"x"}}"#, "400 feature"),
      ("PATCH", "collections/Place/items/1", #"{"properties":{"detail":null}}"#, "400 feature"),
      (
        "PATCH", "collections/Area/items/1",
        #"{"geometry":{"type":"Point","coordinates":[1,1]}}"#, "400 feature"
      ),
    ] {
      let reply = await server.send(method, path, body, Self.type)
      #expect(reply.error == expected, "\(method) \(path): \(reply.text)")
      for word in ["code-", "floor", "shape", "owner"] { #expect(!reply.text.contains(word)) }
    }
    let put = await server.send(
      "PUT", "collections/Place/items/1", feature(#"{"level":4}"#), Self.type)
    #expect(put.status == 204, "\(put.text)")
    let snapshot = try server.file.snapshot()
    let layout = try #require(snapshot.catalogue.layout("Place"))
    let row = try #require(try snapshot.row(layout, ObjectKey(1)))
    #expect("\(row)".contains("hidden-1") && "\(row)".contains("code-1"))
  }
}

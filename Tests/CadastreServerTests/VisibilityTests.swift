import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreServer

/// Property: no response contains a hidden class, a hidden field or a value of one.
@Suite struct VisibilityTests {
  private let server: TestServer
  private static let hidden = ["secret", "hidden-", "code-", "Account", "owner", "A-1"]

  init() throws {
    var options = StoreServer.Options()
    options.visibility = .hiding(
      classes: ["Account"], fields: ["Place.secret", "Detail.code", "Area.shape"])
    server = try TestServer(
      Place.random(40, seed: 3), areas: ["POLYGON ((41 41, 43 41, 43 43, 41 41))"], options: options
    )
  }

  @Test(arguments: [
    ("api", [:]), ("collections", [:]), ("collections/Place", [:]),
    ("collections/Place/queryables", [:]), ("collections/Place/schema", [:]),
    ("collections/Place/items", ["limit": "100"]), ("collections/Place/items/3", [:]),
    ("collections/Place/items", ["f": "html"]), ("explorer/store", [:]),
    ("explorer/query", ["class": "Place"]), ("explorer/complete", ["class": "Place"]),
    ("explorer/complete", ["class": "Place", "predicate": "s"]),
    ("explorer/explain", ["class": "Place", "predicate": "level > 2"]),
    ("explorer/download", ["class": "Place", "format": "csv"]),
    ("explorer/download", ["class": "Place", "format": "geojson"]),
    ("collections/Place/tiles/WebMercatorQuad/0/0/0", [:]),
    ("explorer/check", ["class": "Place", "predicate": "nothing == 1"]),
    ("explorer/check", ["class": "Nothing"]),
    ("explorer/aggregate", ["class": "Place", "by": "level"]),
  ])
  func `no response shows them`(path: String, parameters: [String: String]) async throws {
    let reply = await server.reply(path, parameters)
    let text = try await reply.whole()
    #expect(!text.isEmpty)
    for word in Self.hidden { #expect(!text.contains(word), "\(path): \(text)") }
  }

  @Test(arguments: ["secret", "detail.code", "owner", "owner.number"])
  func `a hidden field is an unknown field`(field: String) async {
    // Of the same length, because errors name the place in the predicate.
    let unknown = field.replacing(/\w+$/) { String(repeating: "q", count: $0.output.count) }
    func messages(_ field: String) async -> [String] {
      var replies: [ServerReply] = []
      for parameters in [
        ["class": "Place", "predicate": "\(field) == 'x'"], ["class": "Place", "sort": field],
      ] {
        replies.append(await server.reply("explorer/query", parameters))
        replies.append(await server.reply("explorer/explain", parameters))
        replies.append(await server.reply("explorer/download", parameters))
      }
      replies.append(await server.reply("explorer/aggregate", ["class": "Place", "by": field]))
      replies.append(
        await server.reply(
          "explorer/aggregate",
          ["class": "Place", "by": "level", "function": "min", "of": field]))
      replies.append(await server.reply("explorer/values", ["class": "Place", "field": field]))
      for parameters in [
        ["filter": "\(field) = 'x'"], ["filter": "\(field) == 'x'", "filter-lang": "cadastre"],
        ["sortby": field], ["properties": field], [field: "x"],
      ] {
        replies.append(await server.reply("collections/Place/items", parameters))
      }
      replies.append(
        await server.reply(
          "collections/Place/tiles/WebMercatorQuad/0/0/0", ["properties": field]))
      #expect(replies.allSatisfy { $0.status == 400 }, "\(field): \(replies.map(\.status))")
      let last = field.split(separator: ".").last ?? ""
      return replies.map {
        // A similar visible name may be suggested.
        $0.text.replacing(/; did you mean '(score|floor|level|location|name|detail)'\?/, with: "")
          .replacing(field, with: "FIELD").replacing("'\(last)'", with: "'LAST'")
      }
    }
    for (hidden, unknown) in zip(await messages(field), await messages(unknown)) {
      #expect(hidden == unknown)
    }
  }

  @Test func `a hidden class is an unknown class`() async {
    for path in ["", "/items", "/schema", "/items/A-1", "/tiles", "/tiles/WebMercatorQuad/0/0/0"] {
      let hidden = await server.reply("collections/Account\(path)")
      let unknown = await server.reply("collections/Nothing\(path)")
      #expect(hidden.status == 404)
      #expect(hidden.text.replacing("Account", with: "Nothing") == unknown.text)
    }
    #expect(await server.error("explorer/query", ["class": "Account"]) == "404 not-found")
  }

  @Test func `a class whose geometry is hidden has none`() async throws {
    let page = try await server.json("collections/Area/items")
    let feature = try #require((page["features"] as? [[String: Any]])?.first)
    #expect(feature["geometry"] is NSNull)
    #expect(
      await server.error("collections/Area/tiles/WebMercatorQuad/0/0/0") == "400 geometry")
    let download = await server.reply("explorer/download", ["class": "Area", "format": "geojson"])
    #expect(try await !download.whole().contains("41"))
  }

  @Test func `visible fields keep their values and conditions`() async throws {
    let places = Place.random(40, seed: 3)
    #expect(
      try await server.ids(["filter": "level >= 3 AND detail.floor = 2"])
        == places.filter { $0.level.map { $0 >= 3 } == true && $0.id % 5 == 2 }.map(\.id))
    let feature = try await server.json("collections/Place/items/4")
    let properties = try #require(feature["properties"] as? [String: Any])
    #expect(properties["level"] as? Int == places[3].level)
  }

  @Test func `a commit of a hidden class is not reported`() async throws {
    let changes = server.service.changes.changes()
    for (className, object) in [
      ("Account", ["number": Member.value(.string("B"))] as PlainObject),
      ("Place", Place(id: 99).object),
    ] {
      let transaction = try server.file.beginWrite()
      try transaction.insert(className, object: object)
      try transaction.commit()
    }
    var iterator = changes.makeAsyncIterator()
    let change = try #require(await iterator.next())
    #expect(change.classes?.contains("Account") != true)
  }
}

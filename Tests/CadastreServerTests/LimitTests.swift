import CadastreModel
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreServer

@Suite struct LimitTests {
  @Test(arguments: [
    ("explorer/query", ["class": "Place", "predicate": "name CONTAINS 'a'"]),
    ("explorer/download", ["class": "Place"]), ("collections/Place/items", ["level": "1"]),
    ("collections/Place/tiles/WebMercatorQuad/0/0/0", [:]),
    ("explorer/aggregate", ["class": "Place", "by": "level"]), ("explorer/store", [:]),
  ])
  func `a request whose time is over is an error of its own`(
    path: String, parameters: [String: String]
  ) async throws {
    var options = StoreServer.Options()
    options.timeout = .zero
    let server = try TestServer(Place.random(3000, seed: 4), options: options)
    #expect(await server.error(path, parameters) == "503 timeout")
  }

  @Test func `a cancelled request ends, and the next one is answered`() async throws {
    let server = try TestServer(Place.random(50, seed: 4))
    var request = ServerRequest(path: ["explorer", "store"])
    request.headers["host"] = "localhost"
    request.cancellation.cancel()
    #expect(await server.service.reply(to: request).status == 503)
    #expect(await server.reply("explorer/store").status == 200)
  }

  @Test func `a page ends where its objects are large, and the next one goes on`() async throws {
    let server = try TestServer()
    let transaction = try server.file.beginWrite()
    for id in 1...5 {
      let text = String(repeating: "x", count: 6 << 20)
      try transaction.insert("Place", object: Place(id: id, name: text).object)
    }
    try transaction.commit()
    let page = try await server.json("collections/Place/items")
    #expect(page["numberMatched"] as? Int == 5)
    #expect(page["numberReturned"] as? Int == 3)
    #expect((page["features"] as? [Any])?.count == 3)
    let rows = try await server.json("explorer/query", ["class": "Place"])
    let cursor = try #require(rows["next"] as? String)
    let rest = try await server.json("explorer/query", ["class": "Place", "cursor": cursor])
    #expect((rest["rows"] as? [Any])?.count == 2)
  }

  @Test func `a download comes in pieces and reads one version`() async throws {
    let places = Place.random(5000, seed: 5)
    let server = try TestServer(places)
    let reply = await server.reply("explorer/download", ["class": "Place"])
    let pieces = try #require(reply.pieces)
    #expect(reply.body.isEmpty)
    let transaction = try server.file.beginWrite()
    for key in 1...5000 { _ = try transaction.delete("Place", ObjectKey(Int64(key))) }
    try transaction.commit()
    let sizes = Sizes()
    try await pieces.forEach { sizes.add($0) }
    #expect(sizes.pieces >= 4)
    #expect(sizes.lines == places.count + 1)
  }

  private final class Sizes {
    private(set) var (pieces, lines) = (0, 0)
    func add(_ bytes: [UInt8]) {
      pieces += 1
      lines += bytes.count { $0 == UInt8(ascii: "\n") }
    }
  }

  @Test func `observers get the commits and the classes that they changed`() async throws {
    let server = try TestServer([Place(id: 1)])
    let changes = server.service.changes.changes()
    let transaction = try server.file.beginWrite()
    try transaction.insert("Place", object: Place(id: 2).object)
    try transaction.commit()
    var iterator = changes.makeAsyncIterator()
    #expect(try #require(await iterator.next()).classes == ["Place"])
    server.service.changes.end()
    #expect(await iterator.next() == nil)
  }
}

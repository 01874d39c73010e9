import CadastreModel
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreServer

/// Property: pages visit each object that exists all the time exactly once, in order, while others come and go.
@Suite struct PagingTests {
  private struct Visit {
    var ids: [Int] = []
    var pages = 0
  }

  /// Visits all pages, with commits in between: objects are added at the end and removed anywhere.
  private func visit(
    _ server: TestServer, _ parameters: [String: String], seed: UInt64,
    removable: (Int) -> Bool,
    cursor: (TestServer, [String: String]) async throws -> ([Int], String?)
  ) async throws -> Visit {
    var random = SeededGenerator(seed: seed)
    var visit = Visit()
    var next: String?
    repeat {
      let (ids, following) = try await cursor(
        server, parameters.merging(next.map { ["cursor": $0] } ?? [:]) { $1 })
      visit.ids += ids
      visit.pages += 1
      next = following
      let transaction = try server.file.beginWrite()
      for _ in 0..<3 {
        let key = 1 + random.below(300)
        if removable(key) { _ = try? transaction.delete("Place", ObjectKey(Int64(key))) }
      }
      let place = Place(id: 1000 + visit.pages, position: (1, 1))
      try transaction.insert("Place", object: place.object)
      try transaction.commit()
    } while next != nil && visit.pages < 200
    return visit
  }

  private static func items(
    _ server: TestServer, _ parameters: [String: String]
  ) async throws -> ([Int], String?) {
    let page = try await server.json("collections/Place/items", parameters)
    let ids = (page["features"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
    let links = page["links"] as? [[String: Any]] ?? []
    let next = links.first { $0["rel"] as? String == "next" }?["href"] as? String
    return (ids, next?.firstMatch(of: /cursor=([\d.%E-]+)/).map { String($0.output.1) })
  }

  private static func rows(
    _ server: TestServer, _ parameters: [String: String]
  ) async throws -> ([Int], String?) {
    let page = try await server.json(
      "explorer/query", parameters.merging(["class": "Place"]) { $1 })
    let rows = page["rows"] as? [[String: Any]] ?? []
    return (rows.compactMap { ($0["id"] as? String).flatMap(Int.init) }, page["next"] as? String)
  }

  @Test(arguments: Seeds.usual(1...3))
  func `items in the order of their keys`(seed: UInt64) async throws {
    let server = try TestServer(Place.random(300, seed: seed))
    let visit = try await visit(
      server, ["limit": "17"], seed: seed, removable: { _ in true }, cursor: Self.items)
    #expect(visit.pages > 10)
    #expect(visit.ids == visit.ids.sorted(), "not in order")
    #expect(Set(visit.ids).count == visit.ids.count, "an object was visited twice")
    let left = try await server.ids([:]).filter { $0 <= 300 }
    #expect(Set(left).subtracting(visit.ids).isEmpty, "an object was not visited")
  }

  /// The last objects of a page stay, because their place in the order is not kept elsewhere.
  @Test(arguments: Seeds.usual(1...3))
  func `rows in another order`(seed: UInt64) async throws {
    let places = Place.random(300, seed: seed)
    let server = try TestServer(places)
    let visit = try await visit(
      server, ["limit": "17", "sort": "level", "predicate": "id <= 300"], seed: seed,
      removable: { $0 % 2 == 0 && $0 % 3 == 0 }, cursor: Self.rows)
    #expect(visit.pages > 10)
    #expect(Set(visit.ids).count == visit.ids.count, "an object was visited twice")
    let levels = visit.ids.map { places[$0 - 1].level ?? -1 }
    #expect(levels == levels.sorted(), "not in order")
    let left = try await server.ids([:]).filter { $0 <= 300 }
    #expect(Set(left).subtracting(visit.ids).isEmpty, "an object was not visited")
  }

  @Test(arguments: [
    "", "1", "a.1", "1.2.3.4.5.6", "-1.2", "9223372036854775808.1", "1.", ".1", "1..2",
  ])
  func `other text than a cursor is an error`(text: String) {
    #expect(throws: RequestError.self) { try Cursor(text) }
  }

  @Test func `a cursor of an empty list is not beyond its end`() throws {
    #expect(try Cursor("5.7.6").index(in: [], isAscending: true) == 0)
    #expect(try Cursor("5.7.6").index(in: [], isAscending: false) == 0)
    #expect(try Cursor("5.7.6").index(in: [6, 9], isAscending: false) == 1)
  }
}

import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreServer

/// The address of a tile in the tests.
struct Address: CustomStringConvertible {
  let (zoom, column, row): (Int, Int, Int)
  var description: String { "\(zoom)/\(row)/\(column)" }

  /// The position of a place in units of the tile.
  ///
  /// Source: OGC 17-083r4, annex D; the spherical Mercator projection.
  func position(_ longitude: Double, _ latitude: Double) -> (x: Double, y: Double) {
    let side = pow(2, Double(zoom)) * 4096
    let radians = latitude * .pi / 180
    let y = 0.5 - log(tan(.pi / 4 + radians / 2)) / (2 * .pi)
    return (
      (longitude / 360 + 0.5) * side - Double(column) * 4096, y * side - Double(row) * 4096
    )
  }
}

/// Returns a decoded tile; nil for one without features.
func tile(
  _ server: TestServer, _ address: Address, of className: String = "Place",
  _ parameters: [String: String] = [:]
) async throws -> DecodedTile? {
  let reply = await server.reply(
    "collections/\(className)/tiles/WebMercatorQuad/\(address)", parameters)
  if reply.status == 204 { return nil }
  #expect(reply.status == 200, "\(reply.text)")
  #expect(reply.contentType == "application/vnd.mapbox-vector-tile")
  let tile = try DecodedTile(reply.body)
  #expect(tile.name == className && tile.version == 2 && tile.extent == 4096)
  return tile
}

/// Tiles, decoded and compared with brute force over the places.
@Suite struct TileTests {

  /// The places in the tile and its buffer, by id, with their positions.
  private func expected(
    _ places: [Place], _ address: Address
  ) -> [Int: (x: Double, y: Double)] {
    var found: [Int: (x: Double, y: Double)] = [:]
    for place in places {
      guard let (x, y) = place.position else { continue }
      let position = address.position(x, y)
      if (-64.0...4160).contains(position.x), (-64.0...4160).contains(position.y) {
        found[place.id] = position
      }
    }
    return found
  }

  @Test(arguments: Seeds.usual(21...22))
  func `each point of a tile is a feature at its position`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let places = Place.random(500, seed: seed)
    let server = try TestServer(places)
    for _ in 0..<60 {
      let zoom = random.below(6)
      let address = Address(
        zoom: zoom, column: random.below(1 << zoom), row: random.below(1 << zoom))
      let expected = expected(places, address)
      let tile = try await tile(server, address, of: "Place", ["properties": "level"])
      #expect(
        Set((tile?.features ?? []).compactMap { $0.id.map(Int.init) }) == Set(expected.keys),
        "\(address)")
      for feature in tile?.features ?? [] {
        let id = try #require(feature.id.map(Int.init))
        let (position, part) = (
          try #require(expected[id]), try #require(feature.parts.first?.first)
        )
        #expect(feature.type == 1)
        #expect(abs(Double(part.x) - position.x) < 0.51 && abs(Double(part.y) - position.y) < 0.51)
        let level = places[id - 1].level.map { DecodedTile.Value.integer(Int64($0)) }
        #expect(feature.attributes["level"] == level)
      }
    }
  }

  @Test func `a filter applies to tiles`() async throws {
    let places = Place.random(300, seed: 23)
    let server = try TestServer(places)
    let world = Address(zoom: 0, column: 0, row: 0)
    let tile = try await tile(server, world, of: "Place", ["filter": "level > 3"])
    let matching = places.filter { $0.level.map { $0 > 3 } == true }
    #expect(
      Set((tile?.features ?? []).compactMap { $0.id.map(Int.init) })
        == Set(expected(matching, world).keys))
    #expect(
      try await CadastreServerTests.tile(server, world, of: "Place", ["filter": "level > 99"])
        == nil)
  }

  /// The column or row of the cell of a coordinate.
  private func cell(_ coordinate: Int) -> Int { Int((Double(coordinate) / 32).rounded(.down)) }

  @Test func `many points become cells whose counts add up`() async throws {
    let places = Place.random(9000, seed: 24)
    let server = try TestServer(places)
    let world = Address(zoom: 0, column: 0, row: 0)
    let tile = try #require(
      try await tile(server, world, of: "Place", ["properties": "score"]))
    let expected = expected(places, world)
    var counts: [[Int]: (count: Int, sum: Double, numbers: Int)] = [:]
    for (id, position) in expected {
      let cell = [Int((position.x / 32).rounded(.down)), Int((position.y / 32).rounded(.down))]
      var entry = counts[cell] ?? (0, 0, 0)
      entry.count += 1
      if let score = places[id - 1].score {
        entry.sum += score
        entry.numbers += 1
      }
      counts[cell] = entry
    }
    #expect(tile.features.count == counts.count)
    var total = 0
    for feature in tile.features {
      let part = try #require(feature.parts.first?.first)
      let count =
        if case .integer(let count)? = feature.attributes["count"] { Int(count) } else { 1 }
      total += count
      let mean: Double? =
        if case .double(let mean)? = feature.attributes["score"] { mean } else { nil }
      // The mean position of a cell may be rounded to its border.
      var isKnown = false
      for (dx, dy) in [(0, 0), (-1, 0), (0, -1), (-1, -1)] {
        let cell = [cell(part.x + dx), cell(part.y + dy)]
        guard let known = counts[cell], known.count == count else { continue }
        let expected: Double? = known.numbers == 0 ? nil : known.sum / Double(known.numbers)
        let difference: Double = abs((expected ?? 0) - (mean ?? 0))
        if (expected == nil) == (mean == nil), difference < 1e-9 { isKnown = true }
      }
      #expect(isKnown, "\(part), \(count) places")
    }
    #expect(total == expected.count)
  }

  @Test func `polygons and lines are cut at the buffer`() async throws {
    let server = try TestServer(
      areas: [
        "POLYGON ((-10 -10, 10 -10, 10 10, -10 10, -10 -10), (-5 -5, 5 -5, 5 5, -5 5, -5 -5))",
        "LINESTRING (-170 0.001, 170 0.001)", "POLYGON ((100 50, 110 50, 110 60, 100 50))",
      ])
    let tile = try #require(
      try await tile(server, Address(zoom: 4, column: 8, row: 7), of: "Area"))
    #expect(tile.features.map(\.type) == [3, 2])
    let all = tile.features.flatMap(\.parts).flatMap(\.self)
    #expect(all.allSatisfy { (-64...4160).contains($0.x) && (-64...4160).contains($0.y) })
    let rings = tile.features[0].parts
    #expect(rings.count == 2)
    // The specification: an exterior ring has a positive area in the coordinates of the tile, a hole a negative one.
    let areas = rings.map { ring in
      zip(ring, ring.dropFirst() + ring.prefix(1)).reduce(0) {
        $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y
      }
    }
    #expect(areas[0] > 0 && areas[1] < 0)
    #expect(tile.features[1].parts.map(\.count) == [2])
    #expect(
      try await CadastreServerTests.tile(server, Address(zoom: 4, column: 2, row: 2), of: "Area")
        == nil)
  }

  @Test func `a tile changes with the store`() async throws {
    let server = try TestServer([Place(id: 1, position: (1, 1))])
    let world = Address(zoom: 0, column: 0, row: 0)
    #expect(try await tile(server, world)?.features.count == 1)
    let transaction = try server.file.beginWrite()
    try transaction.insert("Place", object: Place(id: 2, position: (9, 9)).object)
    try transaction.commit()
    #expect(try await tile(server, world)?.features.count == 2)
  }
}

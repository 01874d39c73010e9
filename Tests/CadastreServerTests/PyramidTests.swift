import CadastreModel
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreServer

/// Tiles of many points at low zoom levels, compared with brute force over the places.
@Suite struct PyramidTests {
  /// What the points of a cell have in common.
  private struct Cell {
    var count = 0
    var (x, y) = (0.0, 0.0)
    var scores: [Double] = []
    var names: [String: Int] = [:]
  }

  /// Places around a corner of tiles of all zoom levels, so that many are in the buffers, and some others.
  private static func places(_ count: Int, from first: Int = 1, seed: UInt64) -> [Place] {
    var random = SeededGenerator(seed: seed)
    return Place.random(count, seed: seed).enumerated().map { index, place in
      var place = place
      place.id = first + index
      if index % 8 != 0, place.position != nil {
        place.position = (random.number(-1...7), random.number(-1...7))
      }
      return place
    }
  }

  /// The cells of a tile and its buffer by the first place in each.
  private static func cells(_ places: [Place], _ address: Address) -> [Int: Cell] {
    var cells: [[Int]: Cell] = [:]
    var firsts: [[Int]: Int] = [:]
    for place in places.sorted(by: { $0.id < $1.id }) {
      guard let (longitude, latitude) = place.position else { continue }
      let (x, y) = address.position(longitude, latitude)
      guard x >= -64, x < 4160, y >= -64, y < 4160 else { continue }
      let key = [Int((x / 32).rounded(.down)), Int((y / 32).rounded(.down))]
      firsts[key] = firsts[key] ?? place.id
      cells[key, default: Cell()].count += 1
      cells[key]?.x += x
      cells[key]?.y += y
      if let score = place.score { cells[key]?.scores.append(score) }
      if let name = place.name { cells[key]?.names[name, default: 0] += 1 }
    }
    return Dictionary(uniqueKeysWithValues: cells.map { (firsts[$0.key] ?? 0, $0.value) })
  }

  private func expectCells(
    _ server: TestServer, _ places: [Place], _ address: Address, _ field: String
  ) async throws {
    let expected = Self.cells(places, address)
    let total = expected.values.reduce(0) { $0 + $1.count }
    let tile = try await tile(server, address, of: "Place", ["properties": field])
    guard total > 4000 else {
      return #expect((tile?.features.count ?? 0) == total, "\(address)")
    }
    let features = try #require(tile).features
    #expect(features.count == expected.count, "\(address)")
    for feature in features {
      let id = try #require(feature.id.map(Int.init))
      let (cell, part) = (try #require(expected[id]), try #require(feature.parts.first?.first))
      let count = Double(cell.count)
      #expect(abs(Double(part.x) - cell.x / count) < 0.51, "\(address)")
      #expect(abs(Double(part.y) - cell.y / count) < 0.51, "\(address)")
      let stored: DecodedTile.Value? = cell.count > 1 ? .integer(Int64(cell.count)) : nil
      #expect(feature.attributes["count"] == stored)
      switch feature.attributes[field] {
      case .double(let mean):
        #expect(abs(mean - cell.scores.reduce(0, +) / Double(cell.scores.count)) < 1e-9)
      case .string(let name): #expect(cell.names[name] == cell.names.values.max())
      case nil: #expect(field == "score" ? cell.scores.isEmpty : cell.names.isEmpty)
      default: Issue.record("\(address): another type of value")
      }
    }
  }

  /// All tiles with many points, and some with few.
  private static let addresses =
    (0...6).flatMap { zoom in
      let half = zoom == 0 ? 0 : 1 << (zoom - 1)
      return [(half, half), (half - 1, half), (half, half - 1), (half - 1, half - 1)]
        .filter { $0.0 >= 0 && $0.1 >= 0 }
        .map { Address(zoom: zoom, column: $0.0, row: $0.1) }
    }

  @Test(arguments: ["score", "name"])
  func `tiles of all low zoom levels agree with brute force, after commits too`(
    field: String
  ) async throws {
    var places = Self.places(6_000, seed: 31)
    let server = try TestServer(places)
    for address in Self.addresses { try await expectCells(server, places, address, field) }
    let transaction = try server.file.beginWrite()
    for key in 1...2000 { _ = try transaction.delete("Place", ObjectKey(Int64(key))) }
    let more = Self.places(1500, from: 20_000, seed: 32)
    var ids: [Int: Int] = [:]
    for place in more {
      ids[place.id] = Int(try transaction.insert("Place", object: place.object).rawValue)
    }
    try transaction.commit()
    // The ids of features are the keys of the objects, as in the list of places.
    places =
      places.dropFirst(2000)
      + more.map { place in
        var place = place
        place.id = ids[place.id] ?? 0
        return place
      }
    for address in Self.addresses { try await expectCells(server, places, address, field) }
  }

  @Test func `a filter has a pyramid of its own`() async throws {
    let places = Self.places(12_000, seed: 33)
    let server = try TestServer(places)
    let world = Address(zoom: 0, column: 0, row: 0)
    for (filter, matching) in [
      ("level > 2", places.filter { ($0.level ?? 0) > 2 }),
      ("level > 1", places.filter { ($0.level ?? 0) > 1 }),
    ] {
      let tile = try #require(try await tile(server, world, of: "Place", ["filter": filter]))
      let expected = Self.cells(matching, world)
      let total = expected.values.reduce(0) { $0 + $1.count }
      #expect(tile.features.count == (total > 4000 ? expected.count : total))
    }
  }

  @Test func `the greatest integers are exact, and never stop the process`() async throws {
    let server = try TestServer([
      Place(id: 1, level: .max, position: (1, 1)), Place(id: 2, level: .min, position: (2, 2)),
    ])
    let tile = try await tile(
      server, Address(zoom: 0, column: 0, row: 0), of: "Place", ["properties": "level"])
    #expect(
      tile?.features.map { $0.attributes["level"] } == [.integer(.max), .integer(.min)])
  }

  @Test func `requests for one pyramid share its computation`() async throws {
    let results = SharedResults<Int, Int>(maximumCount: 4, maximumCost: 4)
    let runs = Guarded(0)
    let values = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (try? results.value(for: 1, {}, cost: { _ in 1 }) {
            runs.withLock { $0 += 1 }
            return 7
          }) ?? 0
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(values == Array(repeating: 7, count: 8) && runs.withLock { $0 } == 1)
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      _ = try results.value(for: 2, {}, cost: { _ in 1 }) { throw Failure() }
    }
    #expect(try results.value(for: 2, {}, cost: { _ in 1 }) { 5 } == 5)
  }
}

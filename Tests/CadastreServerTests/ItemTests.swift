import CadastreModel
import Testing

@testable import CadastreServer

/// Parameters of items, compared with conditions on the plain values.
@Suite struct ItemTests {
  private let places = Place.random(400, seed: 2)
  private let server: TestServer

  init() throws { server = try TestServer(places) }

  private func expect(
    _ parameters: [String: String], _ condition: (Place) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let expected = places.filter(condition).map(\.id)
    #expect(
      try await server.ids(parameters) == expected, "\(parameters)", sourceLocation: sourceLocation)
  }

  private func isInside(
    _ place: Place, _ west: Double, _ south: Double, _ east: Double, _ north: Double
  ) -> Bool {
    guard let (x, y) = place.position, (south...north).contains(y) else { return false }
    return west <= east ? (west...east).contains(x) : x >= west || x <= east
  }

  @Test(arguments: [
    [-30, -20, 60, 40], [-180, -90, 180, 90], [170, -60, -170, 60], [179, -90, -90, 0],
    [0, 0, 0, 0],
    [-180, -10, -175, 10], [175, -10, 180, 10],
  ])
  func `bbox selects the places in the box, across 180° too`(box: [Double]) async throws {
    try await expect(["bbox": box.map { "\($0)" }.joined(separator: ",")]) {
      isInside($0, box[0], box[1], box[2], box[3])
    }
    let heights = [box[0], box[1], -100, box[2], box[3], 100]
    try await expect(["bbox": heights.map { "\($0)" }.joined(separator: ",")]) {
      isInside($0, box[0], box[1], box[2], box[3])
    }
  }

  @Test func `datetime selects a date or an interval`() async throws {
    let from = try #require(places.compactMap(\.seen).first)
    let text = from.description
    try await expect(["datetime": text]) { $0.seen == from }
    try await expect(["datetime": "\(text)/.."]) { $0.seen.map { $0 >= from } ?? false }
    try await expect(["datetime": "../\(text)"]) { $0.seen.map { $0 <= from } ?? false }
    try await expect(["datetime": "2020-01-05/2020-01-15"]) {
      $0.seen.map { (1_578_182_400...1_579_046_400).contains($0.seconds) } ?? false
    }
    try await expect(["datetime": "2020-01-05T00:00:00Z/"]) {
      $0.seen.map { $0.seconds >= 1_578_182_400 } ?? false
    }
  }

  @Test func `properties are parameters, and all conditions hold`() async throws {
    try await expect(["name": "Ada"]) { $0.name == "Ada" }
    try await expect(["level": "3"]) { $0.level == 3 }
    try await expect(["open": "true", "level": "2"]) { $0.isOpen == true && $0.level == 2 }
    try await expect(["score": "1.5", "bbox": "-180,0,180,90", "filter": "level > 1"]) {
      $0.score == 1.5 && $0.level.map { $0 > 1 } == true && isInside($0, -180, 0, 180, 90)
    }
    try await expect(["filter": "level > 4 OR name == nil", "filter-lang": "cadastre"]) {
      $0.level.map { $0 > 4 } == true || $0.name == nil
    }
  }

  @Test func `sortby orders by several properties`() async throws {
    func key(_ place: Place) -> (Int, Double, Int) {
      (-(place.level ?? -1), place.score ?? -1, place.id)
    }
    let expected = places.sorted { key($0) < key($1) }.map(\.id)
    #expect(try await server.ids(["sortby": "-level,+score,id"]) == expected)
  }

  @Test func `limit and the numbers of features agree`() async throws {
    let page = try await server.json("collections/Place/items", ["limit": "7", "level": "3"])
    let matched = places.count { $0.level == 3 }
    #expect(page["numberMatched"] as? Int == matched)
    #expect(page["numberReturned"] as? Int == 7)
    #expect((page["features"] as? [Any])?.count == 7)
    #expect(((try await server.json("collections/Place/items"))["features"] as? [Any])?.count == 10)
  }

  @Test func `a feature has its id, geometry and properties`() async throws {
    let place = try #require(places.first { $0.name == "O'Neil" && $0.position != nil })
    let feature = try await server.json("collections/Place/items/\(place.id)")
    #expect(feature["id"] as? Int == place.id)
    let geometry = feature["geometry"] as? [String: Any]
    let coordinates = try #require(geometry?["coordinates"] as? [Double])
    let position = try #require(place.position)
    #expect(abs(coordinates[0] - position.x) < 1e-9 && abs(coordinates[1] - position.y) < 1e-9)
    let properties = try #require(feature["properties"] as? [String: Any])
    #expect(properties["name"] as? String == "O'Neil")
    #expect(
      properties["detail.code"] as? String ?? (properties["detail"] as? [String: Any])?["code"]
        as? String == "code-\(place.id)")
  }

  @Test func `properties limits the properties of the features`() async throws {
    let page = try await server.json("collections/Place/items", ["properties": "name,level"])
    let feature = try #require((page["features"] as? [[String: Any]])?.first)
    #expect((feature["properties"] as? [String: Any])?.keys.sorted() == ["level", "name"])
    #expect(feature["geometry"] != nil)
  }
}

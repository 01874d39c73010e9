import Cadastre
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// An object with a number.
private protocol IdentifiedObject: ObjectBase, RealmCollectionValue { var id: Int { get } }
extension JoinTests.Town: IdentifiedObject {}
extension JoinTests.Area: IdentifiedObject {}

/// Joins of results by their geometries, compared with all pairs tested one by one.
@Suite struct JoinTests {
  final class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var spot: Spot?
    @Persisted var size = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    var geometry: Geometry? {
      guard let spot,
        let point = GeoPoint(latitude: spot.coordinates[1], longitude: spot.coordinates[0])
      else { return nil }
      return Geometry(point)
    }
  }

  final class Area: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var border: Geometry?
    @Persisted var parts: List<Geometry>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Town.self, Area.self, Spot.self]))
  }

  /// Towns and areas near the origin, near ±180° and near a pole; some have no geometry.
  private static func fill(_ realm: Realm, towns: Int, areas: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try realm.write {
      for id in 0..<towns {
        let town = Town()
        town.id = id
        town.size = random.below(1000)
        if !random.oneIn(8) {
          town.spot = Spot()
          let shift = [0.0, 177, -177][random.below(3)]
          let longitude: Double = random.oneIn(2) ? -180 : 180
          let (x, y) = (
            (random.number(-3...3) as Double).rounded(), (random.number(-3...3) as Double).rounded()
          )
          let place: [Double] =
            random.oneIn(12) ? [longitude, y] : random.oneIn(20) ? [x, 90] : [x + shift, y]
          town.spot?.coordinates.append(objectsIn: place)
        }
        realm.add(town)
      }
      for id in 0..<areas {
        let area = Area()
        area.id = id
        area.border = random.oneIn(9) ? nil : random.geometry()
        area.parts.append(objectsIn: (0..<random.below(3)).map { _ in random.geometry() })
        realm.add(area)
      }
    }
  }

  /// A relation of a town and an area in both of its forms.
  private struct Relation {
    typealias Pairs = (Query<Town>, Query<Area>) -> Query<Bool>

    let name: String
    let pairs: Pairs
    let holds: (Geometry, Geometry) -> Bool
  }

  private static func relations(_ edges: EdgeModel, _ limit: Distance) -> [Relation] {
    let near: Relation.Pairs = { $0.spot.geoDistance(to: $1.border, edges: edges) <= limit }
    let nearer: Relation.Pairs = { $1.border.geoDistance(to: $0.spot, edges: edges) < limit }
    return [
      Relation(name: "intersects", pairs: { $0.spot.geoIntersects($1.border, edges: edges) }) {
        $0.intersects($1, edges: edges)
      },
      Relation(name: "within", pairs: { $0.spot.geoWithin($1.border, edges: edges) }) {
        $0.isWithin($1, edges: edges)
      },
      Relation(name: "is contained", pairs: { $1.border.geoContains($0.spot, edges: edges) }) {
        $0.isWithin($1, edges: edges)
      },
      Relation(name: "equals", pairs: { $0.spot.geoEquals($1.border, edges: edges) }) {
        $0.equals($1, edges: edges)
      },
      Relation(name: "near", pairs: near) { $0.isWithin(limit, of: $1, edges: edges) },
      Relation(name: "nearer", pairs: nearer) { first, second in
        first.distance(to: second, edges: edges).map { $0 < limit } ?? false
      },
    ]
  }

  @Test func `many pairs of few objects`() throws {
    let realm = try Self.realm()
    let box = try Geometry(wkt: "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))")
    try realm.write {
      for id in 0..<1400 {
        let town = realm.create(Town.self, value: ["id": id])
        town.spot = Spot(value: ["coordinates": [Double(id % 3) + 1, 2]])
      }
      for id in 0..<1000 { realm.create(Area.self, value: ["id": id, "border": box]) }
    }
    // More pairs than are kept in memory, so the towns are divided.
    let counts = realm.objects(Town.self).joined(to: realm.objects(Area.self)) {
      $0.spot.geoWithin($1.border)
    }.partnerCounts()
    #expect(counts.map(\.object.id) == Array(0..<1400))
    #expect(counts.allSatisfy { $0.partnerCount == 1000 })
  }

  @Test(arguments: EdgeModel.allCases, Seeds.usual(1...2))
  func `pairs of points and geometries are those of all pairs`(edges: EdgeModel, seed: UInt64)
    throws
  {
    let realm = try Self.realm()
    try Self.fill(realm, towns: 120, areas: 60, seed: seed)
    let towns = realm.objects(Town.self).where { $0.size > 300 }
    let areas = realm.objects(Area.self)
    let limit = try #require(Distance.kilometers(Double(seed) * 120))

    let borders = Array(areas).map { ($0.id, $0.border) }
    let points = Array(towns).map { ($0.id, $0.geometry) }
    let allPoints = Array(realm.objects(Town.self)).map(\.geometry)
    for relation in Self.relations(edges, limit) {
      func holds(_ point: Geometry?, _ border: Geometry?) -> Bool {
        guard let point, let border else { return false }
        return relation.holds(point, border)
      }
      let label = "\(relation.name), seed \(seed)"
      var expected: [[Int]] = []
      for (town, point) in points {
        for (area, border) in borders where holds(point, border) { expected.append([town, area]) }
      }
      let join = towns.joined(to: areas, where: relation.pairs)
      #expect(ids(join) == expected, "\(label)")
      #expect(join.count == expected.count)
      // A limit on the right side excludes the search of its index.
      let inMemory = towns.joined(to: areas.limit(.max), where: relation.pairs)
      #expect(inMemory.explain().contains("by tree in memory: "))
      #expect(ids(inMemory) == expected, "\(label)")
      // Few areas search the index of the towns.
      let few = areas.where { $0.id < 1 }
      let counts = few.joined(to: realm.objects(Town.self)) { relation.pairs($1, $0) }
      #expect(counts.explain().contains("by index search: "))
      let expectedCount = allPoints.count { holds($0, borders[0].1) }
      #expect(counts.partnerCounts().map(\.partnerCount) == [expectedCount], "\(label)")
    }
  }

  private func ids<Left: IdentifiedObject, Right: IdentifiedObject>(
    _ pairs: JoinedResults<Left, (left: Left, right: Right)>
  ) -> [[Int]] { pairs.map { [$0.left.id, $0.right.id] } }

  @Test(arguments: Seeds.usual(1...2))
  func `pairs of geometries are those of all pairs`(seed: UInt64) throws {
    let realm = try Self.realm()
    try Self.fill(realm, towns: 0, areas: 60, seed: seed)
    let areas = realm.objects(Area.self).sorted(byKeyPath: "id", ascending: false)
    let objects = Array(areas)
    func expect(
      _ join: JoinedResults<Area, (left: Area, right: Area)>, _ holds: (Area, Area) -> Bool
    ) {
      var expected: [[Int]] = []
      for first in objects {
        for second in objects where first.id != second.id && holds(first, second) {
          expected.append([first.id, second.id])
        }
      }
      #expect(ids(join) == expected, "seed \(seed)")
    }
    for right in [areas, areas.limit(.max)] {
      expect(areas.joined(to: right) { $0.border.geoIntersects($1.border) }) { first, second in
        second.border.flatMap { first.border?.intersects($0) } ?? false
      }
      expect(areas.joined(to: right) { $1.border.geoContains($0.border) }) { first, second in
        first.border.flatMap { second.border?.contains($0) } ?? false
      }
      expect(areas.joined(to: right) { $0.parts.geoIntersects($1.border) }) { first, second in
        first.parts.contains { part in second.border?.intersects(part) ?? false }
      }
      expect(areas.joined(to: right) { $0.border.geoOverlaps($1.border) }) { first, second in
        guard let first = first.border, let second = second.border else { return false }
        return (try? first.overlaps(second)) ?? false
      }
    }
  }

  @Test(arguments: Seeds.usual(1...2))
  func `the nearest objects are those of all distances`(seed: UInt64) throws {
    let realm = try Self.realm()
    try Self.fill(realm, towns: 150, areas: 60, seed: seed)
    let towns = realm.objects(Town.self)
    let areas = realm.objects(Area.self)
    let limit = try #require(Distance.kilometers(400))

    let nearest = towns.joined(toNearest: 3, of: areas, within: limit) {
      $0.spot.geoDistance(to: $1.border)
    }
    var expected: [[Int]] = []
    let borders = Array(areas).map { ($0.id, $0.border) }
    for town in Array(towns) {
      guard let point = town.geometry else { continue }
      var distances: [(id: Int, distance: Distance)] = []
      for (id, border) in borders {
        guard let distance = border?.distance(to: point), distance <= limit else { continue }
        distances.append((id, distance))
      }
      let sorted = distances.sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
      expected += sorted.prefix(3).map { [town.id, $0.id] }
    }
    let found: [[Int]] = nearest.map { [$0.left.id, $0.right.id] }
    #expect(found == expected, "seed \(seed)")
    for (town, area, distance) in nearest.prefix(40) {
      let point = try #require(town.geometry)
      #expect(area.border?.distance(to: point) == distance)
    }
    // One town searches the index of all towns, and all towns build a tree.
    for count in [1, 150] {
      let pairs = towns.limit(count).joined(toNearest: 4, of: towns, within: limit) {
        $0.spot.geoDistance(to: $1.spot)
      }
      #expect(pairs.explain().contains(count == 1 ? "index search" : "tree in memory"))
      for (town, others) in Dictionary(grouping: pairs, by: \.left.id) {
        let point = try #require(towns[town].geometry)
        let distances = Array(towns).filter { $0.id != town }.compactMap {
          $0.geometry?.distance(to: point)
        }.filter { $0 <= limit }
        #expect(others.map(\.distance) == Array(distances.sorted().prefix(4)), "seed \(seed)")
      }
    }
  }

  @Test func `objects without a partner are kept, counted and limited`() throws {
    let realm = try Self.realm()
    try Self.fill(realm, towns: 40, areas: 30, seed: 7)
    let (towns, areas) = (realm.objects(Town.self), realm.objects(Area.self))
    let inner = towns.joined(to: areas) { $0.spot.geoWithin($1.border) }
    let outer = towns.leftJoined(to: areas) { $0.spot.geoWithin($1.border) }
    let matched = Set(inner.map(\.left.id))
    #expect(!matched.isEmpty && matched.count < 40)
    #expect(
      Set(outer.filter { $0.right == nil }.map(\.left.id)) == Set(0..<40).subtracting(matched))
    #expect(outer.count == inner.count + 40 - matched.count)
    #expect(outer.map(\.left.id) == outer.map(\.left.id).sorted())
    #expect(ids(inner.limit(3)) == Array(ids(inner).prefix(3)))
    #expect(inner.first?.right.id == inner[0].right.id)
    #expect(inner.limit(0).isEmpty && inner.limit(0).first == nil)
    #expect(inner.partnerCounts().map(\.partnerCount).reduce(0, +) == inner.count)
    // Within a transaction, changes take part.
    try realm.write {
      let area = Area()
      area.id = 1000
      area.border = try? Geometry(wkt: "POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))")
      realm.add(area)
      let all = towns.joined(to: areas.where { $0.id == 1000 }) {
        $0.spot.geoWithin($1.border, edges: .planar)
      }
      #expect(all.count == Array(towns).count { $0.spot != nil })
    }
  }

  @Test(arguments: [GeoGrid.tile(zoom: 7), .geohash(length: 3)])
  func `objects are grouped by cells`(grid: GeoGrid) throws {
    let realm = try Self.realm()
    try Self.fill(realm, towns: 400, areas: 200, seed: 3)
    let towns = realm.objects(Town.self).where { $0.size > 100 }
    var expected: [GridCell: [Int]] = [:]
    for town in towns {
      guard let point = town.geometry?.point else { continue }
      expected[GridCell(containing: point, in: grid), default: []].append(town.size)
    }
    let groups = towns.grouped(byCell: grid, of: \.spot)
    #expect(groups.count().map(\.key) == expected.keys.sorted())
    #expect(groups.count().allSatisfy { expected[$0.key]?.count == $0.value })
    #expect(groups.sum(of: \.size).allSatisfy { expected[$0.key]?.reduce(0, +) == $0.value })
    #expect(groups.max(of: \.size).allSatisfy { expected[$0.key]?.max() == $0.value })

    var areas: [GridCell: Int] = [:]
    for area in realm.objects(Area.self) {
      guard let center = area.border?.centroid else { continue }
      areas[GridCell(containing: center, in: grid), default: 0] += 1
    }
    let counts = realm.objects(Area.self).grouped(byCell: grid, of: \.border).count()
    #expect(Dictionary(uniqueKeysWithValues: counts.map { ($0.key, $0.value) }) == areas)
  }
}

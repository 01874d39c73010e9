import Cadastre
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Geometries as properties: stored, queried by their relations, and indexed.
@Suite struct GeometryPropertyTests {
  final class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Plan: EmbeddedObject {
    @Persisted var outline: Geometry?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Parcel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var border: Geometry
    @Persisted var road: Geometry?
    @Persisted var parts: List<Geometry>
    @Persisted var named: Map<String, Geometry?>
    @Persisted var kinds: MutableSet<Geometry>
    @Persisted var any: AnyRealmValue
    @Persisted var plan: Plan?
    @Persisted var spot: Spot?
    @Persisted var neighbour: Parcel?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func realm(_ url: URL? = nil) throws -> Realm {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Parcel.self, Plan.self, Spot.self])
    if let url {
      configuration = Realm.Configuration(
        fileURL: url, objectTypes: [Parcel.self, Plan.self, Spot.self])
    }
    return try Realm(configuration: configuration)
  }

  /// Parcels with random geometries; some have none.
  private static func fill(_ realm: Realm, _ count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try realm.write {
      var last: Parcel?
      for id in 0..<count {
        let parcel = Parcel()
        parcel.id = id
        parcel.border = random.geometry()
        parcel.road = random.oneIn(4) ? nil : random.geometry()
        parcel.parts.append(objectsIn: (0..<random.below(3)).map { _ in random.geometry() })
        parcel.any = random.oneIn(2) ? .geometry(random.geometry()) : .int(id)
        if !random.oneIn(3) {
          parcel.plan = Plan()
          parcel.plan?.outline = random.geometry()
          parcel.spot = Spot()
          parcel.spot?.coordinates.append(objectsIn: [random.number(-6...6), random.number(-6...6)])
        }
        parcel.neighbour = random.oneIn(3) ? nil : last
        realm.add(parcel)
        last = parcel
      }
    }
  }

  @Test func `values survive closing the file`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cadastre-tests-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("parcels.cadastre")
    var random = SeededGenerator(seed: 5)
    let shapes = (0..<60).map { _ in random.geometry() }
    do {
      let realm = try Self.realm(url)
      try realm.write {
        let parcel = Parcel()
        parcel.border = shapes[0]
        parcel.road = shapes[1]
        parcel.parts.append(objectsIn: shapes)
        for (index, shape) in shapes.enumerated() { parcel.named["\(index)"] = shape }
        parcel.kinds.insert(objectsIn: shapes)
        parcel.any = .fromArray([.geometry(shapes[2]), .geometry(shapes[3])])
        parcel.plan = Plan()
        parcel.plan?.outline = shapes[4]
        realm.add(parcel)
      }
    }
    let parcel = try #require(try Self.realm(url).object(ofType: Parcel.self, forPrimaryKey: 0))
    #expect(parcel.border == shapes[0] && parcel.road == shapes[1])
    #expect(Array(parcel.parts) == shapes)
    #expect(parcel.named["7"] == shapes[7])
    #expect(Set(parcel.kinds) == Set(shapes))
    #expect(parcel.any.listValue?[1].geometryValue == shapes[3])
    #expect(parcel.plan?.outline == shapes[4])
  }

  @Test(arguments: EdgeModel.allCases, Seeds.usual(1...2))
  func `relations to constants are those of values`(edges: EdgeModel, seed: UInt64) throws {
    let realm = try Self.realm()
    try Self.fill(realm, 120, seed: seed)
    let parcels = realm.objects(Parcel.self)
    var random = SeededGenerator(seed: seed + 50)
    for _ in 0..<10 {
      let other = random.oneIn(3) ? parcels[random.below(120)].border : random.geometry()
      let limit = try #require(Distance.kilometers(random.number(0...900)))
      let expectations: [(Results<Parcel>, (Geometry) -> Bool, String)] = [
        (
          parcels.where { $0.border.geoIntersects(other, edges: edges) },
          { $0.intersects(other, edges: edges) }, "intersects"
        ),
        (
          parcels.where { $0.border.geoWithin(other, edges: edges) },
          { $0.isWithin(other, edges: edges) }, "within"
        ),
        (
          parcels.where { $0.border.geoContains(other, edges: edges) },
          { $0.contains(other, edges: edges) }, "contains"
        ),
        (
          parcels.where { $0.border.geoEquals(other, edges: edges) },
          { $0.equals(other, edges: edges) }, "equals"
        ),
        (
          parcels.where { $0.border.geoDisjoint(from: other, edges: edges) },
          { $0.isDisjoint(from: other, edges: edges) }, "disjoint"
        ),
        (
          parcels.where { $0.border.geoDistance(to: other, edges: edges) <= limit },
          { $0.isWithin(limit, of: other, edges: edges) }, "distance"
        ),
        (
          parcels.where { $0.border.geoDistance(to: other, edges: edges) > limit },
          { $0.distance(to: other, edges: edges).map { $0 > limit } ?? false }, "farther"
        ),
      ]
      for (found, holds, name) in expectations {
        let expected = parcels.filter { holds($0.border) }.map(\.id)
        #expect(Array(found.map(\.id)) == Array(expected), "\(name) \(other), seed \(seed)")
        #expect(found.count == expected.count)
      }
    }
  }

  @Test(arguments: 1...3) func `relations of properties are those of values`(seed: UInt64) throws {
    let realm = try Self.realm()
    try Self.fill(realm, 300, seed: seed)
    let parcels = realm.objects(Parcel.self)
    func expect(
      _ found: Results<Parcel>, _ text: String, _ holds: (Parcel) -> Bool
    ) throws {
      let expected = parcels.filter(holds).map(\.id)
      #expect(Array(found.map(\.id)) == Array(expected), "\(text), seed \(seed)")
      #expect(
        Array(try realm.objects(Parcel.self).filter(parsing: text).map(\.id)) == Array(expected))
    }
    try expect(
      parcels.where { $0.border.geoIntersects($0.road) }, "border GEOINTERSECTS road"
    ) { parcel in parcel.road.map { parcel.border.intersects($0) } ?? false }
    try expect(
      parcels.where { $0.border.geoContains($0.spot) }, "border GEOCONTAINS spot"
    ) { parcel in
      guard let spot = parcel.spot,
        let point = GeoPoint(latitude: spot.coordinates[1], longitude: spot.coordinates[0])
      else { return false }
      return parcel.border.contains(Geometry(point))
    }
    try expect(
      parcels.where { $0.border.geoDisjoint(from: $0.neighbour.border) },
      "border GEODISJOINT neighbour.border"
    ) { parcel in parcel.neighbour.map { parcel.border.isDisjoint(from: $0.border) } ?? true }
    let box = try Geometry(wkt: "POLYGON ((-3 -3, 3 -3, 3 3, -3 3, -3 -3))")
    try expect(
      parcels.where { $0.parts.geoIntersects(box) },
      "ANY parts GEOINTERSECTS geometry('\(box)')"
    ) { $0.parts.contains { $0.intersects(box) } }
    try expect(
      parcels.where { $0.plan.outline.geoWithin(box) }, "plan.outline GEOWITHIN geometry('\(box)')"
    ) { $0.plan?.outline?.isWithin(box) ?? false }
    try expect(
      parcels.where { $0.neighbour.border.geoIntersects(box) },
      "neighbour.border GEOINTERSECTS '\(box)'"
    ) { $0.neighbour.map { $0.border.intersects(box) } ?? false }
    #expect(
      try realm.objects(Parcel.self).filter(parsing: "#any GEOINTERSECTS geometry('\(box)')").count
        == parcels.filter { $0.any.geometryValue?.intersects(box) ?? false }.count)
  }

  @Test(arguments: Seeds.usual(1...2))
  func `geometries are in order of their distance`(seed: UInt64) throws {
    let realm = try Self.realm()
    try Self.fill(realm, 400, seed: seed)
    let parcels = realm.objects(Parcel.self)
    var random = SeededGenerator(seed: seed + 9)
    for _ in 0..<12 {
      let point = try #require(
        GeoPoint(
          latitude: random.oneIn(6) ? 90 : random.number(-8...8),
          longitude: random.oneIn(4) ? 180 : random.number(-8...8)))
      for keyPath in [\Parcel.border as PartialKeyPath, \Parcel.road] {
        let distances = parcels.map { parcel in
          let geometry = keyPath == \Parcel.border ? parcel.border : parcel.road
          return (id: parcel.id, distance: geometry?.distance(to: Geometry(point)))
        }
        let expected = distances.sorted { first, second in
          if first.distance == second.distance { return first.id < second.id }
          guard let one = first.distance else { return false }
          return second.distance.map { one < $0 } ?? true
        }
        let sorted =
          keyPath == \Parcel.border
          ? parcels.sorted(byDistanceFrom: point, of: \.border)
          : parcels.sorted(byDistanceFrom: point, of: \.road)
        #expect(sorted.map(\.id) == expected.map(\.id), "\(point), seed \(seed)")
        let nearest =
          keyPath == \Parcel.border
          ? parcels.nearest(7, to: point, of: \.border) : parcels.nearest(7, to: point, of: \.road)
        #expect(nearest.map(\.id) == expected.prefix(7).map(\.id), "\(point), seed \(seed)")
      }
    }
    let origin = try #require(GeoPoint(latitude: 1, longitude: 1))
    let pairs = parcels.nearest(5, to: origin, of: \.border).withDistances(
      from: origin, of: \.border)
    #expect(pairs.allSatisfy { $0.object.border.distance(to: Geometry(origin)) == $0.distance })
    #expect(parcels.nearest(5, to: origin, of: \.border).explain().contains("Nearest"))
  }

  @Test func `planar relations of the OGC`() throws {
    let realm = try Self.realm()
    try Self.fill(realm, 200, seed: 9)
    let parcels = realm.objects(Parcel.self)
    let box = try Geometry(wkt: "POLYGON ((-3 -3, 3 -3, 3 3, -3 3, -3 -3))")
    #expect(
      parcels.where { $0.border.geoTouches(box) }.count
        == parcels.filter { (try? $0.border.touches(box)) ?? false }.count)
    #expect(
      parcels.where { $0.border.geoCrosses(box) }.count
        == parcels.filter { (try? $0.border.crosses(box)) ?? false }.count)
    #expect(
      try realm.objects(Parcel.self).filter(parsing: "border GEOOVERLAPS[planar] '\(box)'").count
        == parcels.filter { (try? $0.border.overlaps(box)) ?? false }.count)
    #expect(throws: (any Error).self) {
      try realm.objects(Parcel.self).filter(parsing: "border GEOTOUCHES '\(box)'").count
    }
  }

  @Test func `a spatial index finds geometries, and follows changes`() throws {
    let realm = try Self.realm()
    try Self.fill(realm, 1000, seed: 3)
    let circle = try #require(
      Distance.kilometers(3).flatMap { GeoCircle(center: (1.1, 1.2), radius: $0) })
    let found = realm.objects(Parcel.self).where { $0.border.geoWithin(circle) }
    #expect(found.explain().contains("SpatialSearch Parcel.border where border GEOWITHIN"))
    let inside = try Geometry(wkt: "LINESTRING (1.2 1.1, 1.21 1.102)")
    let before = found.count
    let parcel = try #require(
      realm.objects(Parcel.self).first { !$0.border.isWithin(inside) && !$0.border.isEmpty })
    let wasInside = found.contains { $0.id == parcel.id }
    try realm.write { parcel.border = inside }
    #expect(found.count == before + (wasInside ? 0 : 1))
    try realm.write { realm.delete(parcel) }
    #expect(found.count == before - (wasInside ? 1 : 0))
  }

  @Test func `mistakes have typed errors`() throws {
    let realm = try Self.realm()
    for text in [
      "id GEOINTERSECTS geometry('POINT (1 2)')", "border GEOINTERSECTS 3",
      "border GEOINTERSECTS geometry('POINT (1 200)')", "border GEOINTERSECTS parts",
      "border > geometry('POINT (1 2)')", "GEODISTANCE(border, road) == 3km",
      "GEODISTANCE(border, road) < -3km", "border GEOTOUCHES geometry('POINT (1 2)')",
      "border GEOINTERSECTS[round] geometry('POINT (1 2)')", "NONE border GEOWITHIN 'POINT (1 2)'",
      "border GEOINTERSECTS geometry(3)", "border GEOWITHIN 'nowhere'",
    ] {
      #expect(throws: (any Error).self, "\(text)") {
        try realm.objects(Parcel.self).filter(parsing: text).count
      }
    }
    try realm.write { realm.create(Parcel.self, value: ["id": 7, "border": "POINT (1 2)"]) }
    #expect(realm.object(ofType: Parcel.self, forPrimaryKey: 7)?.border.point?.longitude == 1)
  }

  @Test func `geometries are encoded as GeoJSON`() throws {
    let shape = try Geometry(wkt: "MULTILINESTRING Z ((1 2 3, 4 5 6), (7 8 9, 10 11 12))")
    let data = try JSONEncoder().encode(shape)
    #expect(try JSONDecoder().decode(Geometry.self, from: data) == shape)
    #expect(try Geometry(geoJSON: data) == shape)
  }
}

@testable import Cadastre
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Relations to the geometry of any object of a class, compared with all pairs tested one by one.
@Suite struct RelatedObjectsTests {
  final class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Area: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var kind = 0
    @Persisted var border: Geometry?
    @Persisted var parts: List<Geometry>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var spot: Spot?
    @Persisted var roads: List<Geometry>
    @Persisted var twin: Town?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    var place: Geometry? {
      guard let spot,
        let point = GeoPoint(latitude: spot.coordinates[1], longitude: spot.coordinates[0])
      else { return nil }
      return Geometry(point)
    }
  }

  private let checks: ConditionChecks<Town>
  private let areas: [Area]
  private var realm: Realm { checks.realm }

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Town.self, Area.self, Spot.self]))
    var random = SeededGenerator(seed: 33)
    try realm.write {
      for id in 0..<60 {
        let area = Area()
        (area.id, area.kind) = (id, id % 3 == 0 ? 1 : id % 20 == 1 ? 2 : 3)
        area.border = random.oneIn(6) ? nil : random.geometry()
        area.parts.append(objectsIn: (0..<random.below(3)).map { _ in random.geometry() })
        realm.add(area)
      }
      var last: Town?
      for id in 0..<200 {
        let town = Town()
        town.id = id
        if !random.oneIn(8) {
          town.spot = Spot()
          town.spot?.coordinates.append(objectsIn: [random.number(-6...6), random.number(-6...6)])
        }
        town.roads.append(objectsIn: (0..<random.below(3)).map { _ in random.geometry() })
        town.twin = random.oneIn(3) ? nil : last
        realm.add(town)
        last = town
      }
    }
    checks = ConditionChecks(realm: realm)
    areas = Array(realm.objects(Area.self))
  }

  private func borders(_ kind: Int) -> [Geometry] {
    areas.filter { $0.kind == kind }.compactMap(\.border)
  }

  @Test(arguments: [1, 2, 9]) func `relations to any object`(kind: Int) throws {
    let some = realm.objects(Area.self).where { $0.kind == kind }
    let borders = borders(kind)
    try checks.expect(
      "spot GEOWITHIN ANY Area.border WHERE (kind == \(kind))",
      matches: { town in
        town.place.map { place in borders.contains { $0.contains(place) } } ?? false
      }
    ) { $0.spot.geoWithin(some.any(of: \.border)) }
    try checks.expect(
      "ANY roads GEOINTERSECTS ANY Area.border WHERE (kind == \(kind))",
      matches: { $0.roads.contains { road in borders.contains { $0.intersects(road) } } }
    ) { $0.roads.geoIntersects(some.any(of: \.border)) }
    let limit = Distance.kilometers(40) ?? .zero
    try checks.expect(
      "GEODISTANCE(spot, ANY Area.border WHERE (kind == \(kind))) <= 40km",
      matches: { town in
        town.place.map { place in borders.contains { $0.isWithin(limit, of: place) } } ?? false
      }
    ) { $0.spot.geoDistance(to: some.any(of: \.border)) <= limit }
    try checks.expect(
      "twin.spot GEOWITHIN[planar] ANY Area.border WHERE (kind == \(kind) AND border.area > 1000.0)",
      matches: { town in
        town.twin?.place.map { place in
          borders.contains { $0.area > 1000 && $0.contains(place, edges: .planar) }
        } ?? false
      }
    ) {
      $0.twin.spot.geoWithin(some.where { $0.border.area > 1000 }.any(of: \.border), edges: .planar)
    }
  }

  @Test func `an object of another Realm in the condition stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let towns = try RelatedObjectsTests().realm.objects(Town.self)
      let other = try #require(try RelatedObjectsTests().realm.objects(Town.self).first)
      _ = towns.filter("spot GEOWITHIN ANY Town.roads WHERE (twin == %@)", other)
    }
    expectStop(result, says: "Object must be from the Realm being queried: 'Town' is not")
  }

  @Test func `collections on the right, and all objects`() throws {
    let parts = areas.flatMap(\.parts)
    try checks.expect(
      "spot GEOWITHIN ANY Area.parts",
      matches: { town in town.place.map { place in parts.contains { $0.contains(place) } } ?? false
      }
    ) { $0.spot.geoWithin(realm.objects(Area.self).any(of: \.parts)) }
    // Each object is related to itself.
    try checks.expect("spot GEOEQUALS SOME Town.spot", matches: { $0.place != nil }) {
      $0.spot.geoEquals(realm.objects(Town.self).any(of: \.spot))
    }
  }

  @Test func `quantifiers and other conditions`() throws {
    let towns = realm.objects(Town.self)
    let borders = borders(1)
    func ids(_ text: String) -> [Int] { towns.filter(text).map(\.id) }
    func ids(_ test: (Town) -> Bool) -> [Int] { towns.filter(test).map(\.id) }
    let touches = { (road: Geometry) in borders.contains { $0.intersects(road) } }
    #expect(
      ids("ALL roads GEOINTERSECTS ANY Area.border WHERE (kind == 1)")
        == ids { !$0.roads.isEmpty && $0.roads.allSatisfy(touches) })
    #expect(
      ids("NONE roads GEOINTERSECTS ANY Area.border WHERE (kind == 1)")
        == ids { !$0.roads.contains(where: touches) })
    #expect(
      ids("id < 100 AND NOT (spot GEOWITHIN ANY Area.border WHERE (kind IN {1, 2}) OR id < 5)")
        == ids { town in
          guard let place = town.place else { return (5..<100).contains(town.id) }
          return (5..<100).contains(town.id)
            && !(borders + self.borders(2)).contains { $0.contains(place) }
        })
  }

  @Test func `results follow changes of the other class`() throws {
    let inside = realm.objects(Town.self).filter("spot GEOWITHIN ANY Area.border WHERE (kind == 7)")
    #expect(inside.isEmpty)
    try realm.write {
      let area = Area()
      (area.id, area.kind) = (1000, 7)
      area.border = try? Geometry(wkt: "POLYGON ((-7 -7, 7 -7, 7 7, -7 7, -7 -7))")
      realm.add(area)
    }
    let placed = realm.objects(Town.self).filter { $0.spot != nil }.count
    #expect(inside.count == placed && placed > 100)
    try realm.write { realm.object(ofType: Area.self, forPrimaryKey: 1000)?.kind = 8 }
    #expect(inside.isEmpty)
  }

  @Test func `few objects become constants, which an index finds`() throws {
    let town = realm.objects(Town.self)
    func measured(_ text: String) -> String { town.filter(text).explain([.measured]) }
    let few = measured("spot GEOWITHIN ANY Area.border WHERE (kind == 2)")
    #expect(few.contains("spot GEOWITHIN geometry(") && !few.contains("ANY Area"), "\(few)")
    #expect(few.contains("InitPlan Area (measured rows "), "\(few)")
    let many = measured("spot GEOWITHIN ANY Area.border WHERE (kind == 1)")
    #expect(many.contains("ANY Area.border WHERE (kind == 1)"), "\(many)")
    #expect(measured("spot GEOWITHIN ANY Area.border WHERE (kind == 9)").contains("Nothing"))
  }

  @Test func `a plan that is printed has the inner query and both choices`() {
    let town = realm.objects(Town.self)
    for kind in [1, 2, 9] {
      let plan = town.filter("spot GEOWITHIN ANY Area.border WHERE (kind == \(kind))").explain()
      let lines = plan.split(separator: "\n")
      #expect(lines.first == "Choose by the number of objects", "\(plan)")
      #expect(lines.contains { $0.contains("InitPlan Area") }, "\(plan)")
      #expect(lines.contains { $0.contains("each of up to 16 geometries") }, "\(plan)")
      #expect(
        lines.contains { $0.contains("Filter spot GEOWITHIN ANY Area.border WHERE (kind == ") },
        "\(plan)")
    }
  }

  @Test(arguments: [
    ("spot GEOWITHIN ANY border", "expected a class and a path to its geometries after ANY"),
    ("spot GEOWITHIN ANY Aera.border", "did you mean 'Area'?"),
    ("spot GEOWITHIN ANY Area.kind", "a relation needs a geometry"),
    ("spot GEOWITHIN ANY Area.border WHERE kind == 1", "'(' and a predicate after WHERE"),
    ("spot GEOWITHIN ANY Area.border WHERE (id2 == 1)", "'id2' not found"),
    ("spot GEODISJOINT ANY Area.border", "NOT … GEOINTERSECTS ANY"),
    ("GEODISTANCE(spot, ANY Area.border) > 5km", "NOT … GEOINTERSECTS ANY"),
    ("geometry('POINT (1 1)') GEOWITHIN ANY Area.border", "needs a property on its left"),
  ]) func `errors`(text: String, message: String) throws {
    let error = #expect(throws: QueryPredicateError.self) {
      _ = try realm.objects(Town.self).filter(parsing: text)
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}

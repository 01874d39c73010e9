@testable import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Measures of geometries in conditions, orders and aggregates, compared with those of the values.
@Suite struct GeometryMeasureTests {
  final class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Tract: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var border: Geometry
    @Persisted var road: Geometry?
    @Persisted var parts: List<Geometry>
    @Persisted var mixed: AnyRealmValue
    @Persisted var spot: Spot?
    @Persisted var next: Tract?
    @Persisted var others: List<Tract>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let checks: ConditionChecks<Tract>
  private var tracts: Results<Tract> { checks.realm.objects(Tract.self) }

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Tract.self, Spot.self]))
    var random = SeededGenerator(seed: 21)
    try realm.write {
      var made: [Tract] = []
      for id in 0..<80 {
        let tract = Tract()
        tract.id = id
        tract.border = random.geometry()
        tract.road = random.oneIn(4) ? nil : random.geometry()
        tract.parts.append(objectsIn: (0..<random.below(3)).map { _ in random.geometry() })
        tract.mixed = random.oneIn(2) ? .geometry(random.geometry()) : .int(id)
        if !random.oneIn(3) {
          tract.spot = Spot()
          tract.spot?.coordinates.append(objectsIn: [random.number(-6...6), random.number(-6...6)])
        }
        tract.next = random.oneIn(3) ? nil : made.last
        for other in made where random.oneIn(20) { tract.others.append(other) }
        realm.add(tract)
        made.append(tract)
      }
    }
    checks = ConditionChecks(realm: realm)
  }

  @Test func `measures in conditions`() throws {
    try checks.expect("border.area > 100000000.0", matches: { $0.border.area > 1e8 }) {
      $0.border.area > 1e8
    }
    try checks.expect("border.perimeter <= 300000.0", matches: { $0.border.perimeter <= 3e5 }) {
      $0.border.perimeter <= 3e5
    }
    try checks.expect("road.length > 0.0", matches: { ($0.road?.length ?? 0) > 0 }) {
      $0.road.length > 0
    }
    try checks.expect("border.positionCount > 4", matches: { $0.border.positionCount > 4 }) {
      $0.border.positionCount > 4
    }
    try checks.expect("next.road.area > 1.0", matches: { ($0.next?.road?.area ?? 0) > 1 }) {
      $0.next.road.area > 1
    }
    try checks.expect(
      "ANY parts.area > 1000.0", matches: { $0.parts.contains { $0.area > 1000 } }
    ) { $0.parts.area > 1000 }
    let west = { (tract: Tract) in tract.border.boundingBox()?.bottomLeft.longitude }
    try checks.expect("border.west < 1.0", matches: { (west($0) ?? 1) < 1 }) { $0.border.west < 1 }
    try checks.expect("border.west == null", matches: { west($0) == nil }) {
      $0.border.west == nil
    }
    let north = { (tract: Tract) in tract.border.boundingBox()?.topRight.latitude }
    try checks.expect("border.north >= 2.0", matches: { (north($0) ?? 0) >= 2 }) {
      $0.border.north >= 2
    }
    try checks.expect(
      "border.centroid.latitude > 1.0", matches: { ($0.border.centroid?.latitude ?? 0) > 1 }
    ) { $0.border.centroid.latitude > 1 }
    try checks.expect(
      "border.area > road.area",
      matches: { tract in tract.road.map { tract.border.area > $0.area } ?? false }
    ) { $0.border.area > $0.road.area }
    let circle = try #require(
      GeoCircle(center: (1, 1), radiusInRadians: 0.03))
    try checks.expect(matches: {
      $0.border.centroid.map { circle.contains(Geometry($0)) } ?? false
    }) { $0.border.centroid.geoWithin(circle) }
  }

  @Test func `aggregates of measures in conditions`() throws {
    try checks.expect(
      "parts.@sum.area > 5000.0",
      matches: { $0.parts.reduce(0) { $0 + $1.area } > 5000 }
    ) { $0.parts.area.sum > 5000 }
    try checks.expect(
      "others.@max.border.perimeter > 100000.0",
      matches: { ($0.others.map(\.border.perimeter).max() ?? 0) > 100000 }
    ) { $0.others.border.perimeter.max > 100000 }
    try checks.expect(
      "SUBQUERY(others, $x, $x.border.area > 1000.0).@count > 1",
      matches: { $0.others.filter { $0.border.area > 1000 }.count > 1 }
    ) { ($0.others.border.area > 1000).count > 1 }
  }

  @Test func `values of any type`() throws {
    let found = tracts.filter("mixed.area > 1000").map(\.id)
    let expected = tracts.filter { ($0.mixed.geometryValue?.area ?? 0) > 1000 }.map(\.id)
    #expect(Array(found) == Array(expected) && !found.isEmpty)
  }

  @Test func `orders and aggregates of results`() throws {
    let borders = tracts.map { $0.border }
    let byArea = Array(tracts.sorted(by: \.border.area, ascending: false).map(\.border.area))
    #expect(byArea == borders.map(\.area).sorted(by: >))
    let count = tracts.sorted(byKeyPath: "border.positionCount").map(\.border.positionCount)
    #expect(Array(count) == borders.map(\.positionCount).sorted())
    let largest = tracts.sorted(byKeyPath: "border.area", ascending: false).first
    #expect(largest?.border.area == borders.map(\.area).max())

    let sum: Double = tracts.sum(of: \.border.area)
    #expect(abs(sum - borders.reduce(0) { $0 + $1.area }) <= sum * 1e-12)
    #expect(tracts.max(of: \.border.perimeter) == borders.map(\.perimeter).max())
    #expect(tracts.min(ofProperty: "border.positionCount") == borders.map(\.positionCount).min())
    let lengths = tracts.compactMap { $0.road?.length }
    let average: Double? = tracts.average(ofProperty: "road.length")
    let expected = lengths.reduce(0, +) / Double(lengths.count)
    #expect(abs((average ?? 0) - expected) <= expected * 1e-12)

    let list = List<Tract>()
    list.append(objectsIn: tracts.map { Tract(value: ["id": $0.id, "border": $0.border]) })
    #expect(list.max(of: \.border.area) == borders.map(\.area).max())
  }

  @Test func `key paths into a geometry lead to its measures`() {
    #expect(_name(for: \Tract.border.area) == "border.area")
    #expect(_name(for: \Tract.next?.border.length) == "next.border.length")
    #expect(_name(for: \Tract.road?.perimeter) == "road.perimeter")
    #expect(_name(for: \Tract.border.positionCount) == "border.positionCount")
    #expect(_name(for: \Tract.border.centroid) == "border.centroid")
    #expect(_name(for: \Tract.border) == "border")
    #expect(_name(for: \Tract.road) == "road")
  }

  @Test func `Foundation's predicates`() throws {
    let circle = try #require(GeoCircle(center: (1, 1), radiusInRadians: 0.05))
    let box = try Geometry(wkt: "POLYGON ((-3 -3, 4 -3, 4 4, -3 4, -3 -3))")
    let limit = 1000.0
    try checks.expect(#Predicate { $0.border.area > limit }, is: "border.area > 1000.0")
    try checks.expect(#Predicate { $0.next?.border.positionCount == 5 })
    try checks.expect(#Predicate { circle.contains($0.spot) }, is: "spot GEOWITHIN $0", circle)
    try checks.expect(#Predicate { circle.contains($0.border) }, is: "border GEOWITHIN $0", circle)
    try checks.expect(#Predicate { box.contains($0.road) }, is: "road GEOWITHIN $0", box)
    try checks.expect(#Predicate { $0.border.contains($0.spot) }, is: "spot GEOWITHIN border")
    try checks.expect(#Predicate { !box.contains($0.spot) && $0.id > 3 })
    try checks.expect(
      #Predicate { if let next = $0.next { box.contains(next.border) } else { false } })
  }

  @Test func `relations in Foundation's predicates`() throws {
    let circle = try #require(GeoCircle(center: (1, 1), radiusInRadians: 0.05))
    let box = try Geometry(wkt: "POLYGON ((-3 -3, 4 -3, 4 4, -3 4, -3 -3))")
    let first = try #require(tracts.first).border
    try checks.expect(
      #Predicate { circle.intersecting.contains($0.border) }, is: "border GEOINTERSECTS $0", circle)
    try checks.expect(
      #Predicate { box.intersecting.contains($0.spot) }, is: "spot GEOINTERSECTS $0", box)
    try checks.expect(
      #Predicate { $0.border.intersecting.contains($0.road) }, is: "road GEOINTERSECTS border")
    try checks.expect(#Predicate { !box.intersecting.contains($0.road) })
    try checks.expect(
      #Predicate { first.equal.contains($0.border) }, is: "border GEOEQUALS $0", first)
    try checks.expect(
      #Predicate { box.touching.contains($0.border) }, is: "border GEOTOUCHES[planar] $0", box)
    try checks.expect(
      #Predicate { box.crossing.contains($0.border) }, is: "border GEOCROSSES[planar] $0", box)
    try checks.expect(
      #Predicate { box.overlapping.contains($0.road) }, is: "road GEOOVERLAPS[planar] $0", box)
    try checks.expect(#Predicate { box.intersecting.contains($0.border) && $0.id < 60 })
    try checks.expect(
      #Predicate { if let next = $0.next { box.intersecting.contains(next.border) } else { true } })
  }

  @Test func `relations with planar edges in Foundation's predicates`() throws {
    let box = try Geometry(wkt: "POLYGON ((-3 -3, 4 -3, 4 4, -3 4, -3 -3))")
    let first = try #require(tracts.first).border
    try checks.expect(
      #Predicate { box.intersecting.planar.contains($0.border) },
      is: "border GEOINTERSECTS[planar] $0", box)
    try checks.expect(
      #Predicate { box.within.planar.contains($0.border) }, is: "border GEOWITHIN[planar] $0", box)
    try checks.expect(
      #Predicate { box.within.contains($0.border) }, is: "border GEOWITHIN $0", box)
    try checks.expect(
      #Predicate { first.equal.planar.contains($0.border) },
      is: "border GEOEQUALS[planar] $0", first)
    try checks.expect(
      #Predicate { $0.border.intersecting.planar.contains($0.road) },
      is: "road GEOINTERSECTS[planar] border")
    try checks.expect(
      #Predicate { $0.border.within.planar.contains($0.spot) },
      is: "spot GEOWITHIN[planar] border")
    try checks.expect(
      #Predicate { box.touching.planar.contains($0.border) }, is: "border GEOTOUCHES[planar] $0",
      box)
  }

  @Test func `distances in Foundation's predicates`() throws {
    let point = try Geometry(wkt: "POINT (1 1)")
    let circle = try #require(GeoCircle(center: (1, 1), radiusInRadians: 0.01))
    try checks.expect(
      #Predicate { point.distancesInMeters[$0.border] < 300_000 },
      is: "GEODISTANCE(border, $0) < 300km",
      point)
    try checks.expect(#Predicate { circle.distancesInMeters[$0.spot] >= 200_000 })
    try checks.expect(#Predicate { 100_000 > $0.border.distancesInMeters[$0.spot] })
    try checks.expect(#Predicate { !(point.distancesInMeters[$0.road] <= 150_000) })
    #expect(throws: QueryPredicateError.self) {
      try tracts.filter(#Predicate { point.distancesInMeters[$0.border] == 5 })
    }
    #expect(throws: QueryPredicateError.self) {
      try tracts.filter(#Predicate { point.distancesInMeters[$0.border] < -5 })
    }
  }

  @Test(arguments: [
    ("border.aera > 1", "did you mean 'area'?"),
    ("border.size > 1", "'border' is a geometry and has no measure 'size'; it has area, perimeter"),
    ("border.area.west > 1", "no property 'west'"),
    ("border.area == 'x'", "border.area"),
    ("parts.@sum.centroid > 1", "aggregate"),
  ]) func `errors name the measure`(text: String, message: String) throws {
    let error = #expect(throws: QueryPredicateError.self) {
      _ = try tracts.filter(parsing: text)
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}

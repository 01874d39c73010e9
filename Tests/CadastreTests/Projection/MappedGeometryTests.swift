import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// A rectangle of a program's own, stored as a geometry.
private struct Area: CustomPersistable {
  typealias PersistedType = Geometry

  var west = 0.0
  var south = 0.0
  var size = 1.0

  init(west: Double, south: Double, size: Double) {
    (self.west, self.south, self.size) = (west, south, size)
  }

  init(persistedValue: Geometry) {
    guard case .polygon(let rings) = persistedValue.shape, let first = rings.first?.first,
      let last = rings.first?.dropFirst(2).first
    else {
      self.init(west: 0, south: 0, size: 0)
      return
    }
    self.init(
      west: first.longitude, south: first.latitude, size: last.longitude - first.longitude)
  }

  var persistableValue: Geometry {
    let corners = [(0, 0), (size, 0), (size, size), (0, size), (0, 0)].compactMap {
      GeoPosition(longitude: west + Double($0.0), latitude: south + Double($0.1))
    }
    return (try? Geometry(.polygon([corners]))) ?? Geometry()
  }
}

/// The course of a road, which must be a line.
private struct Course: FailableCustomPersistable {
  typealias PersistedType = Geometry
  let line: Geometry

  init?(persistedValue: Geometry) {
    guard case .lineString = persistedValue.shape else { return nil }
    line = persistedValue
  }

  var persistableValue: Geometry { line }
}

@Suite struct MappedGeometryTests {
  private final class Field: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var area: Area
    @Persisted var former: Area?
    @Persisted var course: Course?
    @Persisted var parts: List<Area>
    @Persisted var kinds: MutableSet<Area>
    @Persisted var named: Map<String, Area>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm
  private let fields: Results<Field>

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Field.self]))
    let realm = realm
    try realm.write {
      for id in 0..<20 {
        let field = Field()
        field.id = id
        field.area = Area(west: Double(id), south: 45, size: 0.5)
        field.former = id % 2 == 0 ? nil : Area(west: Double(id), south: -10, size: 2)
        field.course = Course(
          persistedValue: try Geometry(wkt: "LINESTRING (\(id) 45, \(id + 1) 45.25)"))
        field.parts.append(
          objectsIn: (0..<id % 3).map { Area(west: 1, south: Double($0), size: 3) })
        field.kinds.insert(Area(west: 5, south: Double(id), size: 1))
        field.named["first"] = Area(west: Double(id), south: 1, size: 1)
        realm.add(field)
      }
    }
    fields = realm.objects(Field.self)
  }

  @Test func `mapped values come back`() throws {
    let field = try #require(realm.object(ofType: Field.self, forPrimaryKey: 5))
    #expect(field.area == Area(west: 5, south: 45, size: 0.5))
    #expect(field.former == Area(west: 5, south: -10, size: 2))
    #expect(field.course?.line == (try Geometry(wkt: "LINESTRING (5 45, 6 45.25)")))
    #expect(
      Array(field.parts) == [Area(west: 1, south: 0, size: 3), Area(west: 1, south: 1, size: 3)])
    #expect(Array(field.kinds) == [Area(west: 5, south: 5, size: 1)])
    #expect(field.named["first"] == Area(west: 5, south: 1, size: 1))
    #expect(fields.filter("id == 4").first?.former == nil)
    #expect(Field().area == Area(west: 0, south: 0, size: 0))
  }

  @Test func `the schema has geometries`() {
    let properties = realm.schema["Field"]?.properties ?? []
    #expect(properties.dropFirst().map(\.type).allSatisfy { $0 == .geometry })
    #expect(properties.filter(\.isOptional).map(\.name) == ["former", "course"])
  }

  @Test func `relations and measures of stored geometries`() throws {
    let line = try Geometry(wkt: "LINESTRING (3.25 40, 3.25 60)")
    #expect(
      fields.where { $0.area.persistableValue.geoIntersects(line) }.map(\.id) == [3])
    #expect(fields.filter("area GEOINTERSECTS %@", line).map(\.id) == [3])
    #expect(fields.filter("ANY parts GEOCONTAINS %@", Geometry(try point(2, 2.5))).count == 13)
    let long = fields.where { $0.course.persistableValue.length > 82_000 }
    #expect(
      long.count == fields.filter { ($0.course?.line.length ?? 0) > 82_000 }.count)
    let box = try #require(GeoBox(bottomLeft: (44, 6.9), topRight: (47, 9.6)))
    #expect(fields.where { $0.area.persistableValue.geoWithin(box) }.map(\.id) == [7, 8, 9])
  }

  private func point(_ longitude: Double, _ latitude: Double) throws -> GeoPoint {
    try #require(GeoPoint(latitude: latitude, longitude: longitude))
  }

  @Test func `equality is that of the stored geometry`() {
    let area = Area(west: 7, south: 45, size: 0.5)
    #expect(fields.where { $0.area == area }.map(\.id) == [7])
    #expect(fields.where { $0.area.persistableValue == area.persistableValue }.map(\.id) == [7])
    #expect(fields.where { $0.former == nil }.count == 10)
    #expect(fields.where { $0.parts.contains(Area(west: 1, south: 1, size: 3)) }.count == 6)
  }
}

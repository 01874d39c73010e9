@testable import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Distances that are compared with properties, in conditions of all forms.
@Suite struct RowDistanceTests {
  final class Beacon: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Antenna: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var spot: Beacon?
    @Persisted(indexed: true) var range: Double?
    @Persisted var kilometers = 0
    @Persisted var others: List<Antenna>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// The distance from a point in metres; nil without a location.
    func distance(to point: GeoPoint) -> Double? {
      guard let degrees = spot?.coordinates, degrees.count > 1 else { return nil }
      return GeoPoint(latitude: degrees[1], longitude: degrees[0])?.distance(to: point).asMeters()
    }
  }

  private let checks: ConditionChecks<Antenna>
  private let origin: GeoPoint

  init() throws {
    origin = try #require(GeoPoint(latitude: 1, longitude: 1))
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Antenna.self, Beacon.self]))
    var random = SeededGenerator(seed: 22)
    try realm.write {
      for id in 0..<80 {
        let antenna = Antenna()
        antenna.id = id
        antenna.range = random.oneIn(6) ? random.pick([nil, .nan, -1]) : random.number(0...6e5)
        antenna.kilometers = random.below(500)
        if !random.oneIn(5) {
          antenna.spot = Beacon()
          antenna.spot?.coordinates.append(
            objectsIn: [random.number(-6...6), random.number(-6...6)])
        }
        for other in realm.objects(Antenna.self) where random.oneIn(20) {
          antenna.others.append(other)
        }
        realm.add(antenna)
      }
    }
    checks = ConditionChecks(realm: realm)
  }

  /// Whether the distance from the origin is within a number of metres.
  private func isWithin(_ antenna: Antenna, _ metres: Double?) -> Bool {
    guard let distance = antenna.distance(to: origin), let metres else { return false }
    return distance <= metres
  }

  @Test func `conditions select by brute force`() throws {
    let origin = origin
    try checks.expect(
      "GEODISTANCE(spot, geometry('POINT (1 1)')) <= range", matches: { isWithin($0, $0.range) }
    ) { $0.spot.geoDistance(to: origin) <= $0.range }
    try checks.expect(
      "range < GEODISTANCE(spot, geometry('POINT (1 1)'))",
      matches: { antenna in
        guard let distance = antenna.distance(to: origin), let range = antenna.range else {
          return false
        }
        return distance > range
      }
    ) { $0.spot.geoDistance(to: origin) > $0.range }
    try checks.expect(
      "GEODISTANCE(spot, geometry('POINT (1 1)')) <[planar] kilometers",
      matches: { ($0.distance(to: origin) ?? .infinity) < Double($0.kilometers) }
    ) { $0.spot.geoDistance(to: origin, edges: .planar) < $0.kilometers }
    let nested = checks.realm.objects(Antenna.self).filter(
      "SUBQUERY(others, $x, GEODISTANCE($x.spot, geometry('POINT (1 1)')) <= $x.range).@count > 0")
    let owners = checks.objects.filter { $0.others.contains { isWithin($0, $0.range) } }
    #expect(nested.map(\.id) == owners.map(\.id) && !owners.isEmpty)
    let text = "GEODISTANCE(spot, geometry('POINT (1 1)')) <= kilometers * 1000"
    let found = checks.realm.objects(Antenna.self).filter(text).map(\.id)
    let expected = checks.objects.filter { isWithin($0, Double($0.kilometers) * 1000) }.map(\.id)
    #expect(Array(found) == expected && !expected.isEmpty)
  }

  @Test func `the macro compares distances with properties`() throws {
    let origin = Geometry(origin)
    let found = try checks.realm.objects(Antenna.self).filter(
      #Predicate<Antenna> { origin.distancesInMeters[$0.spot] <= $0.range! })
    let expected = checks.objects.filter { isWithin($0, $0.range) }.map(\.id)
    #expect(found.map(\.id) == expected)
  }

  @Test func `a live result follows radii and places`() throws {
    let realm = checks.realm
    let origin = origin
    let near = realm.objects(Antenna.self).where { $0.spot.geoDistance(to: origin) <= $0.range }
    #expect(near.map(\.id) == checks.objects.filter { isWithin($0, $0.range) }.map(\.id))
    var random = SeededGenerator(seed: 23)
    for _ in 0..<40 {
      let antenna = random.pick(checks.objects)
      try realm.write {
        switch random.below(4) {
        case 0: antenna.range = random.pick([nil, .nan, 1e7, 0])
        case 1: antenna.spot = nil
        case 2:
          antenna.spot = Beacon(value: [
            "coordinates": [random.number(-6...6), random.number(-6...6)]
          ])
        default: antenna.range = random.number(0...6e5)
        }
      }
      #expect(near.map(\.id) == checks.objects.filter { isWithin($0, $0.range) }.map(\.id))
    }
  }
}

import Cadastre
import Foundation
import Testing

/// Type-safe conditions on mapped types, enumerations, embedded objects and points.
@Suite struct MappedConditionTests {
  private let atlases: ConditionChecks<Atlas>
  private let routes: ConditionChecks<Route>

  init() throws {
    atlases = ConditionChecks(realm: try MappedCollectionTests.makeRealm())
    routes = ConditionChecks(realm: try Route.makeRealm())
    let realm = atlases.realm
    try realm.write {
      realm.add([MappedCollectionTests.atlas(), Atlas()])
      let other = Atlas()
      other.places.append(objectsIn: [
        Coordinate(latitude: 1, longitude: 9), Coordinate(latitude: 9, longitude: 2),
      ])
      other.namedPlaces["p"] = Coordinate(latitude: 1, longitude: 2)
      other.price = Cents(amount: 70)
      other.sizes.append(.small)
      other.links.append(URL(filePath: "/c", directoryHint: .notDirectory))
      realm.add(other)
    }
  }

  @Test func `mapped elements compare as what is stored`() throws {
    let b = MappedCollectionTests.url("b")
    try atlases.expect("ANY links == %@", b.absoluteString, matches: { $0.links.contains(b) }) {
      $0.links == b
    }
    try atlases.expect(
      "ANY links != %@", b.absoluteString, matches: { $0.links.contains { $0 != b } }
    ) { $0.links != b }
    try atlases.expect("ANY links IN %@", [b.absoluteString], matches: { $0.links.contains(b) }) {
      $0.links.containsAny(in: [b])
    }
    try atlases.expect(
      "ANY links ENDSWITH 'c'", matches: { $0.links.contains { $0.absoluteString.hasSuffix("c") } }
    ) { $0.links.persistableValue.ends(with: "c") }
    try atlases.expect(
      "namedLinks['x'] CONTAINS 'x'", matches: { $0.namedLinks["x"] != nil }
    ) { $0.namedLinks.persistableValue["x"].contains("x") }
    try atlases.expect("ANY sizes == 5", matches: { $0.sizes.contains(.large) }) {
      $0.sizes == .large
    }
    try atlases.expect("ANY sizes < 5", matches: { $0.sizes.contains(.small) }) {
      $0.sizes.rawValue < 5
    }
    try atlases.expect("ANY looseSizes == null", matches: { $0.looseSizes.contains(nil) }) {
      $0.looseSizes.rawValue == nil
    }
  }

  @Test func `mapped numbers have their size`() throws {
    try atlases.expect("price > 60", matches: { $0.price.amount > 60 }) {
      $0.price > Cents(amount: 60)
    }
    try atlases.expect("ANY prices <= 100", matches: { $0.prices.contains { $0.amount <= 100 } }) {
      $0.prices <= Cents(amount: 100)
    }
    try atlases.expect(
      "prices.@sum == 350", matches: { $0.prices.reduce(0) { $0 + $1.amount } == 350 }
    ) { $0.prices.sum == Cents(amount: 350) }
    try atlases.expect("maximum == null", matches: { $0.maximum == nil }) { $0.maximum == nil }
  }

  @Test func `a mapped embedded value is compared in all members at once`() throws {
    let place = Coordinate(latitude: 1, longitude: 2)
    let location = PredicateArgument.memberwise(place.persistableValue)
    try atlases.expect("places == %@", location, matches: { $0.places.contains(place) }) {
      $0.places == place
    }
    try atlases.expect(
      "places != %@", location, matches: { !$0.places.isEmpty && !$0.places.contains(place) }
    ) { $0.places != place }
    try atlases.expect(matches: { $0.places.contains(place) }) { $0.places.contains(place) }
    try atlases.expect(
      matches: { $0.places.contains(place) || $0.places.contains { $0.latitude == 9 } }
    ) {
      $0.places.containsAny(in: [place, Coordinate(latitude: 9, longitude: 2)])
    }
    try atlases.expect(
      "namedPlaces['p'] == %@", location, matches: { $0.namedPlaces["p"] == place }
    ) {
      $0.namedPlaces["p"] == place
    }
    try atlases.expect(matches: { $0.namedPlaces.values.contains(place) }) {
      $0.namedPlaces.contains(place)
    }
    for atlas in atlases.objects {
      #expect(
        atlas.places.where { $0.persistableValue.latitude > 1 }.count
          == atlas.places.count { $0.latitude > 1 })
    }
    try atlases.expect(
      "ANY places.latitude == 1.0", matches: { $0.places.contains { $0.latitude == 1 } }
    ) { $0.places.persistableValue.latitude == 1 }
  }

  @Test func `points in a region, directly, in a list and behind links`() throws {
    let realm = routes.realm
    try realm.write {
      let airports = fiveAirports()
      realm.add(airports)
      for (id, stops) in [[0, 1], [2, 4], [], [4]].enumerated() {
        let route = Route()
        route.id = id
        for stop in stops {
          route.airports.append(airports[stop])
          route.byCode[airports[stop].icao] = airports[stop]
          route.stops.append(
            Location(
              value: airports[stop].location.map { ["coordinates": Array($0.coordinates)] }
                ?? [:]))
        }
        realm.add(route)
      }
    }
    let circle = try #require(GeoCircle(center: (48.8566, 2.3522), radiusInRadians: 0.02))
    func isNear(_ place: Location?) -> Bool {
      (place?.latitude ?? 0) > 48 && (place?.latitude ?? 0) < 50
    }
    try routes.expect(
      "ANY airports.location GEOWITHIN %@", circle,
      matches: { $0.airports.contains { isNear($0.location) } }
    ) { $0.airports.location.geoWithin(circle) }
    try routes.expect(
      "ANY stops GEOWITHIN %@", circle, matches: { $0.stops.contains { isNear($0) } }
    ) { $0.stops.geoWithin(circle) }
    try routes.expect(
      "ANY byCode.@allValues.location GEOWITHIN %@", circle,
      matches: { $0.byCode.values.contains { isNear($0?.location) } }
    ) { $0.byCode.location.geoWithin(circle) }
    try routes.expect(
      "SUBQUERY(airports, $x, $x.location GEOWITHIN %@ AND $x.elevation > 300.0).@count == 1",
      circle,
      matches: {
        $0.airports.filter { isNear($0.location) && ($0.elevation ?? 0) > 300 }.count == 1
      }
    ) { ($0.airports.location.geoWithin(circle) && $0.airports.elevation > 300).count == 1 }
    try realm.write { realm.objects(Airport.self).first?.isOpen = false }
    try routes.expect(
      "ANY airports.isOpen == true", matches: { $0.airports.contains { $0.isOpen } }
    ) { $0.airports.isOpen }
    try routes.expect(
      "ANY airports.isOpen == false", matches: { $0.airports.contains { !$0.isOpen } }
    ) { !$0.airports.isOpen }
    let airports = ConditionChecks<Airport>(realm: realm)
    try airports.expect(
      "location GEOWITHIN %@", circle, matches: { isNear($0.location) }
    ) { $0.location.geoWithin(circle) }
    try airports.expect(
      "location GEOWITHIN[planar] %@", circle, matches: { isNear($0.location) }
    ) { $0.location.geoWithin(circle, edges: .planar) }
  }
}

/// Stops, as points and as airports.
class Route: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var stops: List<Location>
  @Persisted var airports: List<Airport>
  @Persisted var byCode: Map<String, Airport?>
  @Persisted var end: Terminal?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  static func makeRealm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [
          Route.self, Terminal.self, Airport.self, Location.self, Address.self,
        ]))
  }
}

/// Where a route ends.
class Terminal: EmbeddedObject {
  @Persisted var airport: Airport?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

import Cadastre
import Foundation
import Testing

/// Distances of objects, and the order by distance, against distances computed for every object.
@Suite struct DistanceTests {
  let realm: Realm
  let airports: Results<Airport>
  let paris: GeoPoint

  init() throws {
    let realm = try makeRealm()
    self.realm = realm
    paris = try #require(GeoPoint(latitude: 48.8566, longitude: 2.3522))
    try realm.write {
      for number in 0..<600 {
        // Every sixth is where the one before is; every seventh is nowhere.
        let place = number % 6 == 5 ? number - 1 : number
        let airport = Airport(
          "A\(number)", "airport \(number)", number % 2 == 0 ? "FR" : "BE",
          elevation: Double(number),
          longitude: Double(place * 37 % 360) - 180, latitude: Double(place * 17 % 180) - 90)
        if number % 7 == 3 { airport.location = nil }
        realm.add(airport)
      }
    }
    airports = realm.objects(Airport.self)
  }

  /// The codes by distance, ties in order of insertion, objects without a position last.
  private func expected(
    from origin: GeoPoint, where matches: (Airport) -> Bool = { _ in true }
  ) -> [(code: String, distance: Distance?)] {
    let all = airports.filter(matches).enumerated().map { number, airport in
      let point = airport.location.flatMap { location in
        GeoPoint(latitude: location.coordinates[1], longitude: location.coordinates[0])
      }
      return (number, airport.icao, point.map { origin.distance(to: $0) })
    }
    return all.sorted { first, second in
      switch (first.2, second.2) {
      case (let one?, let other?): (one.radians, first.0) < (other.radians, second.0)
      case (nil, nil): first.0 < second.0
      case (nil, _): false
      case (_, nil): true
      }
    }.map { ($0.1, $0.2) }
  }

  private func check(
    _ results: Results<Airport>, from origin: GeoPoint, _ expected: [(String, Distance?)],
    _ comment: Comment
  ) {
    let found = results.withDistances(from: origin)
    #expect(found.map(\.object.icao) == expected.map(\.0), comment)
    #expect(found.map(\.distance) == expected.map(\.1), comment)
    #expect(found.map(\.object.icao) == results.map(\.icao), comment)
  }

  @Test func `objects come with their distances, with every filter, limit and offset`() throws {
    let origins = [
      paris, try #require(GeoPoint(latitude: 90, longitude: 0)),
      try #require(GeoPoint(latitude: -16, longitude: 180)),
    ]
    for origin in origins {
      let all = expected(from: origin)
      let french = expected(from: origin) { $0.country == "FR" }
      for (limit, offset) in [(1, 0), (10, 0), (10, 3), (600, 0), (50, 580), (0, 0), (5, 700)] {
        let sorted = airports.sorted(byDistanceFrom: origin)
        check(
          sorted.limit(limit, offset: offset), from: origin,
          Array(all.dropFirst(offset).prefix(limit)), "\(origin) \(limit) \(offset)")
        check(
          airports.where { $0.country == "FR" }.sorted(byDistanceFrom: origin, of: \.location)
            .limit(limit, offset: offset), from: origin,
          Array(french.dropFirst(offset).prefix(limit)), "FR \(origin) \(limit) \(offset)")
      }
      check(
        airports.nearest(7, to: origin, of: \.location), from: origin, Array(all.prefix(7)), "7")
    }
  }

  @Test func `a filter after a limit applies to the limited result`() {
    let ten = airports.nearest(10, to: paris)
    let french = ten.where { $0.country == "FR" }
    #expect(french.map(\.icao) == ten.filter { $0.country == "FR" }.map(\.icao))
    #expect(
      french.withDistances(from: paris).compactMap(\.distance)
        == ten.withDistances(from: paris).filter { $0.object.country == "FR" }.compactMap(
          \.distance)
    )
  }

  @Test func `distances follow writes`() throws {
    let nearest = airports.nearest(1, to: paris)
    #expect(nearest.first?.icao != "NEW")
    try realm.write {
      realm.add(
        Airport("NEW", "new", "FR", elevation: 0, longitude: 2.3522, latitude: 48.8566))
      #expect(nearest.withDistances(from: paris).first?.distance?.radians == 0)
    }
    #expect(nearest.first?.icao == "NEW")
    #expect(nearest.withDistances(from: paris).map { $0.distance?.asMeters() } == [0])
  }

  @Test func `within a distance is what is no further, to the last bit`() throws {
    for (code, distance) in expected(from: paris).prefix(400) {
      guard let distance else { continue }
      #expect(airports.within(distance, of: paris).contains { $0.icao == code })
      #expect(
        airports.where { $0.location.within(distance, of: paris) }.contains { $0.icao == code })
      let less = try #require(Distance.radians(distance.radians.nextDown))
      #expect(!airports.within(less, of: paris).contains { $0.icao == code })
    }
    let near = try #require(Distance.kilometers(1000))
    #expect(
      Set(airports.within(near, of: paris).map(\.icao))
        == Set(expected(from: paris).filter { $0.distance.map { $0 <= near } ?? false }.map(\.code))
    )
    #expect(
      airports.within(near, of: paris).explain().contains("Airport.location within geoCircle"))
  }

  // MARK: Explaining

  @Test func `explain has options`() throws {
    let near = try #require(Distance.kilometers(500))
    let results = airports.within(near, of: paris).where { $0.elevation > 3 }
    let text = results.explain([.estimates, .candidates, .rules, .measured])
    #expect(text.contains("rejected: ") && text.contains("\nrules: none\n"), "\(text)")
    #expect(text.contains("(rows ~") && text.contains("\nmeasured: "), "\(text)")
    #expect(results.explain([]) == results.explain())
  }

  @Test func `explain for programs is JSON`() throws {
    let near = try #require(Distance.kilometers(500))
    for isMeasured in [false, true] {
      let text = airports.within(near, of: paris).explainJSON(measured: isMeasured)
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let plan = try #require(json?["plan"] as? [String: Any])
      #expect(plan["step"] as? String == "SpatialSearch")
      #expect((json?["measured"] != nil) == isMeasured)
      #expect((plan["measured"] != nil) == isMeasured)
    }
  }
}

import Foundation
import Testing

/// The forms of predicates and options that people expect.
@Suite struct WordsTests {
  private func count(_ arguments: String...) throws -> Int {
    let outcome = try Program.run(
      ["query", try Airports.store(), "Airport"] + arguments + ["--format", "count"])
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return Int(outcome.stdout.dropLast()) ?? -1
  }

  private func expected(_ matches: (Airport) -> Bool) -> Int { Airports.all.filter(matches).count }

  /// Distances and their angles in radians.
  private static let distances: [(String, Double)] = [
    ("50km", 0.00783932519), ("30 mi", 0.0075697026), ("1deg", 0.01745329252),
    ("20000m", 0.00313573007), ("0.01", 0.01), ("0.01RAD", 0.01),
  ]

  @Test(arguments: distances)
  func `distances have units`(text: String, radians: Double) throws {
    let expected = expected { $0.angle(toLongitude: 2.35, latitude: 48.86) <= radians }

    #expect(expected > 0)
    #expect(try count("location GEOWITHIN geoCircle([2.35, 48.86], \(text))") == expected)
    #expect(try count("--within", text, "--of", "2.35,48.86") == expected)
    #expect(
      try count("elevation > 300", "--within", text, "--of", "2.35,48.86")
        == self.expected {
          $0.elevation > 300 && $0.angle(toLongitude: 2.35, latitude: 48.86) <= radians
        })
  }

  @Test func `boxes run along meridians and parallels, also across 180 degrees`() throws {
    #expect(
      try count("--bbox", "-5,42,8,51")
        == expected { -5...8 ~= $0.longitude && 42...51 ~= $0.latitude })
    #expect(
      try count("--bbox", "170,-50,-170,50")
        == expected { abs($0.longitude) >= 170 && -50...50 ~= $0.latitude })
  }

  @Test func `coordinates of a point are fields`() throws {
    #expect(
      try count("location.latitude > 70 OR location.longitude == location.latitude")
        == expected { $0.latitude > 70 || $0.longitude == $0.latitude })
    #expect(
      try succeed(
        "query", try Airports.store(), "Airport", "location.latitude > 70", "--select",
        "icao,location.longitude", "--sort", "location.latitude desc, icao", "--format", "csv"
      ).lines.dropFirst().map { $0.prefix { $0 != "," } }
        == Airports.all.filter { $0.latitude > 70 }
        .sorted { ($1.latitude, $0.icao) < ($0.latitude, $1.icao) }.map { $0.icao[...] })
    try fail(
      "query", try Airports.store(), "Airport", "location.latitud > 1",
      saying: "'latitud' not found")
  }

  @Test func `forms of SQL with the same meaning are accepted`() throws {
    #expect(try count("city IS NULL") == expected { $0.city == nil })
    #expect(try count("city = NULL") == expected { $0.city == nil })
    #expect(try count("city IS NOT NULL") == expected { $0.city != nil })
    #expect(try count("country IS NULL") == 0)
    #expect(try count("country IS NOT NULL AND NOT (country = NULL)") == Airports.all.count)
    #expect(try count("country IN ('FR', 'DE')") == expected { ["FR", "DE"].contains($0.country) })
    #expect(try count("country IN ('FR')") == expected { $0.country == "FR" })
    #expect(try count("country IN ()") == 0)
    #expect(
      try count("country NOT IN ('FR', 'DE') AND elevation > 3000")
        == expected { !["FR", "DE"].contains($0.country) && $0.elevation > 3000 })
    #expect(
      try count("elevation NOT BETWEEN {0, 100}") == expected { !(0...100 ~= $0.elevation) })
    #expect(try count("country NOT LIKE 'F*'") == expected { !$0.country.hasPrefix("F") })
    #expect(try count("NOT country NOT IN ('FR')") == expected { $0.country == "FR" })
    #expect(try count("country <> 'FR'") == expected { $0.country != "FR" })
  }

  @Test func `other forms of SQL are explained`() throws {
    let store = try Airports.store()
    for (predicate, words) in [
      ("country LIKE 'F%'", "expected LIKE 'F*', found LIKE 'F%'"),
      ("country = 'FR' LIMIT 2", "--limit N"), ("country = 'FR' LIMIT(2)", "--limit N"),
      ("country = 'FR' ORDER BY name", "--sort"),
      ("TRUEPREDICATE DISTINCT(country)", "--distinct FIELD"),
      ("country IN ('FR'", "expected ',' or ')'"), ("country IN ('FR', name)", "constants only"),
      ("country IN (('FR'))", "expected a constant"),
      ("country NOT 5", "operator in words after NOT"),
      ("country NOT", "operator in words after NOT"),
      ("location GEOWITHIN geoCircle([2, 48], 5 parsec)", "one of km, m, mi, deg, rad"),
      ("location GEOWITHIN geoCircle([2, 48], -5km)", "is not 0 or more"),
      ("elevation > 5km", "found 'km'"),
    ] {
      try fail("query", store, "Airport", predicate, saying: words)
    }
    try fail("query", store, "Airport", "--within", "5", saying: "--of", status: 64)
    try fail(
      "query", store, "Airport", "--within", "5xx", "--of", "1,2", saying: "50km", status: 64)
    try fail(
      "query", store, "Airport", "--within", "5km", "--of", "1,200", saying: "LON,LAT", status: 64)
    try fail("query", store, "Airport", "--bbox", "1,2,3", saying: "W,S,E,N", status: 64)
    try fail(
      "quary", store, saying: "there is no command 'quary'; did you mean 'query'?", status: 64)
  }

  @Test func `regions are given in the argument`() throws {
    let polygon = "location GEOWITHIN $0"
    let ring = [[2, 48], [3, 48], [3, 49], [2, 49], [2, 48]]
    let wkt = ring.map { "\($0[0]) \($0[1])" }.joined(separator: ", ")
    let expected = try count(
      "location GEOWITHIN geoPolygon({[2, 48], [3, 48], [3, 49], [2, 49], [2, 48]})")

    #expect(expected > 0)
    #expect(try count(polygon, "--arg", "POLYGON((\(wkt)))") == expected)
    #expect(try count(polygon, "--arg", " multipolygon (((\(wkt))))") == expected)
    for json in [
      #"{"type":"Polygon","coordinates":[\#(ring)]}"#,
      #"{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[\#(ring)]}}"#,
    ] {
      #expect(try count(polygon, "--arg", json) == expected)
    }
    #expect(try count("name == $0", "--arg", "Polygon house") == 0)
    try fail(
      "query", try Airports.store(), "Airport", polygon, "--arg", "POLYGON((2 48, 3))",
      saying: "--arg")
    try fail(
      "query", try Airports.store(), "Airport", polygon, "--arg",
      #"{"type":"Polygon","coordinates":"x"}"#, saying: "--arg")
  }

  @Test func `text beside a date is a date`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let file = try scratch.csv("id,d\n1,2024-12-20\n2,2024-12-21T08:00:00Z\n3,1969-07-20\n")
    try succeed("import", file, "--store", store, "--into", "D", "--pk", "id")
    for (predicate, keys) in [
      ("d == '2024-12-20'", "1"), ("d > '2024-12-20'", "2"), ("d >= '2024-12-21'", "2"),
      ("d == '2024-12-21T09:30:00+01:30'", "2"), ("d == '2024-12-21 08:00'", "2"),
      ("d < '1970-01-01'", "3"), ("d IN ('1969-07-20', '2024-12-20')", "1\n3"),
      ("d BETWEEN {'2024-12-01', '2024-12-20 23:00'}", "1"),
    ] {
      #expect(
        try succeed("query", store, "D", predicate, "--select", "id", "--format", "csv").stdout
          == "id\n\(keys)\n", "\(predicate)")
    }
    for predicate in ["d > 'x'", "d > '2024-13-20'", "d > 2024-02-30", "d > '2024-12-20 25:00'"] {
      try fail("query", store, "D", predicate, saying: "date")
    }
  }
}

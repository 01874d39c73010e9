import Cadastre
import Foundation
import Testing

/// Queries on the airports, compared with loops over the CSV file.
@Suite struct QueryTests {
  private func query(_ arguments: String...) throws -> Outcome {
    let outcome = try Program.run(["query", try Airports.store(), "Airport"] + arguments)
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return outcome
  }

  /// Returns the codes of the airports in the order of the result.
  private func codes(_ arguments: String...) throws -> [String] {
    let outcome = try Program.run(
      ["query", try Airports.store(), "Airport"] + arguments
        + ["--select", "icao", "--format", "csv"])
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return outcome.lines.dropFirst().map(String.init)
  }

  @Test func `all airports are imported`() throws {
    let outcome = try Airports.importOutcome()

    #expect(outcome.status == 0 && outcome.stderr == "")
    let summary = try #require(outcome.json as? [String: Double])
    #expect(
      Set(summary.keys) == [
        "read", "inserted", "updated", "unchanged", "deleted", "skipped", "rejected", "seconds",
        "rowsPerSecond",
      ])
    #expect(summary["read"] == 28_298 && summary["inserted"] == 28_298)
    #expect(summary["updated"] == 0 && summary["skipped"] == 0 && summary["rejected"] == 0)
    #expect(Airports.all.count == 28_298)
    #expect(try query("--format", "count").stdout == "28298\n")
    #expect(try query("TRUEPREDICATE", "--format", "count", "--indexes", "off").stdout == "28298\n")
  }

  @Test(arguments: ["on", "off"])
  func `31 airports around Paris, with and without indexes`(indexes: String) throws {
    let count = try query(Airports.predicate, "--format", "count", "--indexes", indexes)

    #expect(count.stdout == "31\n")
    #expect(Airports.matches.count == 31)
    #expect(
      try codes(Airports.predicate, "--indexes", indexes, "--sort", "icao")
        == Airports.matches.map(\.icao).sorted())
  }

  @Test func `an order ignores case, compares numbers and places null`() throws {
    let scratch = try Scratch()
    let table = try scratch.csv("id,name,size\n1,file10,3\n2,File2,\n3,file1,1\n4,,2\n")
    let store = scratch.path("s")
    #expect(try Program.run(["import", table, "--store", store, "--into", "T"]).status == 0)
    func ids(_ sort: String) throws -> String {
      let outcome = try Program.run(
        ["query", store, "T", "--sort", sort, "--select", "id", "--format", "csv"])
      #expect(outcome.status == 0, "\(sort): \(outcome.stderr)")
      return outcome.lines.dropFirst().joined(separator: " ")
    }
    #expect(try ids("name") == "4 2 3 1")
    #expect(try ids("name asc[cn]") == "4 3 2 1")
    #expect(try ids("name [cn] nulls last") == "3 2 1 4")
    #expect(try ids("name desc[n] NULLS FIRST") == "4 1 3 2")
    #expect(try ids("size nulls last, id") == "3 4 1 2")
    #expect(try ids("size desc nulls first") == "2 1 4 3")
    for sort in ["name asc[x]", "name nulls", "name asc nulls middle", "size asc[c]"] {
      #expect(try Program.run(["query", store, "T", "--sort", sort]).status != 0, "\(sort)")
    }
    let groups = try Program.run([
      "aggregate", store, "T", "--compute", "count", "--by", "name", "--sort",
      "name desc[c] nulls last",
      "--format", "csv",
    ])
    #expect(groups.lines.dropFirst().joined(separator: " ") == "File2,1 file10,1 file1,1 ,1")
  }

  @Test func `all formats print the same objects`() throws {
    let arguments = [Airports.predicate, "--sort", "elevation desc, icao"]
    let expected = Airports.matches.sorted { ($1.elevation, $0.icao) < ($0.elevation, $1.icao) }

    let json = try #require(
      try query(arguments[0], arguments[1], arguments[2], "--format", "json").json
        as? [[String: Any]])
    let lines = try query(arguments[0], arguments[1], arguments[2], "--format", "ndjson").lines
    let ndjson = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let geojson = try #require(
      try query(arguments[0], arguments[1], arguments[2], "--format", "geojson").json
        as? [String: Any])
    let features = try #require(geojson["features"] as? [[String: Any]])
    let csv = try query(arguments[0], arguments[1], arguments[2], "--format", "csv").lines
    let table = try query(arguments[0], arguments[1], arguments[2])
    let ids = try query(arguments[0], arguments[1], arguments[2], "--format", "ids").lines

    #expect(json.map { $0["icao"] as? String } == expected.map(\.icao))
    #expect(json.map { $0["elevation"] as? Double } == expected.map(\.elevation))
    #expect(json.map { $0["city"] as? String } == expected.map(\.city))
    let points = json.map { ($0["location"] as? [String: Any])?["coordinates"] as? [Double] }
    #expect(points == expected.map { [$0.longitude, $0.latitude] })
    #expect(NSArray(array: ndjson) == NSArray(array: json))
    #expect(geojson["type"] as? String == "FeatureCollection")
    #expect(
      features.map { ($0["geometry"] as? [String: Any])?["coordinates"] as? [Double] } == points)
    #expect(
      features.map { ($0["properties"] as? [String: Any])?["name"] as? String }
        == expected.map(\.name))
    #expect(csv.first?.hasPrefix("icao,iata,name,") == true)
    #expect(csv.dropFirst().map { String($0.prefix(4)) } == expected.map(\.icao))
    #expect(table.lines.dropFirst(2).map { String($0.prefix(4)) } == expected.map(\.icao))
    #expect(table.stderr == "31 objects\n" && !table.stdout.contains("\u{1B}"))
    #expect(Set(ids).count == 31 && ids.allSatisfy { Int($0) != nil })
  }

  @Test func `an empty result prints in every format`() throws {
    let nothing = "country == 'XX'"

    #expect((try query(nothing, "--format", "json").json as? [Any])?.isEmpty == true)
    #expect(try query(nothing, "--format", "ndjson").stdout == "")
    #expect(try query(nothing, "--format", "ids").stdout == "")
    #expect(try query(nothing, "--format", "count").stdout == "0\n")
    #expect(try query(nothing, "--format", "csv").lines.count == 1)
    let collection = try query(nothing, "--format", "geojson").json as? [String: Any]
    #expect((collection?["features"] as? [Any])?.isEmpty == true)
    #expect(try query(nothing).lines.count == 2)
  }

  @Test func `--sort, --select, --offset and --limit apply`() throws {
    let french = Airports.all.filter { $0.country == "FR" }
      .sorted { ($1.elevation, $0.icao) < ($0.elevation, $1.icao) }.map(\.icao)
    let predicate = "country == 'FR'"

    #expect(try codes(predicate, "--sort", "elevation desc,icao asc") == french)
    #expect(
      try codes(predicate, "--sort", "elevation desc,icao", "--offset", "7", "--limit", "5")
        == Array(french[7..<12]))
    #expect(
      try codes(predicate, "--sort", "elevation desc,icao", "--offset", "\(french.count - 2)")
        == french.suffix(2))
    #expect(try codes(predicate, "--offset", "\(french.count)") == [])
    #expect(try codes(predicate, "--limit", "0") == [])
    #expect(
      try query(predicate, "--offset", "3", "--limit", "4", "--format", "count").stdout == "4\n")
    let columns = try query(
      predicate, "--select", "location.coordinates, name,icao", "--limit", "1", "--format", "csv")
    #expect(columns.lines.first == "location.coordinates,name,icao")
  }

  @Test func `--top and --per print the first objects of each group`() throws {
    let countries: Set<String> = ["FR", "CH", "LU"]
    let sorted = Airports.all.filter { countries.contains($0.country) }
      .sorted { ($1.elevation, $0.icao) < ($0.elevation, $1.icao) }
    func first(_ count: Int, per group: (Airport) -> String?) -> [String] {
      var counts: [String?: Int] = [:]
      return sorted.filter { airport in
        counts[group(airport), default: 0] += 1
        return counts[group(airport), default: 0] <= count
      }.map(\.icao)
    }
    let arguments = ["country IN {'FR', 'CH', 'LU'}", "--sort", "elevation desc, icao"]
    func codes(_ more: String...) throws -> [String] {
      let outcome = try Program.run(
        ["query", try Airports.store(), "Airport"] + arguments + more
          + ["--select", "icao", "--format", "csv"])
      #expect(outcome.status == 0, "\(more): \(outcome.stderr)")
      return outcome.lines.dropFirst().map(String.init)
    }

    let best = first(3) { $0.country }
    #expect(try codes("--top", "3", "--per", "country") == best && best.count == 9)
    #expect(
      try codes("--top", "3", "--per", "country", "--offset", "2", "--limit", "4")
        == Array(best.dropFirst(2).prefix(4)))
    #expect(try codes("--top", "1", "--per", "city") == first(1) { $0.city })
    #expect(
      try codes("--top", "2", "--per", "elevation * 2") == first(2) { "\($0.elevation * 2)" })
    #expect(try codes("--top", "0", "--per", "country") == [])
    #expect(
      try query(arguments[0], "--top", "3", "--per", "country", "--format", "count").stdout
        == "9\n")
    let store = try Airports.store()
    try fail("query", store, "Airport", "--top", "3", saying: "--per", status: 64)
    try fail(
      "query", store, "Airport", "--top", "3", "--per", "tz", "--distinct", "tz",
      saying: "exclude each other", status: 64)
    try fail("query", store, "Airport", "--top", "3", "--per", "tzz", saying: "'tz'")
  }

  @Test func `arguments are JSON literals, files of regions and members of embedded objects`()
    throws
  {
    let scratch = try Scratch()
    let ring = "2 48, 3 48, 3 49, 2 49, 2 48"
    let wkt = try scratch.csv("POLYGON ((\(ring)))", "region.wkt")
    let points = ring.split(separator: ",").map {
      "[" + $0.split(separator: " ").joined(separator: ",") + "]"
    }
    let coordinates = "[[\(points.joined(separator: ","))]]"
    let geojson = try scratch.csv(
      "{\"type\":\"Polygon\",\"coordinates\":\(coordinates)}", "region.geojson")
    let inside = try codes("location GEOWITHIN geoPolygon({[2,48],[3,48],[3,49],[2,49],[2,48]})")
    let first = try #require(Airports.matches.first)

    #expect(inside.contains("LFPO") && inside.count > 5)
    #expect(try codes("location GEOWITHIN $0", "--arg", "@\(wkt)") == inside)
    #expect(try codes("location GEOWITHIN $0", "--arg", "@\(geojson)") == inside)
    let wkb = geojson + ".wkb"
    let shape = try GeoShape(geoJSON: Data(contentsOf: URL(filePath: geojson)))
    try Data(try #require(shape.wkb(.extended))).write(to: URL(filePath: wkb))
    #expect(try codes("location GEOWITHIN $0", "--arg", "@\(wkb)") == inside)
    #expect(
      try codes(
        "elevation > $1 AND country == $0 AND \(Airports.aroundParis)", "--arg", "\"FR\"",
        "--arg", "300", "--sort", "icao") == Airports.matches.map(\.icao).sorted())
    #expect(
      try codes("country IN $0 AND elevation < 0", "--arg", "[\"FR\", \"NL\"]", "--sort", "icao")
        == Airports.all.filter { ["FR", "NL"].contains($0.country) && $0.elevation < 0 }
        .map(\.icao).sorted())
    #expect(
      try codes("city == $0 AND country == 'FR'", "--arg", "null", "--sort", "icao")
        == Airports.all.filter { $0.city == nil && $0.country == "FR" }.map(\.icao).sorted())
    #expect(
      try codes(
        "location == $0", "--arg",
        "{\"type\":\"Point\",\"coordinates\":[\(first.longitude),\(first.latitude)]}")
        == [first.icao])
  }

  /// On the sphere the northern edge of a wide box curves towards the pole; on the plane it is
  /// straight.
  @Test func `--edges selects spherical or planar edges`() throws {
    let box = "location GEOWITHIN geoBox([-10, 40], [30, 60])"
    let planar = Airports.all.filter {
      (-10...30).contains($0.longitude) && (40...60).contains($0.latitude)
    }.map(\.icao).sorted()

    #expect(try codes(box, "--edges", "planar", "--sort", "icao") == planar)
    let spherical = try codes(box, "--sort", "icao")
    #expect(spherical != planar)
    #expect(
      try codes(box, "--edges", "spherical", "--sort", "icao", "--indexes", "off") == spherical)
    #expect(
      try codes(box, "--edges", "planar", "--sort", "icao", "--indexes", "off") == planar)
  }

  @Test func `repeated runs report their times as JSON`() throws {
    let outcome = try query(Airports.predicate, "--format", "count", "--repeat", "5")
    let times = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.stderr.utf8)) as? [String: Double])

    #expect(outcome.stdout == "31\n")
    #expect(Set(times.keys) == ["runs", "coldMs", "minMs", "medianMs", "count"])
    #expect(times["runs"] == 5 && times["count"] == 31)
    let fastest = try #require(times["minMs"])
    let median = try #require(times["medianMs"])
    #expect(fastest > 0 && fastest <= median)
  }

  @Test func `the map is well-formed XML with one mark per object`() throws {
    let scratch = try Scratch()
    let outcome = try query(
      Airports.predicate, "--format", "count", "--map", scratch.path("map.svg"))
    let svg = String(decoding: try scratch.bytes("map.svg"), as: UTF8.self)

    #expect(outcome.stderr.contains("drew 31 points"))
    #expect(try tags(svg).first?.hasPrefix("svg") == true)
    #expect(svg.contains("elevation &gt; 300"))
  }

  /// Returns the start tags of an XML text, and records an issue if a tag is not closed.
  private func tags(_ xml: String) throws -> [Substring] {
    var open: [Substring] = []
    var started: [Substring] = []
    for match in xml.matches(of: /<(\/?)([A-Za-z][^<>]*?)(\/?)>/) {
      let name = try #require(match.2.split(whereSeparator: \.isWhitespace).first)
      if match.1 == "/" {
        #expect(open.popLast() == name)
      } else {
        started.append(match.2)
        if match.3 != "/" { open.append(name) }
      }
    }
    #expect(open.isEmpty)
    return started
  }
}

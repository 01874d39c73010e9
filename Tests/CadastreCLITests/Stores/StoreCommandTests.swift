import Foundation
import Testing

/// The commands `explain`, `schema`, `info`, `check` and `demo`.
@Suite struct StoreCommandTests {
  private func explain(_ arguments: String...) throws -> String {
    let outcome = try Program.run(["explain", try Airports.store(), "Airport"] + arguments)
    #expect(outcome.status == 0 && outcome.stderr == "", "\(outcome.stderr)")
    return outcome.stdout
      .replacing(/\ \(rows ~[^)]*\)/, with: "")
      .replacing(/in [0-9.]+ ms/, with: "in … ms")
  }

  @Test func `a plan prints one line per step, the last step first`() throws {
    #expect(
      try explain(Airports.predicate, "--sort", "elevation desc", "--limit", "5") == """
        Limit 5
        └─ Sort elevation descending
           └─ Filter elevation > 300 AND country == 'FR'
              └─ SpatialSearch Airport.location within geoCircle([2.3522, 48.8566], 0.0157)

        """)
    #expect(
      try explain(Airports.predicate, "--indexes", "off").contains("└─ Scan Airport\n"))
    #expect(
      try explain("icao == 'LFPG'") == "KeyLookup Airport.icao == 'LFPG'\n")
    #expect(
      try explain("country == 'FR'") == "IndexSearch Airport.country == 'FR'\n")
  }

  @Test func `--format json prints the complete plan`() throws {
    let outcome = try Program.run([
      "explain", try Airports.store(), "Airport", Airports.predicate, "--format", "json",
      "--measured",
    ])
    let json = try #require(outcome.json as? [String: Any])
    let plan = try #require(json["plan"] as? [String: Any])
    let search = try #require((plan["inputs"] as? [[String: Any]])?.first)
    let totals = try #require(json["measured"] as? [String: Any])

    #expect(plan["step"] as? String == "Filter" && search["step"] as? String == "SpatialSearch")
    #expect((plan["measured"] as? [String: Any])?["rows"] as? Int == 31)
    #expect((search["expected"] as? [String: Any])?["cost"] as? Double ?? 0 > 0)
    #expect(totals["rows"] as? Int == 31 && totals["exactTests"] as? Int == 0)
    #expect((json["rejected"] as? [Any])?.count ?? 0 >= 2)
  }

  @Test func `plans have estimates, and candidates and measurements on request`() throws {
    let plain = try succeed("explain", try Airports.store(), "Airport", "country == 'FR'").stdout
    let full = try explain(Airports.predicate, "--candidates", "--measured")

    #expect(plain.contains(/\(rows ~\d+, cost ~\d+\)/))
    #expect(!plain.contains("measured") && !plain.contains("rejected"))
    #expect(full.contains("(measured rows 31)"))
    #expect(full.contains("rejected: IndexSearch Airport.country == 'FR'\n"))
    #expect(full.contains("rejected: Scan Airport\n"))
    #expect(full.contains("\nmeasured: 31 rows in … ms, 42 rows read, "))
  }

  @Test func `schema prints the classes`() throws {
    #expect(
      try succeed("schema", try Airports.store()).stdout == """
        Airport
          icao: string, primary key
          iata: string, optional
          name: string
          city: string, optional
          subd: string, optional
          country: string, indexed
          elevation: double
          tz: string
          lid: string, optional
          location: Location, optional
        Location (embedded)
          type: string
          coordinates: list of double

        """)
  }

  @Test func `info counts objects and lists indexes`() throws {
    let info = try succeed("info", try Airports.store()).stdout

    #expect(info.contains(/^store .*, [0-9,]+ bytes, [0-9,]+ in use/))

    #expect(info.contains("commits    1\n"))
    #expect(info.contains("class      Airport: 28,298 objects"))
    #expect(info.contains("  index    icao, unique\n"))
    #expect(info.contains("  index    country\n"))
    #expect(info.contains("  index    location, spatial\n"))
    #expect(info.contains("SQLite 3."))
  }

  @Test func `check prints ok for an intact store`() throws {
    #expect(try succeed("check", try Airports.store()).stdout == "ok\n")
  }

  @Test func `schema, info and check print JSON`() throws {
    let store = try Airports.store()
    let classes = try #require(
      try succeed("schema", store, "--format", "json").json as? [[String: Any]])
    let properties = try #require(classes.first?["properties"] as? [[String: Any]])
    let info = try #require(try succeed("info", store, "--format", "json").json as? [String: Any])
    let tables = try #require(info["classes"] as? [[String: Any]])
    let indexes = try #require(tables.first?["indexes"] as? [[String: String]])
    let check = try #require(
      try succeed("check", store, "--format", "json").json as? [String: [String]])

    #expect(classes.map { $0["name"] as? String } == ["Airport", "Location"])
    #expect(properties.first?["primaryKey"] as? Bool == true && properties.count == 10)
    #expect(tables.first?["objects"] as? Int == 28_298 && info["commits"] as? Int == 1)
    #expect(
      Set(indexes.map { "\($0["path"] ?? "") \($0["kind"] ?? "")" })
        == ["icao unique", "country value", "location spatial"])
    #expect(check == ["done": [], "notes": [], "problems": []])
  }

  @Test func `the demo runs in an empty folder`() throws {
    let scratch = try Scratch()
    let outcome = try Program.run(["demo", "--store", "demo.cadastre"], in: scratch.url)

    #expect(outcome.status == 0, "\(outcome.stderr)")
    #expect(outcome.stdout.contains("28,298 airports imported"))
    #expect(outcome.stdout.contains("High airports within 100 km of Paris: 31\n"))
    #expect(outcome.stdout.contains("SpatialSearch Airport.location"))
    #expect(outcome.stderr == "drew 42 points to airports.svg\n")
    #expect(scratch.names.isSuperset(of: ["demo.cadastre", "airports.svg"]))
    #expect(try succeed("check", scratch.path("demo.cadastre")).stdout == "ok\n")
  }

  @Test func `control characters in data do not reach the terminal`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("name,b\n\"a\u{1B}[31m\u{7}\nred\u{9B}x\u{202E}\",1\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "A")

    let table = try succeed("query", store, "A").stdout
    let json = try succeed("query", store, "A", "--format", "json")
    let first = (json.json as? [[String: Any]])?.first

    #expect(table.contains("a␛[31m␇␊red"))
    #expect(
      table.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    #expect(!table.unicodeScalars.contains("\u{202E}"))
    #expect(first?["name"] as? String == "a\u{1B}[31m\u{7}\nred\u{9B}x\u{202E}")
  }
}

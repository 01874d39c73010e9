import Foundation
import Testing

/// Calculations in place of fields, the first and last values of groups, and settings of the program.
@Suite struct CalculationTests {
  private let lu = Airports.all.filter { $0.country == "LU" }

  private func column(_ arguments: String...) throws -> [String] {
    let outcome = try Program.run(arguments + ["--format", "csv"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return outcome.lines.dropFirst().map(String.init)
  }

  @Test func `select prints calculations`() throws {
    let store = try Airports.store()
    let values = try column(
      "query", store, "Airport", "country == 'LU'", "--select",
      "(elevation+1) * 2 - location.latitude/4 as n")
    #expect(
      values.compactMap(Double.init) == lu.map { ($0.elevation + 1) * 2 - $0.latitude / 4 })
    let object = try succeed(
      "query", store, "Airport", "icao == 'ELLX'", "--select", "icao, elevation  / 2", "--format",
      "ndjson")
    #expect(object.stdout == #"{"icao":"ELLX","elevation / 2":617.0}"# + "\n")
  }

  @Test func `whole numbers divide to whole numbers, and by 0 to null`() throws {
    let scratch = try Scratch()
    let file = try scratch.csv("id,a,b\n1,7,2\n2,-7,2\n3,7,0\n4,,1\n5,9223372036854775807,1\n")
    try succeed("import", file, "--store", scratch.path("s"), "--into", "T")
    #expect(
      try column("query", scratch.path("s"), "T", "--select", "a/b as q, a -1, a*2") == [
        "3,6,14", "-3,-8,-14", ",6,14", ",,",
        "9223372036854775807,9223372036854775806,1.8446744073709552e+19",
      ])
  }

  @Test(arguments: ["parquet", "fgb", "gpkg", "geojson"])
  func `files have calculations as fields`(ending: String) throws {
    let scratch = try Scratch()
    let file = scratch.path("o.\(ending)")
    try succeed(
      "export", try Airports.store(), "Airport", "country == 'LU'", "--select",
      "icao, location, elevation / 8 as e", "--to", file)
    try succeed("import", file, "--store", scratch.path("s"), "--into", "T")
    #expect(
      try column("query", scratch.path("s"), "T", "--sort", "icao", "--select", "icao,e")
        == lu.sorted { $0.icao < $1.icao }.map { "\($0.icao),\($0.elevation / 8)" })
  }

  @Test func `invalid calculations are one sentence`() throws {
    let store = try Airports.store()
    for (text, words) in [
      ("icao / 2", ["'icao / 2'", "numbers"]), ("elevation /", ["the end of the text"]),
      ("elevation > 2", ["expected an operator", "'>'"]),
      ("icao as n, name as n", ["the name 'n'"]),
      ("elevatin / 2", ["did you mean 'elevation'?"]), ("ANY elevation + 1", ["elevation"]),
    ] {
      expectSentence(try Program.run(["query", store, "Airport", "--select", text]), words)
    }
    try fail(
      "aggregate", store, "Airport", "--compute", "sum(icao / 2)", saying: "'icao / 2'", "numbers")
  }

  @Test func `aggregates take calculations and the first and last values`() throws {
    let store = try Airports.store()
    let rows = try column(
      "aggregate", store, "Airport", "--by", "country", "--order", "elevation desc", "--compute",
      "first(icao), last(icao), max((elevation+1)*2), count(distinct elevation / 1000)")
    var expected: [String] = []
    for (country, airports) in Dictionary(grouping: Airports.all, by: \.country).sorted(
      by: { $0.key < $1.key })
    {
      // The order of equal elevations is that of the file.
      let sorted = airports.enumerated().sorted {
        ($1.element.elevation, $0.offset) < ($0.element.elevation, $1.offset)
      }.map(\.element)
      let most = airports.map { ($0.elevation + 1) * 2 }.max() ?? 0
      expected.append(
        "\(country),\(sorted[0].icao),\(sorted[sorted.count - 1].icao),\(most),"
          + "\(Set(airports.map { $0.elevation / 1000 }).count)")
    }
    #expect(rows == expected)
    let sum = Airports.all.map { $0.elevation * 2 }.reduce(0, +)
    let total = try column(
      "aggregate", store, "Airport", "--compute", "sum(elevation * 2), first(icao), last(iata)")
    let fields = total[0].split(separator: ",").map(String.init)
    #expect(abs((Double(fields[0]) ?? 0) - sum) < 1e-6 * abs(sum))
    #expect(fields[1] == Airports.all[0].icao)
  }

  @Test func `quiet leaves results and errors`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    for arguments in [
      ["--quiet", "head", store, "Airport"], ["head", store, "Airport", "--quiet"],
    ] {
      let outcome = try Program.run(arguments)
      #expect(outcome.status == 0 && outcome.stderr.isEmpty && outcome.lines.count == 12)
    }
    let file = try scratch.csv("a\n1\n")
    #expect(
      try succeed("import", file, "--store", scratch.path("t"), "--into", "T", "--quiet").stderr
        .isEmpty)
    try fail("head", store, "Airprt", "--quiet", saying: "did you mean 'Airport'?")
    #expect(try succeed("query", store, "Airport", "--repeat", "2", "--quiet").stderr.contains("{"))
  }

  @Test func `the environment sets defaults`() throws {
    let store = try Airports.store()
    func run(_ setting: String) throws -> Outcome {
      try Program.run(
        ["head", store, "Airport", "--limit", "1"], through: ["/usr/bin/env", setting])
    }
    #expect(try run("CADASTRE_FORMAT=csv").stdout.hasPrefix("icao,iata,"))
    #expect(try run("CADASTRE_QUIET=1").stderr.isEmpty)
    #expect(try !run("CADASTRE_QUIET=0").stderr.isEmpty)
    expectSentence(try run("CADASTRE_FORMAT=csb"), ["'csb'", "table, csv, json"], status: 64)
  }
}

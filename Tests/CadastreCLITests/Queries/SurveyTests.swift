import Foundation
import Testing

/// The commands and options that give an overview of a class.
@Suite struct SurveyTests {
  private func lines(_ arguments: String...) throws -> [String] {
    let outcome = try Program.run(arguments + ["--format", "csv"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return outcome.lines.dropFirst().map(String.init)
  }

  @Test func `distinct prints the first object of each combination`() throws {
    let store = try Airports.store()
    var seen: Set<String> = []
    let expected = Airports.all.filter { seen.insert($0.country).inserted }

    #expect(
      try lines("query", store, "Airport", "--distinct", "country") == expected.map(\.country))
    #expect(
      try lines(
        "query", store, "Airport", "--distinct", "country", "--select", "icao", "--limit", "5",
        "--offset", "2") == expected[2..<7].map(\.icao))
    #expect(
      try succeed("query", store, "Airport", "--distinct", "country", "--format", "count").stdout
        == "\(expected.count)\n")
    try fail("query", store, "Airport", "--distinct", "location", saying: "single value")
    try fail("query", store, "Airport", "--distinct", "countr", saying: "did you mean 'country'?")
  }

  @Test func `head prints the first objects, sample random ones`() throws {
    let store = try Airports.store()
    let codes = Airports.all.map(\.icao)
    func first(_ line: String) -> String { String(line.prefix { $0 != "," }) }

    #expect(try lines("head", store, "Airport").map(first) == Array(codes.prefix(10)))
    #expect(
      try lines("head", store, "Airport", "country == 'FR'", "--limit", "2").map(first)
        == Airports.all.filter { $0.country == "FR" }.prefix(2).map(\.icao))
    let sample = try lines("sample", store, "Airport", "--limit", "40", "--seed", "5")
    let positions = sample.compactMap { codes.firstIndex(of: first($0)) }
    #expect(positions.count == 40 && positions == Set(positions).sorted())
    #expect(try lines("sample", store, "Airport", "--limit", "40", "--seed", "5") == sample)
    #expect(try lines("sample", store, "Airport", "--limit", "40", "--seed", "6") != sample)
    #expect(
      try lines("sample", store, "Airport", "country == 'LU'").count
        == Airports.all.filter { $0.country == "LU" }.count)
    try fail("head", store, "Airport", "--limit", "-1", saying: "--limit", status: 64)
  }

  @Test func `stats describe each field`() throws {
    let store = try Airports.store()
    let rows = try #require(
      try succeed("stats", store, "Airport", "--format", "json").json as? [[String: Any]])
    func row(_ field: String) throws -> [String: Any] {
      try #require(rows.first { $0["field"] as? String == field })
    }
    let elevations = Airports.all.map(\.elevation)
    let elevation = try row("elevation")

    #expect(elevation["min"] as? Double == elevations.min())
    #expect(elevation["max"] as? Double == elevations.max())
    #expect(elevation["distinct"] as? Int == Set(elevations).count)
    let mean = elevations.reduce(0, +) / Double(elevations.count)
    #expect(abs((elevation["mean"] as? Double ?? .nan) - mean) < 1e-6)
    #expect(try row("city")["nulls"] as? Int == Airports.all.filter { $0.city == nil }.count)
    #expect(try row("city")["mean"] is NSNull && row("city")["distribution"] is NSNull)
    #expect(
      try row("location.latitude")["max"] as? Double == Airports.all.map(\.latitude).max())
    #expect((elevation["distribution"] as? String)?.count == 10)
    let none = try lines("stats", store, "Airport", "country == 'XX'")
    #expect(none.count == rows.count && none[0] == "icao,string,0,0,,,,")
  }

  @Test func `a map of a town shows the town`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("id,lat,lon\n1,51.48,-0.2\n2,51.55,-0.01\n3,51.5,-0.1\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "Dock", "--pk", "id")
    try succeed("query", store, "Dock", "--map", scratch.path("m.svg"), "--title", "Docks & more")
    let map = String(decoding: try scratch.bytes("m.svg"), as: UTF8.self)

    #expect(map.contains("<title>Docks &amp; more</title>"))
    // Meridians of tenths of a degree or less.
    #expect(map.contains("51.52°N") && map.contains("0.1°W"))
    try fail(
      "query", store, "Dock", "--map", scratch.path("m.png"), saying: "--map writes SVG or HTML",
      status: 64
    )
    try fail("query", store, "Dock", "--title", "x", saying: "needs --map", status: 64)
    #expect(!scratch.names.contains("m.png"))
  }

  @Test func `a map is coloured by categories, or by intervals of numbers`() throws {
    let scratch = try Scratch()
    let store = try Airports.store()
    func map(_ field: String) throws -> String {
      try succeed(
        "query", store, "Airport", "country IN ('FR', 'BE', 'LU')", "--color-by", field, "--map",
        scratch.path("m.svg"))
      return String(decoding: try scratch.bytes("m.svg"), as: UTF8.self)
    }
    let byCountry = try map("country")
    let byElevation = try map("elevation")
    let elevations = Airports.all.filter { ["FR", "BE", "LU"].contains($0.country) }
      .map(\.elevation).sorted()

    for label in [">country:<", ">FR<", ">BE<", ">LU<"] { #expect(byCountry.contains(label)) }
    for colour in ["#0072b2", "#d55e00", "#009e73"] {
      #expect(byCountry.contains("stroke=\"\(colour)\""))
    }
    #expect(!byCountry.contains("other or none"))
    let least = try #require(elevations.first)
    let second = elevations[elevations.count / 5]
    #expect(byElevation.contains(">\(Int(least)) – \(Int(second))<"))
    #expect(try map("city").contains("other or none"))
    try fail(
      "query", store, "Airport", "--map", scratch.path("n.svg"), "--color-by", "countr",
      saying: "did you mean 'country'?")
    try fail("query", store, "Airport", "--color-by", "country", saying: "needs --map", status: 64)
    #expect(scratch.names == ["m.svg"])
  }

  @Test func `a map has names, and is a page if its file ends in .html`() throws {
    let scratch = try Scratch()
    let csv = try scratch.csv("id,name,lat,lon\n1,</script>,51.48,-0.2\n2,Dockside,51.55,-0.01\n")
    let store = scratch.path("s")
    try succeed("import", csv, "--store", store, "--into", "Dock", "--pk", "id")
    try succeed(
      "query", store, "Dock", "--map", scratch.path("m.svg"), "--label-by", "name", "--format",
      "count")
    let map = String(decoding: try scratch.bytes("m.svg"), as: UTF8.self)
    #expect(map.contains(">Dockside</text>") && map.contains("&lt;/script&gt;</text>"))
    for _ in 1...2 {
      // The second page replaces the first one.
      try succeed("query", store, "Dock", "--map", scratch.path("m.html"), "--label-by", "name")
    }
    let page = String(decoding: try scratch.bytes("m.html"), as: UTF8.self)
    #expect(page.hasPrefix("<!doctype html>") && page.contains("\"Dockside\""))
    #expect(page.components(separatedBy: "</script>").count == 2)
    try fail(
      "query", store, "Dock", "--map", scratch.path("n.svg"), "--label-by", "nam",
      saying: "did you mean 'name'?")
  }

  @Test func `bars show the share of each interval`() throws {
    let scratch = try Scratch()
    let numbers = (0..<80).map { _ in "0" } + (0..<40).map { _ in "55" } + ["99.5", "100"]
    let csv = try scratch.csv("n\n" + numbers.joined(separator: "\n") + "\n")
    try succeed("import", csv, "--store", scratch.path("s"), "--into", "N")

    #expect(
      try lines("stats", scratch.path("s"), "N") == [
        "n,double,0,4,0.0,100.0,19.668032786885245,█    ▄   ▁"
      ])
  }
}

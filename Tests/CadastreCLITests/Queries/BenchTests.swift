import Foundation
import Testing

/// The measurements of `cadastre bench`; times decide nothing.
@Suite struct BenchTests {
  private struct Measurement: Decodable {
    let predicate: String
    let hits: Int
    let medianMs: Double
    let plan: String
  }

  @Test func `each predicate of a file has its hits, times and plan`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore("a.cadastre", from: Airports.smallStore())
    let file = try scratch.file("p.txt", "# comment\n\ncountry == 'FR'\n  elevation > 100  \n").path
    let json = try succeed(
      "bench", store, "Airport", file, "--runs", "3", "--format", "json"
    ).stdout
    let measurements = try JSONDecoder().decode([Measurement].self, from: Data(json.utf8))
    #expect(measurements.map(\.predicate) == ["country == 'FR'", "elevation > 100"])
    for measurement in measurements {
      let count = try succeed(
        "query", store, "Airport", measurement.predicate, "--format", "count"
      ).stdout
      #expect("\(measurement.hits)\n" == count)
      #expect(measurement.medianMs > 0 && measurement.plan.contains("Airport"))
    }
    let earlier = try scratch.file("before.json", json).path
    for other in [earlier, store] {
      let table = try succeed("bench", store, "Airport", file, "--runs", "2", "--compare", other)
      #expect(table.stdout.contains("ratio"), "\(table.stdout)")
    }
  }

  @Test func `mistakes are named`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore("a.cadastre", from: Airports.smallStore())
    let empty = try scratch.file("e.txt", "# nothing\n").path
    try fail("bench", store, "Airport", empty, saying: "has no predicates", status: 64)
    try fail("bench", store, "Airport", scratch.path("none"), saying: "cannot read", status: 64)
    let wrong = try scratch.file("w.txt", "elevation >\n").path
    try fail("bench", store, "Airport", wrong, saying: "expected")
    try fail("bench", store, "Airport", wrong, "--runs", "1", saying: "--runs", status: 64)
    let json = try scratch.file("b.json", "[1]").path
    let file = try scratch.file("p.txt", "elevation > 1\n").path
    try fail(
      "bench", store, "Airport", file, "--compare", json, saying: "no output of bench", status: 64)
  }
}

import Cadastre
import Foundation
import Testing

@Suite struct IndexTests {
  @Test func `an index is added and removed`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let predicate = "elevation > 14000"
    func plan() throws -> String { try succeed("explain", store, "Airport", predicate).stdout }
    func keys() throws -> String {
      try succeed("query", store, "Airport", predicate, "--sort", "icao", "--format", "ids").stdout
    }
    let before = try keys()

    #expect(!before.isEmpty)
    #expect(try plan().contains("Scan Airport"))
    #expect(
      try succeed("index", store, "Airport", "elevation").stderr
        == "Airport.elevation has an index\n")
    #expect(try plan().contains("IndexSearch Airport.elevation"))
    #expect(try keys() == before)
    #expect(try succeed("schema", store).stdout.contains("  elevation: double, indexed\n"))
    #expect(
      try succeed("index", store, "Airport", "elevation").stderr
        == "Airport.elevation has an index, as before\n")
    #expect(try succeed("check", store).stdout == "ok\n")
    #expect(
      try succeed("index", store, "Airport", "elevation", "--remove").stderr
        == "Airport.elevation has no index\n")
    #expect(try plan().contains("Scan Airport"))
    #expect(try keys() == before)
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `an index of several fields is added and removed`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore()
    let predicate = "country == 'FR' AND elevation > 3000"
    func plan() throws -> String { try succeed("explain", store, "Airport", predicate).stdout }
    func keys() throws -> String {
      try succeed("query", store, "Airport", predicate, "--sort", "icao", "--format", "ids").stdout
    }
    let before = try keys()

    #expect(
      try succeed("index", store, "Airport", "country", "elevation").stderr
        == "Airport.(country, elevation) has an index\n")
    #expect(
      try plan().contains(
        "IndexSearch Airport(country, elevation) country == 'FR' and elevation (3000"))
    #expect(try !before.isEmpty && keys() == before)
    #expect(
      try succeed("schema", store).stdout.contains(
        "  location: Location, optional\n  index on country, elevation\nLocation (embedded)\n"))
    #expect(
      try succeed("schema", store, "--format", "json").stdout.contains("\"compoundIndexes\""))
    #expect(try succeed("info", store).stdout.contains("  index    country, elevation\n"))
    #expect(
      try succeed("index", store, "Airport", "country", "elevation").stderr
        == "Airport.(country, elevation) has an index, as before\n")
    try succeed("rename", store, "Airport", "elevation", "height")
    #expect(try succeed("schema", store).stdout.contains("  index on country, height\n"))
    #expect(try succeed("check", store).stdout == "ok\n")
    #expect(
      try succeed("index", store, "Airport", "country", "height", "--remove").stderr
        == "Airport.(country, height) has no index\n")
    #expect(try !succeed("schema", store).stdout.contains("index on"))
    try succeed("index", store, "Airport", "country", "height")
    try succeed("drop", store, "Airport", "height")
    #expect(try !succeed("schema", store).stdout.contains("index on"))
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `an import makes an index of several columns`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let file = try scratch.csv("n,a,b\n1,x,2\n2,y,3\n")
    try succeed("import", file, "--store", store, "--into", "A", "--pk", "n", "--index", "a,b")
    #expect(try succeed("schema", store).stdout.contains("  index on a, b\n"))

    let more = try scratch.csv("n,a,b\n3,z,4\n", "more.csv")
    try succeed(
      "import", more, "--store", store, "--into", "A", "--index", "b,n", "--index", "a")
    #expect(
      try succeed("schema", store).stdout.contains("  index on a, b\n  index on b, n\n"))
    #expect(try succeed("check", store).stdout == "ok\n")
    try fail(
      "import", more, "--store", scratch.path("t"), "--into", "A", "--index", "a,c",
      saying: "--index", "'c'")
  }

  @Test func `an import makes an index that is named twice once`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let file = try scratch.csv("n,a,b\n1,x,2\n2,y,3\n")
    for name in ["A", "A", "B"] {
      try succeed(
        "import", file, "--store", store, "--into", name, "--index", "a,b", "--index", "b",
        "--index", "a,b")
    }
    #expect(
      try succeed("schema", store).lines.filter { $0 == "  index on a, b" }.count == 2)
    #expect(try succeed("check", store).stdout == "ok\n")
    for (into, list) in [("A", ","), ("C", ","), ("C", "")] {
      try fail(
        "import", file, "--store", store, "--into", into, "--index", list,
        saying: "--index: found no name of a column", "n, a, b")
    }
  }

  @Test func `fields of embedded objects can be indexed`() throws {
    let scratch = try Scratch()
    let file = try scratch.csv(
      #"{"n":1,"a":{"city":"Oslo"}}"# + "\n" + #"{"n":2,"a":{"city":"Rome"}}"# + "\n", "a.ndjson")
    let store = scratch.path("s")
    try succeed("import", file, "--store", store, "--into", "A")

    try succeed("index", store, "A", "a.city")
    #expect(try succeed("info", store).stdout.contains("  index    a.city\n"))
    #expect(
      try succeed("query", store, "A", "a.city == 'Rome'", "--select", "n", "--format", "csv")
        .stdout
        == "n\n2\n")
    #expect(try succeed("check", store).stdout == "ok\n")
    try fail("index", store, "A", "a", saying: "'a' is an embedded object", "'a.city'")
  }

  @Test func `unsupported indexes are rejected with the reason`() throws {
    let store = try Airports.store()
    let before = try succeed("info", store).stdout

    try fail("index", store, "Airport", "location", saying: "is a point", "spatial index")
    try fail(
      "index", store, "Airport", "location.coordinates", saying: "not stored in the rows")
    try fail("index", store, "Airport", "icao", "--remove", saying: "primary key")
    try fail("index", store, "Airport", "elevatio", saying: "did you mean 'elevation'?")
    try fail("index", store, "Airprt", "elevation", saying: "did you mean 'Airport'?")
    try fail("index", store, "Airport", "country", "location", saying: "is a point")
    try fail(
      "index", store, "Airport", "country", "country", saying: "names the property 'country'")
    try fail("index", store + "x", "Airport", "elevation", saying: "there is no store")
    #expect(try succeed("info", store).stdout == before)
  }
}

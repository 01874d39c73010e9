import Foundation
import Testing

/// `cadastre map-geometry`, `cadastre dissolve`, and `cadastre set` with calculations.
@Suite struct GeometryCommandTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("a.cadastre")
    let table = """
      name,state,people,size,geometry
      A,north,10,4,"POLYGON((0 0,1 0,1 1,0 1,0 0))"
      B,north,20,0,"POLYGON((1 0,2 0,2 1,1 1,1 0))"
      C,south,5,2,"POLYGON((179 -60,-179 -60,-179 -59,179 -59,179 -60))"
      D,south,,,

      """
    try succeed("import", try scratch.csv(table), "--store", store, "--into", "Plot")
  }

  private func values(_ className: String, _ select: String) throws -> [Substring] {
    try succeed(
      "query", store, className, "--select", select, "--format", "csv"
    ).stdout.split(separator: "\n").dropFirst().map { $0 }
  }

  @Test func `dissolve unites objects with equal values`() throws {
    let dry = try succeed(
      "dissolve", store, "Plot", "--by", "state", "--into", "State", "--dry-run")
    #expect(dry.stderr == "would unite 4 objects of Plot to 2 objects of State\n")
    try succeed("dissolve", store, "Plot", "--by", "state", "--into", "State")
    #expect(try values("State", "state,count") == ["north,2", "south,2"])
    let geometries = try values("State", "geometry")
    #expect(geometries[0].contains("POLYGON") && !geometries[0].contains("MULTIPOLYGON"))
    // The areas of the parts are that of the union.
    #expect(
      try succeed(
        "aggregate", store, "Plot", "state == 'north'", "--compute", "sum(geometry.area)",
        "--format",
        "csv"
      ).stdout.split(separator: "\n")[1].prefix(8)
        == succeed(
          "query", store, "State", "state == 'north'", "--select", "geometry.area", "--format",
          "csv"
        ).stdout.split(separator: "\n")[1].prefix(8))
    try fail("dissolve", store, "Plot", "--into", "State", saying: "has a class 'State' already")
    try fail("dissolve", store, "Plot", "--by", "x", "--into", "E", saying: "'x' is no field")
  }

  @Test func `operations change geometries in place or in a new class`() throws {
    let clip = "POLYGON((0.5 -1,1.5 -1,1.5 2,0.5 2,0.5 -1))"
    let outcome = try succeed(
      "map-geometry", store, "Plot", "state == 'north'", "--clip", clip, "--into", "Clipped")
    #expect(outcome.stderr == "changed 2 geometries in Clipped\n")
    #expect(try values("Clipped", "name") == ["A", "B"])
    // Half of each plot is inside of the region.
    let areas = try succeed(
      "query", store, "Clipped", "--select", "geometry.area", "--format", "csv"
    ).stdout.split(separator: "\n").dropFirst().compactMap { Double($0) }
    #expect(areas.allSatisfy { abs($0 / 6.19e9 - 1) < 0.001 }, "\(areas)")
    let dry = try succeed("map-geometry", store, "Plot", "--hull", "--into", "Hull", "--dry-run")
    #expect(dry.stderr.contains("would change"))
    try fail("query", store, "Hull", saying: "there is no class 'Hull'")
    try succeed("map-geometry", store, "Plot", "name == 'A'", "--erase", clip)
    #expect(try values("Plot", "geometry.area")[0].hasPrefix("61"))
    #expect(
      try succeed("map-geometry", store, "Plot", "name == 'C'", "--clip", clip).stderr
        == "changed 1 geometry of Plot, 1 became null\n")
    try fail("map-geometry", store, "Plot", "--hull", "--repair", saying: "one of", status: 64)
    try fail("map-geometry", store, "Plot", "--buffer", "wide", saying: "--buffer", status: 64)
    try fail("map-geometry", store, "Plot", "--clip", "x", saying: "--clip expects", status: 64)
    try fail("map-geometry", store, "Plot", "--hull", "--into", "Plot", saying: "already")
    let large = try succeed("map-geometry", store, "Plot", "--buffer", "5000km", "--dry-run")
    #expect(large.stderr.contains("refused, the first, of the object with key 1: a buffer reaches"))
  }

  @Test func `points get a geometry in a new class`() throws {
    try succeed(
      "import", try scratch.csv("n,lon,lat\n1,2,48\n2,180,0\n", "p.csv"), "--store", store,
      "--into",
      "Place")
    try fail("map-geometry", store, "Place", "--buffer", "1km", saying: "--into NAME")
    try succeed("map-geometry", store, "Place", "--buffer", "100km", "--into", "Zone")
    let distances = try succeed(
      "query", store, "Zone", "geometry GEOINTERSECTS $0", "--arg", "POINT(-179.5 0)", "--select",
      "n", "--format", "csv"
    ).stdout
    #expect(distances == "n\n2\n")
  }

  @Test func `set computes numbers from fields`() throws {
    try succeed("set", store, "Plot", "TRUEPREDICATE", "size=people / 10 + size")
    #expect(try values("Plot", "name,size") == ["A,5", "B,2", "C,2", "D,"])
    try succeed("set", store, "Plot", "name == 'A'", "people=size", "size=people")
    // Both calculations read the values before the change.
    #expect(try values("Plot", "people,size")[0] == "5,10")
    try fail(
      "set", store, "Plot", "TRUEPREDICATE", "size=people * 0.3", saying: "'size'",
      "expected an int")
    try fail("set", store, "Plot", "TRUEPREDICATE", "size=nobody / 2", saying: "nobody")
    #expect(try values("Plot", "people,size")[0] == "5,10")
  }
}

import Foundation
import Testing

/// `cadastre join`.
@Suite struct JoinCommandTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("s")
    let towns = try scratch.csv(
      "id,name,lon,lat\n1,A,1,1\n2,B,3,1\n3,C,1.5,1\n4,D,20,20\n5,E,,\n", "towns.csv")
    let areas = try scratch.csv(
      "id,name,geometry\n1,West,\"POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))\"\n"
        + "2,East,\"POLYGON ((2 0, 4 0, 4 2, 2 2, 2 0))\"\n3,Empty,\n", "areas.csv")
    try succeed("import", towns, "--store", store, "--into", "Town", "--pk", "id")
    try succeed(
      "import", areas, "--store", store, "--into", "Area", "--pk", "id", "--wkt", "geometry")
  }

  private func join(_ arguments: String...) throws -> String {
    let outcome = try Program.run(["join", store] + arguments)
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return outcome.stdout
  }

  @Test func `pairs have the fields of both classes`() throws {
    let csv = "name,Area.name\nA,West\nB,East\nC,West\n"
    #expect(
      try join("Town", "Area", "--select", "name,Area.name", "--format", "csv") == csv)
    for relation in [
      "location GEOWITHIN geometry", "Area.geometry GEOCONTAINS Town.location",
      "Town.location GEOINTERSECTS geometry", "GEODISTANCE(location, geometry) <= 0km",
    ] {
      #expect(
        try join("Town", "Area", relation, "--select", "name,Area.name", "--format", "csv") == csv)
    }
    #expect(
      try join(
        "Town", "Area", "--outer", "--select", "id,Area.id", "--format", "ndjson", "--sort",
        "id desc", "--other-where", "name == 'West'", "--where", "id != 3")
          == """
          {"id":5,"Area":null}
          {"id":4,"Area":null}
          {"id":2,"Area":null}
          {"id":1,"Area":{"id":1}}

          """)
    #expect(try join("Town", "Area", "--format", "count") == "3\n")
    #expect(try join("Town", "Area", "--outer", "--format", "count") == "5\n")
    #expect(
      try join("Town", "Area", "--limit", "1", "--select", "id,Area.id", "--format", "csv")
        == "id,Area.id\n1,1\n")
  }

  @Test func `the world, a band and a cap are joined as they are found`() throws {
    let store = scratch.path("world")
    let places = try scratch.csv(
      "name,lon,lat\nparis,2.35,48.85\npole,0,-90\nmcmurdo,166.67,-77.85\nfiji,178.4,-18.1\n"
        + "east,180,0\nwest,-180,0\n", "places.csv")
    let rings = [
      ("world", "-180 -90, 180 -90, 180 90, -180 90, -180 -90"),
      ("mercator", "-180 -85.06, 180 -85.06, 180 85.06, -180 85.06, -180 -85.06"),
      (
        "antarctica",
        "-180 -60, -90 -60, 0 -60, 90 -60, 180 -60, 180 -90, -180 -90, -180 -60"
      ),
      ("half", "-180 -90, 0 -90, 0 90, -180 90, -180 -90"),
    ]
    let lines = rings.map { "\($0.0),\"POLYGON ((\($0.1)))\"\n" }.joined()
    let areas = try scratch.csv("name,geometry\n" + lines, "rings.csv")
    try succeed("import", places, "--store", store, "--into", "Place")
    try succeed("import", areas, "--store", store, "--into", "Ring", "--wkt", "geometry")
    let all = ["paris", "pole", "mcmurdo", "fiji", "east", "west"]
    let expected = [
      "world": all, "mercator": all.filter { $0 != "pole" }, "antarctica": ["pole", "mcmurdo"],
      "half": ["pole", "east", "west"],
    ]
    func names(_ arguments: String...) throws -> [String] {
      let outcome = try Program.run(arguments + ["--select", "name", "--format", "csv"])
      #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
      return outcome.stdout.split(separator: "\n").dropFirst().map(String.init)
    }
    for (name, ring) in rings {
      let points = ring.split(separator: ",").map {
        "[" + $0.split(separator: " ").joined(separator: ",") + "]"
      }
      #expect(
        try names(
          "query", store, "Place",
          "location GEOWITHIN geoPolygon({\(points.joined(separator: ","))})") == expected[name])
      #expect(
        try names(
          "join", store, "Place", "Ring", "location GEOWITHIN geometry", "--other-where",
          "name == '\(name)'") == expected[name])
    }
  }

  @Test func `objects are counted by region`() throws {
    #expect(
      try join("Area", "Town", "--counts", "--select", "name", "--format", "csv", "--sort", "name")
        == "name,count\nEast,1\nEmpty,0\nWest,2\n")
    #expect(try join("Area", "Town", "--explain").contains("geometry GEOINTERSECTS Town.location"))
  }

  @Test func `two objects of a class are one pair`() throws {
    let select = ["--select", "id,other.id", "--format", "csv"]
    func pairs(_ condition: String, _ options: String...) throws -> [String] {
      try succeed(["join", store, "Town", "Town", condition] + options + select).stdout
        .split(separator: "\n").dropFirst().map(String.init)
    }
    let near = "GEODISTANCE(location, other.location) < 300km"
    #expect(try pairs(near, "--once") == ["1,2", "1,3", "2,3"])
    #expect(try pairs(near, "--once", "--sort", "id desc") == ["3,1", "3,2", "2,1"])
    #expect(try pairs(near, "--once", "--where", "id != 1") == ["2,3"])
    // No object is its own partner, in any form of the output.
    #expect(try pairs("id == other.id", "--once").isEmpty && pairs("id == other.id").isEmpty)
    for options in [["--format", "count"], ["--counts", "--select", "id", "--format", "csv"]] {
      let text = try succeed(["join", store, "Town", "Town", "id == other.id"] + options).stdout
      #expect(text == (options.count == 2 ? "0\n" : "id,count\n1,0\n2,0\n3,0\n4,0\n5,0\n"))
    }
    #expect(
      try succeed("join", store, "Town", "Town", near, "--once", "--format", "count").stdout
        == "3\n")
    #expect(
      try succeed("join", store, "Town", "Town", near, "--once", "--explain").stdout
        .contains("each pair once"))
    try fail(
      "join", store, "Town", "Area", "--select", "name as n,Area.name as n",
      saying: "two columns have the name 'n'")
    #expect(
      try succeed(
        "join", store, "Town", "Area", "--select", "id * 2 as a,Area.id * 3 as b", "--format",
        "csv", "--limit", "1"
      ).stdout == "a,b\n2,3\n")
    try fail(
      "join", store, "Town", "Area", "--once", saying: "joins a class with itself", status: 64)
  }

  @Test func `groups of cells are features with their polygons`() throws {
    let arguments = ["aggregate", store, "Town", "--compute", "count", "--format", "geojson"]
    let json = try succeed(arguments + ["--by", "tile(location, 6)"]).stdout
    // The tile 6/32/31 begins at the equator and the meridian of 0° and is 5.625° wide.
    #expect(json.contains("[5.625,"))
    #expect(json.contains(#""tile(location, 6)":"6/32/31","count":3"#), "\(json)")
    #expect(json.contains(#""geometry":null"#))
    try fail(arguments + ["--by", "name"], saying: "GeoJSON needs groups by cells")
    try fail(arguments, saying: "--by with cells", status: 64)
  }

  @Test func `objects are grouped by cells`() throws {
    func counts(_ by: String) throws -> String {
      try succeed(
        "aggregate", store, "Town", "--compute", "count, max(id)", "--by", by, "--format", "csv"
      ).stdout
    }
    #expect(
      try counts("tile(location, 6)")
        == "\"tile(location, 6)\",count,max(id)\n,1,5\n6/35/28,1,4\n6/32/31,3,3\n")
    #expect(
      try counts("name, geohash( location ,2)").hasPrefix(
        "name,\"geohash(location, 2)\",count,max(id)\nA,s0,1,1\n"))
    try fail(
      "aggregate", store, "Town", "--compute", "count", "--by", "tile(location)",
      saying: "'tile' expects a point or a geometry and a level from 0 to 30")
    try fail(
      "aggregate", store, "Town", "--compute", "count", "--by", "tile(name, 3)",
      saying: "'name' is of type 'string'")
  }

  @Test func `the nearest objects have their distance`() throws {
    let lines = try join(
      "Town", "Town", "--nearest", "1", "--within", "100km", "--select", "name,other.name",
      "--format", "csv"
    ).split(separator: "\n").map { $0.split(separator: ",") }
    #expect(lines.map { $0.prefix(2).joined(separator: ",") } == ["name,other.name", "A,C", "C,A"])
    let metres = try #require(Double(lines[1][2]))
    // Half a degree of longitude at one degree of latitude.
    #expect(abs(metres - 55_650) < 50)
    #expect(
      try join(
        "Town", "Town", "GEODISTANCE(location, other.location) < 56km", "--format", "count")
        == "2\n")
  }

  @Test func `what is no join is refused`() throws {
    try fail(
      "join", store, "Town", "Area", "name == 'A'", saying: "a join needs one relation between two")
    try fail(
      "join", store, "Town", "Area", "location GEODISJOINT geometry",
      saying: "a join needs a relation of geometries that are near each other")
    try fail(
      "join", store, "Town", "Area", "place GEOWITHIN geometry", saying: "'place' not found",
      "^^^^^")
    try fail("join", store, "Town", "Are", saying: "did you mean 'Area'?")
    try fail(
      "join", store, "Town", "Area", "Town.location GEOWITHIN Town.location",
      saying: "both sides of the relation are geometries of 'Town'")
    try fail(
      "join", store, "Town", "Area", "location GEOTOUCHES geometry", saying: "[planar]")
    try fail("join", store, "Town", "Area", "--nearest", "0", saying: "at least 1", status: 64)
  }
}

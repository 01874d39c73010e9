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
    let shifted = "LINESTRING(0.999 0, 0.999 1)"
    try succeed(
      "map-geometry", store, "Plot", "name == 'B'", "--snap", shifted, "--tolerance", "200m",
      "--into", "Snapped")
    #expect(try values("Snapped", "geometry.west").map { $0.prefix(5) } == ["0.999"])
    let line = #"{"type":"LineString","coordinates":[[1.5,-1],[1.5,2]]}"#
    try succeed("map-geometry", store, "Plot", "name == 'B'", "--union", line, "--into", "Joined")
    try fail("map-geometry", store, "Plot", "--snap", shifted, saying: "--tolerance", status: 64)
    try fail("map-geometry", store, "Plot", "--hull", "--repair", saying: "one of", status: 64)
    try fail("map-geometry", store, "Plot", "--buffer", "wide", saying: "--buffer", status: 64)
    try fail("map-geometry", store, "Plot", "--clip", "x", saying: "--clip expects", status: 64)
    try fail("map-geometry", store, "Plot", "--hull", "--into", "Plot", saying: "already")
    let large = try Program.run(
      ["map-geometry", store, "Plot", "--buffer", "9900km", "--dry-run"])
    #expect(large.status == 2)
    #expect(large.stderr.contains("refused, the first, of the object with key 1: a buffer is at"))
  }

  @Test func `borders that nearly agree are joined`() throws {
    let table = """
      name,geometry
      west,"POLYGON((0 0,1 0,1 0.5,1 1,0 1,0 0))"
      east,"POLYGON((1.00001 0,2 0,2 1,1.00001 1,1.00001 0))"

      """
    try succeed("import", try scratch.csv(table, "b.csv"), "--store", store, "--into", "Part")
    let outcome = try succeed("map-geometry", store, "Part", "--join-borders", "5m")
    #expect(outcome.stderr == "changed 1 geometry of Part, 1 stay as they are\n")
    let east = try values("Part", "name,geometry").first { $0.hasPrefix("east") }
    #expect(
      east == "east,\"POLYGON ((1.0 0.0, 2.0 0.0, 2.0 1.0, 1.0 1.0, 1.0 0.5, 1.0 0.0))\"")
    try succeed("map-geometry", store, "Part", "--inset", "20km", "--into", "Inner")
    let areas = try values("Inner", "geometry.area").compactMap { Double($0) }
    #expect(areas.count == 2 && areas.allSatisfy { abs($0 / 5.07e9 - 1) < 0.01 }, "\(areas)")
    try fail("map-geometry", store, "Part", "--join-borders", "5", saying: "500m", status: 64)
  }

  @Test func `a common border is simplified once`() throws {
    let table = """
      name,geometry
      west,"POLYGON((0 0,1 0,1.01 0.2,0.99 0.4,1.01 0.6,1.3 0.8,1 1,0 1,0 0))"
      east,"POLYGON((2 0,2 1,1 1,1.3 0.8,1.01 0.6,0.99 0.4,1.01 0.2,1 0,2 0))"
      nothing,

      """
    try succeed("import", try scratch.csv(table, "b.csv"), "--store", store, "--into", "Part")
    let outcome = try succeed(
      "map-geometry", store, "Part", "--simplify", "5km", "--keep-borders", "--into", "Overview")
    #expect(outcome.stderr == "changed 2 geometries in Overview, 1 stay as they are\n")
    func positions(_ name: String) throws -> Set<Substring> {
      let text = try #require(
        try values("Overview", "name,geometry").first { $0.hasPrefix(name) })
      return Set(
        text.drop { $0 != "(" }.filter { !"()\"".contains($0) }.split(separator: ",").map {
          Substring($0.trimmingCharacters(in: .whitespaces))
        })
    }
    let (west, east) = (try positions("west"), try positions("east"))
    #expect(west == ["0.0 0.0", "1.0 0.0", "1.01 0.6", "1.3 0.8", "1.0 1.0", "0.0 1.0"])
    #expect(east == ["2.0 0.0", "1.0 0.0", "1.01 0.6", "1.3 0.8", "1.0 1.0", "2.0 1.0"])
    try fail(
      "map-geometry", store, "Part", "--hull", "--keep-borders", saying: "--simplify", status: 64)
  }

  @Test func `regions far away, required geometries and dry runs`() throws {
    // New Zealand and a region in Europe do not fit one projection, and have nothing in common.
    let far = "POLYGON((-10 36,5 36,5 60,-10 60,-10 36))"
    let island = "id,geometry\n1,\"POLYGON((172 -44,174 -44,174 -42,172 -42,172 -44))\"\n2,\n"
    try succeed(
      "import", try scratch.csv(island, "i.csv"), "--store", store, "--into", "Island")
    let erased = try succeed("map-geometry", store, "Island", "--erase", far)
    #expect(erased.stderr == "changed 0 geometries of Island, 2 stay as they are\n")
    let before = try scratch.bytes("a.cadastre")
    try succeed("map-geometry", store, "Island", "--clip", far, "--into", "New", "--dry-run")
    #expect(try scratch.bytes("a.cadastre") == before)
    try succeed("map-geometry", store, "Island", "--clip", far, "--into", "Clipped")
    #expect(try values("Clipped", "id,geometry") == ["1,", "2,"])
    let required = "id,geometry\n1,\"POLYGON((0 0,1 0,1 1,0 0))\"\n"
    try succeed(
      "import", try scratch.csv(required, "r.csv"), "--store", store, "--into", "Required")
    let refused = try Program.run(["map-geometry", store, "Required", "--clip", far])
    #expect(refused.status == 2 && refused.stderr.contains("the field is required"))
    #expect(refused.stderr.contains("--into NAME makes a class in which it is optional"))
    #expect(try values("Required", "geometry")[0].contains("POLYGON"))
    try succeed("map-geometry", store, "Required", "--clip", far, "--into", "Optional")
    #expect(try values("Optional", "id,geometry") == ["1,"])
    let points =
      "id,geometry\n1,\"MULTIPOINT((0 90),(10 90),(0 -90))\"\n2,\"LINESTRING(0 0,1 1)\"\n"
    try succeed("import", try scratch.csv(points, "m.csv"), "--store", store, "--into", "Poles")
    // Parts that are far apart have planes of their own.
    let operations = [
      ["--simplify", "100km", "--dry-run"], ["--buffer", "100km", "--into", "Caps"],
    ]
    for options in operations {
      try succeed(["map-geometry", store, "Poles", "id == 1"] + options)
    }
    let near = try succeed(
      "query", store, "Caps", "geometry GEOINTERSECTS $0", "--arg", "MULTIPOINT((5 89.5))",
      "--format", "count"
    ).stdout
    #expect(near == "1\n")
  }

  @Test
  func `an unusable region is refused once, and a refused object is named by its primary key`()
    throws
  {
    let before = try scratch.bytes("a.cadastre")
    for region in [
      "POLYGON((0 0,10 10,10 0,0 10,0 0))", "POLYGON((-180 60,180 60,180 90,-180 90,-180 60))",
      "POINT EMPTY",
    ] {
      for operation in ["--clip", "--erase", "--union"] {
        try fail(
          "map-geometry", store, "Plot", operation, region, saying: "geometry of the option")
      }
    }
    #expect(try scratch.bytes("a.cadastre") == before)
    let lines =
      "code,geometry\nshort,\"LINESTRING(0 0,1 1)\"\nlong,\"LINESTRING(0 0,100 1,-160 0)\"\n"
    try succeed(
      "import", try scratch.csv(lines, "l.csv"), "--store", store, "--into", "Line", "--pk", "code")
    let outcome = try Program.run(["map-geometry", store, "Line", "--buffer", "1km", "--dry-run"])
    #expect(outcome.status == 2 && outcome.stderr.contains("the object with code long: "))
  }

  @Test func `results at vertices of both operands are stored as they are`() throws {
    let shapes = """
      id,geometry
      1,"POLYGON((9 47,11 47,10 49,9 47))"
      2,"POLYGON((10 47,11 48,9 49,10 47))"
      3,"POLYGON((8 47,10 48,11 50,9 51,8 47))"

      """
    try succeed("import", try scratch.csv(shapes, "t.csv"), "--store", store, "--into", "Shape")
    for (name, operation) in [("C", "--clip"), ("E", "--erase"), ("U", "--union")] {
      try succeed(
        "map-geometry", store, "Shape", operation, "POLYGON((10 40,20 40,20 60,10 60,10 40))",
        "--into", name)
      #expect(try values(name, "geometry").allSatisfy { $0.contains("POLYGON") })
    }
    #expect(try succeed("check", store).stdout.hasPrefix("ok"))
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

  @Test func `set adds fields`() throws {
    let arguments = ["set", store, "Plot", "people > 5", "--add", "density double = people / 4"]
    try succeed(arguments + ["--dry-run"])
    #expect(try !succeed("schema", store).stdout.contains("density"))
    try succeed(arguments + ["--add", "note string", "size=1"])
    #expect(
      try values("Plot", "name,density,note,size") == ["A,2.0,,1", "B,5.0,,1", "C,,,2", "D,,,"])
    try fail(arguments, saying: "has a field 'density' already")
    try succeed("set", store, "Plot", "TRUEPREDICATE", "--add", "floor area int")
    for text in ["x", "x nothing", "double=1"] {
      try fail("set", store, "Plot", "TRUEPREDICATE", "--add", text, saying: text)
    }
    try fail("set", store, "Plot", "TRUEPREDICATE", "--add", "y int=1.5", saying: "'y'")
    #expect(try !succeed("schema", store).stdout.contains("  y:"))
    try fail("set", store, "Plot", "TRUEPREDICATE", saying: "or --add", status: 64)
    try succeed("check", store)
  }

  @Test func `invalid geometries have no buffer and no centroid`() throws {
    let bow = "n,geometry\n1,\"POLYGON((0 0,1 1,1 0,0 1,0 0))\"\n"
    try succeed(
      "import", try scratch.csv(bow, "b.csv"), "--store", store, "--into", "Bow", "--on-invalid",
      "keep")
    for options in [["--buffer", "1km"], ["--centroid"]] {
      let outcome = try Program.run(["map-geometry", store, "Bow"] + options)
      #expect(outcome.status == 2 && outcome.stderr.contains("--repair makes it valid"))
    }
    try succeed("map-geometry", store, "Bow", "--repair")
    try succeed("map-geometry", store, "Bow", "--centroid")
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
    // A division by zero has no result.
    try succeed(
      "import", try scratch.file("d.ndjson", #"{"u":1.5,"n":1}"#).path, "--store", store,
      "--into", "Ratio")
    try fail("set", store, "Ratio", "TRUEPREDICATE", "u=n / 0.0", saying: "'u' is required")
    let nested = #"{"a":5,"d":{"x":1}}"#
    for run in 0..<4 {
      let name = "Nested\(run)"
      try succeed(
        "import", try scratch.file("n.ndjson", nested).path, "--store", store, "--into", name)
      try succeed("set", store, name, "TRUEPREDICATE", "a=100", "d.x=a * 2")
      #expect(try values(name, "a,d.x") == ["100,10"])
    }
  }
}

/// Joins by equal values, and copies to other stores.
@Suite struct AttributeJoinTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("a.cadastre")
    let regions = "fips,name,people\n1,North,10\n2,South,20\n3,East,30\n"
    let counties = "id,code,name,lon,lat\n1,1,A,0,0\n2,1,B,1,1\n3,2.0,C,2,2\n4,,D,3,3\n5,9,E,4,4\n"
    try succeed(
      "import", try scratch.csv(regions, "r.csv"), "--store", store, "--into", "Region", "--pk",
      "fips")
    try succeed(
      "import", try scratch.csv(counties, "c.csv"), "--store", store, "--into", "County", "--pk",
      "id")
  }

  private func lines(_ arguments: String...) throws -> [Substring] {
    let outcome = try Program.run(arguments + ["--format", "csv"])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    return outcome.stdout.split(separator: "\n").dropFirst().map { $0 }
  }

  @Test func `objects are paired by equal values, of numbers of any type`() throws {
    let select = "name,Region.name"
    #expect(
      try lines("join", store, "County", "Region", "code == fips", "--select", select) == [
        "A,North", "B,North", "C,South",
      ])
    #expect(
      try lines(
        "join", store, "County", "Region", "Region.fips == code", "--select", select, "--outer")
        == ["A,North", "B,North", "C,South", "D,", "E,"])
    #expect(
      try lines(
        "join", store, "Region", "County", "fips == code", "--counts", "--select", "name")
        == ["North,2", "South,1", "East,0"])
    #expect(
      try succeed(
        "join", store, "Region", "County", "fips == code", "--format", "count", "--outer"
      ).stdout == "4\n")
    #expect(
      try succeed("join", store, "Region", "County", "fips == code", "--explain").stdout
        .contains("Region.fips == County.code"))
    try fail("join", store, "Region", "County", "fips == nothing", saying: "nothing")
    try fail(
      "join", store, "Region", "County", "name ==[c] name", saying: "compares values exactly")
  }

  @Test func `pairs become objects of a new class`() throws {
    let dry = try succeed(
      "join", store, "County", "Region", "code == fips", "--into", "Both", "--dry-run")
    #expect(
      dry.stderr.hasPrefix("would store 3 objects in Both\nnote: 2 objects of County without"))
    try succeed("join", store, "County", "Region", "code == fips", "--into", "Both", "--outer")
    #expect(
      try lines("query", store, "Both", "--select", "id,name,Region_name,people,location")
        == [
          "1,A,North,10,0,0", "2,B,North,10,1,1", "3,C,South,20,2,2", "4,D,,,3,3",
          "5,E,,,4,4",
        ].map { $0[...] })
    // The primary key stays one.
    try fail(
      "import", try scratch.csv("id\n1\n", "d.csv"), "--store", store, "--into", "Both", "--alter",
      saying: "exists already")
    try succeed("join", store, "Region", "County", "fips == code", "--into", "Pairs")
    #expect(
      try lines("query", store, "Pairs", "--select", "fips,County_name") == ["1,A", "1,B", "2,C"])
    try fail(
      "join", store, "County", "Region", "code == fips", "--into", "Region", saying: "already")
    try fail(
      "join", store, "County", "Region", "--into", "X", saying: "--into needs", status: 64)
  }

  @Test func `null and NaN equal nothing, and days stay days`() throws {
    let left = "k,day\nnan,2024-05-01\n1,2024-05-02\n,2024-05-03\n"
    let right = "r,opened,k\nnan,1999-01-01,7\n1,1999-01-02,8\n,1999-01-03,9\n"
    for (name, text) in [("L", left), ("R", right)] {
      try succeed("import", try scratch.csv(text, "\(name).csv"), "--store", store, "--into", name)
    }
    try succeed("join", store, "L", "R", "k == R.r", "--into", "LR")
    #expect(
      try lines("query", store, "LR", "--select", "k,day,opened,R_k") == [
        "1.0,2024-05-02,1999-01-02,8"
      ])
    let plots = "p,day,geometry\n1,2024-05-01,\"POLYGON((0 0,1 0,1 1,0 0))\"\n"
    try succeed("import", try scratch.csv(plots, "p.csv"), "--store", store, "--into", "P")
    try succeed("dissolve", store, "P", "--by", "day", "--into", "D")
    #expect(try lines("query", store, "D", "--select", "day,count") == ["2024-05-01,1"])
  }

  @Test func `embedded classes of the other store must be the same`() throws {
    let other = scratch.path("b.cadastre")
    for (file, text) in [(store, #"{"a":{"x":1}}"#), (other, #"{"a":{"x":"text"}}"#)] {
      try succeed(
        "import", try scratch.file("n.ndjson", text).path, "--store", file, "--into", "N")
    }
    try fail("copy", store, "N", other, "M", saying: "with other fields")
    #expect(try Program.run(["query", other, "M"]).status != 0)
    // An invalid name does not create a store.
    let new = scratch.path("new.cadastre")
    try fail("copy", store, "N", new, String(repeating: "x", count: 100), saying: "xxx")
    #expect(!FileManager.default.fileExists(atPath: new))
  }

  @Test func `a class is copied to another store`() throws {
    let other = scratch.path("b.cadastre")
    try succeed("copy", store, "County", other, "--where", "code == 1")
    #expect(
      try lines("query", other, "County", "--select", "id,name,location") == [
        "1,A,0,0", "2,B,1,1",
      ])
    #expect(
      try lines("query", other, "County", "location.longitude == 1", "--select", "id") == ["2"])
    try fail("copy", store, "County", other, saying: "already")
    try succeed("copy", store, "County", other, "All")
    #expect(try succeed("query", other, "All", "--format", "count").stdout == "5\n")
    try fail("copy", store, "County", store, "Same", saying: "the stores are the same")
    try fail("copy", store, "County", "B", "--where", "code == 1", saying: "--where", status: 64)
    try succeed("check", other)
  }

  @Test func `embedded objects, lists and maps are copied with their owners, links are not`() throws
  {
    let text = #"{"n":1,"a":{"b":{"c":[1,2]}},"tags":["x",null],"m":{"k":2.5},"d":"2024-05-01"}"#
    try succeed(
      "import", try scratch.file("n.ndjson", text).path, "--store", store, "--into", "Nested")
    let other = scratch.path("b.cadastre")
    try succeed("copy", store, "Nested", other)
    let json = try succeed("query", other, "Nested", "--format", "ndjson").stdout
    #expect(json == (try succeed("query", store, "Nested", "--format", "ndjson").stdout))
    #expect(json.contains(#""c":[1,2]"#))
  }
}

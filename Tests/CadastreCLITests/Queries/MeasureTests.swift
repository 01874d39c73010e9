import Foundation
import Testing

@testable import CadastreDatasets

/// Measures of geometries on the command line.
@Suite struct MeasureTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("s")
    let areas = try scratch.csv(
      "id,side,geometry\n1,west,\"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))\"\n"
        + "2,west,\"POLYGON ((2 0, 4 0, 4 1, 2 1, 2 0))\"\n3,east,\"LINESTRING (170 0, 175 0)\"\n"
        + "4,east,\n", "areas.csv")
    let outcome = try Program.run([
      "import", areas, "--store", store, "--into", "Area", "--pk", "id", "--wkt", "geometry",
    ])
    #expect(outcome.status == 0, "\(outcome.stderr)")
  }

  private func run(_ command: String, _ arguments: String...) throws -> String {
    let outcome = try Program.run([command, store, "Area"] + arguments)
    #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
    return outcome.stdout
  }

  /// The expected numbers are those of GeographicLib 2.1 in Python.
  @Test(.enabled(if: EllipsoidMeasure.failure == nil, "PROJ is not installed"))
  func `measures on the ellipsoid`() throws {
    let shapes = try scratch.csv(
      "id,geometry\n1,\"POLYGON ((2 48, 2.001 48, 2.001 48.001, 2 48.001, 2 48))\"\n"
        + "2,\"POLYGON ((170 -20, -160 -25, -175 10, 170 -20))\"\n"
        + "3,\"POLYGON ((0 80, 120 80, -120 80, 0 80))\"\n"
        + "4,\"LINESTRING (0 0, 10 10, -170 60)\"\n"
        + "5,\"POLYGON ((-180 -90, 180 -90, 180 -60, 90 -60, 0 -60, -90 -60, -180 -60, -180 -90))\"\n",
      "shapes.csv")
    try succeed("import", shapes, "--store", store, "--into", "Shape")
    let lines = try succeed(
      "query", store, "Shape", "--ellipsoid", "--select",
      "geometry.area as a,geometry.perimeter as p,geometry.length as l", "--format", "csv"
    ).stdout.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",").map { Double($0) ?? .nan }
    }
    let expected: [[Double]] = [
      [8297.537684, 371.629930, 0], [5_855_023_736_182.342773, 11_032_874.122262, 0],
      [1_634_782_820_860.6875, 5_795_767.806766, 0], [0, 0, 13_809_112.905118],
      [23_441_600_180_227, 25_180_923.282831, 0],
    ]
    #expect(lines.count == 5)
    for (row, numbers) in zip(lines, expected) {
      for (number, other) in zip(row, numbers) {
        #expect(abs(number - other) <= 1e-6 + 1e-9 * other, "\(row), expected \(numbers)")
      }
    }
    let towns = try scratch.csv("n,lon,lat\nJFK,-73.78,40.64\n", "towns.csv")
    try succeed("import", towns, "--store", store, "--into", "Town")
    let distance = try succeed(
      "query", store, "Town", "--near", "2.35,48.86", "--ellipsoid", "--select", "n", "--format",
      "csv"
    ).stdout
    #expect(distance == "n,distance\nJFK,5842021.495\n")
    // Calculations measure on the ellipsoid too.
    let calculated = try succeed(
      "query", store, "Shape", "id == 1", "--ellipsoid", "--select", "geometry.area / 1000.0 as t",
      "--format", "csv"
    ).stdout
    #expect(calculated.hasPrefix("t\n8.29753768"), "\(calculated)")
    try fail("query", store, "Shape", "--ellipsoid", saying: "needs measures", status: 64)
    let refused = try Program.run(
      ["query", store, "Area", "--ellipsoid", "--select", "geometry.area"],
      through: ["/usr/bin/env", "CADASTRE_PROJ_LIBRARY=/nonexistent"])
    #expect(refused.status == 64 && refused.stderr.contains("--ellipsoid: the library PROJ"))
  }

  /// The expected numbers are least distances of GeographicLib 2.1 in Python along the great circles of the edges.
  @Test(.enabled(if: EllipsoidMeasure.failure == nil, "PROJ is not installed"))
  func `distances of lines and areas on the ellipsoid`() throws {
    let shapes = try scratch.csv(
      "id,geometry\n1,\"LINESTRING (3 48, 3.01 48.5, 2.9 49)\"\n"
        + "2,\"POLYGON ((170 -20, -160 -25, -175 10, 170 -20))\"\n"
        + "3,\"LINESTRING (-30 80, -30 20, -40 15)\"\n4,\"POLYGON ((2 48, 3 48, 3 49, 2 49, 2 48))\"\n"
        + "5,\n", "shapes.csv")
    try succeed("import", shapes, "--store", store, "--into", "Shape")
    #expect(
      try succeed(
        "query", store, "Shape", "--near", "2.35,48.86", "--ellipsoid", "--select", "id",
        "--format", "csv"
      ).stdout == "id,distance\n4,0.0\n1,42163.616\n3,2298864.578\n2,13478866.57\n5,\n")
  }

  @Test func `columns get other names`() throws {
    #expect(
      try run(
        "query", "id == 1", "--select", "id as number, geometry.west AS w, id * 2 as double",
        "--format", "ndjson") == #"{"number":1,"w":0.0,"double":2}"# + "\n")
    #expect(try run("query", "id == 1", "--select", "side as s", "--format", "csv") == "s\nwest\n")
    let twice = try Program.run(["query", store, "Area", "--select", "id as a,side as a"])
    #expect(twice.stderr.contains("two columns have the name 'a'"))
  }

  @Test func `predicates, columns and orders`() throws {
    #expect(
      try run(
        "query", "geometry.area > 0", "--select", "id,geometry.west,geometry.positionCount",
        "--sort", "geometry.area desc", "--format", "csv")
        == "id,geometry.west,geometry.positionCount\n2,2.0,5\n1,0.0,5\n")
    #expect(
      try run(
        "query", "geometry.centroid.longitude > 100", "--select",
        "id,geometry.centroid,geometry.centroid.longitude,geometry.latitude", "--format", "csv")
        == "id,geometry.centroid,geometry.centroid.longitude,geometry.latitude\n"
        + "3,POINT (172.5 0.0),172.5,\n")
    #expect(try run("query", "geometry.area == null", "--format", "count") == "1\n")
  }

  @Test func `groups and aggregates`() throws {
    // A degree of the equator has 6,378,100 m * π / 180.
    #expect(
      try run(
        "aggregate", "--by", "side", "--compute",
        "max(geometry.positionCount),sum(geometry.length)",
        "--format", "csv")
        == "side,max(geometry.positionCount),sum(geometry.length)\n"
        + "east,2,\(6_378_100 * Double.pi / 36)\nwest,5,0.0\n")
  }

  @Test func `a wrong measure is an error`() throws {
    for arguments in [
      ["query", store, "Area", "--select", "geometry.size"],
      ["query", store, "Area", "geometry.size > 1"],
      ["aggregate", store, "Area", "--compute", "sum(geometry.size)"],
    ] {
      let outcome = try Program.run(arguments)
      #expect(outcome.status == 1)
      #expect(outcome.stderr.contains("has no measure 'size'; it has area, perimeter"))
    }
  }
}

import Foundation
import Testing

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

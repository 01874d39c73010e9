import Testing

@testable import CadastreDatasets

@Suite struct LocationColumnsTests {
  @Test(arguments: [
    (["id", "lat", "lon"], LocationColumns.degrees(longitude: 2, latitude: 1)),
    (["LNG", "Latitude"], .degrees(longitude: 0, latitude: 1)),
    (["long", "lat", "x", "y"], .degrees(longitude: 0, latitude: 1)),
    (["Y", "X"], .degrees(longitude: 1, latitude: 0)),
    (["id", "the_geom"], .wkt(1)), (["WKT", "x", "y"], .wkt(0)),
  ])
  func `the usual names are detected in any letter case`(
    header: [String], expected: LocationColumns
  ) throws {
    #expect(try LocationColumns.detected(in: header) == expected)
  }

  @Test func `a table without coordinates has no location columns`() throws {
    #expect(try LocationColumns.detected(in: ["id", "name", "x"]) == nil)
  }

  @Test(arguments: [
    (["centroid_lat", "centroid_lon"], LocationColumns.degrees(longitude: 1, latitude: 0)),
    (["Station_Longitude", "n", "station_latitude"], .degrees(longitude: 0, latitude: 2)),
    (["x", "a_lng", "a_lat"], .degrees(longitude: 1, latitude: 2)),
    (["from_lat", "from_lon", "to_lat", "to_lon"], nil), (["a_lat", "b_lon"], nil),
    (["flat", "along"], nil),
  ])
  func `names with a common prefix are detected if there is one pair`(
    header: [String], expected: LocationColumns?
  ) throws {
    #expect(try LocationColumns.detected(in: header) == expected)
  }

  @Test(arguments: [
    (
      ["lon", "lng", "lat"],
      "location: found columns lon, lng, lat; "
        + "expected one longitude and one latitude, or one column of WKT: name them with --location or --wkt"
    ),
    (
      ["lat", "geom", "lon"],
      "location: found columns lat, geom, lon; "
        + "expected one longitude and one latitude, or one column of WKT: name them with --location or --wkt"
    ),
    (
      ["id", "lon"],
      "location: found longitude (lon) but no latitude; the header has id, lon"
        + ": name both with --location, or take them as numbers with --no-geometry"
    ),
    (
      ["lat", "id"],
      "location: found latitude (lat) but no longitude; the header has lat, id"
        + ": name both with --location, or take them as numbers with --no-geometry"
    ),
  ])
  func `ambiguous and incomplete columns are reported`(header: [String], sentence: String) {
    do {
      _ = try LocationColumns.detected(in: header)
      Issue.record("expected an error")
    } catch {
      #expect(error.description == sentence)
    }
  }

  @Test func `users may name columns exactly or in any letter case`() throws {
    let header = ["Ost", "ost", "Nord", "shape"]

    #expect(
      try LocationColumns.named("ost, NORD", in: header) == .degrees(longitude: 1, latitude: 2))
    #expect(try LocationColumns.wkt(named: "Shape", in: header) == .wkt(3))
    #expect(try LocationColumns.named("SHAPE", in: header) == .wkt(3))
    for (text, problem) in [
      ("", LocationColumnsError.Problem.notAPair("")), ("ost,ost", .notAPair("ost,ost")),
      ("ost,", .notAPair("ost,")), ("ost,nort", .unknownColumn("nort")),
      ("OST,Nord", .ambiguous(columns: ["Ost", "ost"])),
    ] {
      #expect(throws: LocationColumnsError(problem: problem, header: header)) {
        try LocationColumns.named(text, in: header)
      }
    }
  }
}

import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Coordinates in other reference systems, converted by PROJ and compared with formulas and with the
/// same points in degrees.
@Suite(.enabled(if: CoordinateTransformation.libraryVersion != nil, "PROJ is not installed"))
struct ProjectionTests {
  private static let radius = 6_378_137.0

  /// Returns the coordinates in Web Mercator.
  ///
  /// Source: IOGP Publication 373-7-2, "Coordinate Conversions and Transformations", section 3.2.1.2.
  private static func mercator(_ longitude: Double, _ latitude: Double) -> (x: Double, y: Double) {
    (
      radius * longitude * .pi / 180,
      radius * log(tan(.pi / 4 + latitude * .pi / 360))
    )
  }

  private func isNear(_ first: [Double], _ second: [Double]) -> Bool {
    first.count == second.count && zip(first, second).allSatisfy { abs($0 - $1) < 1e-7 }
  }

  /// Imports a file; returns the coordinates of the objects.
  private func coordinates(
    _ name: String, _ text: String, _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> (report: ImportReport, coordinates: [[Double]]) {
    let imports = try FeatureImport()
    let (report, objects) = try imports.objects(
      try imports.file(name, text.utf8), change)
    let numbers = objects.map { object in
      object.matches(of: /-?\d+\.?\d*(?:e-?\d+)?(?=[,\]])/).suffix(2).compactMap { Double($0.0) }
    }
    return (report, numbers)
  }

  @Test func `Web Mercator is inverted in tables, text and GeoJSON`() throws {
    let seed: UInt64 = 21
    var generator = SeededGenerator(seed: seed)
    let points = (0..<300).map { _ in
      [
        Double.random(in: -179.9...179.9, using: &generator),
        Double.random(in: -84...84, using: &generator),
      ]
    }
    let projected = points.map { Self.mercator($0[0], $0[1]) }
    let crs = #""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#
    let features = projected.map {
      #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[\#($0.x),\#($0.y)]}}"#
    }
    let ownFeatures = features.map { $0.dropLast() + ",\(crs)}" }
    let table = projected.map { "\($0.x),\($0.y)" }.joined(separator: "\n")
    let texts = projected.map { "POINT(\($0.x) \($0.y))" }.joined(separator: "\n")
    let all = features.joined(separator: ",\n")
    for (name, text, system) in [
      ("a.csv", "easting,northing\n\(table)\n", "EPSG:3857"),
      ("b.csv", "x,y\n\(table)\n", "EPSG:3857"),
      ("c.csv", "wkt\n\(texts)\n", "EPSG:3857"),
      ("d.geojson", "{\"type\":\"FeatureCollection\",\(crs),\"features\":[\(all)]}", nil),
      ("e.geojson", "{\"type\":\"FeatureCollection\",\"features\":[\(all)]}", "epsg:3857"),
      ("f.geojsonl", ownFeatures.joined(separator: "\n"), nil),
    ] as [(String, String, String?)] {
      let found = try coordinates(name, text) { $0.referenceSystem = system }.coordinates
      #expect(found.count == points.count, "\(name)")
      let wrong = zip(found, points).filter { !isNear($0, $1) }
      #expect(wrong.isEmpty, "\(name), seed \(seed): \(wrong.first.map { "\($0)" } ?? "")")
    }
  }

  @Test(arguments: ["utm.shp", "utm.gpkg"])
  func `files in UTM have the points of the same file in degrees`(name: String) throws {
    let imports = try FeatureImport()
    let shapes = fixtures.appendingPathComponent("shapes")
    func points(_ name: String) throws -> [[Double]] {
      try imports.objects(shapes.appendingPathComponent(name).path).objects.compactMap { object in
        object.firstMatch(of: /"coordinates":\[(-?[\d.]+),(-?[\d.]+)/).map {
          [Double($0.1) ?? 0, Double($0.2) ?? 0]
        }
      }
    }
    let found = try points(name)
    let expected = try points("points.shp")
    #expect(!found.isEmpty)
    for point in found { #expect(expected.contains { isNear($0, point) }, "\(point)") }
  }

  /// PROJ's operation to OGC:CRS84 moves this position by 1.3 m, unlike the one to EPSG:4326.
  @Test func `positions in NAD83 stay where they are in each format`() throws {
    let imports = try FeatureImport()
    let shapes = fixtures.appendingPathComponent("shapes")
    let geojson =
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4269"}},"#
      + #""features":[{"type":"Feature","properties":{"id":1},"geometry":{"type":"Point","coordinates":[-85,50]}}]}"#
    for (path, system) in [
      (shapes.appendingPathComponent("nad83.shp").path, nil),
      (shapes.appendingPathComponent("nad83.gpkg").path, nil),
      (try imports.file("a.geojson", geojson.utf8), nil),
      (try imports.file("a.csv", "id,lon,lat\n1,-85,50\n".utf8), "EPSG:4269"),
    ] as [(String, String?)] {
      let object = try #require(
        try imports.objects(path) { $0.referenceSystem = system }.objects.first)
      let match = try #require(object.firstMatch(of: /"coordinates":\[(-?[\d.]+),(-?[\d.]+)/))
      let found = [Double(match.1) ?? 0, Double(match.2) ?? 0]
      #expect(isNear(found, [-85, 50]), "\(path): \(found)")
    }
  }

  @Test func `lines and polygons are converted, altitudes are kept`() throws {
    let (x, y) = Self.mercator(10, 50)
    let imports = try FeatureImport()
    let text = "wkt\n\"LINESTRING Z(0 0 5, \(x) \(y) 6)\"\nPOINT(\(x) 0)\n"
    let objects = try imports.objects(try imports.file("a.csv", text.utf8)) {
      $0.referenceSystem = "EPSG:3857"
    }.objects
    let numbers = try #require(objects.first).matches(of: /-?\d+\.?\d*/).compactMap { Double($0.0) }
    #expect(numbers.count == 6)
    #expect(isNear(numbers, [0, 0, 5, 10, 50, 6]), "\(objects)")
  }

  @Test func `positions without a counterpart are rejected`() throws {
    let (report, found) = try coordinates(
      "a.csv", "easting,northing\n500000,0\n1e300,5\n500000,1e30\n,\n"
    ) {
      $0.referenceSystem = "EPSG:32631"
      $0.maximumRejects = 9
    }
    #expect(report.rejects.map(\.line) == [3, 4])
    #expect(report.rejects.allSatisfy { $0.reason.contains("no counterpart in WGS 84") })
    #expect(found.count == 2 && isNear(found[0], [3, 0]))
    let shapes = try coordinates(
      "b.geojson",
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:32631"}},"#
        + #""features":[{"type":"Feature","properties":{},"geometry":{"type":"Point","#
        + #""coordinates":[500000,1e300]}},{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"LineString","coordinates":[[500000,0],[1e300,0]]}}]}"#
    ) { $0.maximumRejects = 9 }
    #expect(shapes.report.rejects.count == 2)
  }

  @Test func `unknown systems, and systems of other formats, are one sentence`() throws {
    func message(_ name: String, _ text: String, _ system: String) -> String {
      do {
        _ = try coordinates(name, text) { $0.referenceSystem = system }
        return ""
      } catch {
        return "\(error)"
      }
    }
    for system in ["EPSG:99999", "nonsense", "", "+proj=nope", "\0"] {
      let text = message("a.csv", "x,y\n1,2\n", system)
      #expect(
        text.contains("'\(system == "\0" ? "\\0" : system)'") || text.contains("coordinates are in")
      )
      #expect(text.contains("PROJ knows") || text.contains("Invalid"), "\(system): \(text)")
    }
    #expect(
      message("a.kml", "<kml><Placemark/></kml>", "EPSG:3857")
        .contains("--crs applies to text tables"))
  }

  @Test func `a system after the features applies to all of them`() throws {
    let (x, y) = Self.mercator(2.35, 48.86)
    let text =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":"#
      + #"{"type":"Point","coordinates":[\#(x),\#(y)]}}],"#
      + #""crs":{"type":"name","properties":{"name":"EPSG:3857"}}}"#
    let (report, found) = try coordinates("late.geojson", text)
    #expect(report.rejects.isEmpty)
    #expect(isNear(try #require(found.first), [2.35, 48.86]))
    // A link of the register of EPSG has the code in its path.
    let link = text.replacing(
      #""type":"name","properties":{"name":"EPSG:3857"}"#,
      with: #""type":"link","properties":{"href":"http://www.opengis.net/def/crs/EPSG/0/3857"}"#)
    #expect(
      isNear(try #require(try coordinates("link.geojson", link).coordinates.first), [2.35, 48.86]))
  }

  /// `Fixtures/systems.csv` has the positions that pyproj 3.7.2 with PROJ 9.5.1 computes, without those that depend
  /// on installed grids; `Fixtures/systems.py` writes it.
  @Test func `positions in 91 systems are those of pyproj`() throws {
    let text = try String(
      contentsOf: fixtures.appendingPathComponent("systems.csv"), encoding: .utf8)
    var transformations: [String: CoordinateTransformation] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: ",").map(String.init)
      let numbers = fields.dropFirst().compactMap(Double.init)
      try #require(numbers.count == 4)
      let transformation =
        try transformations[fields[0]] ?? CoordinateTransformation(from: fields[0])
      transformations[fields[0]] = transformation
      let found = try #require(transformation.degrees(numbers[0], numbers[1]), "\(line)")
      let east = (found.longitude - numbers[2]) * cos(numbers[3] * .pi / 180)
      let metres = hypot(east, found.latitude - numbers[3]) * .pi / 180 * Self.radius
      #expect(metres < 0.001, "\(line): found \(found)")
    }
    #expect(transformations.count == 91)
  }

  @Test(arguments: [
    (
      "EPSG:4807", 2.0, 52.0,
      #"GEOGCS["GCS_NTF_Paris",DATUM["D_NTF",SPHEROID["Clarke_1880_IGN",6378249.2,293.466021293627]],PRIMEM["Paris",2.33722917],UNIT["Grad",0.0157079632679489]]"#
    ),
    (
      "EPSG:4806", 0.5, 42.0,
      #"GEOGCS["GCS_Monte_Mario_Rome",DATUM["Monte_Mario_(Rome)",SPHEROID["International_1924",6378388.0,297.0]],PRIMEM["Rome",12.4523333333333],UNIT["Degree",0.0174532925199433]]"#
    ),
    (
      "EPSG:4269", -85.0, 50.0,
      #"GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#
    ),
    (
      "EPSG:31467", 3_500_000.0, 5_500_000.0,
      #"PROJCS["DHDN_3_Degree_Gauss_Zone_3",GEOGCS["GCS_Deutsches_Hauptdreiecksnetz",DATUM["D_Deutsches_Hauptdreiecksnetz",SPHEROID["Bessel_1841",6377397.155,299.1528128]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Gauss_Kruger"],PARAMETER["False_Easting",3500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",1.0],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]"#
    ),
  ])
  func `a definition of Esri without a code has the meaning of its code`(
    code: String, x: Double, y: Double, definition: String
  ) throws {
    let found = try #require(try CoordinateTransformation(from: definition).degrees(x, y))
    let expected = try #require(try CoordinateTransformation(from: code).degrees(x, y))
    #expect(isNear([found.longitude, found.latitude], [expected.longitude, expected.latitude]))
  }

  @Test func `degrees out of range are rejected in geographic systems too`() throws {
    let table = "n,lon,lat\na,652000,6862000\nb,2,95\nc,190,5\nd,2,45\ne,180,90\n"
    for system in ["EPSG:4258", "EPSG:4269", "EPSG:4312"] {
      let (report, found) = try coordinates("a.csv", table) {
        $0.referenceSystem = system
        $0.maximumRejects = 9
      }
      #expect(report.rejects.map(\.line).prefix(3) == [2, 3, 4], "\(system)")
      #expect(
        report.rejects.first?.reason.contains("652000.0, 6862000.0 have no counterpart") == true)
      #expect(found.contains { abs($0[0] - 2) < 0.01 && abs($0[1] - 45) < 0.01 }, "\(system)")
    }
  }

  /// Within the area of one operation, the inverse may use another one, which differs by 130 m here.
  @Test func `positions at the border of an operation's area are kept`() throws {
    for (system, x, y) in [
      ("EPSG:27700", 680_879.0, 62_761.0), ("EPSG:23030", 398_615, 7_924_749),
      ("EPSG:22770", 137_399, 136_023), ("EPSG:5514", -166_565, -1_131_120),
    ] {
      let transformation = try CoordinateTransformation(from: system)
      #expect(transformation.degrees(x, y) != nil, "\(system) \(x) \(y)")
    }
  }

  @Test(arguments: ["EPSG:4978", "EPSG:5703"])
  func `systems without positions on the surface are refused`(system: String) {
    #expect {
      try CoordinateTransformation(from: system)
    } throws: {
      "\($0)".contains("neither a geographic nor a projected system")
    }
  }

  @Test func `WGS 84 needs no conversion`() throws {
    for system in ["EPSG:4326", "OGC:CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84"] {
      let found = try coordinates("a.csv", "lon,lat\n2.5,48.25\n") { $0.referenceSystem = system }
      #expect(found.coordinates == [[2.5, 48.25]])
    }
  }
}

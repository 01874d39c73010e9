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
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/shapes")
    func points(_ name: String) throws -> [[Double]] {
      try imports.objects(fixtures.appendingPathComponent(name).path).objects.compactMap { object in
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
      message("a.kml", "<kml><Placemark/></kml>", "EPSG:3857").contains("--crs applies to tables"))
    // A system after the features comes too late.
    let late =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":null}],"#
      + #""crs":{"type":"name","properties":{"name":"EPSG:3857"}}}"#
    let imports = try FeatureImport()
    #expect(throws: DatasetError.self) {
      try imports.objects(try imports.file("late.geojson", late.utf8))
    }
    #expect(message("late.geojson", late, "EPSG:3857").isEmpty)
  }

  @Test func `WGS 84 needs no conversion`() throws {
    for system in ["EPSG:4326", "OGC:CRS84", "urn:ogc:def:crs:OGC:1.3:CRS84"] {
      let found = try coordinates("a.csv", "lon,lat\n2.5,48.25\n") { $0.referenceSystem = system }
      #expect(found.coordinates == [[2.5, 48.25]])
    }
  }
}

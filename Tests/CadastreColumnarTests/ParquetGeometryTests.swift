import CadastreGeometry
import CadastreModel
import Foundation
import Testing

@testable import CadastreColumnar

/// Geometries of GeoParquet files of other writers.
@Suite struct ParquetGeometryTests {
  @Test(arguments: Fixture.all("parquet").filter { $0.name.hasPrefix("gpd_wkb") })
  func `well-known binary is read`(_ fixture: Fixture) throws {
    try expect(fixture) { value in
      guard let text = value as? String else { return nil }
      return try Geometry(wkb: Fixture.bytes(hex: String(text.dropFirst(4))))
    }
  }

  @Test(
    arguments: zip(
      ["line", "polygon", "multipoint", "multiline", "multipolygon"],
      ["LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"]))
  func `native encodings are read`(name: String, type: String) throws {
    try expect(Fixture(name: "gpd_native_\(name).parquet")) { value in
      if value is NSNull { return nil }
      return try Geometry(
        geoJSON: "{\"type\":\"\(type)\",\"coordinates\":\(Self.coordinates(value))}")
    }
  }

  /// Compares the geometries of the records with those of the oracle; null and empty are equal.
  private func expect(_ fixture: Fixture, _ geometry: (Any) throws -> Geometry?) throws {
    let columns = try #require(try fixture.expected()["columns"] as? [String: Any])
    let reader = try ParquetReader(ColumnarFile(bytes: try fixture.bytes()))
    var record = ColumnarRecord()
    var shapes = 0
    for value in try #require(columns["geometry"] as? [Any]) {
      #expect(try reader.next(&record))
      #expect(record.geometryProblem == nil)
      let expected = try geometry(value)
      if expected?.kind == .point {
        #expect(record.point?.x == expected?.point?.longitude)
        #expect(record.point?.y == expected?.point?.latitude)
      } else {
        #expect(record.geometry == (expected?.isEmpty == true ? nil : expected))
        if record.geometry != nil { shapes += 1 }
      }
    }
    #expect(try !reader.next(&record))
    #expect(reader.declaresShapes == (shapes > 0))
  }

  /// Returns nested lists of structures as coordinates of GeoJSON.
  private static func coordinates(_ value: Any) -> String {
    if let elements = value as? [Any] {
      return "[" + elements.map(coordinates).joined(separator: ",") + "]"
    }
    let numbers = value as? [String: Any] ?? [:]
    return "["
      + ["x", "y", "z"].compactMap { numbers[$0].flatMap(JSONTree.number) }.map(\.description)
      .joined(separator: ",") + "]"
  }
}

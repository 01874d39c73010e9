import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Tests of well-known binary; the samples were written by shapely 2.2 (GEOS 3.11).
@Suite struct WKBTests {
  private struct Sample {
    let form: WKBForm
    let isBigEndian: Bool
    let wkt: String
    let hex: String
  }

  private static let polygon =
    "POLYGON ((0.0 50.0, 15.0 50.0, 15.0 62.0, 0.0 50.0), (9.0 55.0, 11.0 55.0, 11.0 56.0, 9.0 55.0))"
  private static let multiPolygon =
    "MULTIPOLYGON (((0.0 0.0, 1.0 0.0, 0.0 1.0, 0.0 0.0)), ((5.0 5.0, 6.0 5.0, 5.0 6.0, 5.0 5.0)))"

  private static let points = [
    Sample(
      form: .iso, isBigEndian: true, wkt: "POINT (10.25 56.5)",
      hex: "00000000014024800000000000404C400000000000"),
    Sample(
      form: .iso, isBigEndian: false, wkt: "POINT (10.25 56.5)",
      hex: "010100000000000000008024400000000000404C40"),
    Sample(
      form: .extended, isBigEndian: true, wkt: "POINT (10.25 56.5)",
      hex: "0020000001000010E64024800000000000404C400000000000"),
    Sample(
      form: .extended, isBigEndian: false, wkt: "POINT (10.25 56.5)",
      hex: "0101000020E610000000000000008024400000000000404C40"),
    Sample(
      form: .iso, isBigEndian: true, wkt: "POINT Z (10.25 56.5 7.5)",
      hex: "00000003E94024800000000000404C400000000000401E000000000000"),
    Sample(
      form: .extended, isBigEndian: false, wkt: "POINT Z (10.25 56.5 7.5)",
      hex: "01010000A0E610000000000000008024400000000000404C400000000000001E40"),
  ]

  private static let shapes = [
    Sample(
      form: .iso, isBigEndian: false, wkt: polygon,
      hex: "01030000000200000004000000000000000000000000000000000049400000000000002E40000000"
        + "00000049400000000000002E400000000000004F4000000000000000000000000000004940040000"
        + "0000000000000022400000000000804B4000000000000026400000000000804B4000000000000026"
        + "400000000000004C4000000000000022400000000000804B40"),
    Sample(
      form: .extended, isBigEndian: true, wkt: polygon,
      hex: "0020000003000010E6000000020000000400000000000000004049000000000000402E0000000000"
        + "004049000000000000402E000000000000404F000000000000000000000000000040490000000000"
        + "00000000044022000000000000404B8000000000004026000000000000404B800000000000402600"
        + "0000000000404C0000000000004022000000000000404B800000000000"),
    Sample(
      form: .extended, isBigEndian: false, wkt: multiPolygon,
      hex: "0106000020E610000002000000010300000001000000040000000000000000000000000000000000"
        + "0000000000000000F03F00000000000000000000000000000000000000000000F03F000000000000"
        + "00000000000000000000010300000001000000040000000000000000001440000000000000144000"
        + "00000000001840000000000000144000000000000014400000000000001840000000000000144000"
        + "00000000001440"),
    Sample(
      form: .iso, isBigEndian: true, wkt: multiPolygon,
      hex: "00000000060000000200000000030000000100000004000000000000000000000000000000003FF0"
        + "000000000000000000000000000000000000000000003FF000000000000000000000000000000000"
        + "00000000000000000000030000000100000004401400000000000040140000000000004018000000"
        + "00000040140000000000004014000000000000401800000000000040140000000000004014000000"
        + "000000"),
  ]

  @Test func `points and regions have the bytes that shapely writes`() throws {
    for sample in Self.points {
      let bytes = Self.bytes(sample.hex)
      let point = try GeoPoint(wkb: bytes)
      #expect(point.wkt == sample.wkt)
      #expect(point.wkb(sample.form, bigEndian: sample.isBigEndian) == bytes, "\(sample)")
    }
    for sample in Self.shapes {
      let bytes = Self.bytes(sample.hex)
      let shape = try GeoShape(wkb: bytes)
      #expect(shape.wkt == sample.wkt)
      #expect(shape.wkb(sample.form, bigEndian: sample.isBigEndian) == bytes, "\(sample)")
    }
  }

  @Test func `regions of all kinds round-trip in every form`() throws {
    var generator = SeededGenerator(seed: 41)
    for _ in 0..<200 {
      let shape = try generator.shape()
      for form in WKBForm.allCases {
        for isBigEndian in [true, false] {
          let bytes = shape.wkb(form, bigEndian: isBigEndian)
          if case .circle = shape {
            #expect(bytes == nil)
          } else {
            #expect(try GeoShape(wkb: try #require(bytes)).wkt == shape.wkt)
          }
        }
      }
    }
  }

  @Test func `altitudes are read, measures ignored, and each part has its own byte order`() throws {
    let high = GeoPoint(latitude: 1, longitude: 2, altitude: 3)
    let points = [high, GeoPoint(latitude: 5, longitude: 2), GeoPoint(latitude: 5, longitude: 7)]
      .compactMap { $0 }
    let polygon = try #require(GeoPolygon(outerRing: points + [points[0]], holes: nil))
    let shape = GeoShape.multiPolygon([polygon])
    for form in WKBForm.allCases {
      #expect(try GeoShape(wkb: try #require(shape.wkb(form))) == shape)
    }
    // POINT ZM, type 3001, big-endian.
    let measured = Self.bytes(
      "0000000BB9" + "3FF0000000000000" + "4000000000000000"
        + "4008000000000000" + "4010000000000000")
    #expect(try GeoPoint(wkb: measured).wkt == "POINT Z (1.0 2.0 3.0)")
    // A little-endian multipolygon with a big-endian polygon.
    let part = try #require(GeoShape.polygon(polygon).wkb(bigEndian: true))
    let mixed = Self.bytes("0106000000" + "01000000") + part
    #expect(try GeoShape(wkb: mixed) == shape)
  }

  @Test func `errors have an offset, the expected and the found value`() {
    let expectations: [(String, GeometryTextError)] = [
      ("", GeometryTextError(offset: 0, expected: "a geometry", found: "the end")),
      ("02", GeometryTextError(offset: 0, expected: "a byte order of 0 or 1", found: "2")),
      ("0103", GeometryTextError(offset: 1, expected: "4 bytes", found: "the end")),
      (
        "0108000000",
        GeometryTextError(
          offset: 5, expected: "a geometry without curves", found: "CircularString")
      ),
      (
        "010D000000",
        GeometryTextError(
          offset: 1, expected: "the type of a geometry, from 1 to 7", found: "13")
      ),
      (
        "0103000020E710000000000000",
        GeometryTextError(offset: 5, expected: "SRID 4326", found: "4327")
      ),
      (
        "0103000000FFFFFFFF",
        GeometryTextError(
          offset: 5, expected: "rings in the remaining 0 bytes", found: "4294967295 rings")
      ),
      (
        "010300000001000000FFFFFF0F",
        GeometryTextError(
          offset: 9, expected: "points in the remaining 0 bytes", found: "268435455 points")
      ),
      (
        "0101000000" + "0000000000000000" + "0000000000005740",
        GeometryTextError(
          offset: 5, expected: "a longitude from -180 to 180 and a latitude from -90 to 90",
          found: "0.0 and 92.0")
      ),
      (
        "010300000000000000",
        GeometryTextError(
          offset: 0, expected: "a Polygon or MultiPolygon", found: "an empty Polygon")
      ),
    ]
    for (hex, error) in expectations {
      #expect(throws: error, "\(hex)") { try GeoShape(wkb: Self.bytes(hex)) }
    }
    #expect(throws: GeometryTextError.self) { try GeoShape(wkb: Self.bytes(Self.points[0].hex)) }
    #expect(throws: GeometryTextError.self) { try GeoPoint(wkb: Self.bytes(Self.shapes[0].hex)) }
    #expect(throws: GeometryTextError.self) {
      try GeoPoint(wkb: Self.bytes(Self.points[0].hex) + [0])
    }
  }

  @Test(arguments: [51, 52, 53] as [UInt64])
  func `no bytes crash the reader`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for sample in Self.shapes + Self.points {
      let complete = Self.bytes(sample.hex)
      for length in 0..<complete.count {
        #expect(throws: GeometryTextError.self) { try GeoShape(wkb: complete.prefix(length)) }
      }
      for _ in 0..<2000 {
        var bytes = complete
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          let index = Int.random(in: 0..<bytes.count, using: &generator)
          bytes[index] = UInt8.random(in: 0...255, using: &generator)
        }
        _ = try? GeoShape(wkb: bytes)
        _ = try? GeoPoint(wkb: bytes)
      }
    }
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
    }
  }
}

/// Tests of the `Codable` conformance of regions.
@Suite struct ShapeCodableTests {
  @Test func `regions of all kinds round-trip through JSON`() throws {
    var generator = SeededGenerator(seed: 61)
    var shapes = try (0..<200).map { _ in try generator.shape() }
    let polygons = shapes.compactMap { if case .polygon(let polygon) = $0 { polygon } else { nil } }
    shapes += [.multiPolygon(Array(polygons.prefix(3))), .multiPolygon([])]
    shapes.append(try box((-180, -10), (180, 10)))
    shapes.append(try box((5, 5), (5, 5)))
    for shape in shapes {
      let data = try JSONEncoder().encode(shape)
      #expect(try JSONDecoder().decode(GeoShape.self, from: data) == shape)
    }
  }

  @Test func `regions are encoded as GeoJSON, boxes with a bbox`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let box = try box((1, 2), (3, 4))
    #expect(
      String(decoding: try encoder.encode(box), as: UTF8.self)
        == "{\"bbox\":[1,2,3,4],\"coordinates\":[[[1,2],[3,2],[3,4],[1,4],[1,2]]],\"type\":\"Polygon\"}"
    )
    let text = try #require(
      try polygon([(0, 0), (1, 0), (0, 1), (0, 0)]).geoJSON)
    #expect(
      try JSONDecoder().decode(GeoShape.self, from: Data(text.utf8)) == GeoShape(geoJSON: text))
    // A polygon without a bbox is decoded as a polygon, and as a box if a box is requested.
    let plain = Data(
      "{\"type\":\"Polygon\",\"coordinates\":[[[1,2],[3,2],[3,4],[1,4],[1,2]]]}".utf8)
    guard case .polygon = try JSONDecoder().decode(GeoShape.self, from: plain) else {
      Issue.record("expected a polygon")
      return
    }
    #expect(try .box(JSONDecoder().decode(GeoBox.self, from: plain)) == box)
  }

  @Test(arguments: [
    "{\"type\":\"Point\",\"coordinates\":[1,2]}", "{\"type\":\"Polygon\",\"coordinates\":[]}",
    "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[1,1]]]]}", "{}", "[]",
    "{\"center\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"radiusInRadians\":-1}",
  ])
  func `JSON that is no region is rejected`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GeoShape.self, from: Data(text.utf8))
    }
  }

  @Test func `a polygon that is no box is not decoded as one`() {
    let slanted = "{\"type\":\"Polygon\",\"coordinates\":[[[1,2],[3,2.5],[3,4],[1,4],[1,2]]]}"
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GeoBox.self, from: Data(slanted.utf8))
    }
  }
}

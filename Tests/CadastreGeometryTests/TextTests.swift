import CadastreTestSupport
import Testing

@testable import CadastreGeometry

@Suite struct TextTests {
  let ring = "[[0.0,50.0],[15.0,50.0],[15.0,62.0],[0.0,50.0]]"

  @Test func `a polygon is read from WKT and written again`() throws {
    let text =
      "POLYGON ((0.0 50.0, 15.0 50.0, 15.0 62.0, 0.0 50.0), (9.0 55.0, 11.0 55.0, "
      + "11.0 56.0, 9.0 55.0))"
    let shape = try GeoShape(wkt: text)
    #expect(shape.wkt == text)
    #expect(
      try GeoShape(wkt: "  polygon((0 50,15 50,15 62,0 50),(9 55,11 55,11 56,9 55)) ") == shape)
    #expect(
      try GeoShape(
        wkt: "SRID=4326;POLYGON ((0 50, 15 50, 15 62, 0 50), "
          + "(9 55, 11 55, 11 56, 9 55))") == shape)
  }

  @Test func `a multipolygon is read from WKT and written again`() throws {
    let text =
      "MULTIPOLYGON (((0.0 0.0, 1.0 0.0, 0.0 1.0, 0.0 0.0)), "
      + "((5.0 5.0, 6.0 5.0, 5.0 6.0, 5.0 5.0)))"
    #expect(try GeoShape(wkt: text).wkt == text)
    #expect(try GeoShape(wkt: "MULTIPOLYGON EMPTY") == .multiPolygon([]))
  }

  @Test func `altitudes are read, measures are ignored`() throws {
    #expect(try GeoPoint(wkt: "POINT Z (10.2 56.15 7.5)").altitude == 7.5)
    #expect(try GeoPoint(wkt: "POINTZ(10.2 56.15 7.5)").wkt == "POINT Z (10.2 56.15 7.5)")
    #expect(try GeoPoint(wkt: "POINT M (10.2 56.15 7.5)").wkt == "POINT (10.2 56.15)")
    #expect(try GeoPoint(wkt: "POINT ZM (10.2 56.15 7.5 3)").altitude == 7.5)
  }

  @Test func `WKT errors have an offset, the expected and the found text`() {
    #expect(
      throws: GeometryTextError(offset: 16, expected: "a number", found: "'x, 1 0, 0 1))'")
    ) { try GeoShape(wkt: "POLYGON ((0 0, 0x, 1 0, 0 1))") }
    #expect(throws: GeometryTextError(offset: 8, expected: "'('", found: "the end")) {
      try GeoShape(wkt: "POLYGON ")
    }
    #expect(throws: GeometryTextError.self) { try GeoShape(wkt: "POLYGON ((0 0, 1 1, 0 0))") }
    #expect(throws: GeometryTextError.self) { try GeoShape(wkt: "POINT (1 2)") }
    #expect(throws: GeometryTextError.self) { try GeoPoint(wkt: "POINT (200 2)") }
    #expect(throws: GeometryTextError.self) { try GeoPoint(wkt: "POINT (1 2) x") }
  }

  @Test func `GeoJSON is read as a geometry, in a feature and in a collection`() throws {
    let polygon = "{\"type\":\"Polygon\",\"coordinates\":[\(ring)]}"
    let feature =
      "{\"type\":\"Feature\",\"properties\":{\"a\":[1,{\"b\":null}]},\"geometry\":\(polygon)}"
    let collection = "{\"type\":\"FeatureCollection\",\"features\":[ \(feature) ]}"
    let shape = try GeoShape(geoJSON: polygon)
    #expect(shape.geoJSON == polygon)
    #expect(try GeoShape(geoJSON: feature) == shape)
    #expect(try GeoShape(geoJSON: Array(collection.utf8)) == shape)
    let two = "{\"type\":\"FeatureCollection\",\"features\":[\(feature),\(feature)]}"
    guard case .multiPolygon(let polygons) = try GeoShape(geoJSON: two) else {
      Issue.record("two features are a multipolygon")
      return
    }
    #expect(polygons.count == 2)
    let multiple = "{\"type\":\"MultiPolygon\",\"coordinates\":[[\(ring)],[\(ring)]]}"
    #expect(try GeoShape(geoJSON: multiple).geoJSON == multiple)
    #expect(
      try GeoPoint(geoJSON: "{\"coordinates\":[10.2,56.15,-3],\"type\":\"Point\"}").geoJSON
        == "{\"type\":\"Point\",\"coordinates\":[10.2,56.15]}")
  }

  @Test func `GeoJSON errors have an offset, the expected and the found text`() {
    #expect(throws: GeometryTextError(offset: 8, expected: "a JSON value", found: "'}'")) {
      try GeoShape(geoJSON: "{\"type\":}")
    }
    #expect(
      throws: GeometryTextError(
        offset: 30, expected: "a longitude from -180 to 180 and a latitude from -90 to 90",
        found: "'[190,0]}'")
    ) { try GeoPoint(geoJSON: "{\"type\":\"Point\",\"coordinates\":[190,0]}") }
    #expect(throws: GeometryTextError.self) { try GeoShape(geoJSON: "[]") }
    #expect(throws: GeometryTextError.self) { try GeoShape(geoJSON: "") }
  }

  @Test func `deep nesting is an error, not a crash`() {
    for text in [
      String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
      String(repeating: "(", count: 100_000),
    ] {
      #expect(throws: GeometryTextError.self) { try GeoShape(geoJSON: text) }
      #expect(throws: GeometryTextError.self) { try GeoShape(wkt: "POLYGON " + text) }
    }
  }

  @Test func `no text crashes a reader`() throws {
    let seed: UInt64 = 99
    var generator = SeededGenerator(seed: seed)
    let models = [
      "POLYGON ((0.0 50.0, 15.0 50.0, 15.0 62.0, 0.0 50.0), (9 55, 11 55, 11 56, 9 55))",
      "SRID=4326;MULTIPOLYGON Z (((0 0 1, 1 0 2, 0 1e0 3, 0 0 1)))", "POINT(1 -2.5e-3)",
      "{\"type\":\"Feature\",\"properties\":{\"a\":\"\\u00e9\\\"\"},\"geometry\":"
        + "{\"type\":\"Polygon\",\"coordinates\":[\(ring)]}}",
      "{\"type\":\"MultiPolygon\",\"coordinates\":[[\(ring)]]}",
      "{\"type\":\"Point\",\"coordinates\":[1,2,3]}",
    ]
    let interesting = Array("()[]{},:;\"\\ -+.eE0919\u{0}\u{7f}\n".utf8) + [0xff, 0xc3, 0x80]
    var read = 0
    for round in 0..<20_000 {
      var bytes = Array(models[round % models.count].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = interesting.randomElement(using: &generator) ?? 0
        case 1: bytes.insert(interesting.randomElement(using: &generator) ?? 0, at: index)
        case 2 where bytes.count > 1: bytes.remove(at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + 5)); bytes.append(41)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let shapes = [
        try? GeoShape(geoJSON: bytes), try? GeoShape(wkt: text),
      ]
      for shape in shapes.compactMap({ $0 }) {
        read += 1
        if let written = shape.wkt { #expect(try GeoShape(wkt: written) == shape) }
        if let written = shape.geoJSON { #expect(try GeoShape(geoJSON: written) == shape) }
      }
      _ = try? GeoPoint(geoJSON: bytes)
      _ = try? GeoPoint(wkt: text)
    }
    print("seed \(seed): 20,000 texts, \(read) of them readable")
  }
}

import CadastreGeometry
import Testing

@testable import CadastreDatasets

/// Records of Shapefiles with several positions.
@Suite struct ShapeContentTests {
  /// The bytes of a polygon or of lines with some parts.
  private static func bytes(_ type: Int32, _ parts: [[(Double, Double)]]) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ number: Int32) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    func add(_ number: Double) {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
    }
    add(type)
    for _ in 0..<4 { add(0.0) }
    add(Int32(parts.count))
    add(Int32(parts.reduce(0) { $0 + $1.count }))
    var start = 0
    for part in parts {
      add(Int32(start))
      start += part.count
    }
    for (x, y) in parts.flatMap(\.self) {
      add(x)
      add(y)
    }
    return bytes
  }

  private static func geometry(
    _ bytes: [UInt8], _ type: ShapeType
  ) throws(ShapefileProblem) -> Geometry? {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(ShapefileProblem) in
        try ShapeContent(bytes, type).geometry(type.form ?? .points)
      }
    }
    return try result.get()
  }

  private static let square = [(0.0, 0.0), (0, 9), (9, 9), (9, 0), (0, 0)]
  private static let hole = [(1.0, 1.0), (2, 1), (2, 2), (1, 2), (1, 1)]
  private static let island = [(20.0, 0.0), (20, 9), (29, 9), (29, 0), (20, 0)]

  @Test func `holes belong to the exterior ring around them`() throws {
    let found = try Self.geometry(Self.bytes(5, [Self.island, Self.hole, Self.square]), .polygon)
    #expect(
      found?.wkt == "MULTIPOLYGON (((20.0 0.0, 20.0 9.0, 29.0 9.0, 29.0 0.0, 20.0 0.0)), "
        + "((0.0 0.0, 0.0 9.0, 9.0 9.0, 9.0 0.0, 0.0 0.0), "
        + "(1.0 1.0, 2.0 1.0, 2.0 2.0, 1.0 2.0, 1.0 1.0)))")
    let lines = try Self.geometry(Self.bytes(3, [[(1, 2), (3, 4)]]), .polyLine)
    #expect(lines?.wkt == "LINESTRING (1.0 2.0, 3.0 4.0)")
    #expect(try Self.geometry(Self.bytes(3, []), .polyLine) == nil)
  }

  @Test(arguments: [false, true], [false, true])
  func `rings are nested by position, in any direction`(
    isFirstTurned: Bool, isSecondTurned: Bool
  ) throws {
    let outer = isFirstTurned ? Self.square.reversed() : Self.square
    let inner = isSecondTurned ? Self.hole.reversed() : Self.hole
    let inmost = [(1.2, 1.2), (1.2, 1.4), (1.4, 1.4), (1.2, 1.2)]
    for rings in [[outer, inner, inmost], [inmost, inner, outer]] {
      let found = try #require(try Self.geometry(Self.bytes(5, rings), .polygon))
      guard case .multiPolygon(let polygons) = found.shape else {
        Issue.record("\(found)")
        continue
      }
      // An island in a lake is a polygon of its own.
      #expect(polygons.map(\.count).sorted() == [1, 2])
      #expect(found.invalidityReason() == nil)
      let large = polygons.first { $0.count == 2 }
      #expect(large?[0].count == outer.count && large?[1].count == inner.count)
      #expect(large?[1].allSatisfy { (1...2).contains($0.longitude) } == true)
    }
  }

  @Test func `rings that touch are beside each other, or a hole at a corner`() throws {
    let beside = [(9.0, 9.0), (9, 12), (12, 12), (12, 9), (9, 9)]
    let apart = try Self.geometry(Self.bytes(5, [beside, Self.square]), .polygon)
    #expect(apart?.parts.polygons.map(\.count) == [1, 1] && apart?.invalidityReason() == nil)
    let corner = [(0.0, 0.0), (3, 1), (3, 3), (0, 0)]
    let touching = try Self.geometry(Self.bytes(5, [corner, Self.square]), .polygon)
    #expect(touching?.parts.polygons.map(\.count) == [2] && touching?.invalidityReason() == nil)
    // Overlapping rings become polygons that are invalid.
    let across = [(5.0, 5.0), (5, 15), (15, 15), (15, 5), (5, 5)]
    let overlapping = try Self.geometry(Self.bytes(5, [across, Self.square]), .polygon)
    #expect(
      overlapping?.parts.polygons.map(\.count) == [1, 1] && overlapping?.invalidityReason() != nil)
  }

  @Test func `10,000 rings are nested`() throws {
    var rings = [[(0.0, 0.0), (0, 50), (100, 50), (100, 0), (0, 0)]]
    for index in 0..<10_000 {
      let (x, y) = (Double(index % 100) + 0.2, Double(index / 100) * 0.5 + 0.1)
      rings.append([(x, y), (x, y + 0.2), (x + 0.2, y + 0.2), (x + 0.2, y), (x, y)])
    }
    let found = try Self.geometry(Self.bytes(5, rings), .polygon)
    #expect(found?.parts.polygons.map(\.count) == [10_001])
  }

  @Test func `every shortened or changed record is read or refused`() {
    let bytes = Self.bytes(5, [Self.square, Self.hole])
    for count in bytes.indices {
      #expect(throws: ShapefileProblem.self) {
        try Self.geometry(Array(bytes[..<count]), .polygon)
      }
    }
    for index in bytes.indices {
      for byte: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        var changed = bytes
        changed[index] = byte
        _ = try? Self.geometry(changed, .polygon)
      }
    }
  }
}

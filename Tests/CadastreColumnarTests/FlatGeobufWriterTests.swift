import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreColumnar

/// FlatGeobuf files that are written and read again.
@Suite struct FlatGeobufWriterTests {
  private static let columns: [(name: String, type: PropertyType?)] = [
    ("number", .int), ("text", .string), ("flag", .bool), ("double", .double), ("float", .float),
    ("bytes", .data), ("other", nil),
  ]

  @Test(arguments: [1, 2, 15, 16, 17, 256, 257, 1000])
  func `features and index are read as they were written`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let points = (0..<count).map { _ in
      (x: generator.number(-180...180), y: generator.number(-90...90))
    }
    let extent = Envelope(
      west: points.map(\.x).min() ?? 0, south: points.map(\.y).min() ?? 0,
      east: points.map(\.x).max() ?? 0, north: points.map(\.y).max() ?? 0)
    var file: [UInt8] = []
    let writer = try FlatGeobufWriter(
      name: "places", columns: Self.columns, count: count, extent: extent, hasAltitude: true
    ) { file += $0 }
    var expected: [(values: [Value], point: ColumnarPoint)] = []
    for index in FlatGeobufWriter.order(points, extent: extent) {
      let values: [Value] = [
        .int(Int64(index)), generator.oneIn(3) ? .null : .string("é \(index)"),
        .bool(generator.oneIn(2)), .double(generator.pick([.nan, -0.0, 0.1])), .float(1.5),
        .data(Data([1, 2, UInt8(index & 255)])), .null,
      ]
      let point = ColumnarPoint(x: points[index].x, y: points[index].y, z: Double(index))
      try writer.append(values, point: point)
      expected.append((values, point))
    }
    let index = writer.finish()
    file.replaceSubrange(writer.indexOffset..<writer.indexOffset + index.count, with: index)

    let reader = try FlatGeobufReader(ColumnarFile(bytes: file))
    try reader.checkGeometries()
    var record = ColumnarRecord()
    for (values, point) in expected {
      #expect(try reader.next(&record))
      #expect(record.values == values.map(ColumnarValue.value))
      #expect(record.point == point)
    }
    #expect(try !reader.next(&record))

    for _ in 0..<20 {
      let x = [generator.number(-180...180), generator.number(-180...180)].sorted()
      let y = [generator.number(-90...90), generator.number(-90...90)].sorted()
      let box = ColumnarBox(west: x[0], south: y[0], east: x[1], north: y[1])
      let search = try FlatGeobufReader(ColumnarFile(bytes: file), box: box)
      var numbers: [Int] = []
      while let feature = try search.nextFeature() { numbers.append(feature.number - 1) }
      let inside = expected.indices.filter {
        let point = expected[$0].point
        return (x[0]...x[1]).contains(point.x) && (y[0]...y[1]).contains(point.y)
      }
      #expect(numbers == inside)
    }
  }

  /// GDAL 3.6 writes 80 bytes for such a feature.
  @Test func `a feature is as small as that of GDAL`() throws {
    var sizes: [Int] = []
    let writer = try FlatGeobufWriter(
      name: "places", columns: [("text", .string)], count: 2, extent: nil, hasAltitude: false
    ) { sizes.append($0.count) }
    sizes = []
    for x in [1.0, 2.0] { try writer.append([.string("abc")], point: ColumnarPoint(x: x, y: 2)) }
    #expect(sizes == [80, 80])
  }

  @Test func `positions on the Hilbert curve are those of other writers`() {
    let cells: [(UInt32, UInt32, UInt32)] = [
      (0, 0, 0), (1, 0, 1), (1, 1, 2), (0, 1, 3), (65535, 0, 4_294_967_295),
      (0, 65535, 1_431_655_765), (65535, 65535, 2_863_311_530), (12345, 54321, 1_555_040_834),
      (32768, 32768, 2_147_483_648), (60000, 7, 4_274_263_103),
    ]
    for (x, y, position) in cells { #expect(FlatGeobufWriter.hilbert(x, y) == position) }
  }
}

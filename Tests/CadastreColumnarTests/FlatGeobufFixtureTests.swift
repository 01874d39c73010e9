import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreColumnar

/// FlatGeobuf files of GDAL and others, value by value.
@Suite struct FlatGeobufFixtureTests {
  @Test(arguments: Fixture.all("fgb"))
  func `every feature is read`(_ fixture: Fixture) throws {
    let reader = try FlatGeobufReader(ColumnarFile(bytes: try fixture.bytes()))
    let expected = try fixture.expected()
    if let name = expected["name"] as? String { #expect(reader.header.name == name) }
    let features = try #require(expected["features"] as? [[String: Any]])
    var count = 0
    while let feature = try reader.nextFeature() {
      let expected = try #require(count < features.count ? features[count] : nil)
      count += 1
      let geometry = try feature.geometry(reader.header)
      if let text = expected["wkb"] as? String {
        let found = geometry.map { Self.hex($0.wkb) }
        #expect(found == text, "feature \(count)")
      } else if let point = expected["xy"] as? [Any] {
        #expect(geometry?.xy == point.compactMap(JSONTree.number), "feature \(count)")
      } else {
        #expect(geometry == nil, "feature \(count)")
      }
      let values = try feature.values(reader.header)
      let properties = try #require(expected["properties"] as? [Any])
      #expect(values.count == properties.count)
      for (index, (value, property)) in zip(values, properties).enumerated()
      where !Self.matches(value, property) {
        Issue.record(
          "feature \(count), \(reader.fields[index].name): \(value), expected \(property)")
      }
    }
    #expect(count == features.count)
  }

  @Test(arguments: Fixture.all("fgb"))
  func `the geometry of every record is that of GDAL`(_ fixture: Fixture) throws {
    let reader = try FlatGeobufReader(ColumnarFile(bytes: try fixture.bytes()))
    let features = try #require(try fixture.expected()["features"] as? [[String: Any]])
    var record = ColumnarRecord()
    for feature in features {
      #expect(try reader.next(&record))
      guard let text = feature["wkb"] as? String else { continue }
      guard let expected = try? Geometry(wkb: Fixture.bytes(hex: text)) else {
        #expect(record.geometryProblem != nil || record.point != nil)
        continue
      }
      #expect(record.geometryProblem == nil)
      let isShape = expected.kind != .point && !expected.isEmpty
      #expect(record.geometry == (isShape ? expected : nil), "feature \(record.number)")
      if expected.kind == .point { #expect(record.point?.x == expected.point?.longitude) }
    }
    #expect(try !reader.next(&record))
  }

  @Test(arguments: Fixture.all("fgb"))
  func `a box finds the features of the index`(_ fixture: Fixture) throws {
    let expected = try fixture.expected()
    for query in expected["queries"] as? [[String: Any]] ?? [] {
      let box = try #require(query["bbox"] as? [Any]).compactMap(JSONTree.number)
      let file = ColumnarFile(bytes: try fixture.bytes())
      let reader = try FlatGeobufReader(
        file, box: ColumnarBox(west: box[0], south: box[1], east: box[2], north: box[3]))
      guard reader.index != nil else { continue }
      var numbers: [Int] = []
      while let feature = try reader.nextFeature() { numbers.append(feature.number - 1) }
      #expect(numbers == query["box_hits"] as? [Int])
    }
  }

  @Test func `a small box reads a small part of the file`() throws {
    let fixture = Fixture(name: "gdal_point300_idx.fgb")
    let file = ColumnarFile(bytes: try fixture.bytes())
    let reader = try FlatGeobufReader(
      file, box: ColumnarBox(west: 1000, south: 1000, east: 1001, north: 1001))
    #expect(try reader.nextFeature() == nil)
    #expect(file.bytesRead < file.size / 10)
  }

  @Test(arguments: Fixture.all("fgb"))
  func `a truncated file is read in part or is an error`(_ fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    let isIndexed = try FlatGeobufReader(ColumnarFile(bytes: bytes)).header.featureCount > 0
    let step = max(bytes.count / 300, 1)
    for count in stride(from: 0, to: bytes.count, by: step) {
      let isError = Self.readsWithError(Array(bytes[..<count]))
      // Without a number of features a file may end after any of them.
      #expect(isError || !isIndexed, "\(count) bytes")
    }
  }

  @Test(arguments: Fixture.all("fgb"))
  func `a changed file is read or is an error`(_ fixture: Fixture) throws {
    let bytes = try fixture.bytes()
    var generator = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<300 {
      var changed = bytes
      for _ in 0..<(1 + generator.below(4)) { generator.damage(&changed) }
      _ = Self.readsWithError(changed)
    }
  }

  /// Reads all of a file; returns whether there was an error.
  private static func readsWithError(_ bytes: [UInt8]) -> Bool {
    do throws(ColumnarError) {
      for box in [nil, ColumnarBox(west: -10, south: -10, east: 10, north: 10)] {
        let reader = try FlatGeobufReader(ColumnarFile(bytes: bytes), box: box)
        var record = ColumnarRecord()
        while try reader.next(&record) {}
      }
      return false
    } catch {
      #expect(!error.description.isEmpty)
      return true
    }
  }

  private static func matches(_ value: Value, _ expected: Any) -> Bool {
    switch value {
    case .null: expected is NSNull
    case .bool(let found): expected as? Bool == found
    case .int(let found): JSONTree.integer(expected) == found
    case .decimal(let found): (expected as? UInt).map(UInt64.init) == UInt64(found.stringValue)
    case .float(let found):
      JSONTree.number(expected).map { Float($0) == found || $0.isNaN && found.isNaN } ?? false
    case .double(let found):
      JSONTree.number(expected).map { $0 == found || $0.isNaN && found.isNaN } ?? false
    case .string(let found): expected as? String == found
    case .data(let found): expected as? String == "hex:" + hex(Array(found))
    default: false
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension FlatGeobufGeometry {
  /// The geometry as ISO well-known binary.
  fileprivate var wkb: [UInt8] {
    var bytes: [UInt8] = [1]
    append(UInt32(type) + (hasZ ? 1000 : 0), &bytes)
    let count = xy.count / 2
    let ranges = (ends.isEmpty ? [count] : ends).reduce(into: [Range<Int>]()) { ranges, end in
      ranges.append((ranges.last?.upperBound ?? 0)..<end)
    }
    switch type {
    case 1: appendPoints(0..<1, &bytes)
    case 2:
      append(UInt32(count), &bytes)
      appendPoints(0..<count, &bytes)
    case 3:
      append(UInt32(ranges.count), &bytes)
      for range in ranges {
        append(UInt32(range.count), &bytes)
        appendPoints(range, &bytes)
      }
    case 4:
      append(UInt32(count), &bytes)
      for index in 0..<count {
        bytes.append(1)
        append(1 + (hasZ ? 1000 : 0), &bytes)
        appendPoints(index..<index + 1, &bytes)
      }
    case 5:
      append(UInt32(ranges.count), &bytes)
      for range in ranges {
        bytes.append(1)
        append(2 + (hasZ ? 1000 : 0), &bytes)
        append(UInt32(range.count), &bytes)
        appendPoints(range, &bytes)
      }
    default:
      append(UInt32(parts.count), &bytes)
      for part in parts { bytes += part.wkb }
    }
    return bytes
  }

  private var hasZ: Bool { !z.isEmpty || parts.contains { $0.hasZ } }

  private func appendPoints(_ range: Range<Int>, _ bytes: inout [UInt8]) {
    for index in range {
      for number in [xy[2 * index], xy[2 * index + 1]] + (z.isEmpty ? [] : [z[index]]) {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
      }
    }
  }

  private func append(_ number: UInt32, _ bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }
}

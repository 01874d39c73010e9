import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreColumnar

/// Files that are written and read again.
@Suite struct ParquetWriterTests {
  /// A field of every type, alone and nested.
  private static let fields: [ColumnarField] = {
    let types: [PropertyType] = [.bool, .int, .float, .double, .string, .data, .date, .UUID]
    let single = types.flatMap { type in
      [false, true].map { isOptional in
        ColumnarField(
          name: "\(type)\(isOptional ? "?" : "")", type: .scalar(type), isOptional: isOptional)
      }
    }
    let record = ColumnarType.record(
      [single[3], single[8]] + [
        ColumnarField(
          name: "inner", type: .list(.scalar(.int), isOptional: true), isOptional: true)
      ])
    return single + [
      ColumnarField(
        name: "list", type: .list(.scalar(.string), isOptional: true), isOptional: true),
      ColumnarField(name: "record", type: record, isOptional: true),
      ColumnarField(name: "records", type: .list(record, isOptional: true), isOptional: false),
      ColumnarField(
        name: "map", type: .map(key: .scalar(.string), value: record, isOptional: true),
        isOptional: true),
      ColumnarField(
        name: "lists", type: .list(.list(.scalar(.double), isOptional: false), isOptional: true),
        isOptional: false),
    ]
  }()

  @Test(arguments: [0, 1, 7, 8, 9, 100, 1000], [1, 50, 100_000])
  func `every value is read as it was written`(rows: Int, groupRows: Int) throws {
    var generator = SeededGenerator(seed: UInt64(rows))
    var file: [UInt8] = []
    let writer = ParquetWriter(Self.fields, hasGeometry: true, groupRows: groupRows) { file += $0 }
    var expected: [ColumnarRecord] = []
    for row in 0..<min(rows, groupRows == 1 ? 100 : rows) {
      var record = ColumnarRecord()
      record.number = row + 1
      for field in Self.fields { record.values.append(Self.value(field, &generator)) }
      if !generator.oneIn(5) {
        record.point = ColumnarPoint(
          x: generator.number(-180...180), y: generator.number(-90...90),
          z: generator.oneIn(2) ? generator.number(0...9000) : nil)
      }
      try writer.append(record.values, point: record.point)
      expected.append(record)
    }
    try writer.finish()

    let reader = try ParquetReader(ColumnarFile(bytes: file))
    #expect(reader.fields.map(\.name) == Self.fields.map(\.name))
    #expect(reader.fields.map(\.type) == Self.fields.map(\.type))
    var record = ColumnarRecord()
    for row in expected {
      #expect(try reader.next(&record))
      #expect(record == row)
    }
    #expect(try !reader.next(&record))
  }

  private static func value(
    _ field: ColumnarField, _ generator: inout SeededGenerator
  ) -> ColumnarValue {
    if field.isOptional, generator.oneIn(4) { return .value(.null) }
    return value(field.type, &generator)
  }

  private static func value(
    _ type: ColumnarType, _ generator: inout SeededGenerator
  ) -> ColumnarValue {
    func nullable(_ type: ColumnarType, _ isOptional: Bool) -> ColumnarValue {
      isOptional && generator.oneIn(4) ? .value(.null) : value(type, &generator)
    }
    switch type {
    case .nothing: return .value(.null)
    case .scalar(let type): return .value(single(type, &generator))
    case .record(let fields): return .record(fields.map { value($0, &generator) })
    case .list(let element, let isOptional):
      return .list((0..<generator.below(4)).map { _ in nullable(element, isOptional) })
    case .map(_, let element, let isOptional):
      return .map(
        (0..<generator.below(4)).map {
          ColumnarValue.Entry(
            key: .value(.string("k\($0)")), value: nullable(element, isOptional))
        })
    }
  }

  private static func single(_ type: PropertyType, _ generator: inout SeededGenerator) -> Value {
    switch type {
    case .bool: .bool(generator.oneIn(2))
    case .int: .int(generator.pick([0, -1, .min, .max, 42, Int64(generator.below(1000))]))
    case .float: .float(generator.pick([0, -0.0, .nan, .infinity, 1.5, -3e38]))
    case .double: .double(generator.pick([0, -0.0, .nan, -.infinity, 0.1, .leastNonzeroMagnitude]))
    case .string: .string(generator.pick(["", "é", "a\u{0}b", String(repeating: "x", count: 300)]))
    case .data: .data(Data([0, 255, UInt8(generator.below(256))].prefix(generator.below(4))))
    case .date:
      .date(
        Timestamp(
          seconds: Int64(generator.below(4_000_000_000)) - 2_000_000_000,
          nanoseconds: Int64(generator.below(1_000_000)) * 1000))
    default:
      .uuid(
        UUID(bytes: (0..<16).map { _ in UInt8(generator.below(256)) }) ?? UUID())
    }
  }

  // MARK: Pruning

  /// A file of points on a line, 100 in a row group.
  private static func line() throws -> [UInt8] {
    var file: [UInt8] = []
    let fields = [
      ColumnarField(name: "n", type: .scalar(.int), isOptional: false),
      ColumnarField(name: "text", type: .scalar(.string), isOptional: false),
    ]
    let writer = ParquetWriter(fields, hasGeometry: true, groupRows: 100) { file += $0 }
    for n in 0..<10_000 {
      try writer.append(
        [.value(.int(Int64(n))), .value(.string("text \(n) \(n * 7919 % 10_007)"))],
        point: ColumnarPoint(x: Double(n) / 100, y: 10))
    }
    try writer.finish()
    return file
  }

  private static func read(
    _ bytes: [UInt8], _ selection: ParquetReader.Selection
  ) throws -> (numbers: [Int], bytesRead: Int) {
    let file = ColumnarFile(bytes: bytes)
    let reader = try ParquetReader(file, selection)
    var record = ColumnarRecord()
    var numbers: [Int] = []
    while try reader.next(&record) { numbers.append(record.number) }
    return (numbers, file.bytesRead)
  }

  @Test func `a box reads only the row groups that it touches`() throws {
    let file = try Self.line()
    var selection = ParquetReader.Selection()
    let all = try Self.read(file, selection)
    #expect(all.numbers == Array(1...10_000))
    selection.box = ColumnarBox(west: 50.2, south: 0, east: 50.7, north: 20)
    let part = try Self.read(file, selection)
    #expect(part.numbers == Array(5001...5100))
    selection.box = ColumnarBox(west: 50.2, south: 11, east: 50.7, north: 20)
    let none = try Self.read(file, selection)
    #expect(none.numbers.isEmpty)
    // The footer is read in any case.
    #expect(part.bytesRead - none.bytesRead < (all.bytesRead - none.bytesRead) / 50)
    // A box across ±180° is two intervals of longitudes.
    selection.box = ColumnarBox(west: 99.5, south: 0, east: 0.3, north: 20)
    #expect(try Self.read(file, selection).numbers == Array(1...100) + Array(9901...10_000))
  }

  @Test func `an interval reads only the row groups that it touches`() throws {
    let file = try Self.line()
    var selection = ParquetReader.Selection()
    selection.intervals = [ColumnarInterval(column: "n", lower: .int(250), upper: .double(310.5))]
    #expect(try Self.read(file, selection).numbers == Array(201...400))
    selection.intervals = [ColumnarInterval(column: "n", lower: .string("x"), upper: nil)]
    #expect(try Self.read(file, selection).numbers.count == 10_000)
    selection.intervals = [ColumnarInterval(column: "other", lower: .int(1), upper: nil)]
    #expect(try Self.read(file, selection).numbers.count == 10_000)
  }

  @Test func `columns that are not selected are not read`() throws {
    let file = try Self.line()
    let all = try Self.read(file, ParquetReader.Selection())
    var selection = ParquetReader.Selection()
    selection.columns = ["n"]
    let part = try Self.read(file, selection)
    #expect(part.numbers.count == 10_000)
    #expect(part.bytesRead < all.bytesRead / 2)
    selection.columns = ["missing"]
    #expect(throws: ColumnarError.self) { try Self.read(file, selection) }
  }

  // DuckDB refused bounds of eight bytes.
  @Test func `the bounds of days have four bytes, as days have`() throws {
    var values = LeafValues(.int32)
    for day: Int64 in [19_844, -719_162, 2_932_896] { values.append(UInt64(bitPattern: day)) }

    let bounds = try #require(values.bounds(0..<3))
    #expect(bounds.minimum == [0xC6, 0x06, 0xF5, 0xFF])
    #expect(bounds.maximum == [0xA0, 0xC0, 0x2C, 0x00])
    #expect(values.plain([1]) == bounds.minimum)
  }
}

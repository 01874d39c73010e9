import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreColumnar

/// The indexes of pages: what they skip, and that nothing else is skipped.
@Suite struct PageIndexTests {
  /// A row of the test file.
  private struct Row: Equatable {
    var number: Int64
    var group: String?
    var measure: Double?
    var tags: [Int64]
    var point: [Double]?
  }

  private static let rows: [Row] = {
    var random = SeededGenerator(seed: 26)
    var rows: [Row] = []
    for index in 0..<70_000 {
      var row = Row(number: Int64(index / 3), tags: [])
      if !random.oneIn(9) { row.group = "g\(index / 5000)" }
      if !random.oneIn(5) { row.measure = Double(index % 40_000) / 8 }
      for tag in 0..<random.below(3) { row.tags.append(Int64(index + tag)) }
      if !random.oneIn(11) { row.point = [Double(index) / 500 - 70, Double(index % 100) / 2] }
      rows.append(row)
    }
    return rows
  }()

  private static let file: [UInt8] = {
    let fields = [
      ColumnarField(name: "number", type: .scalar(.int), isOptional: false),
      ColumnarField(name: "group", type: .scalar(.string), isOptional: true),
      ColumnarField(name: "measure", type: .scalar(.double), isOptional: true),
      ColumnarField(
        name: "tags", type: .list(.scalar(.int), isOptional: false), isOptional: false),
    ]
    var bytes: [UInt8] = []
    let writer = ParquetWriter(fields, hasGeometry: true, groupRows: 50_000) { bytes += $0 }
    do {
      for row in rows {
        try writer.append(
          [
            .value(.int(row.number)), .value(row.group.map(Value.string) ?? .null),
            .value(row.measure.map(Value.double) ?? .null),
            .list(row.tags.map { .value(.int($0)) }),
          ], point: row.point.map { ColumnarPoint(x: $0[0], y: $0[1], z: nil) })
      }
      try writer.finish()
    } catch {
      Issue.record("\(error)")
    }
    return bytes
  }()

  /// Reads the rows of a selection, by their positions in the file.
  private func read(
    _ selection: ParquetReader.Selection
  ) throws -> (rows: [Int: Row], bytes: Int) {
    let reader = try ParquetReader(ColumnarFile(bytes: Self.file), selection)
    var record = ColumnarRecord()
    var rows: [Int: Row] = [:]
    while try reader.next(&record) {
      guard case .value(.int(let number)) = record.values[0],
        case .value(let group) = record.values[1], case .value(let measure) = record.values[2],
        case .list(let tags) = record.values[3]
      else {
        Issue.record("row \(record.number) has other types")
        break
      }
      var text: String?
      if case .string(let value) = group { text = value }
      rows[record.number - 1] = Row(
        number: number, group: text, measure: measure.doubleValue,
        tags: tags.compactMap { if case .value(.int(let tag)) = $0 { tag } else { nil } },
        point: record.point.map { [$0.x, $0.y] })
    }
    return (rows, reader.bytesRead)
  }

  /// Checks that all matching rows are read, each with its values.
  private func check(
    _ selection: ParquetReader.Selection, _ comment: Comment, matches: (Row) -> Bool
  ) throws -> (rows: Int, bytes: Int) {
    let (rows, bytes) = try read(selection)
    for (index, row) in rows where row != Self.rows[index] {
      Issue.record("row \(index) is \(row), \(comment)")
      break
    }
    for (index, row) in Self.rows.enumerated() where matches(row) && rows[index] == nil {
      Issue.record("row \(index) is missing, \(comment)")
      break
    }
    return (rows.count, bytes)
  }

  @Test func `conditions read the pages with matches`() throws {
    let everything = try check(ParquetReader.Selection(), "all rows") { _ in true }
    #expect(everything.rows == Self.rows.count)
    var selection = ParquetReader.Selection()
    selection.intervals = [ColumnarInterval(column: "number", lower: .int(7000), upper: .int(7010))]
    let part = try check(selection, "numbers") { (7000...7010).contains($0.number) }
    // One of four pages; the list is read up to the rows.
    #expect(part.rows == 20_000)
    #expect(part.bytes < everything.bytes / 2, "\(part.bytes) of \(everything.bytes) bytes")
    selection.columns = ["number", "measure"]
    let columns = try ParquetReader(ColumnarFile(bytes: Self.file), selection)
    var record = ColumnarRecord()
    while try columns.next(&record) {}
    #expect(columns.bytesRead < everything.bytes / 6, "\(columns.bytesRead) bytes")
  }

  @Test func `random conditions and boxes lose no row`() throws {
    var random = SeededGenerator(seed: 27)
    for _ in 0..<12 {
      var selection = ParquetReader.Selection()
      let low = Int64(random.below(24_000))
      let measure = random.number(0...5000)
      let west = random.number(-80...70)
      let south = random.number(0...50)
      let box = ColumnarBox(west: west, south: south, east: west + 9, north: south + 9)
      let usesNumber = random.oneIn(2)
      let usesMeasure = random.oneIn(2)
      let usesBox = random.oneIn(2)
      if usesNumber {
        selection.intervals.append(
          ColumnarInterval(column: "number", lower: .int(low), upper: .int(low + 2000)))
      }
      if usesMeasure {
        selection.intervals.append(
          ColumnarInterval(column: "measure", lower: nil, upper: .double(measure)))
      }
      if usesBox { selection.box = box }
      _ = try check(selection, "seed 27: \(selection)") { row in
        if usesNumber, !(low...(low + 2000)).contains(row.number) { return false }
        if usesMeasure, row.measure.map({ $0 > measure }) ?? true { return false }
        if usesBox {
          guard let point = row.point, (box.west...box.east).contains(point[0]),
            (box.south...box.north).contains(point[1])
          else { return false }
        }
        return true
      }
    }
  }

  @Test func `an index that is cut or lies is no trap`() throws {
    let file = try ParquetFile(ColumnarFile(bytes: Self.file))
    var random = SeededGenerator(seed: 28)
    let indexes = file.metadata.rowGroups.flatMap(\.chunks)
      .flatMap { [$0.offsetIndex, $0.columnIndex].compactMap(\.self) }
    #expect(indexes.count > 10)
    for _ in 0..<60 {
      var bytes = Self.file
      let index = random.pick(indexes)
      bytes[index.offset + random.below(index.size)] = UInt8(random.below(256))
      var selection = ParquetReader.Selection()
      selection.columns = ["number", "group"]
      selection.intervals = [
        ColumnarInterval(column: "number", lower: .int(8000), upper: .int(8010))
      ]
      do throws(ColumnarError) {
        let reader = try ParquetReader(ColumnarFile(bytes: bytes), selection)
        var record = ColumnarRecord()
        while try reader.next(&record) {}
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  // MARK: Covering boxes

  @Test func `covering boxes that cross the antimeridian are found`() {
    var random = SeededGenerator(seed: 29)
    var (excluded, crossing) = (0, 0)
    for _ in 0..<20_000 {
      let center = random.number(-180...180)
      let boxes = (0...random.below(3)).map { _ in
        let west = Self.wrapped(center + random.number(-20...20))
        return (west: west, east: Self.wrapped(west + random.number(0...60)))
      }
      if boxes.contains(where: { $0.west > $0.east }) { crossing += 1 }
      let wests = boxes.map(\.west)
      let easts = boxes.map(\.east)
      let bounds = CoveringBounds(
        west: (wests.min() ?? 0)...(wests.max() ?? 0), south: -10,
        east: (easts.min() ?? 0)...(easts.max() ?? 0), north: 10)
      let west = random.number(-180...180)
      let box = ColumnarBox(
        west: west, south: 0, east: Self.wrapped(west + random.number(0...30)), north: 5)
      let touches = boxes.contains { Self.touch($0, (box.west, box.east)) }
      let mayTouch = bounds.mayTouch(box)
      #expect(mayTouch || !touches, "seed 29: \(boxes), \(box)")
      if !mayTouch { excluded += 1 }
    }
    #expect(crossing > 2000 && excluded > 5000, "\(crossing), \(excluded)")
  }

  private static func wrapped(_ longitude: Double) -> Double {
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  }

  /// Returns whether two ranges of longitudes, which may cross ±180°, share a value.
  private static func touch(
    _ first: (west: Double, east: Double), _ second: (west: Double, east: Double)
  ) -> Bool {
    func parts(_ range: (west: Double, east: Double)) -> [ClosedRange<Double>] {
      range.west <= range.east
        ? [range.west...range.east] : [range.west...180, -180...range.east]
    }
    return parts(first).contains { part in parts(second).contains { part.overlaps($0) } }
  }

  // MARK: Levels

  @Test func `levels with the most significant bit first are read`() throws {
    // The example of the specification: 0 to 7 in three bits.
    let packed: [UInt8] = [0b0000_0101, 0b0011_1001, 0b0111_0111]
    var decoder = try HybridDecoder(
      BitPackedLevels.hybrid(packed[...], count: 8, width: 3), width: 3)
    var levels: [UInt32] = []
    try decoder.decode(8) { level, count in levels += repeatElement(level, count: count) }
    #expect(levels == Array(0..<8))
  }

  @Test func `a page with levels in the deprecated encoding is read`() throws {
    // The file of the format's description, with the levels 1, 0, 1 of its text as three bits.
    let name = try #require(Fixture.all("parquet").first { $0.name.contains("own_tiny") })
    var bytes = try name.bytes()
    bytes.replaceSubrange(0x32..<0x38, with: [0b1010_0000])
    bytes.replaceSubrange(
      0x21..<0x32,
      with: [
        0x15, 0, 0x15, 0x18, 0x15, 0x18, 0x2C, 0x15, 6, 0x15, 0, 0x15, 8, 0x15, 8, 0, 0,
      ])
    let sizes: [UInt8] = [0x16, 0x44, 0x16, 0x44, 0x26, 0x42]
    let start = try #require(
      bytes.indices.dropLast(6).first { Array(bytes[$0..<$0 + 6]) == sizes })
    bytes.replaceSubrange(start..<start + 4, with: [0x16, 0x3A, 0x16, 0x3A])
    let reader = try ParquetReader(ColumnarFile(bytes: bytes))
    var record = ColumnarRecord()
    var texts: [Value] = []
    while try reader.next(&record) {
      if case .value(let value) = record.values[1] { texts.append(value) }
    }
    #expect(texts == [.string("x"), .null, .string("yz")])
  }
}

import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A class with a column of each type that may have large values, and rows with values around the limit.
enum Documents {
  static let className = "Document"
  static let schema = Schema([
    ObjectSchema(
      className: className,
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "title", type: .string, isOptional: true),
        Property(name: "content", type: .data, isOptional: true),
        Property(name: "shape", type: .geometry, isOptional: true),
        Property(name: "tail", type: .int),
        Property(name: "any", type: .any, isOptional: true),
        Property(name: "body", type: .string, isOptional: true),
      ])
  ])
  static let (title, content, shape, tail, any, body) = (1, 2, 3, 4, 5, 6)

  /// The sizes in bytes of values: empty, small, around the limit, around two pages, and some more.
  static let sizes = [0, 1, 20, 4095, 4096, 4097, 8180, 8200, 20_000]

  static func text(_ size: Int, _ random: inout SeededGenerator) -> Value {
    .string(String(repeating: random.pick(["a", "b"]), count: size))
  }

  static func data(_ size: Int, _ random: inout SeededGenerator) -> Value {
    .data(Data(repeating: UInt8(random.below(2)), count: size))
  }

  /// Returns a line of about as many bytes; a position has 16.
  static func line(_ size: Int) throws -> Value {
    let positions = (0..<max(2, size / 16)).map { "\($0 % 90) \($0 % 70)" }
    return .geometry(try Geometry(wkt: "LINESTRING (\(positions.joined(separator: ", ")))"))
  }

  /// Returns a value of a column.
  static func value(_ column: Int, _ random: inout SeededGenerator) throws -> Value {
    if column == tail { return .int(Int64(random.below(1000))) }
    if random.oneIn(4) { return .null }
    // Most values are small.
    let size = random.oneIn(3) ? random.pick(sizes) : random.below(30)
    switch column {
    case content: return data(size, &random)
    case shape: return try line(size)
    case any:
      switch random.below(4) {
      case 0: return .int(Int64(size))
      case 1: return data(size, &random)
      case 2: return .list([text(size, &random), .null])
      default: return text(size, &random)
      }
    default: return text(size, &random)
    }
  }

  static func row(_ id: Int64, _ random: inout SeededGenerator) throws -> [Value] {
    [.int(id)] + (try (1...6).map { try value($0, &random) })
  }

  /// The size in bytes of a value as SQLite stores it.
  static func storedBytes(_ value: Value) -> Int {
    switch value {
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    case .geometry(let geometry): geometry.wkb().count
    case .list: NestedText.text(value).utf8.count
    default: 0
    }
  }

  /// Returns what is wrong with a partial row; nil if it has all values that are not large.
  ///
  /// - Parameters:
  ///   - partial: The row.
  ///   - row: The expected values.
  ///   - isStored: Whether no value comes from a buffer, so that each large one is omitted.
  /// - Returns: The fault.
  static func fault(_ partial: PartialRow, _ row: [Value], isStored: Bool) -> String? {
    guard partial.values.count == row.count else { return "\(partial.values.count) values" }
    for (column, value) in row.enumerated() {
      let isLarge = storedBytes(value) > 4096
      let isOmitted = partial.omitted.contains(column)
      if isOmitted, !isLarge {
        return "column \(column) is omitted and has \(storedBytes(value)) bytes"
      }
      if isStored, isLarge, !isOmitted { return "column \(column) is read" }
      if partial.values[column] != (isOmitted ? .null : value) { return "column \(column) differs" }
    }
    return nil
  }
}

/// Partial rows and single columns, compared with rows in memory.
@Suite struct LargeValueTests {
  private let file: StoreFile
  private let layout: TableLayout

  init() throws {
    file = try TestStore.temporary(Documents.schema)
    layout = try file.snapshot().layout(Documents.className)
  }

  @Test func `each kind of value is omitted above 4,096 bytes`() throws {
    var random = SeededGenerator(seed: 1)
    let transaction = try file.beginWrite()
    var rows: [[Value]] = []
    for size in Documents.sizes {
      let values: [(Int, Value)] = [
        (Documents.title, Documents.text(size, &random)),
        (Documents.body, Documents.text(size, &random)),
        (Documents.content, Documents.data(size, &random)),
        (Documents.any, Documents.text(size, &random)),
        (Documents.any, Documents.data(size, &random)),
        (Documents.any, .list([Documents.text(size, &random)])),
        (Documents.shape, try Documents.line(size)),
      ]
      for (column, value) in values {
        var row = [Value](repeating: .null, count: layout.columns.count)
        row[0] = .int(Int64(rows.count))
        row[Documents.tail] = .int(Int64(size))
        row[column] = value
        _ = try transaction.insert(Documents.className, row)
        rows.append(row)
      }
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    for (index, row) in rows.enumerated() {
      let partial = try #require(try snapshot.partialRow(layout, ObjectKey(Int64(index + 1))))
      #expect(Documents.fault(partial, row, isStored: true) == nil, "row \(index)")
    }
  }

  @Test func `values of a row without a single large one are all read`() throws {
    var random = SeededGenerator(seed: 1)
    var row = [Value](repeating: Documents.text(4096, &random), count: layout.columns.count)
    row[0] = .int(1)
    row[Documents.tail] = .int(2)
    row[Documents.content] = Documents.data(4096, &random)
    row[Documents.shape] = try Documents.line(1000)
    let transaction = try file.beginWrite()
    let key = try transaction.insert(Documents.className, row)
    try transaction.commit()
    let partial = try file.snapshot().partialRow(layout, key)
    #expect(partial == PartialRow(values: row))
  }

  @Test func `a read of a large row leaves the limit of the connection as it was`() throws {
    var random = SeededGenerator(seed: 1)
    let transaction = try file.beginWrite()
    var row = try Documents.row(1, &random)
    row[Documents.content] = Documents.data(50_000, &random)
    let key = try transaction.insert(Documents.className, row)
    for _ in 0..<2 {
      let flushed = try transaction.flush(.rows)
      #expect(try flushed.partialRow(layout, key)?.omitted.contains(Documents.content) == true)
      #expect(try flushed.partialRows(layout, from: key, limit: 2).count == 1)
      #expect(try flushed.row(layout, key) == row)
      row[Documents.content] = Documents.data(60_000, &random)
      #expect(
        try transaction.update(
          Documents.className, key, [(Documents.content, row[Documents.content])]))
    }
    try transaction.commit()
    #expect(try file.snapshot().row(layout, key) == row)
  }

  @Test func `absent objects have no partial row and no value`() throws {
    let transaction = try file.beginWrite()
    var random = SeededGenerator(seed: 1)
    for id in 0..<3 {
      var row = try Documents.row(Int64(id), &random)
      row[Documents.content] = Documents.data(9000, &random)
      _ = try transaction.insert(Documents.className, row)
    }
    try transaction.delete(Documents.className, ObjectKey(2))
    for key in [0, 2, 4, .max, .min] as [Int64] {
      #expect(try transaction.partialRow(layout, ObjectKey(key)) == nil)
      #expect(try transaction.value(layout, ObjectKey(key), Documents.content) == nil)
    }
    #expect(try transaction.partialRow(layout, primaryKey: .int(1)) == nil)
    #expect(try transaction.partialRow(layout, primaryKey: .int(2))?.key == ObjectKey(3))
    let flushed = try transaction.flush(.rows)
    #expect(try flushed.partialRows(layout, from: ObjectKey(.max), limit: 3).isEmpty)
    #expect(
      try flushed.partialRows(layout, from: ObjectKey(.min), limit: 9).keys.sorted() == [1, 3])
    #expect(try flushed.partialRows(layout, from: ObjectKey(1), limit: 1).keys.sorted() == [1])
  }

  @Test(arguments: Seeds.usual(1...6), [0, 1024])
  func `partial rows and values are those of a dictionary`(seed: UInt64, capacity: Int) throws {
    var random = SeededGenerator(seed: seed)
    file.bufferCapacity.withLock { $0 = capacity }
    var committed: [Int64: [Value]] = [:]
    for round in 0..<6 {
      var rows = committed
      let transaction = try file.beginWrite()
      for step in 0..<25 {
        try change(transaction, &rows, round * 1000 + step, &random)
        try check(
          transaction, rows, isStored: false, &random, "seed \(seed), round \(round), step \(step)")
      }
      let flushed = try transaction.flush(.rows)
      try check(flushed, rows, isStored: true, &random, "seed \(seed), round \(round), flushed")
      try checkRange(flushed, rows, &random, "seed \(seed), round \(round), flushed")
      if random.oneIn(4) {
        transaction.rollback()
      } else {
        try transaction.commit()
        committed = rows
      }
      let snapshot = try file.snapshot()
      for _ in 0..<5 {
        try check(snapshot, committed, isStored: true, &random, "seed \(seed), round \(round)")
        try checkRange(snapshot, committed, &random, "seed \(seed), round \(round)")
      }
    }
  }

  private func change(
    _ transaction: WriteTransaction, _ rows: inout [Int64: [Value]], _ id: Int,
    _ random: inout SeededGenerator
  ) throws {
    let keys = rows.keys.sorted()
    switch random.below(8) {
    case 0...2:
      let row = try Documents.row(Int64(id), &random)
      let key =
        random.oneIn(3)
        ? try transaction.insert(Documents.className, row)
        : try transaction.insert(Documents.className, buffering: row, isUnique: true)
      rows[key.rawValue] = row
    case 3 where random.oneIn(2):
      guard let key = keys.randomElement(using: &random) else { return }
      try transaction.delete(Documents.className, ObjectKey(key))
      rows[key] = nil
    default:
      guard let key = keys.randomElement(using: &random) else { return }
      let column = 1 + random.below(6)
      let value = try Documents.value(column, &random)
      rows[key]?[column] = value
      if random.oneIn(2) {
        #expect(
          try transaction.update(
            Documents.className, ObjectKey(key), column, value, exists: true))
      } else {
        #expect(try transaction.update(Documents.className, ObjectKey(key), [(column, value)]))
      }
    }
  }

  private func check(
    _ reader: any RowReader, _ rows: [Int64: [Value]], isStored: Bool,
    _ random: inout SeededGenerator, _ comment: Comment
  ) throws {
    let key = Int64(random.below(Int(rows.keys.max() ?? 0) + 2))
    let row = rows[key]
    let column = random.below(layout.columns.count)
    #expect(try reader.value(layout, ObjectKey(key), column) == row?[column], comment)
    #expect(try reader.row(layout, ObjectKey(key)) == row, comment)
    let partial = try reader.partialRow(layout, ObjectKey(key))
    #expect((partial == nil) == (row == nil), comment)
    guard let partial, let row else { return }
    #expect(Documents.fault(partial, row, isStored: isStored) == nil, comment)
    let found = try #require(try reader.partialRow(layout, primaryKey: row[0]))
    #expect(found.key == ObjectKey(key), comment)
    #expect(Documents.fault(found.row, row, isStored: isStored) == nil, comment)
  }

  private func checkRange(
    _ reader: any StoreReader, _ rows: [Int64: [Value]], _ random: inout SeededGenerator,
    _ comment: Comment
  ) throws {
    let first = Int64(random.below(Int(rows.keys.max() ?? 0) + 2))
    let limit = 1 + random.below(40)
    let found = try reader.partialRows(layout, from: ObjectKey(first), limit: limit)
    let expected = rows.keys.sorted().filter { $0 >= first }.prefix(limit)
    // Large rows end the range early, but not before the first row.
    #expect(found.keys.sorted() == Array(expected.prefix(found.count)), comment)
    #expect(found.isEmpty == expected.isEmpty, comment)
    for (key, row) in found {
      #expect(Documents.fault(row, try #require(rows[key]), isStored: true) == nil, comment)
    }
  }
}

/// Pages of large values that cannot be read show whether an operation reads them.
@Suite struct UnreadLargeValueTests {
  private static let contentBytes = 5 << 20
  private static let (contentByte, bodyByte): (UInt8, UInt8) = (0xAB, 0x78)
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("documents.cadastre")
    try fill()
    try damage()
  }

  /// Stores three objects: one with large data, one with a large text, and one without large values.
  private func fill() throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Documents.schema)
    let transaction = try file.beginWrite()
    for id in 1...3 as ClosedRange<Int64> {
      var row: [Value] = [.int(id), .string("title \(id)"), .null, .null, .int(id * 10), .null]
      row.append(.string("body \(id)"))
      if id == 1 {
        row[Documents.content] = .data(
          Data(repeating: Self.contentByte, count: Self.contentBytes))
      }
      if id == 2 { row[Documents.body] = .string(String(repeating: "x", count: 1 << 20)) }
      _ = try transaction.insert(Documents.className, row)
    }
    try transaction.commit()
  }

  /// Overwrites the number of the next page in each overflow page of the large values.
  private func damage() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = [Self.contentByte, Self.bodyByte].map { Data(repeating: $0, count: 4092) }
    var damaged = 0
    for page in stride(from: 0, to: bytes.count, by: 4096)
    where contents.contains(bytes[page + 4..<page + 4096]) {
      bytes.replaceSubrange(page..<page + 4, with: [0x7F, 0x7F, 0x7F, 0x7F])
      damaged += 1
    }
    try #require(damaged > 1500)
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test func `partial rows read no page of a large value`() throws {
    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()
    let layout = try snapshot.layout(Documents.className)
    #expect(throws: StoreError.self) { try snapshot.row(layout, ObjectKey(1)) }
    #expect(throws: StoreError.self) { try snapshot.row(layout, ObjectKey(2)) }
    let rows = try snapshot.partialRows(layout, from: ObjectKey(1), limit: 10)
    #expect(rows.keys.sorted() == [1, 2, 3])
    for key in 1...3 as ClosedRange<Int64> {
      let row = try #require(try snapshot.partialRow(layout, ObjectKey(key)))
      #expect(row == rows[key])
      #expect(row.values[Documents.title] == .string("title \(key)"))
      // The column is declared after the data.
      #expect(row.values[Documents.tail] == .int(key * 10))
      #expect(row.omitted == (key == 1 ? [Documents.content] : key == 2 ? [Documents.body] : []))
      #expect(try snapshot.partialRow(layout, primaryKey: .int(key))?.row == row)
      for column in layout.columns.indices where !row.omitted.contains(column) {
        #expect(try snapshot.value(layout, ObjectKey(key), column) == row.values[column])
      }
    }
    #expect(throws: StoreError.self) { try snapshot.value(layout, ObjectKey(1), Documents.content) }
    #expect(throws: StoreError.self) { try snapshot.value(layout, ObjectKey(2), Documents.body) }
  }

  @Test func `the column cache reads no value above its limit`() throws {
    let file = try OpenStores.store(at: path, mustExist: true)
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout(Documents.className)
    for _ in 0..<2 {
      let view = try #require(
        ColumnView(layout, [Documents.title, Documents.content, Documents.tail], snapshot))
      #expect(try view.segment(0, for: .allRows) == nil)
    }
    let view = try #require(ColumnView(layout, [Documents.title, Documents.tail], snapshot))
    let image = try #require(try view.segment(0, for: .rows(1)))
    #expect((1...3).map { image.columns[0].value($0) } == (1...3).map { .string("title \($0)") })
    #expect((1...3).map { image.columns[1].value($0) } == [.int(10), .int(20), .int(30)])
    #expect(file.columns.report.byteCount < 100_000)
  }
}

/// Columns of the cache after values above its limit came and went.
@Suite struct UncachedValueTests {
  @Test func `a column is cached again after its large value is replaced`() throws {
    let file = try TestStore.temporary(Documents.schema)
    let layout = try file.snapshot().layout(Documents.className)
    var contents: [Value] = []
    let insertion = try file.beginWrite()
    for id in 0..<300 {
      var row = [Value](repeating: .null, count: layout.columns.count)
      (row[0], row[Documents.tail]) = (.int(Int64(id)), .int(0))
      row[Documents.content] = .data(Data([UInt8(id % 200)]))
      contents.append(row[Documents.content])
      _ = try insertion.insert(Documents.className, row)
    }
    try insertion.commit()
    func set(_ index: Int, _ value: Value) throws {
      contents[index] = value
      let transaction = try file.beginWrite()
      let key = ObjectKey(Int64(index + 1))
      try transaction.update(Documents.className, key, [(Documents.content, value)])
      try transaction.commit()
    }
    func isCached() throws -> Bool {
      let snapshot = try file.snapshot()
      let view = try #require(ColumnView(layout, [Documents.content], snapshot))
      guard let image = try view.segment(0, for: .allRows) else { return false }
      for (index, content) in contents.enumerated() {
        #expect(image.columns[0].value(index + 1) == content, "row \(index)")
      }
      return true
    }
    #expect(try isCached())
    // Only the changed slot is read again.
    try set(7, .data(Data([1, 2, 3])))
    #expect(try isCached())
    try set(100, .data(Data(count: 4 << 20 + 1)))
    #expect(try !isCached())
    try set(5, .data(Data()))
    #expect(try !isCached())
    try set(100, .data(Data(count: 4 << 20)))
    #expect(try isCached())
    try set(100, .null)
    #expect(try isCached())
  }
}

import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// The buffer of a table, compared with dictionaries.
@Suite struct WriteBufferTests {
  /// The changes of a column, as a dictionary.
  private func content(_ buffer: WriteBuffer) -> [Int: [Int64: Value]] {
    var content: [Int: [Int64: Value]] = [:]
    for column in buffer.changes {
      content[column.column] = Dictionary(uniqueKeysWithValues: zip(column.keys, column.values))
    }
    return content
  }

  @Test(arguments: Seeds.usual(1...10))
  func `changes are those of a dictionary, in the order of their keys`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var buffer = WriteBuffer()
    var expected: [Int: [Int64: Value]] = [:]
    for step in 0..<300 {
      let key = Int64(Int.random(in: 0..<20, using: &random)) + 1
      let column = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        buffer.removeChanges(of: key)
        for column in expected.keys { expected[column]?[key] = nil }
      case 1 where Int.random(in: 0..<8, using: &random) == 0:
        _ = buffer.takeChanges()
        expected = [:]
      default:
        let isFull = expected[column]?[key] == nil && expected[column]?.count ?? 0 >= 7
        let isSet = buffer.set(key, column, .int(Int64(step)), 7)
        #expect(isSet == !isFull, "seed \(seed), step \(step)")
        if !isFull { expected[column, default: [:]][key] = .int(Int64(step)) }
      }
      for column in buffer.changes { #expect(column.keys == column.keys.sorted(), "seed \(seed)") }
      #expect(
        content(buffer).filter { !$0.value.isEmpty } == expected.filter { !$0.value.isEmpty },
        "seed \(seed), step \(step)")
      let read = Int64(Int.random(in: 0..<22, using: &random))
      var row = [Value](repeating: .null, count: 3)
      buffer.apply(to: &row, read)
      #expect(row == (0..<3).map { expected[$0]?[read] ?? .null }, "seed \(seed), step \(step)")
      for column in 0..<3 {
        #expect(buffer.value(read, column) == expected[column]?[read], "seed \(seed)")
      }
    }
  }

  @Test func `new rows are found by their keys and primary keys`() {
    var buffer = WriteBuffer()
    for number in 0..<5 {
      buffer.insert([.string("\(number)"), .null], Int64(10 + number), isUnique: true)
      let found = buffer.findKey(.string("\(number)"), in: 0)
      #expect(found == Int64(10 + number))
    }
    let absent = buffer.findKey(.string("9"), in: 0)
    #expect(absent == nil)
    #expect(buffer.newRows[9] == nil && buffer.newRows[15] == nil)
    let (isSet, isAbsentSet) = (
      buffer.setInNewRow(12, 1, .int(7)), buffer.setInNewRow(15, 1, .int(7))
    )
    #expect(isSet && !isAbsentSet)
    #expect(buffer.newRows[12] == [.string("2"), .int(7)])
    #expect(buffer.value(12, 1) == .int(7))

    let taken = buffer.takeNewRows()
    #expect(taken.firstKey == 10 && taken.rows.count == 5)
    let afterwards = buffer.findKey(.string("1"), in: 0)
    #expect(buffer.isEmpty && afterwards == nil)
  }

  @Test func `a buffer is full at its capacity, its size in bytes, and for rows of the other kind`()
  {
    var buffer = WriteBuffer()
    #expect(buffer.accepts(isUnique: false, 2))
    buffer.insert([.null], 1, isUnique: true)
    #expect(buffer.accepts(isUnique: true, 2) && !buffer.accepts(isUnique: false, 2))
    buffer.insert([.null], 2, isUnique: true)
    #expect(!buffer.accepts(isUnique: true, 2))
    _ = buffer.takeNewRows()
    buffer.insert([.string(String(repeating: "x", count: 1 << 20))], 3, isUnique: true)
    #expect(!buffer.accepts(isUnique: true, 1000) && buffer.hasLargeNewRows)
    let isSet = buffer.set(1, 0, .string(String(repeating: "x", count: 1 << 20)), 1000)
    let isSetAfterwards = buffer.set(2, 0, .int(1), 1000)
    #expect(isSet && !isSetAfterwards)
    _ = buffer.takeNewRows()
    #expect(buffer.accepts(isUnique: true, 1000) && !buffer.hasLargeNewRows)
  }
}

/// The cells that a transaction has changed.
@Suite struct TouchedCellsTests {
  @Test func `changed, deleted and new rows are touched`() {
    let touched = TouchedCells(before: 100)
    #expect(!touched.contains(5, 1) && touched.contains(100, 1))
    touched.noteModified(5, 1)
    touched.noteModified(100, 1)
    touched.noteDeleted(6)
    touched.noteInserted(before: 103)
    #expect(touched.contains(5, 1) && !touched.contains(5, 2))
    #expect(touched.contains(6, 2))
    #expect(touched.changes.inserted == 100..<103)
    #expect(touched.changes.deleted == [6])
    #expect(touched.changes.modified == [5: [1]])
    #expect(touched.segments.touches(KeySegment.number(of: 5), 1))
    #expect(touched.segments.touchesRows(KeySegment.number(of: 6)))
    touched.noteDeleted(5)
    #expect(touched.changes.modified.isEmpty && touched.contains(5, 2))
  }
}

/// Reads of rows that are buffered, or that the second thread stores.
@Suite struct BufferedReadTests {
  private let file: StoreFile
  private let layout: TableLayout

  init() throws {
    file = try TestStore.temporary(Boats.schema)
    layout = try file.snapshot().layout("Harbor")
  }

  private func harbor(_ number: Int) -> [Value] {
    var row = layout.row(["code": .text("\(number)"), "site": Boats.point(Double(number), 1)])
    for collection in layout.collections { row[collection.countColumn] = .int(0) }
    return row
  }

  @Test func `changes of rows in flight are read`() throws {
    file.bufferCapacity.withLock { $0 = 4 }
    let transaction = try file.beginWrite()
    transaction.bufferRows(inBackground: true) { _, _ in }
    let depth = try #require(layout.columns.firstIndex { $0.name == "depth" })
    var keys: [ObjectKey] = []
    for number in 0..<40 {
      keys.append(try transaction.insert("Harbor", buffering: harbor(number), isUnique: true))
      // A row of each state: in the buffer, in flight, stored.
      for key in [keys[0], keys[max(0, number - 3)], keys[max(0, number - 6)]] {
        let value = Value.double(Double(number))
        #expect(try transaction.update("Harbor", key, depth, value, exists: true))
        #expect(try transaction.row(layout, key)?[depth] == value, "\(number), \(key)")
        if case .pending(let pending) = transaction.cell("Harbor", key, depth) {
          #expect(pending == value)
        }
      }
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    #expect(try snapshot.rowCount("Harbor") == 40)
    #expect(try snapshot.row(layout, keys[0])?[depth] == .double(39))
    #expect(try StoreCheck(snapshot).problems() == [])
  }

  @Test func `each flush of the indexes has the new rows before it`() throws {
    let transaction = try file.beginWrite()
    for number in 0..<5 {
      _ = try transaction.insert("Harbor", buffering: harbor(number), isUnique: true)
      let connection = try transaction.flush(.indexes).connection
      let entries = try connection.integer("SELECT count(*) FROM \"rtree_Harbor.site\"")
      #expect(entries == Int64(number + 1))
    }
  }

  @Test func `large values of new rows do not stay in memory`() throws {
    let transaction = try file.beginWrite()
    let name = try #require(layout.columns.firstIndex { $0.name == "name" })
    let text = Value.string(String(repeating: "x", count: 300_000))
    var keys: [ObjectKey] = []
    for number in 0..<12 {
      keys.append(try transaction.insert("Harbor", buffering: harbor(number), isUnique: true))
    }
    for key in keys { #expect(try transaction.update("Harbor", key, name, text, exists: true)) }
    let stored = try transaction.flush(.elements).connection.integer(
      "SELECT count(*) FROM \(SQL.quoted(layout.tableName))")
    #expect(stored == 12)
    for key in keys { #expect(try transaction.row(layout, key)?[name] == text) }
  }
}

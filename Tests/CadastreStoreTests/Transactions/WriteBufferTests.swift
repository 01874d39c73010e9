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
    var buffer = WriteBuffer(WriteBuffer.Counters(nextKey: 10, rowCount: 4))
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
    var buffer = WriteBuffer(WriteBuffer.Counters(nextKey: 10, rowCount: 4))
    for number in 0..<5 {
      buffer.insert(
        [.string("\(number)"), .null], Int64(10 + number), isUnique: true, largeColumns: [0])
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
    #expect(!buffer.hasRows && afterwards == nil)
  }

  @Test func `rows in flight are apart from the new rows`() {
    var buffer = WriteBuffer(WriteBuffer.Counters(nextKey: 10, rowCount: 4))
    buffer.insert([.int(1)], 10, isUnique: true, largeColumns: [])
    let sent = buffer.startFlight()
    #expect(sent.rows == [[.int(1)]] && !buffer.hasRows)
    buffer.insert([.int(2)], 11, isUnique: true, largeColumns: [])
    let isSet = buffer.setInNewRow(10, 0, .int(3))
    #expect(!isSet && buffer.rowsInFlight?[10] == [.int(1)] && buffer.rowsInFlight?[11] == nil)
    let next = buffer.startFlight()
    #expect(next.firstKey == 11 && buffer.rowsInFlight?[10] == nil)
    #expect(buffer.rowsInFlight?[11] == [.int(2)])
    buffer.endFlight()
    #expect(buffer.rowsInFlight == nil && !buffer.hasRows)
  }

  @Test func `counters are stored after each change`() {
    var buffer = WriteBuffer(WriteBuffer.Counters(nextKey: 10, rowCount: 4))
    let unchanged = buffer.takeCounters()
    let keys = [buffer.reserveKey(), buffer.reserveKey()]
    buffer.noteDeleted(3)
    let changed = buffer.takeCounters()
    let again = buffer.takeCounters()
    #expect(unchanged == nil && keys == [10, 11] && again == nil)
    #expect(changed == WriteBuffer.Counters(nextKey: 12, rowCount: 3))
    buffer.noteDeleted(1)
    let deleted = buffer.takeCounters()
    #expect(deleted == WriteBuffer.Counters(nextKey: 12, rowCount: 2))
  }

  @Test func `a buffer is full at its capacity, its size in bytes, and for rows of the other kind`()
  {
    var buffer = WriteBuffer(WriteBuffer.Counters(nextKey: 10, rowCount: 4))
    #expect(buffer.accepts(isUnique: false, 2))
    buffer.insert([.null], 1, isUnique: true, largeColumns: [0])
    #expect(buffer.accepts(isUnique: true, 2) && !buffer.accepts(isUnique: false, 2))
    buffer.insert([.null], 2, isUnique: true, largeColumns: [0])
    #expect(!buffer.accepts(isUnique: true, 2))
    _ = buffer.takeNewRows()
    buffer.insert(
      [.string(String(repeating: "x", count: 1 << 20))], 3, isUnique: true, largeColumns: [0])
    #expect(!buffer.accepts(isUnique: true, 1000) && buffer.hasLargeNewRows)
    let isSet = buffer.set(1, 0, .string(String(repeating: "x", count: 1 << 20)), 1000)
    let isTextSet = buffer.set(2, 0, .string("x"), 1000)
    let isNumberSet = buffer.set(2, 0, .int(1), 1000)
    #expect(isSet && !isTextSet && isNumberSet)
    #expect(buffer.accepts(numberIn: 0, 3) && !buffer.accepts(numberIn: 0, 2))
    #expect(buffer.accepts(numberIn: 1, 1) && !buffer.accepts(numberIn: 1, 0))
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

/// The numbers of elements of collections, beyond the capacity of the buffer.
@Suite struct BufferedCountTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Item", properties: [Property(name: "id", type: .int, isPrimaryKey: true)]),
    ObjectSchema(
      className: "Owner",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "name", type: .string),
        Property(
          name: "items", type: .object, collection: .list, objectClassName: "Item"),
      ]),
  ])

  @Test(arguments: [0, 1, 7, WriteBuffer.capacity])
  func `numbers are those of the lists`(capacity: Int) throws {
    let file = try TestStore.temporary(Self.schema)
    file.bufferCapacity.withLock { $0 = capacity }
    let filling = try file.beginWrite()
    let items = try (0..<2).map { try filling.insert("Item", object: ["id": .int($0)]) }
    let owners = try (0..<20).map { try filling.insert("Owner", object: ["id": .int($0)]) }
    try filling.commit()

    let transaction = try file.beginWrite()
    let layout = try transaction.layout("Owner")
    let list = try #require(layout.collections.first)
    let name = try #require(layout.columns.firstIndex { $0.name == "name" })
    var counts = [Int](repeating: 0, count: owners.count)
    func check(_ step: String) throws {
      for (owner, count) in zip(owners, counts) {
        let found = try transaction.flush(.elements).elementCount(list, owner.rawValue)
        #expect(found == count, "\(step), owner \(owner), capacity \(capacity)")
        #expect(try transaction.value(layout, owner, list.countColumn) == .int(Int64(count)))
      }
    }
    for (number, owner) in owners.enumerated() {
      _ = try transaction.update("Owner", owner, name, .string("\(number)"), exists: true)
      for target in [0, 1, 0].prefix(number % 4) {
        try transaction.append([.link(items[target])], to: list, of: owner)
        counts[number] += 1
      }
      // Nothing that was buffered for the others is lost.
      if number % 6 == 5 { try check("append \(number)") }
    }
    // The numbers of more owners change within one deletion than the buffer accepts.
    try transaction.delete("Item", items[0])
    counts = counts.map { $0 > 0 ? 1 : 0 }
    for number in counts.indices where number % 4 < 2 { counts[number] = 0 }
    try check("deletion")
    try transaction.commit()

    let snapshot = try file.snapshot()
    #expect(try StoreCheck(snapshot).problems() == [])
    for (number, owner) in owners.enumerated() {
      let row = try snapshot.row(layout, owner)
      #expect(row?[name] == .string("\(number)"))
      #expect(row?[list.countColumn] == .int(Int64(counts[number])))
    }
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

import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Segments that are read by one statement, compared with the rows read one by one.
@Suite struct SegmentReaderTests {
  private static let types: [PropertyType] = [
    .int, .bool, .double, .float, .string, .data, .date, .objectId, .UUID, .decimal128, .any,
  ]

  /// A class with more columns than one statement passes on.
  private static let schema = Schema([
    ObjectSchema(
      className: "Wide",
      properties: (0..<66).map {
        Property(name: "p\($0)", type: types[$0 % types.count], isOptional: true)
      })
  ])

  private func length(_ random: inout SeededGenerator) -> Int {
    random.oneIn(40) ? 4000 : random.pick([0, 1, 7, 50])
  }

  private func value(_ type: PropertyType, _ random: inout SeededGenerator) -> Value {
    if random.oneIn(4) { return .null }
    return switch type {
    case .int: .int(random.pick([0, -1, .min, .max, Int64(random.below(300))]))
    case .bool: .bool(random.oneIn(2))
    case .double:
      .double(random.pick([0, -0.0, .nan, .infinity, 0.1, Double(random.below(99)) / 4]))
    case .float: .float(random.pick([0, -0.0, .infinity, 0.1, Float(random.below(99)) / 4]))
    case .string: .string(String(repeating: "é", count: length(&random)))
    case .data: .data(Data(repeating: 3, count: length(&random)))
    case .date: .date(Timestamp(seconds: Int64(random.below(1000)), nanoseconds: 7))
    case .objectId: .objectId(ObjectId())
    case .UUID: .uuid(UUID())
    case .decimal128: .decimal(Decimal128(Double(random.below(100)) / 8))
    default: random.pick([.int(4), .string("x"), .list([.int(1), .null]), .data(Data([1]))])
    }
  }

  @Test(arguments: Seeds.usual(1...3))
  func `each slot has the values of its row`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for _ in 0..<5000 {
      let row = (0..<66).map { value(Self.types[$0 % Self.types.count], &random) }
      _ = try transaction.insert("Wide", row)
    }
    // Both segments have free slots, at their ends too.
    for key in 1...5000 where random.oneIn(5) || (4000...4200).contains(key) || key > 4950 {
      try transaction.delete("Wide", ObjectKey(Int64(key)))
    }
    try transaction.commit()
    // Another program stores values that are invalid for their properties.
    let other = try Connection(path: file.path, mode: .readWrite)
    for (column, stored) in [("p0", "'text'"), ("p4", "17"), ("p5", "'text'"), ("p2", "x'0102'")] {
      try other.run("UPDATE Wide SET \(column) = \(stored) WHERE \"#key\" % 7 = 3")
    }

    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Wide")
    let reader = SegmentReader(layout, snapshot.connection)
    for columns in [[], [4], [60, 3, 3], Array(layout.columns.indices)] {
      for number: Int64 in 0...2 {
        let read = try #require(try reader.read(number, columns))
        var keys: [Int64] = []
        for slot in read.rows {
          let key = KeySegment.firstKey(number) + Int64(slot)
          let row = try #require(try snapshot.row(layout, ObjectKey(key)))
          keys.append(key)
          for (column, values) in zip(columns, read.columns) {
            let (found, expected) = (values.value(slot), row[column])
            #expect(
              found == expected
                || found.doubleValue?.isNaN == true && expected.doubleValue?.isNaN == true,
              "seed \(seed), row \(key), \(layout.columns[column].name)")
          }
        }
        let first = ObjectKey(KeySegment.firstKey(number) - 1)
        let expected = try snapshot.keys(layout, after: first, limit: KeySegment.capacity)
          .map(\.rawValue).filter { KeySegment.number(of: $0) == number }
        #expect(keys == expected, "seed \(seed), segment \(number)")
        let count = read.rows.last.map { $0 + 1 } ?? 0
        for values in read.columns {
          #expect(values.count == count)
          let free = (0..<count).filter { !read.rows.contains($0) }
          #expect(free.allSatisfy { values.isNull($0) })
        }
      }
    }
  }

  @Test func `a large value after a segment does not concern it`() throws {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for _ in 0..<5000 { try transaction.insert("Wide", object: ["p0": .value(.int(1))]) }
    let large = Value.data(Data(count: Int(SegmentReader.largestValue) + 1))
    let second = KeySegment.firstKey(1)
    try transaction.update("Wide", ObjectKey(second), [(5, large)])
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Wide")
    let reader = SegmentReader(layout, snapshot.connection)
    let column = try #require(layout.columns.firstIndex { $0.name == "p5" })
    let first = try #require(try reader.read(0, [column]))
    #expect(first.rows.count == Int(second) - 1)
    #expect(try reader.read(1, [column]) == nil)
    let others = try #require(try reader.read(1, [column - 1]))
    #expect(others.rows.count == 5000 - first.rows.count)
  }

  @Test func `a collection ends after its range, and the connection goes on`() throws {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for number in 0..<100 {
      try transaction.insert("Wide", object: ["p0": .value(.int(Int64(number)))])
    }
    try transaction.update(
      "Wide", ObjectKey(50), [(4, .string(String(repeating: "x", count: 9000)))])
    try transaction.commit()
    let snapshot = try file.snapshot()
    let connection = snapshot.connection
    /// Collects a column of the keys from 11 on.
    func collect(
      _ column: String, slots: Int, valueLimit: Int32, mostBytes: Int = .max
    ) throws -> (columns: CollectedColumns, isRead: Bool) {
      let columns = CollectedColumns(
        [.mixed], from: 11, slotCount: slots, mostBytes: mostBytes)
      let isRead = try connection.collect(
        columns, of: "Wide", key: "\"#key\"", [column], valueLimit: valueLimit)
      return (columns, isRead)
    }
    for _ in 0..<2 {
      let all = try collect("p0", slots: 4096, valueLimit: 1 << 20)
      #expect(all.isRead && all.columns.count == 90)
      #expect(CollectedRow(all.columns, slot: 89).integer(1) == 99)
      let some = try collect("p0", slots: 5, valueLimit: 1 << 20)
      #expect(some.isRead && some.columns.count == 5 && some.columns.rows == [0b11111])
      // The value is found before it is passed on.
      let large = try collect("p4", slots: 4096, valueLimit: 8000)
      #expect(!large.isRead && large.columns.count == 39)
      let many = try collect("p4", slots: 4096, valueLimit: 1 << 20, mostBytes: 8000)
      #expect(many.isRead && many.columns.isTooLarge && many.columns.count == 40)
    }
    // A query of the program may call the function, which collects nothing then.
    #expect(try connection.integer("SELECT cadastre_collect(\"#key\") FROM Wide") == nil)
    #expect(throws: StoreError.self) { _ = try collect("missing", slots: 9, valueLimit: 8000) }
    #expect(try snapshot.connection.integer("SELECT count(*) FROM Wide") == 100)
  }
}

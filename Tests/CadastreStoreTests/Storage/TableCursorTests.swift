import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The rows of a cursor, compared with rows in memory.
@Suite struct TableCursorTests {
  private func rows(
    _ reader: any StoreReader, _ layout: TableLayout, from key: Int64
  ) throws -> [(key: Int64, row: PartialRow)] {
    let cursor = TableCursor(layout, reader.connection, from: key)
    var rows: [(Int64, PartialRow)] = []
    while let key = try cursor.next() { rows.append((key, cursor.row)) }
    #expect(try cursor.next() == nil)
    return rows
  }

  @Test(arguments: Seeds.usual(1...4))
  func `rows with and without large values come in the order of their keys`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(Documents.schema)
    let layout = try file.snapshot().layout(Documents.className)
    var expected: [Int64: [Value]] = [:]
    let transaction = try file.beginWrite()
    while expected.count < 150 {
      // Runs of rows without and with large values.
      let (count, isLarge) = (1 + random.below(40), random.oneIn(3))
      for _ in 0..<count {
        var row = try Documents.row(Int64(expected.count), &random)
        let size = isLarge ? 5000 : random.below(100)
        for column in [Documents.title, Documents.any, Documents.body] {
          row[column] = isLarge && random.oneIn(2) ? .null : Documents.text(size, &random)
        }
        (row[Documents.shape], row[Documents.content]) = (.null, Documents.data(size, &random))
        expected[try transaction.insert(Documents.className, row).rawValue] = row
      }
    }
    for key in expected.keys.sorted() where random.oneIn(5) {
      try transaction.delete(Documents.className, ObjectKey(key))
      expected[key] = nil
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    for first in [.min, 0, 1, 2, 77, 1000, .max] as [Int64] {
      let found = try rows(snapshot, layout, from: first)
      #expect(found.map(\.key) == expected.keys.sorted().filter { $0 >= first }, "seed \(seed)")
      for (key, row) in found {
        let fault = Documents.fault(row, try #require(expected[key]), isStored: true)
        #expect(fault == nil, "seed \(seed), row \(key)")
      }
    }
  }

  @Test func `a class without columns of large values is read with one statement`() throws {
    let schema = Schema([
      ObjectSchema(
        className: "Number",
        properties: [
          Property(name: "value", type: .int), Property(name: "weight", type: .double),
          Property(name: "code", type: .UUID, isOptional: true),
        ])
    ])
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    for number in 1...50 as ClosedRange<Int64> {
      _ = try transaction.insert("Number", [.int(number), .double(0.5), .null])
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Number")
    #expect(layout.largeColumns.isEmpty)
    let before = snapshot.connection.statementsRun
    let cursor = TableCursor(layout, snapshot.connection)
    for number in 1...50 as ClosedRange<Int64> {
      #expect(try cursor.next() == number)
      #expect(cursor.row == PartialRow(values: [.int(number), .double(0.5), .null]))
    }
    #expect(try cursor.next() == nil)
    #expect(snapshot.connection.statementsRun == before + 1)
    #expect(try snapshot.partialRow(layout, ObjectKey(4))?.values[0] == .int(4))
  }
}

/// Sets of columns, compared with sets of integers.
@Suite struct ColumnSetTests {
  @Test(arguments: Seeds.usual(1...5))
  func `columns are those of a set`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var columns = ColumnSet()
    var expected: Set<Int> = []
    for step in 0..<400 {
      let column = random.pick([random.below(4), random.below(200), 62 + random.below(4)])
      if random.oneIn(2) {
        columns.insert(column)
        expected.insert(column)
      } else {
        columns.remove(column)
        expected.remove(column)
      }
      #expect(columns.isEmpty == expected.isEmpty, "seed \(seed), step \(step)")
      #expect(
        (0..<200).filter(columns.contains) == expected.sorted(), "seed \(seed), step \(step)")
    }
    let others = ColumnSet((0..<random.below(4)).map { _ in random.below(200) })
    #expect(Array(columns).sorted() == expected.sorted(), "seed \(seed)")
    #expect(columns.isDisjoint(with: others) == expected.isDisjoint(with: others), "seed \(seed)")
    columns.formUnion(others)
    #expect(Set(columns) == expected.union(others) && columns == ColumnSet(columns))
    #expect(([] as ColumnSet).isEmpty && ([3, 70] as ColumnSet).contains(70))
  }
}

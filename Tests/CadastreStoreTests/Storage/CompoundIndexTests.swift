import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A compound index has the rows that brute force finds, in the same order.
@Suite struct CompoundIndexTests {
  private static func schema(_ types: [PropertyType]) -> Schema {
    let properties = types.enumerated().map { index, type in
      Property(name: "c\(index)", type: type, isOptional: true)
    }
    return Schema([
      ObjectSchema(
        className: "Entry", properties: properties, compoundIndexes: [properties.map(\.name)])
    ])
  }

  /// Returns a store whose rows have few values in each column, so that many are equal.
  private static func store(
    _ types: [PropertyType], _ rows: [[Value]]
  ) throws -> (Snapshot, TableLayout, TableLayout.ValueIndex) {
    let file = try TestStore.temporary(schema(types))
    let transaction = try file.beginWrite()
    for row in rows { _ = try transaction.insert("Entry", row) }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Entry")
    return (snapshot, layout, try #require(layout.valueIndexes.first))
  }

  private static func rows(
    _ types: [PropertyType], _ count: Int, _ random: inout SeededGenerator
  ) -> [[Value]] {
    let values = types.map { type in
      (0..<8).map { _ in ValueIndexTraversalTests.value(type, &random) }
    }
    return (0..<count).map { _ in values.map { random.pick($0) } }
  }

  /// Whether equality finds a value; NaN equals nothing, and is not searched.
  private static func isEqual(_ value: Value, _ other: Value) -> Bool {
    value.isNull == other.isNull && value.ordering(other) == .same
  }

  private static func expected(
    _ rows: [[Value]], _ range: EntryRange
  ) -> [Int] {
    rows.indices.filter { index in
      let column = range.leading.count
      return zip(rows[index], range.leading).allSatisfy { isEqual($0, $1) }
        && ValueIndexTraversalTests.contains(range.values, rows[index][column])
    }
  }

  private static func isPlain(_ value: Value) -> Bool {
    value.doubleValue.map { !$0.isNaN && !$0.isZero } ?? true
  }

  @Test(arguments: Seeds.usual(1...12))
  func `a search and a traversal have the rows in a range`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let types = (0..<2 + random.below(2)).map { _ in random.pick(ValueIndexTraversalTests.types) }
    let rows = Self.rows(types, 600, &random)
    let (snapshot, layout, index) = try Self.store(types, rows)
    #expect(index.isCompound && index.columns.count == types.count)

    for _ in 0..<40 {
      let column = random.below(types.count)
      let leading = random.pick(rows).prefix(column)
      guard leading.allSatisfy({ $0.doubleValue?.isNaN != true }) else { continue }
      let ranges = ValueIndexTraversalTests.ranges(rows.map { $0[column] }, &random)
        .map { EntryRange(leading: Array(leading), $0) }
      let isAscending = random.oneIn(2)
      let comment: Comment = "seed \(seed), \(types): \(ranges) ascending \(isAscending)"
      for range in ranges {
        let keys = Self.expected(rows, range).map { Int64($0) + 1 }
        let found = try ValueIndexSearch(index, layout, snapshot).keys(range).sorted()
        #expect(found == keys, comment)
      }
      guard leading.allSatisfy(Self.isPlain) else { continue }
      let keys = ranges.flatMap { Self.expected(rows, $0) }
        .sorted { first, second in
          for column in column..<types.count {
            switch rows[first][column].ordering(rows[second][column]) {
            case .same: continue
            case .ascending: return isAscending
            case .descending: return !isAscending
            }
          }
          return first < second
        }.map { Int64($0) + 1 }
      let traversal = ValueIndexTraversal(
        index, layout, ranges: ranges, isAscending: isAscending, snapshot)
      let start = try traversal.next(random.below(keys.count + 1)).map(\.key)
      if let last = start.last {
        let value = rows[Int(last) - 1][column]
        #expect(traversal.lastValue.ordering(value) == .same, comment)
      }
      #expect(try start + traversal.next(.max).map(\.key) == keys, comment)
      #expect(!traversal.hasForeignValues, comment)
    }
  }

  @Test func `ranges with more leading values continue an order`() throws {
    let rows: [[Value]] = (0..<90).map { [.int(Int64($0 % 3)), .int(Int64($0 % 30))] }
    let (snapshot, layout, index) = try Self.store([.int, .int], rows)
    let above = { (value: Int64) in
      ValueRange(lower: ValueRange.Bound(.int(value), isIncluded: false))
    }
    let page = ValueIndexTraversal(
      index, layout,
      ranges: [EntryRange(leading: [.int(1)], above(25)), EntryRange(above(1))],
      isAscending: true, snapshot)

    // Of the rows with 1 in the first column, 28 is the only value above 25 in the second.
    let expected = rows.indices.filter {
      rows[$0][0] == .int(2) || rows[$0] == [.int(1), .int(28)]
    }.sorted { first, second in
      let (one, other) = (rows[first], rows[second])
      return [one[0], one[1]].elementsEqual([other[0], other[1]])
        ? first < second
        : one[0] == other[0]
          ? one[1].ordering(other[1]) == .ascending : one[0].ordering(other[0]) == .ascending
    }.map { Int64($0) + 1 }
    #expect(try page.next(.max).map(\.key) == expected)
    #expect(expected.prefix(3) == [29, 59, 89])
  }

  @Test func `an index in an embedded class is one of the owner's table`() throws {
    let span = ObjectSchema(
      className: "Span",
      properties: [Property(name: "from", type: .int), Property(name: "to", type: .int)],
      isEmbedded: true, compoundIndexes: [["to", "from"]])
    let owner = ObjectSchema(
      className: "Entry",
      properties: [
        Property(name: "first", type: .object, isOptional: true, objectClassName: "Span"),
        Property(name: "second", type: .object, isOptional: true, objectClassName: "Span"),
      ])
    let file = try TestStore.temporary(Schema([span, owner]))
    let layout = try file.snapshot().layout("Entry")

    #expect(
      layout.valueIndexes.map { $0.paths.map(\.description) } == [
        ["first.to", "first.from"], ["second.to", "second.from"],
      ])
    #expect(Set(layout.valueIndexes.map(\.name)).count == 2)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }
}

import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The entries of an ordered index come in the order of their values, ties in the order of their keys.
@Suite struct ValueIndexTraversalTests {
  static let types: [PropertyType] = [
    .int, .bool, .string, .date, .double, .float, .objectId, .UUID,
  ]

  private static func schema(_ type: PropertyType) -> Schema {
    Schema([
      ObjectSchema(
        className: "Entry",
        properties: [Property(name: "value", type: type, isOptional: true, isIndexed: true)])
    ])
  }

  /// A value: null, one that many rows have, one that is stored as bytes, or another one.
  static func value(_ type: PropertyType, _ random: inout SeededGenerator) -> Value {
    switch random.below(12) {
    case 0: return .null
    case 1, 2, 3: return frequent(type)
    case 4 where type == .double:
      let bits: UInt64 = random.pick([0x7ff8 << 48, 0xfff8 << 48, 0x7ff8 << 48 + 5, 1 << 63])
      return .double(Double(bitPattern: bits))
    case 4 where type == .float:
      let bits: UInt32 = random.pick([0x7fc0 << 16, 0xffc0 << 16, 0x7fc0 << 16 + 5, 1 << 31])
      return .float(Float(bitPattern: bits))
    case 4 where type == .date, 5 where type == .date:
      let interval = random.pick([1e-10, 2e-10, -1e-10, 1e301, -1e301])
      return .date(Timestamp(Date(timeIntervalSinceReferenceDate: interval)))
    default: return random.value(type)
    }
  }

  private static func frequent(_ type: PropertyType) -> Value {
    switch type {
    case .int: .int(3)
    case .bool: .bool(true)
    case .string: .string("alma")
    case .date: .date(Timestamp(seconds: 0))
    case .double: .double(0)
    case .float: .float(-2.5)
    case .objectId: .objectId(ObjectId(bytes: Array(repeating: 7, count: 12)))
    default: UUID(bytes: Array(repeating: 1, count: 16)).map(Value.uuid) ?? .null
    }
  }

  /// Ranges that lie apart, ascending: null, and one or two others between values.
  static func ranges(
    _ values: [Value], _ random: inout SeededGenerator
  ) -> [ValueRange] {
    let nulls = random.oneIn(2) ? [ValueRange.exactly(.null)] : []
    let present = values.filter { !$0.isNull && $0.doubleValue?.isNaN != true }
    let bounds = (0..<4).map { _ in random.pick(present) }
      .sorted { $0.ordering($1) == .ascending }
    func bound(_ value: Value) -> ValueRange.Bound {
      ValueRange.Bound(value, isIncluded: random.oneIn(2))
    }
    switch random.below(6) {
    case 0: return nulls + [ValueRange()]
    case 1: return nulls + [.exactly(bounds[1])]
    case 2: return nulls + [ValueRange(upper: bound(bounds[1]))]
    case 3:
      // Without an upper bound, a range of fractions is not one of numbers only.
      let isFraction = bounds[0].type == .double || bounds[0].type == .float
      let infinity = ValueRange.Bound(.double(.infinity), isIncluded: true)
      return nulls
        + [ValueRange(lower: bound(bounds[1]), upper: isFraction ? infinity : nil)]
    default:
      let first = ValueRange(lower: bound(bounds[0]), upper: bound(bounds[1]))
      let second = ValueRange(
        lower: ValueRange.Bound(bounds[2], isIncluded: false), upper: bound(bounds[3]))
      let areApart = bounds[1].ordering(bounds[2]) == .ascending
      return nulls + (areApart ? [first, second] : [first]).filter { !$0.isEmpty }
    }
  }

  /// Whether a value is in a range; null and NaN only where the range is made for them.
  static func contains(_ range: ValueRange, _ value: Value) -> Bool {
    if value.isNull || range.single?.isNull == true {
      return value.isNull && range.single?.isNull == true
    }
    if value.doubleValue?.isNaN == true { return range == ValueRange() }
    func isInside(_ bound: ValueRange.Bound?, _ outside: ValueOrdering) -> Bool {
      guard let bound else { return true }
      let order = value.ordering(bound.value)
      return order == .same ? bound.isIncluded : order != outside
    }
    return isInside(range.lower, .ascending) && isInside(range.upper, .descending)
  }

  private static func expected(
    _ values: [Value], _ ranges: [ValueRange], isAscending: Bool
  ) -> [Int64] {
    values.indices.filter { index in ranges.contains { contains($0, values[index]) } }
      .sorted { first, second in
        switch values[first].ordering(values[second]) {
        case .same: first < second
        case .ascending: isAscending
        case .descending: !isAscending
        }
      }.map { Int64($0) + 1 }
  }

  @Test(arguments: types, Seeds.usual(1...2))
  func `a traversal has the entries in order`(type: PropertyType, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let values = (0..<400).map { _ in Self.value(type, &random) }
    let file = try TestStore.temporary(Self.schema(type))
    let transaction = try file.beginWrite()
    for value in values { _ = try transaction.insert("Entry", [value]) }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Entry")
    let index = try #require(layout.valueIndexes.first)
    func traversal(_ ranges: [ValueRange], _ isAscending: Bool) -> ValueIndexTraversal {
      ValueIndexTraversal(
        index, layout, ranges: ranges.map { EntryRange($0) }, isAscending: isAscending, snapshot)
    }

    for _ in 0..<25 {
      let ranges = Self.ranges(values, &random)
      let isAscending = random.oneIn(2)
      let keys = Self.expected(values, ranges, isAscending: isAscending)
      let comment: Comment = "seed \(seed), \(type): \(ranges) ascending \(isAscending)"

      let whole = traversal(ranges, isAscending)
      #expect(try whole.next(.max).map(\.key) == keys, comment)
      #expect(try whole.next() == nil, comment)
      // Two traversals at a time; one does not reach its end.
      let (first, second) = (traversal(ranges, isAscending), traversal(ranges, isAscending))
      let count = random.below(keys.count + 1)
      var found: [Int64] = []
      var isValueOfKey = true
      for _ in 0..<count {
        guard let entry = try first.next(), try second.next() == entry else { break }
        found.append(entry.key)
        isValueOfKey =
          isValueOfKey && first.lastValue.ordering(values[Int(entry.key) - 1]) == .same
      }
      #expect(isValueOfKey, comment)
      #expect(try found + second.next(.max).map(\.key) == keys, comment)
      #expect(!whole.hasForeignValues && !second.hasForeignValues, comment)
      // The rows that tie with one of them.
      let position = random.below(keys.count + 2) + 1
      let tied = keys.dropFirst(position - 1).first.map { key in
        keys.count { values[Int($0) - 1].ordering(values[Int(key) - 1]) == .same }
      }
      let ties = try traversal(ranges, isAscending).ties(at: position, limit: 400)
      #expect(ties == tied ?? 0, comment)
      if let ties, ties > 1 {
        #expect(
          try traversal(ranges, isAscending).ties(at: position, limit: ties - 1) == nil, comment)
      }
    }
  }

  @Test func `the entries of a long level descend by value and ascend by key`() throws {
    let file = try TestStore.temporary(Self.schema(.int))
    let transaction = try file.beginWrite()
    for number in 0..<1000 { _ = try transaction.insert("Entry", [.int(Int64(number % 3))]) }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Entry")
    let traversal = ValueIndexTraversal(
      try #require(layout.valueIndexes.first), layout,
      ranges: [EntryRange(ValueRange(upper: .init(.int(2), isIncluded: false)))],
      isAscending: false, snapshot)

    #expect(try traversal.next(2).map(\.key) == [2, 5])
    #expect(traversal.lastValue == .int(1))
    #expect(try traversal.next(.max).map(\.key).dropFirst(330).prefix(3) == [998, 1, 4])
  }
}

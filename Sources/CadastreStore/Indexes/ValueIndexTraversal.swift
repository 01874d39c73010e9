package import CadastreModel
import CadastreSQLite
import Foundation

/// A traversal of the entries of an ordered index in ranges of values, in the order of the values; ties are in the
/// order of their keys.
///
/// Null precedes NaN, NaN precedes all numbers, and -0.0 equals 0.0. SQLite sorts what is stored as bytes after all
/// numbers: NaN, -0.0 and some dates. The ranges are therefore divided into parts that SQLite has in order.
package final class ValueIndexTraversal {
  private let connection: Connection
  private let sql: ValueIndexSQL
  private let type: PropertyType
  private let isAscending: Bool
  /// The parts that are not traversed yet, the next one last.
  private var parts: [Part]
  private var cursor: Cursor?

  /// A part of the entries.
  private enum Part {
    /// The entries with any of some stored values that are equal to a value.
    case level(Value, stored: [Value])
    /// The entries with NaN.
    case notNumbers
    /// The entries in a range that SQLite has in order.
    case range(ValueRange)
  }

  private enum Cursor {
    case level(LevelCursor)
    case range(RangeCursor)
  }

  /// Starts at the first entry in some ranges of an index of a class.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - layout: The class.
  ///   - ranges: The ranges, ascending and apart.
  ///   - isAscending: Whether the values ascend; ties are in ascending order of key in both directions.
  ///   - reader: The snapshot or transaction.
  /// - Throws: ``StoreError`` when reading fails.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, ranges: [ValueRange],
    isAscending: Bool, _ reader: any StoreReader
  ) throws(StoreError) {
    connection = reader.connection
    sql = index.sql
    type = layout.columns[index.column].type
    self.isAscending = isAscending
    let dates = type == .date ? try Self.datesOutOfOrder(sql, connection) : []
    var parts: [Part] = []
    for range in ranges { parts += Self.parts(of: range, type, dates) }
    self.parts = isAscending ? parts.reversed() : parts
  }

  /// The value of the entry that was returned last; null before the first one.
  package var lastValue: Value {
    switch cursor {
    case nil: .null
    case .level(let cursor)?: cursor.value
    case .range(let cursor)?: cursor.value
    }
  }

  /// Returns the key of the next entry; nil at the end.
  ///
  /// - Complexity: O(log n) for the first entry of a range, O(1) for each further one, on average.
  package func next() throws(StoreError) -> Int64? {
    while true {
      let key: Int64? =
        switch cursor {
        case nil: nil
        case .level(let cursor)?: try cursor.next()
        case .range(let cursor)?: try cursor.next()
        }
      if let key { return key }
      cursor = nil
      guard let part = parts.popLast() else { return nil }
      cursor = try open(part)
    }
  }

  /// Returns the keys of the next entries; fewer than a number only at the end.
  ///
  /// - Complexity: O(log n) for the first entry of a range, O(1) for each further one, on average.
  package func next(_ count: Int) throws(StoreError) -> [Int64] {
    var keys: [Int64] = []
    while keys.count < count, let key = try next() { keys.append(key) }
    return keys
  }

  // MARK: Parts

  /// Returns the parts of a range, ascending.
  private static func parts(
    of range: ValueRange, _ type: PropertyType, _ datesOutOfOrder: [Value]
  ) -> [Part] {
    let isFraction = type == .double || type == .float
    if let single = range.single {
      let isZero = isFraction && single.ordering(zero) == .same
      return [isZero ? zeros(type) : .level(single, stored: [single.withoutNegativeZero])]
    }
    if isFraction { return fractions(range, type) }
    return type == .date ? dates(range, datesOutOfOrder) : [.range(range)]
  }

  private static let zero = Value.double(0)

  /// Returns the entries with 0.0 and -0.0.
  private static func zeros(_ type: PropertyType) -> Part {
    .level(zero, stored: [zero, negativeZero(type)])
  }

  /// Returns the stored form of -0.0 in a column of fractions.
  private static func negativeZero(_ type: PropertyType) -> Value {
    .data(Data([0x80]) + Data(count: type == .double ? 7 : 3))
  }

  /// Returns the parts of a range of fractions; NaN belongs only to the range without bounds.
  private static func fractions(_ range: ValueRange, _ type: PropertyType) -> [Part] {
    var parts: [Part] = range.lower == nil && range.upper == nil ? [.notNumbers] : []
    let infinity = ValueRange.Bound(.double(.infinity), isIncluded: true)
    let numbers = ValueRange(lower: range.lower, upper: range.upper ?? infinity)
    let bound = ValueRange.Bound(zero, isIncluded: false)
    let below = numbers.intersection(ValueRange(upper: bound))
    let above = numbers.intersection(ValueRange(lower: bound))
    if !below.isEmpty { parts.append(.range(below)) }
    if !numbers.intersection(.exactly(zero)).isEmpty { parts.append(zeros(type)) }
    if !above.isEmpty { parts.append(.range(above)) }
    return parts
  }

  /// Returns the parts of a range of dates, between which are the dates that are stored as bytes.
  private static func dates(_ range: ValueRange, _ outOfOrder: [Value]) -> [Part] {
    var parts: [Part] = []
    var rest = range
    for date in outOfOrder where !range.intersection(.exactly(date)).isEmpty {
      let bound = ValueRange.Bound(date, isIncluded: false)
      let before = ValueRange(lower: rest.lower, upper: bound)
      if !before.isEmpty { parts.append(.range(before.ofNumbers)) }
      parts.append(.level(date, stored: [date]))
      rest.lower = bound
    }
    if !rest.isEmpty { parts.append(.range(rest.ofNumbers)) }
    return parts
  }

  /// Returns the dates that are stored as bytes, ascending and each once.
  private static func datesOutOfOrder(
    _ sql: ValueIndexSQL, _ connection: Connection
  ) throws(StoreError) -> [Value] {
    let statement = try connection.statement(sql.bytes)
    var dates: [Value] = []
    while try statement.step() {
      let date = statement.value(1, as: .date)
      // Equal bytes are beside each other.
      if !date.isNull, dates.last != date { dates.append(date) }
    }
    return dates.sorted { $0.ordering($1) == .ascending }
  }

  // MARK: Cursors

  private func open(_ part: Part) throws(StoreError) -> Cursor {
    switch part {
    case .level(let value, let stored):
      .level(try LevelCursor(value, stored: stored, sql, connection))
    case .notNumbers: .level(try notNumbers())
    case .range(let range):
      .range(RangeCursor(range, type, isAscending: isAscending, sql, connection))
    }
  }

  /// Returns a cursor of the entries with NaN, whose bytes differ in sign and payload.
  private func notNumbers() throws(StoreError) -> LevelCursor {
    let isDouble = type == .double
    let positive: Value = isDouble ? .double(.nan) : .float(.nan)
    let negative: Value = isDouble ? .double(-.nan) : .float(-.nan)
    // In the order of their bytes; NaN with other payloads is rare.
    let bounds = [positive, Self.negativeZero(type), negative].map {
      ValueRange.Bound($0, isIncluded: false)
    }
    let first = ValueRange.Bound(.data(Data()), isIncluded: true)
    var others: [Int64] = []
    for (lower, upper) in zip([first] + bounds, bounds.map(Optional.some) + [nil]) {
      let range = ValueRange(lower: lower, upper: upper)
      let statement = try connection.statement(sql.keys(in: range))
      try statement.bind(boundsOf: range)
      while try statement.step() { others.append(statement.integer(0)) }
    }
    return try LevelCursor(
      positive, stored: [positive, negative], others: others, sql, connection)
  }
}

/// The entries of an ordered index with values that are equal, in the order of their keys.
private final class LevelCursor {
  /// The value.
  let value: Value
  /// A statement for each stored value that has entries left, at its next entry.
  private var heads: [(statement: Statement, key: Int64)] = []
  /// The keys of further entries, the next one last.
  private var others: [Int64]

  /// Starts at the first entry.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - stored: The stored values that are equal to it.
  ///   - others: The keys of further entries, in any order.
  ///   - sql: The queries of the index.
  ///   - connection: The connection.
  /// - Throws: ``StoreError`` when reading fails.
  init(
    _ value: Value, stored: [Value], others: [Int64] = [], _ sql: ValueIndexSQL,
    _ connection: Connection
  ) throws(StoreError) {
    self.value = value
    self.others = others.sorted(by: >)
    for value in stored {
      let statement = try connection.statement(value.isNull ? sql.null : sql.equal)
      try statement.bind(value, at: 1)
      if try statement.step() { heads.append((statement, statement.integer(0))) }
    }
  }

  deinit {
    // A statement at its end may run for another result already.
    for head in heads { head.statement.reset() }
  }

  /// Returns the key of the next entry; nil at the end.
  func next() throws(StoreError) -> Int64? {
    guard let first = heads.indices.min(by: { heads[$0].key < heads[$1].key }) else {
      return others.popLast()
    }
    let (statement, key) = heads[first]
    if let other = others.last, other < key { return others.popLast() }
    if try statement.step() {
      heads[first].key = statement.integer(0)
    } else {
      heads.remove(at: first)
    }
    return key
  }
}

/// The entries of an ordered index in one range, in the order of SQLite; ties are in the order of their keys.
private final class RangeCursor {
  private let connection: Connection
  private let sql: ValueIndexSQL
  private let type: PropertyType
  private let isAscending: Bool
  /// The range of the entries that the statement has read or will read.
  private var range: ValueRange
  /// The statement that reads the range; nil before the first entry and after the last one.
  private var statement: Statement?
  /// The entries with one value, where the values descend.
  private var level = Level()
  private var isAtEnd = false

  /// The entries with one value, which a descending statement has in the reverse order of their keys.
  private struct Level {
    /// The stored value.
    var stored = Value.null
    /// The keys, the next one last.
    var keys: [Int64] = []
    /// The statement that reads the entries of a long level in the order of their keys.
    var long: Statement?

    /// The number of entries above which a level is long, so that it is not read to its end at once.
    static let mostKeys = 32
  }

  init(
    _ range: ValueRange, _ type: PropertyType, isAscending: Bool, _ sql: ValueIndexSQL,
    _ connection: Connection
  ) {
    self.range = range
    self.type = type
    self.isAscending = isAscending
    self.sql = sql
    self.connection = connection
  }

  deinit {
    statement?.reset()
    level.long?.reset()
  }

  /// The value of the entry that was returned last.
  var value: Value {
    isAscending
      ? statement?.value(1, as: type) ?? .null : level.stored.stored(as: type) ?? .null
  }

  /// Returns the key of the next entry; nil at the end, after which it is not called again.
  func next() throws(StoreError) -> Int64? {
    guard isAscending else { return try nextDescending() }
    if statement == nil { statement = try open() }
    guard let statement, try statement.step() else {
      // Another cursor may run the statement from now on.
      self.statement = nil
      return nil
    }
    return statement.integer(0)
  }

  private func nextDescending() throws(StoreError) -> Int64? {
    while true {
      if let key = level.keys.popLast() { return key }
      if let long = level.long {
        if try long.step() { return long.integer(0) }
        level.long = nil
        range.upper = ValueRange.Bound(level.stored, isIncluded: false)
      }
      if isAtEnd { return nil }
      if statement == nil {
        let opened = try open()
        guard try opened.step() else { return nil }
        statement = opened
      }
      try readLevel()
    }
  }

  /// Reads the entries with the value of the current one, or prepares to read them where they are many.
  private func readLevel() throws(StoreError) {
    guard let statement else { return }
    level.stored = statement.storedValue(1)
    repeat {
      guard level.keys.count < Level.mostKeys else {
        level.keys = []
        statement.reset()
        self.statement = nil
        let long = try connection.statement(sql.equal)
        try long.bind(level.stored, at: 1)
        level.long = long
        return
      }
      level.keys.append(statement.integer(0))
      guard try statement.step() else {
        self.statement = nil
        isAtEnd = true
        return
      }
    } while statement.storedValue(1) == level.stored
  }

  private func open() throws(StoreError) -> Statement {
    let statement = try connection.statement(sql.entries(in: range, isAscending: isAscending))
    if let lower = range.lower { try statement.bind(lower.value.withoutNegativeZero, at: 1) }
    if let upper = range.upper {
      try statement.bind(upper.value.withoutNegativeZero, at: range.lower == nil ? 1 : 2)
    }
    return statement
  }
}

package import CadastreModel
package import CadastreSQLite
import Foundation

/// A search of an ordered index for keys.
package struct ValueIndexSearch {
  private let connection: Connection
  private let sql: ValueIndexSQL
  private let type: PropertyType

  /// Prepares to search an index of a class.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, _ reader: any StoreReader
  ) {
    connection = reader.connection
    sql = index.sql
    type = layout.columns[index.column].type
  }

  /// Returns the keys of the rows in a range.
  ///
  /// - Complexity: O(log n + k) for k keys.
  package func keys(_ range: ValueRange) throws(StoreError) -> [Int64] {
    try keys(range, limit: .max) ?? []
  }

  /// Returns the keys of the rows in a range; nil where there are more than a limit.
  ///
  /// - Complexity: O(log n + k) for k keys, at most O(log n + limit).
  package func keys(_ range: ValueRange, limit: Int) throws(StoreError) -> [Int64]? {
    var keys: [Int64] = []
    let hasBytesApart =
      type == .date && range.single == nil && (range.lower != nil || range.upper != nil)
    let numbers = hasBytesApart ? range.ofNumbers : range
    let statement = try bound(sql.keys(in: numbers), numbers)
    while try statement.step() {
      guard keys.count < limit else {
        statement.reset()
        return nil
      }
      keys.append(statement.integer(0))
    }
    if let zero = negativeZero(in: range) {
      let zeros = try connection.statement(sql.equal)
      try zeros.bind(zero, at: 1)
      while try zeros.step() { keys.append(zeros.integer(0)) }
    }
    if hasBytesApart {
      let dates = try connection.statement(sql.bytes)
      while try dates.step() {
        let value = dates.value(1, as: type)
        if !range.intersection(.exactly(value)).isEmpty { keys.append(dates.integer(0)) }
      }
    }
    return keys
  }

  /// Returns -0.0 where the column can contain it and the range contains zero.
  ///
  /// -0.0 is stored as bytes, which the index sorts after all numbers.
  private func negativeZero(in range: ValueRange) -> Value? {
    guard type == .double || type == .float,
      !range.intersection(.exactly(.double(0))).isEmpty, range.single?.isNull != true
    else { return nil }
    return type == .double ? .double(-0.0) : .float(-0.0)
  }

  /// Returns the smallest key of each distinct value, beginning with null; nil where there are more values
  /// than a limit, or where equality differs between SQLite and Cadastre.
  ///
  /// - Complexity: O(m log n) for m values: one search for each.
  package func firstKeys(atMost limit: Int) throws(StoreError) -> [Int64]? {
    switch type {
    case .int, .bool, .date, .string: break
    default: return nil
    }
    let key = SQL.quoted(TableLayout.keyName)
    let (table, column) = (sql.table, sql.column)
    func query(_ condition: String) -> String {
      "SELECT \(key), \(column) FROM \(table) WHERE \(column) \(condition) "
        + "ORDER BY \(column), \(key) LIMIT 1"
    }
    let null = try connection.statement(query("IS NULL"))
    defer { null.reset() }
    var keys = try null.step() ? [null.integer(0)] : []
    var statement = try connection.statement(query("IS NOT NULL"))
    while try statement.step() {
      guard keys.count < limit else {
        statement.reset()
        return nil
      }
      let value = statement.value(1, as: type)
      keys.append(statement.integer(0))
      // Dates that are stored as bytes are out of order.
      let isOutOfOrder = type == .date && statement.storage(1) == .blob
      statement.reset()
      // Another program may have written a value that the type cannot hold.
      guard !value.isNull, !isOutOfOrder else { return nil }
      statement = try connection.statement(query("> ?"))
      try statement.bind(value, at: 1)
    }
    return keys
  }

  private func bound(_ sql: SQLText, _ range: ValueRange) throws(StoreError) -> Statement {
    let statement = try connection.statement(sql)
    if let single = range.single {
      try statement.bind(single.withoutNegativeZero, at: 1)
    } else {
      if let lower = range.lower { try statement.bind(lower.value.withoutNegativeZero, at: 1) }
      if let upper = range.upper {
        try statement.bind(upper.value.withoutNegativeZero, at: range.lower == nil ? 1 : 2)
      }
    }
    return statement
  }
}

extension ValueRange {
  /// The part of the range with dates that are stored as numbers; SQLite orders dates that are stored as
  /// bytes after all numbers.
  fileprivate var ofNumbers: ValueRange {
    func number(_ bound: Bound?, isUpper: Bool) -> Bound? {
      guard case .date(let date)? = bound?.value else { return bound }
      let number = StoredDate.number(before: date)
      // All numbers up to one that precedes the date precede it too.
      return number == bound?.value ? bound : Bound(number, isIncluded: isUpper)
    }
    return ValueRange(
      lower: number(lower, isUpper: false),
      upper: number(upper, isUpper: true) ?? Bound(.data(Data()), isIncluded: false))
  }
}

extension Value {
  /// The value, with -0.0 replaced by the equal 0.0.
  var withoutNegativeZero: Value {
    doubleValue?.isNegativeZero == true ? .double(0) : self
  }
}

/// A traversal of an ordered index from one end; null is the smallest value.
package final class ValueIndexTraversal {
  private let statement: Statement
  private let type: PropertyType
  private let isAscending: Bool
  private var isAtEnd = false
  /// The entries that SQLite orders elsewhere, in reverse order: dates that are stored as bytes.
  private var outOfOrder: [(key: Int64, value: Value)] = []
  /// Whether the statement is at an entry that sorts after the current one.
  private var isAhead = false
  /// The current entry where it is one of `outOfOrder`.
  private var current: (key: Int64, value: Value)?
  /// The value of the last returned entry.
  package private(set) var lastValue = Value.null

  /// Starts at one end of an index of a class.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, isAscending: Bool,
    _ reader: any StoreReader
  ) throws(StoreError) {
    type = layout.columns[index.column].type
    self.isAscending = isAscending
    statement = try reader.connection.statement(
      isAscending ? index.sql.ascending : index.sql.descending)
    guard type == .date else { return }
    let bytes = try reader.connection.statement(index.sql.bytes)
    while try bytes.step() { outOfOrder.append((bytes.integer(0), bytes.value(1, as: type))) }
    outOfOrder.sort { first, second in
      let order = first.value.ordering(second.value)
      let isBefore = order == .same ? first.key < second.key : order == .ascending
      return isBefore != isAscending
    }
  }

  deinit { statement.reset() }

  /// Returns the next entry; nil at the end.
  ///
  /// - Complexity: O(log n) for the first entry, O(1) for each further one.
  package func next() throws(StoreError) -> (key: Int64, value: Value)? {
    guard try step() else { return nil }
    return current ?? (statement.integer(0), statement.value(1, as: type))
  }

  /// Returns the keys of the next entries; none at the end.
  ///
  /// - Complexity: O(log n) for the first entry, O(1) for each further one.
  package func next(_ count: Int) throws(StoreError) -> [Int64] {
    var keys: [Int64] = []
    while keys.count < count, try step() {
      keys.append(current?.key ?? statement.integer(0))
      // Only the value of the last entry is needed.
      if keys.count == count { lastValue = current?.value ?? statement.value(1, as: type) }
    }
    return keys
  }

  /// Moves to the next entry and returns whether there is one.
  private func step() throws(StoreError) -> Bool {
    if !isAhead { try stepStatement() }
    (isAhead, current) = (false, nil)
    guard let next = outOfOrder.last else { return !isAtEnd }
    if !isAtEnd {
      let order = next.value.ordering(statement.value(1, as: type))
      guard order == (isAscending ? .ascending : .descending) else { return true }
      isAhead = true
    }
    current = outOfOrder.removeLast()
    return true
  }

  /// Moves the statement to its next entry in order; stepping again at the end would restart it.
  private func stepStatement() throws(StoreError) {
    repeat {
      if !isAtEnd { isAtEnd = try !statement.step() }
    } while !isAtEnd && type == .date && statement.storage(1) == .blob
  }
}

/// The SQL texts that use an ordered index, composed once per layout.
struct ValueIndexSQL: Sendable {
  /// The quoted name of the column.
  let column: String
  /// The term after FROM: the table, and the index that SQLite must use.
  let table: String
  /// The query for the keys of rows with a value other than null.
  let equal: SQLText
  /// The query for the keys and values of all rows in ascending order.
  let ascending: SQLText
  /// The query for the keys and values of all rows in descending order.
  let descending: SQLText
  /// The query for the keys and values of the rows whose values are stored as bytes, which sort last.
  let bytes: SQLText
  /// The query for the keys of rows with null, which is a parameter.
  private let null: SQLText
  /// The queries for the keys of rows between bounds, see ``keys(in:)``.
  private let between: [SQLText]

  init(_ index: String, table name: String, column columnName: String) {
    let column = SQL.quoted(columnName)
    let key = SQL.quoted(TableLayout.keyName)
    self.column = column
    table = "\(SQL.quoted(name)) INDEXED BY \(SQL.quoted(index))"
    let rows = "SELECT \(key), \(column) FROM \(table) ORDER BY \(column)"
    ascending = SQLText(rows + " ASC")
    descending = SQLText(rows + " DESC")
    bytes = SQLText("SELECT \(key), \(column) FROM \(table) WHERE \(column) >= x''")
    let keys = "SELECT \(key) FROM \(table) WHERE \(column)"
    equal = SQLText(keys + " = ?")
    null = SQLText(keys + " IS ?")
    var between: [SQLText] = []
    for lower in [nil, " > ?", " >= ?"] {
      between.append(SQLText(keys + (lower ?? " IS NOT NULL")))
      for upper in [" < ?", " <= ?"] {
        between.append(SQLText(keys + (lower.map { "\($0) AND \(column)" } ?? "") + upper))
      }
    }
    self.between = between
  }

  /// Returns the query for the keys of the rows in a range, with a placeholder for each bound.
  func keys(in range: ValueRange) -> SQLText {
    if let single = range.single { return single.isNull ? null : equal }
    return between[3 * Self.number(range.lower) + Self.number(range.upper)]
  }

  /// Returns 0 without a bound, 1 for an excluded one, 2 for an included one.
  private static func number(_ bound: ValueRange.Bound?) -> Int {
    bound.map { $0.isIncluded ? 2 : 1 } ?? 0
  }
}

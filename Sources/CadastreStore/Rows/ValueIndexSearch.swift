package import CadastreModel
package import CadastreSQLite
import Foundation

/// Searches an ordered index for keys.
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

  /// Returns -0.0 where the column can hold it and the range contains zero; it is stored as bytes, so the
  /// index has it in another position.
  private func negativeZero(in range: ValueRange) -> Value? {
    guard type == .double || type == .float,
      !range.intersection(.exactly(.double(0))).isEmpty, range.single?.isNull != true
    else { return nil }
    return type == .double ? .double(-0.0) : .float(-0.0)
  }

  /// Returns the smallest key of each distinct value, beginning with null; nil where there are more values
  /// than a limit, or where SQLite's equality of values is not ours.
  ///
  /// - Complexity: O(m log n) for m values: each is searched for after the one before.
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
      // Dates that are bytes are not in order.
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
  /// The range of the dates that are stored as numbers; the others are bytes, which SQLite orders after all numbers.
  fileprivate var ofNumbers: ValueRange {
    func number(_ bound: Bound?, isUpper: Bool) -> Bound? {
      guard case .date(let date)? = bound?.value else { return bound }
      let number = StoredDate.number(before: date)
      // All numbers up to one before the date are also before the date.
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

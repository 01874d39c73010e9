package import CadastreModel
package import CadastreSQLite
import Foundation

/// A search of an ordered index for keys, and for columns that its entries contain.
package struct ValueIndexSearch {
  private let connection: Connection
  private let sql: ValueIndexSQL
  private let type: PropertyType

  /// Prepares to search an index of a class.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - layout: The class.
  ///   - reader: The snapshot or transaction.
  ///   - columns: The columns to read with the keys; SQLite reads the rows for those that the entries do not contain.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, _ reader: any StoreReader,
    columns: [Int] = []
  ) {
    connection = reader.connection
    sql = columns.isEmpty ? index.sql : index.sql.reading(columns.map { layout.columns[$0] })
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
    let isComplete = try forEachEntry(range) { entry in
      guard keys.count < limit else { return false }
      keys.append(entry.integer(0))
      return true
    }
    return isComplete ? keys : nil
  }

  /// Appends the keys of the rows in a range, and the columns, to a batch.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - limit: The largest number of rows in the batch.
  ///   - batch: Receives the rows; it has the columns of the search.
  /// - Returns: Whether the batch has all rows in the range.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(log n + k) for k keys, at most O(log n + limit).
  package func append(
    _ range: ValueRange, limit: Int = .max, to batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    try forEachEntry(range) { entry in
      guard batch.addedKeys.count < limit else { return false }
      batch.append(entry)
      return true
    }
  }

  /// Calls a closure with each entry in a range, until the closure returns false.
  ///
  /// - Returns: Whether the closure was called with all entries.
  private func forEachEntry(
    _ range: ValueRange, _ body: (Statement) -> Bool
  ) throws(StoreError) -> Bool {
    let hasBytesApart =
      type == .date && range.single == nil && (range.lower != nil || range.upper != nil)
    let numbers = hasBytesApart ? range.ofNumbers : range
    let statement = try connection.statement(sql.keys(in: numbers))
    try statement.bind(boundsOf: numbers)
    while try statement.step() {
      guard body(statement) else {
        statement.reset()
        return false
      }
    }
    if let zero = negativeZero(in: range) {
      let zeros = try connection.statement(sql.equal)
      try zeros.bind(zero, at: 1)
      while try zeros.step() {
        guard body(zeros) else {
          zeros.reset()
          return false
        }
      }
    }
    if hasBytesApart {
      let dates = try connection.statement(sql.bytes)
      while try dates.step() {
        let value = dates.value(sql.valuePosition, as: type)
        guard range.intersection(.exactly(value)).isEmpty || body(dates) else {
          dates.reset()
          return false
        }
      }
    }
    return true
  }

  /// Returns -0.0 where the column can contain it and the range contains zero.
  ///
  /// -0.0 is stored as bytes, which the index sorts after all numbers.
  private func negativeZero(in range: ValueRange) -> Value? {
    guard type == .double || type == .float,
      !range.intersection(.exactly(.double(0))).isEmpty, !range.isNull
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
}

extension ValueRange {
  /// The part of the range with dates that are stored as numbers; SQLite orders dates that are stored as
  /// bytes after all numbers.
  var ofNumbers: ValueRange {
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

extension Statement {
  /// Binds the bounds of a range to the first parameters; the value of a range of a single value only once.
  func bind(boundsOf range: ValueRange) throws(StoreError) {
    if let single = range.single { return try bind(single.withoutNegativeZero, at: 1) }
    try bind(endsOf: range)
  }

  /// Binds the bounds of a range to the first parameters, each to one of its own.
  func bind(endsOf range: ValueRange) throws(StoreError) {
    if let lower = range.lower { try bind(lower.value.withoutNegativeZero, at: 1) }
    if let upper = range.upper {
      try bind(upper.value.withoutNegativeZero, at: range.lower == nil ? 1 : 2)
    }
  }
}

extension Value {
  /// The value, with -0.0 replaced by the equal 0.0.
  var withoutNegativeZero: Value {
    doubleValue?.isNegativeZero == true ? .double(0) : self
  }
}

/// The SQL texts that use an ordered index, composed once per layout.
struct ValueIndexSQL: Sendable {
  /// The quoted name of the column.
  let column: String
  /// The term after FROM: the table, and the index that SQLite must use.
  let table: String
  /// The query for the keys of rows with a value other than null, in order of key.
  let equal: SQLText
  /// The query for the keys of rows with null, which is a parameter, in order of key.
  let null: SQLText
  /// The query for the keys and values of the rows whose values are stored as bytes, which sort last.
  let bytes: SQLText
  /// The position of the values in the results of ``bytes`` and ``entries(in:isAscending:)``, after the keys and
  /// the columns.
  let valuePosition: Int
  /// The key and the columns that all queries for keys read.
  private let results: String
  /// The queries for the keys of rows between bounds, see ``keys(in:)``.
  private let between: [SQLText]
  /// The queries for the keys and values of rows in order, see ``entries(in:isAscending:)``, composed on first use.
  private let entries = Guarded<[SQLText?]>(Array(repeating: nil, count: 18))
  /// The query of ``unreadable(_:)``, composed on first use.
  private let unreadable = Guarded<SQLText?>(nil)
  /// The texts that read columns too, by the columns, composed on first use.
  private let others = Guarded<[[Column]: ValueIndexSQL]>([:])

  init(_ index: String, table name: String, column columnName: String) {
    self.init(
      "\(SQL.quoted(name)) INDEXED BY \(SQL.quoted(index))", SQL.quoted(columnName), reading: [])
  }

  private init(_ table: String, _ column: String, reading columns: [Column]) {
    self.column = column
    self.table = table
    let names = [Self.key] + columns.flatMap(\.sqlNames)
    results = names.joined(separator: ", ")
    valuePosition = names.count
    bytes = SQLText("SELECT \(results), \(column) FROM \(table) WHERE \(column) >= x''")
    let keys = "SELECT \(results) FROM \(table) WHERE "
    equal = SQLText(keys + "\(column) = ? ORDER BY \(Self.key)")
    null = SQLText(keys + "\(column) IS ? ORDER BY \(Self.key)")
    between = (0..<9).map { SQLText(keys + Self.condition($0, on: column)) }
  }

  private static let key = SQL.quoted(TableLayout.keyName)

  /// Returns the texts that read some columns with the keys.
  func reading(_ columns: [Column]) -> ValueIndexSQL {
    others.withLock { others in
      if let texts = others[columns] { return texts }
      let texts = ValueIndexSQL(table, column, reading: columns)
      others[columns] = texts
      return texts
    }
  }

  /// Returns the query for the keys of the rows in a range, with a placeholder for each bound.
  func keys(in range: ValueRange) -> SQLText {
    if let single = range.single { return single.isNull ? null : equal }
    return between[Self.number(range)]
  }

  /// Returns the query for the keys and values of the rows in a range of more than one value, in the order of the
  /// index, with a placeholder for each bound.
  func entries(in range: ValueRange, isAscending: Bool) -> SQLText {
    let number = Self.number(range)
    return entries.withLock { entries in
      let place = isAscending ? number : number + 9
      if let text = entries[place] { return text }
      let direction = isAscending ? "ASC" : "DESC"
      let text = SQLText(
        "SELECT \(results), \(column) FROM \(table) WHERE \(Self.condition(number, on: column)) "
          + "ORDER BY \(column) \(direction), \(Self.key) \(direction)")
      entries[place] = text
      return text
    }
  }

  /// Returns the query for values that a type reads as null, where SQLite has them apart from most values of the type.
  ///
  /// The result has a row if there is any. Only another program writes such values. Those between values of the type,
  /// such as fractions in a column of integers, are not searched.
  func unreadable(_ type: PropertyType) -> SQLText {
    unreadable.withLock { text in
      if let text { return text }
      let conditions: [String]
      switch type {
      case .int, .bool: conditions = ["\(column) >= ''"]
      case .string: conditions = ["\(column) >= x''"]
      case .date:
        conditions = ["\(column) >= '' AND (\(column) < x'' OR length(\(column)) <> 8)"]
      case .double: conditions = unreadableFractions("7ff8", zeros: 6)
      case .float: conditions = unreadableFractions("7fc0", zeros: 2)
      default: conditions = ["\(column) < x''"]
      }
      let queries = conditions.map { "SELECT 1 FROM \(table) WHERE \($0)" }
      let composed = SQLText(queries.joined(separator: " UNION ALL ") + " LIMIT 1")
      text = composed
      return composed
    }
  }

  /// Returns conditions for texts, and for bytes of another length beside those of -0.0 and NaN, which may be many.
  private func unreadableFractions(_ start: String, zeros: Int) -> [String] {
    let tail = String(repeating: "00", count: zeros)
    let usual = [
      "x'\(start)\(tail)'", "x'8000\(tail)'", "x'f\(start.dropFirst())\(tail)'",
    ]
    let isOther = "length(\(column)) <> \(zeros + 2)"
    let gaps = zip(["x''"] + usual, usual.map(Optional.some) + [nil]).map { lower, upper in
      let isBelow = upper.map { " AND \(column) < \($0)" } ?? ""
      return "\(column) \(lower == "x''" ? ">=" : ">") \(lower)\(isBelow) AND \(isOther)"
    }
    return ["\(column) >= '' AND \(column) < x''"] + gaps
  }

  /// Returns the number of the condition that a value is in a range of more than one value.
  static func number(_ range: ValueRange) -> Int {
    3 * number(range.lower) + number(range.upper)
  }

  /// Returns 0 without a bound, 1 for an excluded one, 2 for an included one.
  private static func number(_ bound: ValueRange.Bound?) -> Int {
    bound.map { $0.isIncluded ? 2 : 1 } ?? 0
  }

  /// Returns the condition with a number, with a placeholder for each bound.
  static func condition(_ number: Int, on column: String) -> String {
    let lower = [nil, "\(column) > ?", "\(column) >= ?"][number / 3]
    let upper = [nil, "\(column) < ?", "\(column) <= ?"][number % 3]
    let bounds = [lower, upper].compactMap { $0 }
    return bounds.isEmpty ? "\(column) IS NOT NULL" : bounds.joined(separator: " AND ")
  }
}

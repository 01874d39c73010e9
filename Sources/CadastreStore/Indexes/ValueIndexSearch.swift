package import CadastreModel
package import CadastreSQLite
import Foundation

/// A search of an ordered index for keys, and for columns that its entries contain.
package struct ValueIndexSearch {
  private let connection: Connection
  private let index: TableLayout.ValueIndex
  private let layout: TableLayout
  private let queries: [ValueIndexSQL]

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
    self.index = index
    self.layout = layout
    queries = index.queries(reading: columns, of: layout)
  }

  /// Returns the keys of the rows in a range.
  ///
  /// - Complexity: O(log n + k) for k keys.
  package func keys(_ range: EntryRange) throws(StoreError) -> [Int64] {
    try keys(range, limit: .max) ?? []
  }

  /// Returns the keys of the rows in a range; nil where there are more than a limit.
  ///
  /// - Complexity: O(log n + k) for k keys, at most O(log n + limit).
  package func keys(_ range: EntryRange, limit: Int) throws(StoreError) -> [Int64]? {
    let collected = CollectedEntries(limit: limit)
    var keys: [Int64] = []
    let isComplete = try forEachEntry(range, collecting: collected) { entry in
      guard keys.count < limit else { return false }
      keys.append(entry.integer(0))
      return true
    }
    guard isComplete else { return nil }
    return keys.isEmpty ? collected.keys : keys
  }

  /// Appends the keys of the rows in a range, and the columns, to a batch.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - limit: The largest number of rows in the batch.
  ///   - mostBytes: The size of the texts and data in the batch from which no more rows are appended, about.
  ///   - batch: Receives the rows; it has the columns of the search.
  /// - Returns: Whether the batch has all rows in the range.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(log n + k) for k keys, at most O(log n + limit).
  package func append(
    _ range: EntryRange, limit: Int = .max, mostBytes: Int = .max, to batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    let collected =
      batch.hasOneInteger ? CollectedEntries(limit: limit - batch.addedKeys.count) : nil
    let isComplete = try forEachEntry(range, collecting: collected) { entry in
      let count = batch.addedKeys.count
      guard count < limit, count & 63 != 0 || batch.contentBytes <= mostBytes else { return false }
      batch.append(entry)
      return true
    }
    if let collected { batch.append(collected.keys, collected.integers) }
    return isComplete
  }

  /// Collects all entries in a range, or calls a closure with each one until the closure returns false.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - collected: Receives the entries, if one query finds those of each section; nil if it cannot hold the columns.
  ///   - body: The closure, which is called otherwise.
  /// - Returns: Whether there were no more entries.
  /// - Throws: ``StoreError`` when reading fails.
  private func forEachEntry(
    _ range: EntryRange, collecting collected: CollectedEntries?, _ body: (Statement) -> Bool
  ) throws(StoreError) -> Bool {
    for leading in storedForms(of: range.leading) {
      let section = IndexSection(index, layout, leading: leading, queries, connection)
      let isComplete =
        if let collected, section.hasOneQuery(range.values) {
          try connection.collect(collected, of: section.sql.collected(in: range.values)) {
            statement throws(StoreError) in
            try section.bindLeading(to: statement)
            try section.bind(boundsOf: range.values, to: statement)
          }
        } else {
          try forEachEntry(range.values, of: section, body)
        }
      guard isComplete else { return false }
    }
    return true
  }

  /// Returns the stored forms of the values in the leading columns: 0.0 has two.
  private func storedForms(of leading: [Value]) -> [[Value]] {
    var forms: [[Value]] = [[]]
    for (value, column) in zip(leading, index.columns) {
      let zero = ValueRange.exactly(value).negativeZero(layout.columns[column].type)
      forms = forms.flatMap { form in
        [form + [value.withoutNegativeZero]] + (zero.map { [form + [$0]] } ?? [])
      }
    }
    return forms
  }

  /// Calls a closure with each entry of a section in a range, until the closure returns false.
  private func forEachEntry(
    _ range: ValueRange, of section: IndexSection, _ body: (Statement) -> Bool
  ) throws(StoreError) -> Bool {
    let (type, sql) = (section.type, section.sql)
    let hasBytesApart = section.hasBytesApart(range)
    let numbers = hasBytesApart ? range.ofNumbers : range
    let statement = try section.statement(sql.keys(in: numbers))
    try section.bind(boundsOf: numbers, to: statement)
    while try statement.step() {
      guard body(statement) else {
        statement.reset()
        return false
      }
    }
    if let zero = range.negativeZero(type) {
      let zeros = try section.statement(sql.equal)
      try section.bind(zero, to: zeros)
      while try zeros.step() {
        guard body(zeros) else {
          zeros.reset()
          return false
        }
      }
    }
    if hasBytesApart {
      let dates = try section.statement(sql.bytes)
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

  /// Returns the smallest key of each distinct value, beginning with null; nil where there are more values
  /// than a limit, or where equality differs between SQLite and Cadastre.
  ///
  /// - Complexity: O(m log n) for m values: one search for each.
  package func firstKeys(atMost limit: Int) throws(StoreError) -> [Int64]? {
    let type = layout.columns[index.column].type
    switch type {
    case .int, .bool, .date, .string: break
    default: return nil
    }
    let sql = index.sql
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
  /// Returns -0.0 where a column of some type can contain it and the range contains zero, but not its stored form.
  ///
  /// -0.0 is stored as bytes, which the index sorts after all numbers: a range without an upper bound has them.
  fileprivate func negativeZero(_ type: PropertyType) -> Value? {
    guard type == .double || type == .float, upper != nil,
      !intersection(.exactly(.double(0))).isEmpty, !isNull
    else { return nil }
    return type == .double ? .double(-0.0) : .float(-0.0)
  }

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

/// The entries of an ordered index that have some stored values in its leading columns; all entries without leading
/// columns.
struct IndexSection {
  private let connection: Connection
  private let index: TableLayout.ValueIndex
  private let layout: TableLayout
  /// The queries for the entries, by the number of leading columns.
  private let queries: [ValueIndexSQL]
  /// The stored values in the leading columns.
  let leading: [Value]
  /// The queries for the entries.
  var sql: ValueIndexSQL { queries[leading.count] }

  /// Creates a section.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - layout: The class.
  ///   - leading: The stored values in the leading columns.
  ///   - queries: The texts of the queries of the index, see ``TableLayout/ValueIndex/queries(reading:of:)``.
  ///   - connection: The connection.
  init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, leading: [Value],
    _ queries: [ValueIndexSQL], _ connection: Connection
  ) {
    self.index = index
    self.layout = layout
    self.queries = queries
    self.leading = leading
    self.connection = connection
  }

  /// The type of the column after the leading ones.
  var type: PropertyType { layout.columns[index.columns[leading.count]].type }

  /// Whether the column after the leading ones is the last one.
  var isLast: Bool { leading.count + 1 == index.columns.count }

  /// The types of the columns after the next one.
  var furtherTypes: [PropertyType] {
    index.columns.dropFirst(leading.count + 1).map { layout.columns[$0].type }
  }

  /// Returns the entries among these with a stored value in the next column.
  func section(_ stored: Value) -> IndexSection {
    IndexSection(index, layout, leading: leading + [stored], queries, connection)
  }

  /// Returns the entries that have the same values in some of the leading columns.
  func section(ofFirst count: Int) -> IndexSection {
    IndexSection(index, layout, leading: Array(leading.prefix(count)), queries, connection)
  }

  /// Whether dates in a range are stored as numbers and as bytes, which the index sorts after all numbers.
  func hasBytesApart(_ range: ValueRange) -> Bool {
    type == .date && range.single == nil && (range.lower != nil || range.upper != nil)
  }

  /// Whether one query finds the entries in a range of more than one value.
  func hasOneQuery(_ range: ValueRange) -> Bool {
    range.single == nil && !hasBytesApart(range) && range.negativeZero(type) == nil
  }

  /// Returns the statement of a query, with its first parameters bound to the leading values.
  func statement(_ text: SQLText) throws(StoreError) -> Statement {
    let statement = try connection.statement(text)
    try bindLeading(to: statement)
    return statement
  }

  /// Binds the leading values to the first parameters of a statement.
  func bindLeading(to statement: Statement) throws(StoreError) {
    for index in leading.indices { try statement.bind(leading[index], at: index + 1) }
  }

  /// Binds a stored value to the parameter after those of the leading values.
  func bind(_ stored: Value, to statement: Statement) throws(StoreError) {
    try statement.bind(stored, at: leading.count + 1)
  }

  /// Binds the bounds of a range to the parameters after those of the leading values; the value of a range of a single
  /// value only once.
  func bind(boundsOf range: ValueRange, to statement: Statement) throws(StoreError) {
    try statement.bind(boundsOf: range, after: leading.count)
  }

  /// Binds the bounds of a range to the parameters after those of the leading values, each to one of its own.
  func bind(endsOf range: ValueRange, to statement: Statement) throws(StoreError) {
    try statement.bind(endsOf: range, after: leading.count)
  }
}

extension Statement {
  /// Binds the bounds of a range to the parameters after some number; the value of a range of a single value only once.
  func bind(boundsOf range: ValueRange, after count: Int = 0) throws(StoreError) {
    if let single = range.single {
      return try bind(single.withoutNegativeZero, at: count + 1)
    }
    try bind(endsOf: range, after: count)
  }

  /// Binds the bounds of a range to the parameters after some number, each to one of its own.
  func bind(endsOf range: ValueRange, after count: Int) throws(StoreError) {
    if let lower = range.lower { try bind(lower.value.withoutNegativeZero, at: count + 1) }
    if let upper = range.upper {
      try bind(upper.value.withoutNegativeZero, at: count + (range.lower == nil ? 1 : 2))
    }
  }
}

extension Value {
  /// The value, with -0.0 replaced by the equal 0.0.
  var withoutNegativeZero: Value {
    doubleValue?.isNegativeZero == true ? .double(0) : self
  }
}

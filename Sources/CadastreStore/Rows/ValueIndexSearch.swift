package import CadastreModel

/// Finds keys through an ordered index.
package struct ValueIndexSearch {
  private let connection: Connection
  private let table: String
  private let column: String
  private let type: PropertyType
  private let key = SQL.quoted(TableLayout.keyName)

  /// Prepares to search an index of a class.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, _ reader: any StoreReader
  ) {
    connection = reader.connection
    table = "\(SQL.quoted(layout.tableName)) INDEXED BY \(SQL.quoted(index.name))"
    column = SQL.quoted(layout.columns[index.column].name)
    type = layout.columns[index.column].type
  }

  /// The keys of the rows in a range.
  ///
  /// - Complexity: O(log n + k) for k keys.
  package func keys(_ range: ValueRange) throws(StoreError) -> [Int64] {
    var keys: [Int64] = []
    for range in storedRanges(range) {
      let statement = try bound("SELECT \(key) FROM \(table) WHERE \(condition(range))", range)
      while try statement.step() { keys.append(statement.integer(0)) }
    }
    return keys
  }

  /// The number of rows in a range, counted up to a limit.
  ///
  /// - Complexity: O(log n + limit).
  package func count(_ range: ValueRange, limit: Int) throws(StoreError) -> Int {
    var count = 0
    for range in storedRanges(range) {
      let statement = try bound(
        "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(condition(range)) LIMIT \(limit))",
        range)
      if try statement.step() { count += Int(statement.integer(0)) }
      statement.reset()
    }
    return min(count, limit)
  }

  /// The ranges of stored values for a range of values: -0.0, which is level with 0, is stored as
  /// bytes and so apart from the numbers.
  private func storedRanges(_ range: ValueRange) -> [ValueRange] {
    guard type == .double || type == .float, range.single?.isNull != true else { return [range] }
    let numbers = ValueRange(lower: range.lower.map(positive), upper: range.upper.map(positive))
    let zero = ValueRange.exactly(.double(0))
    guard !range.intersection(zero).isEmpty else { return [numbers] }
    return [numbers, .exactly(type == .double ? .double(-0.0) : .float(-0.0))]
  }

  private func positive(_ bound: ValueRange.Bound) -> ValueRange.Bound {
    bound.value.doubleValue == 0
      ? ValueRange.Bound(.double(0), isIncluded: bound.isIncluded) : bound
  }

  private func condition(_ range: ValueRange) -> String {
    if let single = range.single { return "\(column) \(single.isNull ? "IS ?" : "= ?")" }
    var terms: [String] = []
    if let lower = range.lower { terms.append("\(column) \(lower.isIncluded ? ">=" : ">") ?") }
    if let upper = range.upper { terms.append("\(column) \(upper.isIncluded ? "<=" : "<") ?") }
    return terms.isEmpty ? "\(column) IS NOT NULL" : terms.joined(separator: " AND ")
  }

  private func bound(_ sql: String, _ range: ValueRange) throws(StoreError) -> Statement {
    let statement = try connection.statement(sql)
    if let single = range.single {
      try statement.bind(single, at: 1)
    } else {
      let bounds = [range.lower, range.upper].compactMap { $0 }
      for (place, bound) in bounds.enumerated() { try statement.bind(bound.value, at: place + 1) }
    }
    return statement
  }
}

import CadastreModel
import CadastreSQLite

/// The SQL texts that use an ordered index, composed once per layout.
///
/// Their first parameters are the values in the leading columns; the others restrict the next column.
// A class, because each cursor refers to it.
final class ValueIndexSQL: Sendable {
  /// The quoted name of the column after the leading ones.
  let column: String
  /// The term after FROM: the table, and the index that SQLite must use.
  let table: String
  /// The query for the keys of rows with a value other than null; in order of key where no column follows.
  let equal: SQLText
  /// The query for the keys of rows with null, which is a parameter; in order of key where no column follows.
  let null: SQLText
  /// The query for the keys and values of the rows whose values are stored as bytes, which sort last.
  let bytes: SQLText
  /// The position of the values in the results of ``bytes`` and ``entries(in:isAscending:)``, after the keys and
  /// the columns that are read.
  let valuePosition: Int
  /// The key and the columns that all queries for keys read.
  private let results: String
  /// The condition on the leading columns, with a conjunction; empty without leading columns.
  private let leading: String
  /// The quoted names of the column and of those that follow it.
  private let columns: [String]
  /// The queries for the keys of rows between bounds, see ``keys(in:)``.
  private let between: [SQLText]
  /// The queries for the keys and values of rows in order, see ``entries(in:isAscending:)``, composed on first use.
  private let entries = Guarded<[SQLText?]>(Array(repeating: nil, count: 18))
  /// The queries of ``collected(in:)``, composed on first use.
  private let collected = Guarded<[SQLText?]>(Array(repeating: nil, count: 9))
  /// The query of ``unreadable(_:)``, composed on first use.
  private let unreadable = Guarded<SQLText?>(nil)

  /// Composes the texts.
  ///
  /// - Parameters:
  ///   - index: The name of the index.
  ///   - name: The name of the table.
  ///   - names: The names of the columns, in the order of the index.
  ///   - count: The number of leading columns.
  convenience init(_ index: String, table name: String, _ names: [String], leading count: Int) {
    // Numbered, because a query may have them several times.
    let leading = names[..<count].enumerated().map { "\(SQL.quoted($1)) IS ?\($0 + 1) AND " }
      .joined()
    self.init(
      "\(SQL.quoted(name)) INDEXED BY \(SQL.quoted(index))", leading,
      names[count...].map { SQL.quoted($0) }, reading: [])
  }

  private init(
    _ table: String, _ leading: String, _ columns: [String], reading others: [Column]
  ) {
    self.table = table
    self.leading = leading
    self.columns = columns
    let column = columns[0]
    self.column = column
    let names = [Self.key] + others.flatMap(\.sqlNames)
    let results = names.joined(separator: ", ")
    self.results = results
    valuePosition = names.count
    bytes = SQLText(
      "SELECT \(results), \(column) FROM \(table) WHERE \(leading)\(column) >= x''")
    let keys = "SELECT \(results) FROM \(table) WHERE \(leading)"
    let order = columns.count == 1 ? " ORDER BY \(Self.key)" : ""
    equal = SQLText(keys + "\(column) = ?\(order)")
    null = SQLText(keys + "\(column) IS ?\(order)")
    between = (0..<9).map { SQLText(keys + Self.condition($0, on: column)) }
  }

  private static let key = SQL.quoted(TableLayout.keyName)

  /// Returns the texts that read some columns with the keys.
  func reading(_ others: [Column]) -> ValueIndexSQL {
    ValueIndexSQL(table, leading, columns, reading: others)
  }

  /// Returns the query for the keys of the rows in a range, with a placeholder for each bound.
  func keys(in range: ValueRange) -> SQLText {
    if let single = range.single { return single.isNull ? null : equal }
    return between[Self.number(range)]
  }

  /// Returns the query that collects the keys of the rows in a range of more than one value, and the column that is read
  /// if there is one, with a placeholder for each bound.
  func collected(in range: ValueRange) -> SQLText {
    let number = Self.number(range)
    return collected.withLock { collected in
      if let text = collected[number] { return text }
      let text = SQLText(
        "SELECT \(Connection.entryFunction)(\(results)) FROM \(table) "
          + "WHERE \(leading)\(Self.condition(number, on: column))")
      collected[number] = text
      return text
    }
  }

  /// Returns the query for the keys, and the values in the column and in those that follow it, of the rows in a range of
  /// more than one value, in the order of the index, with a placeholder for each bound.
  func entries(in range: ValueRange, isAscending: Bool) -> SQLText {
    let number = Self.number(range)
    return entries.withLock { entries in
      let place = isAscending ? number : number + 9
      if let text = entries[place] { return text }
      let direction = isAscending ? "ASC" : "DESC"
      let order = (columns + [Self.key]).map { "\($0) \(direction)" }.joined(separator: ", ")
      let text = SQLText(
        "SELECT \(results), \(columns.joined(separator: ", ")) FROM \(table) "
          + "WHERE \(leading)\(Self.condition(number, on: column)) ORDER BY \(order)")
      entries[place] = text
      return text
    }
  }

  /// Returns the query for values that a type reads as null, if SQLite sorts them apart from most values of the type.
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
      let queries = conditions.map { "SELECT 1 FROM \(table) WHERE \(leading)\($0)" }
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
  private static func number(_ range: ValueRange) -> Int {
    3 * number(range.lower) + number(range.upper)
  }

  /// Returns 0 without a bound, 1 for an excluded one, 2 for an included one.
  private static func number(_ bound: ValueRange.Bound?) -> Int {
    bound.map { $0.isIncluded ? 2 : 1 } ?? 0
  }

  /// Returns the condition with a number, with a placeholder for each bound.
  private static func condition(_ number: Int, on column: String) -> String {
    let lower = [nil, "\(column) > ?", "\(column) >= ?"][number / 3]
    let upper = [nil, "\(column) < ?", "\(column) <= ?"][number % 3]
    let bounds = [lower, upper].compactMap { $0 }
    return bounds.isEmpty ? "\(column) IS NOT NULL" : bounds.joined(separator: " AND ")
  }
}

/// An entry of an ordered index.
package struct IndexEntry: Hashable, Sendable {
  /// The key of the row.
  package let key: Int64
  /// The integer that a traversal reads with the key; nil for null, and where it reads none.
  package let integer: Int64?

  /// Creates an entry.
  package init(key: Int64, integer: Int64? = nil) {
    self.key = key
    self.integer = integer
  }
}

extension ValueIndexSQL {
  /// Returns the entry in the current row of one of the queries for keys.
  @inline(__always)
  func entry(_ row: Statement) -> IndexEntry {
    let hasInteger = valuePosition > 1 && row.storage(1) == .integer
    return IndexEntry(key: row.integer(0), integer: hasInteger ? row.integer(1) : nil)
  }
}

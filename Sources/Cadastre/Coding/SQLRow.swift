import CadastreModel
import CadastreQuery
import CadastreStore

/// A type of arguments and results of SQL queries.
///
/// The types are `Bool`, `Int` and its sizes, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`,
/// `ObjectId`, `Decimal128`, and enumerations that are `PersistableEnum`.
public typealias SQLValue = ScalarPersistable

/// A row of an SQL query.
///
///     let name: String = try row["name"]
///     let elevation = try row["elevation"] as Double?
///     let airport = try row.decode(AirportRow.self)
///
/// A value is converted from the form in which Cadastre stores its type: a `Date` from nanoseconds
/// since 1970, a `UUID` from a BLOB, a `Decimal128` from TEXT.
public struct SQLRow: Sendable, Hashable {
  /// The names of the columns, in the order of the query.
  public let columnNames: [String]
  private let values: [Value]
  /// The index of the row in the result.
  private let index: Int

  init(_ columnNames: [String], _ values: [Value], index: Int) {
    self.columnNames = columnNames
    self.values = values
    self.index = index
  }

  /// The value of the first column with a name; null throws.
  ///
  /// - Throws: `DecodingError` for an unknown column, null or another type.
  public subscript<Result: SQLValue & Decodable>(_ name: String) -> Result {
    get throws { try member(name).decoded(Result.self) { [RowKey(index), SQLColumnKey(name)] } }
  }

  /// The value of the first column with a name; nil for null.
  ///
  /// - Throws: `DecodingError` for an unknown column or another type.
  public subscript<Result: SQLValue & Decodable>(_ name: String) -> Result? {
    get throws {
      let content = try member(name)
      return content.isNull
        ? nil : try content.decoded(Result.self) { [RowKey(index), SQLColumnKey(name)] }
    }
  }

  /// The value of a column by its index from 0; null throws.
  ///
  /// - Throws: `DecodingError` for an unknown column, null or another type.
  public subscript<Result: SQLValue & Decodable>(_ column: Int) -> Result {
    get throws { try member(column).decoded(Result.self) { [RowKey(index), RowKey(column)] } }
  }

  /// The value of a column by its index from 0; nil for null.
  ///
  /// - Throws: `DecodingError` for an unknown column or another type.
  public subscript<Result: SQLValue & Decodable>(_ column: Int) -> Result? {
    get throws {
      let content = try member(column)
      return content.isNull
        ? nil : try content.decoded(Result.self) { [RowKey(index), RowKey(column)] }
    }
  }

  /// Returns the row as a structure whose coding keys are names of columns.
  ///
  /// - Parameter type: The type of the structure.
  /// - Returns: The structure.
  /// - Throws: `DecodingError`, also for an unknown column of an optional member.
  public func decode<Row: Decodable>(_ type: Row.Type) throws -> Row {
    try type.init(row: .record(self), index: index)
  }

  private func member(_ name: String) throws -> RowContent {
    if let content = content(of: name) { return content }
    throw missing(SQLColumnKey(name), "'\(name)'")
  }

  private func member(_ column: Int) throws -> RowContent {
    if values.indices.contains(column) { return .stored(values[column]) }
    throw missing(RowKey(column), "column \(column)")
  }

  private func missing(_ key: any CodingKey, _ name: String) -> DecodingError {
    .keyNotFound(
      key,
      DecodingError.Context(
        codingPath: [RowKey(index)],
        debugDescription: "row \(index): the SQL query has no \(name), expected one of: "
          + columnNames.joined(separator: ", ")))
  }
}

extension SQLRow: RowRecord {
  var names: [String] { columnNames }
  var hasFixedNames: Bool { true }
  var kindName: String { "the SQL query" }

  func content(of name: String) -> RowContent? {
    columnNames.firstIndex(of: name).map { .stored(values[$0]) }
  }
}

/// A column name in a coding path.
private struct SQLColumnKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}

extension Realm {
  /// Runs an SQL query on the version of the store that this Realm reads.
  ///
  ///     let rows = try realm.sql(
  ///       "SELECT country, count(*) AS number FROM Airport WHERE elevation > ? GROUP BY country",
  ///       [1_000])
  ///     for row in rows { print(try row["country"] as String, try row["number"] as Int) }
  ///
  /// Use SQL for queries that object queries cannot express. The text depends on the layout of the file,
  /// which the article <doc:StorageFormat> describes: names of tables and columns, types and child tables of
  /// collections. A write transaction sees its uncommitted changes; a frozen Realm sees its version.
  ///
  /// The text must be one read-only statement. SQLite rejects other actions while it prepares the statement:
  /// writes, `PRAGMA`, `ATTACH`, transactions and extensions.
  ///
  /// - Parameters:
  ///   - text: The query, with a placeholder (`?`, `?1`, `:name`) for each argument. Do not compose the text
  ///     of data from outside the program: pass the data as arguments.
  ///   - arguments: The values of the placeholders, in order; nil for null. A value is bound in the storage
  ///     form of its property type.
  /// - Returns: All rows of the result, in memory.
  /// - Throws: `SQLError` for an invalid statement, ``Realm/Error`` if reading fails.
  /// - Complexity: As SQLite's plan, which `EXPLAIN QUERY PLAN` shows. The column cache is not used.
  public func sql(_ text: String, _ arguments: [(any SQLValue)?] = []) throws -> [SQLRow] {
    core.checkThread()
    let values = arguments.map { $0?.storedValue ?? .null }
    let result = core.exclusively {
      Result {
        try Error.translating {
          try QuerySession(try core.reader(.everything), schema: core.schema).sql(text, values)
        }
      }
    }
    let (columns, rows) = try result.get()
    return rows.enumerated().map { SQLRow(columns, $0.element, index: $0.offset) }
  }

  /// Runs an SQL query, and decodes a structure from each row; see ``sql(_:_:)``.
  ///
  ///     struct Share: Decodable { let country: String, number: Int }
  ///     let shares = try realm.sql(
  ///       "SELECT country, count(*) AS number FROM Airport GROUP BY country", as: Share.self)
  ///
  /// - Parameters:
  ///   - text: The query, with a placeholder for each argument.
  ///   - arguments: The values of the placeholders, in order; nil for null.
  ///   - type: A type whose coding keys are names of columns of the result.
  /// - Returns: A structure for each row.
  /// - Throws: `SQLError`, ``Realm/Error``, or `DecodingError` with the index of the row and the
  ///   name of the column in its coding path.
  public func sql<Row: Decodable>(
    _ text: String, _ arguments: [(any SQLValue)?] = [], as type: Row.Type
  ) throws -> [Row] {
    try sql(text, arguments).map { try $0.decode(type) }
  }
}

import CadastreModel

/// A type whose values an SQL query can take as arguments and return.
///
/// These are `Bool`, `Int` and its sizes, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`,
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

  /// The value of the first column with a name; null has no value.
  ///
  /// - Throws: `DecodingError` where there is no such column, and for null or another type.
  public subscript<Result: SQLValue & Decodable>(_ name: String) -> Result {
    get throws { try member(name).decoded(Result.self) { [RowKey(index), ColumnName(name)] } }
  }

  /// The value of the first column with a name; nil for null.
  ///
  /// - Throws: `DecodingError` where there is no such column, and for another type.
  public subscript<Result: SQLValue & Decodable>(_ name: String) -> Result? {
    get throws {
      let content = try member(name)
      return content.isNull
        ? nil : try content.decoded(Result.self) { [RowKey(index), ColumnName(name)] }
    }
  }

  /// The value of a column by its index from 0; null has no value.
  ///
  /// - Throws: `DecodingError` where there is no such column, and for null or another type.
  public subscript<Result: SQLValue & Decodable>(_ column: Int) -> Result {
    get throws { try member(column).decoded(Result.self) { [RowKey(index), RowKey(column)] } }
  }

  /// The value of a column by its index from 0; nil for null.
  ///
  /// - Throws: `DecodingError` where there is no such column, and for another type.
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
  /// - Throws: `DecodingError`, also for the key of an optional member that names no column.
  public func decode<Row: Decodable>(_ type: Row.Type) throws -> Row {
    try type.init(row: .record(self), index: index)
  }

  private func member(_ name: String) throws -> RowContent {
    if let content = content(of: name) { return content }
    throw missing(ColumnName(name), "'\(name)'")
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

/// The name of a column in a coding path.
private struct ColumnName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}

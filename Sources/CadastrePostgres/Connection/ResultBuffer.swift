import CPostgreSQL

/// A result of libpq: rows of binary fields.
package final class ResultBuffer: Sendable {
  // Safe because it is immutable, and only read-only functions of libpq use it.
  private nonisolated(unsafe) let result: OpaquePointer

  /// Takes ownership of a result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The status of the result.
  var status: ExecStatusType { PQresultStatus(result) }

  /// The number of rows.
  package var rowCount: Int { Int(PQntuples(result)) }

  /// The number of columns.
  package var columnCount: Int { Int(PQnfields(result)) }

  /// The number of rows that the statement changed; nil for other statements.
  package var changedRowCount: Int? { Int(String(cString: PQcmdTuples(result))) }

  /// Returns the object identifier of the type of a column.
  func type(_ column: Int) -> UInt32 { PQftype(result, Int32(column)) }

  /// Returns the name of a column.
  package func name(_ column: Int) -> String {
    PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// Returns the bytes of a field; nil for null.
  package func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    let (row, column) = (Int32(row), Int32(column))
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
    else { return nil }
    let count = Int(PQgetlength(result, row, column))
    return start.withMemoryRebound(to: UInt8.self, capacity: count) {
      Array(UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// Returns the value of a field.
  ///
  /// - Throws: ``PostgresError`` if the field has an unknown type or a length that does not fit it.
  package func value(_ row: Int, _ column: Int) throws(PostgresError) -> PostgresValue {
    guard let bytes = bytes(row, column) else { return .null }
    guard let value = PostgresValue(bytes, type: type(column)) else {
      throw PostgresError(
        .unexpectedValue, "reading a row",
        "column \"\(name(column))\" has \(bytes.count) bytes of type \(type(column)), which is no "
          + "value that this version reads")
    }
    return value
  }

  /// Returns the integer of a field.
  ///
  /// - Throws: ``PostgresError`` if the field has no integer.
  package func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
    guard case .int8(let number) = try value(row, column) else {
      throw PostgresError(
        .unexpectedValue, "reading a row", "column \"\(name(column))\" has no integer")
    }
    return number
  }

  /// Returns the integers of a column.
  ///
  /// - Throws: ``PostgresError`` if a field has no integer.
  func integers(_ column: Int) throws(PostgresError) -> [Int64] {
    var integers: [Int64] = []
    integers.reserveCapacity(rowCount)
    for row in 0..<rowCount { integers.append(try integer(row, column)) }
    return integers
  }

  /// Returns the values of a row.
  package func row(_ row: Int) throws(PostgresError) -> [PostgresValue] {
    var values: [PostgresValue] = []
    values.reserveCapacity(columnCount)
    for column in 0..<columnCount { values.append(try value(row, column)) }
    return values
  }

  /// Returns the texts of the first column, without nulls.
  ///
  /// - Throws: ``PostgresError`` if a field cannot be read.
  func texts() throws(PostgresError) -> [String] {
    var texts: [String] = []
    for row in 0..<rowCount {
      if case .text(let text) = try value(row, 0) { texts.append(text) }
    }
    return texts
  }
}

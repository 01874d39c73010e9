import CadastreGeometry
package import CadastreModel
import Foundation

/// A reader of the values of a row, in the order of the table's columns.
struct PostgresRowReader {
  private let table: PostgresTable
  private let values: [PostgresValue]
  private var position = 0

  init(_ table: PostgresTable, _ values: [PostgresValue]) {
    self.table = table
    self.values = values
  }

  /// Skips the key of the row.
  mutating func skipKey() throws(PostgresError) {
    let value = try next()
    guard case .int8(let key) = value, key > 0 else { throw unexpected(value) }
  }

  /// Reads a single value of a type; a link for `object`.
  mutating func value(_ type: PropertyType) throws(PostgresError) -> Value {
    let value = try next()
    guard let result = Value(value, type) else { throw unexpected(value) }
    return result
  }

  /// Reads a date, which takes two columns.
  mutating func date() throws(PostgresError) -> Value {
    let (seconds, nanoseconds) = (try next(), try next())
    switch (seconds, nanoseconds) {
    case (.null, .null): return .null
    case (.int8(let seconds), .int4(let nanoseconds)):
      return .date(Timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds)))
    default: throw unexpected(nanoseconds)
    }
  }

  /// Reads the elements of an array; none of null.
  mutating func array(_ type: PropertyType) throws(PostgresError) -> [Value] {
    let value = try next()
    guard value != .null else { return [] }
    guard case .array(_, let elements) = value else { throw unexpected(value) }
    var result: [Value] = []
    for element in elements {
      guard let element = Value(element, type) else { throw unexpected(element) }
      result.append(element)
    }
    return result
  }

  private mutating func next() throws(PostgresError) -> PostgresValue {
    guard position < values.count else { throw unexpected(.null) }
    defer { position += 1 }
    return values[position]
  }

  private func unexpected(_ value: PostgresValue) -> PostgresError {
    let name = position > 0 ? table.columns[position - 1].name : ""
    return PostgresError(
      .unexpectedValue, "reading table \(table.quotedName)",
      "the column '\(name)' has a value of type \(value.type?.name ?? "null") that does not fit the "
        + "class '\(table.schema.className)'")
  }
}

extension Value {
  /// The value of a property of a type in a column; nil if the value has another type.
  package init?(_ value: PostgresValue, _ type: PropertyType) {
    switch (value, type) {
    case (.null, _): self = .null
    case (.bool(let value), .bool): self = .bool(value)
    case (.int8(let value), .int): self = .int(value)
    case (.int8(let value), .object): self = .link(ObjectKey(value))
    case (.float4(let value), .float): self = .float(value)
    case (.float8(let value), .double): self = .double(value)
    case (.text(let value), .string): self = .string(value)
    case (.bytea(let value), .data): self = .data(value)
    case (.bytea(let value), .objectId):
      guard value.count == ObjectId.byteCount else { return nil }
      self = .objectId(ObjectId(bytes: Array(value)))
    case (.uuid(let value), .UUID): self = .uuid(value)
    case (.numeric(let value), .decimal128):
      guard let decimal = Decimal128(parsing: value.text) else { return nil }
      self = .decimal(decimal)
    case (.bytea(let value), .geometry):
      guard let geometry = try? Geometry(wkb: value) else { return nil }
      self = .geometry(geometry)
    default: return nil
    }
  }
}

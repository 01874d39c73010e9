import CadastreGeometry
package import CadastreModel
package import CadastreStore
import Foundation

/// The conversion between rows of a store and rows of the table.
extension PostgresTable {
  /// Returns the values of an object, in the order of ``columns``.
  ///
  /// - Parameters:
  ///   - row: The columns of the object in a store.
  ///   - layout: The layout of the class in the store.
  ///   - key: The key of the row.
  ///   - elements: Returns the elements of a collection of the object, with the keys of a map.
  /// - Returns: The values.
  /// - Throws: ``PostgresMappingError`` with row and column for a value that PostgreSQL cannot represent, or the
  ///   error of `elements`.
  package func encoded(
    _ row: [Value], _ layout: TableLayout, key: ObjectKey,
    elements: (CollectionLayout) throws -> [ElementValue]
  ) throws -> [PostgresValue] {
    var values: [PostgresValue] = [.int8(key.rawValue)]
    values.reserveCapacity(columns.count)
    try append(fields, layout.fields, of: row, elements, to: &values)
    if let grid = partitions?.grid { values.append(.int8(cell(of: values, grid))) }
    for (column, value) in zip(columns, values) {
      guard let problem = value.problem else { continue }
      throw PostgresMappingError(
        subject: "row \(key) of class '\(schema.className)', column '\(column.name)'",
        reason: problem)
    }
    return values
  }

  /// An element of a collection, with its key in a map.
  package typealias ElementValue = (key: String, value: Value)

  private func append(
    _ fields: [PostgresField], _ layouts: [FieldLayout], of row: [Value],
    point: PointColumns.Content? = nil, _ elements: (CollectionLayout) throws -> [ElementValue],
    to values: inout [PostgresValue]
  ) throws {
    for (field, layout) in zip(fields, layouts) {
      switch (field, layout) {
      case (.date, .scalar(let column)):
        if case .date(let date) = row[column] {
          values += [.int8(date.seconds), .int4(date.nanoseconds)]
        } else {
          values += [.null, .null]
        }
      case (.scalar, .scalar(let column)), (.link, .link(let column)):
        values.append(PostgresValue(row[column]))
      case (.array(_, let element, _), .collection(let collection)):
        values.append(
          .array(element, try elements(collection).map { PostgresValue($0.value) }))
      case (.map(_, let element, _), .collection(let collection)):
        let entries = try elements(collection)
        values.append(.array(.text, entries.map { .text($0.key) }))
        values.append(.array(element, entries.map { PostgresValue($0.value) }))
      case (.embedded(_, let inner), .embedded(let embedded)):
        let isPresent = !row[embedded.presence].isNull
        values.append(isPresent ? .bool(true) : .null)
        try append(inner, embedded.fields, of: row, elements, to: &values)
      case (.point(_, let inner), .embedded(let embedded)):
        let content =
          row[embedded.presence].isNull ? nil : embedded.point.map { $0.content(row) }
        values.append(content == nil ? .null : .bool(true))
        try append(inner, embedded.fields, of: row, point: content, elements, to: &values)
        let location = content.flatMap {
          PointShape.location(type: $0.type, coordinates: $0.coordinates)
        }
        values.append(location.map { .float8($0.longitude) } ?? .null)
        values.append(location.map { .float8($0.latitude) } ?? .null)
      case (.scalar, .pointType): values.append(point.map { .text($0.type) } ?? .null)
      case (.coordinates, _):
        values.append(
          point.map { .array(.float8, $0.coordinates.map(PostgresValue.float8)) } ?? .null)
      default: throw separateRows(field)
      }
    }
  }

  /// Returns the error for an embedded object that the store has in a separate table.
  private func separateRows(_ field: PostgresField) -> PostgresMappingError {
    PostgresMappingError(
      subject: "property '\(field.property.name)' of class '\(schema.className)'",
      reason: "the store holds it in rows of their own, which have no form in a column")
  }

  /// Returns the columns of the table for SELECT, with geometries as well-known binary.
  ///
  /// - Parameter alias: The alias of the table.
  /// - Returns: The columns, separated by commas.
  package func selection(_ alias: String) -> String {
    columns.map { column in
      let name = SQLTranslator.column(alias, column.name)
      return column.type == .geometry ? "\(names.spatial("ST_AsEWKB"))(\(name))" : name
    }.joined(separator: ", ")
  }

  /// Decodes the object of a row of ``selection(_:)``.
  ///
  /// - Parameters:
  ///   - values: The values of the row.
  ///   - layout: The layout of the class in a store.
  /// - Returns: The object.
  /// - Throws: ``PostgresError`` for a value of an unexpected type, or ``PostgresMappingError`` for a layout with
  ///   embedded objects in separate tables.
  package func decoded(_ values: [PostgresValue], _ layout: TableLayout) throws -> ImportRow {
    var reader = PostgresRowReader(self, values)
    try reader.skipKey()
    var row = ImportRow(columns: layout.columns.count)
    try read(fields, layout.fields, from: &reader, to: &row)
    return row
  }

  private func read(
    _ fields: [PostgresField], _ layouts: [FieldLayout], from reader: inout PostgresRowReader,
    to row: inout ImportRow
  ) throws {
    for (field, layout) in zip(fields, layouts) {
      switch (field, layout) {
      case (.date, .scalar(let column)): row.values[column] = try reader.date()
      case (.scalar(let property, _), .scalar(let column)):
        row.values[column] = try reader.value(property.type)
      case (.link, .link(let column)): row.values[column] = try reader.value(.object)
      case (.array(let property, _, _), .collection(let collection)):
        let elements = try reader.array(property.type)
        // The writer of rows counts the elements.
        row.values[collection.countColumn] = .int(0)
        row.members.append(.list(collection, elements.map { .value($0) }))
      case (.map(let property, _, _), .collection(let collection)):
        let keys = try reader.array(.string)
        let elements = try reader.array(property.type)
        // The writer of rows counts the elements.
        row.values[collection.countColumn] = .int(0)
        row.members.append(
          .map(
            collection,
            zip(keys, elements).map { key, value in
              if case .string(let key) = key { (key, .value(value)) } else { ("", .value(value)) }
            }))
      case (.embedded(_, let inner), .embedded(let embedded)):
        row.values[embedded.presence] = try reader.value(.bool)
        try read(inner, embedded.fields, from: &reader, to: &row)
      case (.point(_, let inner), .embedded(let embedded)):
        let presence = try reader.value(.bool)
        row.values[embedded.presence] = presence
        var content = PointColumns.Content(type: "", coordinates: [])
        for field in inner {
          switch field {
          case .coordinates:
            content.coordinates = try reader.array(.double).compactMap(\.doubleValue)
          case .scalar(let property, _):
            if case .string(let type) = try reader.value(property.type) { content.type = type }
          default: break
          }
        }
        // The location is derived from the coordinates.
        _ = try (reader.value(.double), reader.value(.double))
        if !presence.isNull { embedded.point?.write(content, to: &row.values) }
      default: throw separateRows(field)
      }
    }
  }
}

extension PostgresValue {
  /// Creates the value of a property with a single column.
  init(_ value: Value) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int8(value)
    case .float(let value): self = .float4(value)
    case .double(let value): self = .float8(value)
    case .string(let value): self = .text(value)
    case .data(let value): self = .bytea(value)
    case .objectId(let value): self = .bytea(.init(value.bytes))
    case .uuid(let value): self = .uuid(value)
    case .decimal(let value):
      self = PostgresNumeric(value.isNaN ? "NaN" : value.exactText).map { .numeric($0) } ?? .null
    case .geometry(let value): self = .spatial(value.wkb(.extended))
    case .link(let key): self = .int8(key.rawValue)
    case .null, .date, .object, .list, .map: self = .null
    }
  }

  /// The reason for which PostgreSQL cannot represent the value; nil for a valid value.
  var problem: String? {
    switch self {
    case .text(let text) where text.utf8.contains(0):
      "the text contains a null character, which PostgreSQL cannot store"
    case .array(_, let elements): elements.lazy.compactMap(\.problem).first
    default: nil
    }
  }
}

/// A sequential reader of the values of a row, in the order of the table's columns.
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

  /// Reads a date from two columns.
  mutating func date() throws(PostgresError) -> Value {
    let (seconds, nanoseconds) = (try next(), try next())
    switch (seconds, nanoseconds) {
    case (.null, .null): return .null
    case (.int8(let seconds), .int4(let nanoseconds)):
      return .date(Timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds)))
    default: throw unexpected(nanoseconds)
    }
  }

  /// Reads the elements of an array; none for null.
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
  /// Converts the value of a column to the value of a property; nil if the types differ.
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

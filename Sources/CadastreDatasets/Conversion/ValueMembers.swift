import CadastreColumnar
import CadastreFormatting
import CadastreModel
import CadastreStore

/// A converter of the values of records to the properties of a class.
// A class, because it contains further instances for nested records.
final class ValueMembers {
  /// A property and the field of its values.
  private struct Slot {
    let field: ColumnarField
    let property: Property
    let layout: FieldLayout
    /// The converter of nested records; nil for other values.
    let inner: ValueMembers?
  }

  private let slots: [Slot]
  /// The table of the records; nil if they are stored in their owners' rows.
  private let table: TableLayout?
  /// The remarks of the import, to which values are added that the model cannot have; nil for none.
  var remarks: ImportRemarks? {
    didSet { for slot in slots { slot.inner?.remarks = remarks } }
  }

  /// Creates a converter for fields, each with the index of its property.
  init(
    _ fields: [(field: ColumnarField, property: Int)], _ schema: ObjectSchema,
    _ layouts: [FieldLayout], _ catalogue: Catalogue, table: TableLayout? = nil
  ) {
    self.table = table
    slots = fields.map { field, index in
      Slot(
        field: field, property: schema.properties[index], layout: layouts[index],
        inner: Self.inner(field.type, schema.properties[index], layouts[index], catalogue))
    }
  }

  /// Returns the converter of the records in a property; nil if it has none.
  private static func inner(
    _ type: ColumnarType, _ property: Property, _ layout: FieldLayout, _ catalogue: Catalogue
  ) -> ValueMembers? {
    guard let members = members(of: type) else { return nil }
    switch layout {
    case .embedded(let embedded):
      return named(members, embedded.schema, embedded.fields, catalogue)
    case .collection(let collection) where !collection.isOwning: return nil
    case .owned, .collection:
      guard let table = property.objectClassName.flatMap({ catalogue.layout($0) }) else {
        return nil
      }
      return named(members, table.schema, table.fields, catalogue, table: table)
    case .scalar, .link, .pointType, .pointCoordinates: return nil
    }
  }

  private static func members(of type: ColumnarType) -> [ColumnarField]? {
    switch type {
    case .record(let fields): fields
    case .list(.record(let fields), _), .map(_, .record(let fields), _): fields
    default: nil
    }
  }

  /// Creates a converter that finds the properties by the names of the fields.
  private static func named(
    _ fields: [ColumnarField], _ schema: ObjectSchema, _ layouts: [FieldLayout],
    _ catalogue: Catalogue, table: TableLayout? = nil
  ) -> ValueMembers? {
    var pairs: [(ColumnarField, Int)] = []
    for field in fields {
      guard let index = schema.index(of: ImportedClass.propertyName(field.name)) else { return nil }
      pairs.append((field, index))
    }
    return ValueMembers(pairs, schema, layouts, catalogue, table: table)
  }

  /// Sets the counts of the collections of a row to zero.
  func begin(_ row: inout ImportRow) {
    for slot in slots {
      if case .collection(let collection) = slot.layout {
        row.values[collection.countColumn] = .int(0)
      }
    }
  }

  /// Converts the single value of a field.
  func set(_ index: Int, _ value: Value, _ row: inout ImportRow) throws(Rejection) {
    let slot = slots[index]
    guard case .scalar(let column) = slot.layout else {
      if value.isNull { return }
      throw rejection(
        slot, "a \(slot.property.typeDescription)",
        "'\(printable(FieldText.plain(.value(value)).prefix(60)))'")
    }
    row.values[column] = try TypedValue.stored(value, in: slot.property, field: slot.field.name)
  }

  /// Converts the value of a field.
  func set(
    _ index: Int, _ value: ColumnarValue, _ row: inout ImportRow
  ) throws(Rejection) {
    let slot = slots[index]
    switch (slot.layout, value) {
    case (.scalar(let column), .value(let value)):
      row.values[column] = try TypedValue.stored(value, in: slot.property, field: slot.field.name)
    case (.scalar(let column), _): row.values[column] = try nested(value, slot)
    case (.collection, .value(.null)):
      remarks?.add(ImportRemarks.nullCollections)
      // Once is enough.
      remarks = nil
    case (_, .value(.null)): break
    case (.embedded(let embedded), .record(let values)) where slot.inner != nil:
      row.values[embedded.presence] = .int(1)
      try slot.inner?.fill(values, &row)
    case (.owned(let column), .record):
      guard let target = slot.property.objectClassName else { return }
      row.members.append(.owned(column: column, className: target, try object(value, slot)))
    case (.collection(let collection), .list(let values)) where collection.kind != .map:
      var elements: [ImportRow.Element] = []
      elements.reserveCapacity(values.count)
      for value in values { elements.append(try element(value, collection, slot)) }
      row.members.append(.list(collection, elements))
    case (.collection(let collection), .map(let values)) where collection.kind == .map:
      var entries: [(key: String, value: ImportRow.Element)] = []
      var keys: Set<String> = []
      for entry in values {
        let key = try key(entry.key, slot)
        guard keys.insert(key).inserted else {
          throw rejection(slot, "different keys", "'\(printable(key.prefix(40)))' twice")
        }
        entries.append((key, try element(entry.value, collection, slot)))
      }
      row.members.append(.map(collection, entries))
    default: throw rejection(slot, "a \(slot.property.typeDescription)", "another value")
    }
  }

  private func fill(_ values: [ColumnarValue], _ row: inout ImportRow) throws(Rejection) {
    begin(&row)
    for (index, value) in values.enumerated() { try set(index, value, &row) }
  }

  /// Converts an element of a collection.
  private func element(
    _ value: ColumnarValue, _ collection: CollectionLayout, _ slot: Slot
  ) throws(Rejection) -> ImportRow.Element {
    if value.isNull {
      guard slot.property.isOptional || slot.property.type == .any else {
        throw rejection(slot, "elements other than null", "null")
      }
      return .value(.null)
    }
    if collection.isOwning { return .object(try object(value, slot)) }
    guard case .value(let single) = value else { return .value(try nested(value, slot)) }
    return .value(try TypedValue.stored(single, in: slot.property, field: slot.field.name))
  }

  /// Converts a record to a separate row.
  private func object(_ value: ColumnarValue, _ slot: Slot) throws(Rejection) -> ImportRow {
    guard case .record(let values) = value, let inner = slot.inner, let table = inner.table else {
      throw rejection(slot, "an object", "another value")
    }
    var row = ImportRow(columns: table.columns.count)
    try inner.fill(values, &row)
    return row
  }

  private func key(_ value: ColumnarValue, _ slot: Slot) throws(Rejection) -> String {
    guard case .value(.string(let key)) = value else {
      throw rejection(slot, "text as keys", "another value")
    }
    return JSONConversion.mapKey(key)
  }

  /// Converts nested values to a mixed value, or to JSON for a text property.
  private func nested(_ value: ColumnarValue, _ slot: Slot) throws(Rejection) -> Value {
    switch slot.property.type {
    case .any:
      if let value = ColumnarContent.mixed(value, slot.field.type, levels: Value.maximumDepth) {
        return value
      }
      throw rejection(slot, "at most \(Value.maximumDepth) levels", "deeper nested values")
    case .string:
      return .string(FieldText.json(ColumnarContent.content(value, slot.field.type)))
    default: throw rejection(slot, "a \(slot.property.type)", "nested values")
    }
  }

  private func rejection(_ slot: Slot, _ expected: String, _ found: String) -> Rejection {
    Rejection(slot.field.name, "expected \(expected), found \(found)")
  }
}

/// Conversion of nested values of columnar files.
enum ColumnarContent {
  /// Returns nested values as a mixed value; nil if they are nested too deeply.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - type: The type of the value, or of the collection that contains it.
  ///   - levels: The number of levels that the mixed value may have.
  /// - Returns: The result.
  static func mixed(_ value: ColumnarValue, _ type: ColumnarType, levels: Int) -> Value? {
    switch value {
    case .value(let value): return value
    case .list(let elements):
      guard levels > 0 else { return nil }
      var values: [Value] = []
      for element in elements {
        guard let value = mixed(element, self.element(of: type), levels: levels - 1) else {
          return nil
        }
        values.append(value)
      }
      return .list(values)
    case .record, .map:
      guard levels > 0 else { return nil }
      var entries: [(String, Value)] = []
      for (name, value, type) in named(value, type) {
        guard let value = mixed(value, type, levels: levels - 1) else { return nil }
        entries.append((JSONConversion.mapKey(name), value))
      }
      return .map(ValueMap(entries))
    }
  }

  /// Returns nested values as content for JSON.
  static func content(_ value: ColumnarValue, _ type: ColumnarType) -> StoredRecord.Content {
    switch value {
    case .value(let value): .value(value)
    case .list(let elements): .list(elements.map { content($0, element(of: type)) })
    case .record, .map:
      .map(named(value, type).map { (key: $0.name, content: content($0.value, $0.type)) })
    }
  }

  private static func element(of type: ColumnarType) -> ColumnarType {
    if case .list(let element, _) = type { element } else { type }
  }

  /// Returns the members of a record, or the entries of a map with their keys as text.
  private static func named(
    _ value: ColumnarValue, _ type: ColumnarType
  ) -> [(name: String, value: ColumnarValue, type: ColumnarType)] {
    switch (value, type) {
    case (.record(let values), .record(let fields)):
      zip(fields, values).map { ($0.name, $1, $0.type) }
    case (.map(let entries), .map(let keyType, let valueType, _)):
      entries.map { entry in
        (FieldText.plain(content(entry.key, keyType)), entry.value, valueType)
      }
    // The value is an element, and the type is the type of its collection.
    case (_, .list(let element, _)): named(value, element)
    case (_, .map(_, let element, _)): named(value, element)
    default: []
    }
  }
}

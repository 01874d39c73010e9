import CadastreFormatting
import CadastreModel
import CadastreStore

/// A converter of the members of JSON objects to the properties of a class.
// A class, because it contains further instances for nested objects.
final class JSONMembers {
  /// A property and the name of its member.
  private final class Slot {
    let name: String
    let property: Property
    let field: FieldLayout
    private let catalogue: Catalogue

    init(_ name: String, _ property: Property, _ field: FieldLayout, _ catalogue: Catalogue) {
      self.name = name
      self.property = property
      self.field = field
      self.catalogue = catalogue
    }

    /// The converter for nested objects; created lazily because classes may be recursive.
    lazy var inner: JSONMembers? =
      switch field {
      case .embedded(let embedded):
        JSONMembers(embedded.schema, embedded.fields, catalogue)
      case .owned: ownRows
      case .collection(let collection): collection.isOwning ? ownRows : nil
      case .scalar, .link, .pointType, .pointCoordinates: nil
      }

    /// The converter for objects with separate rows.
    private var ownRows: JSONMembers? {
      property.objectClassName.flatMap { catalogue.layout($0) }.map {
        JSONMembers($0.schema, $0.fields, catalogue, table: $0)
      }
    }
  }

  /// Whether the current object has a value, for each slot.
  typealias Presence = [Bool]

  private let slots: [Slot]
  private var names: JSONNameIndex
  /// The table of the objects; nil if they are stored in their owners' rows.
  private let table: TableLayout?
  /// The remarks of the import, to which values are added that the model cannot have; nil for none.
  var remarks: ImportRemarks?

  /// Creates a converter for members, each given by its name and the index of its property.
  init(
    _ members: [(name: String, property: Int)], _ schema: ObjectSchema, _ fields: [FieldLayout],
    _ catalogue: Catalogue, table: TableLayout? = nil
  ) {
    names = JSONNameIndex(members.map(\.name))
    slots = members.map { Slot($0, schema.properties[$1], fields[$1], catalogue) }
    self.table = table
  }

  /// Creates a converter for all properties of an embedded class.
  private convenience init(
    _ schema: ObjectSchema, _ fields: [FieldLayout], _ catalogue: Catalogue,
    table: TableLayout? = nil
  ) {
    self.init(
      schema.properties.enumerated().map { ($1.name, $0) }, schema, fields, catalogue, table: table)
  }

  // MARK: Objects

  /// Begins an object and sets the counts of its collections to zero.
  func begin(_ row: inout ImportRow) -> Presence {
    for slot in slots {
      if case .collection(let collection) = slot.field {
        row.values[collection.countColumn] = .int(0)
      }
    }
    return Array(repeating: false, count: slots.count)
  }

  /// Converts a member of the object.
  func set(
    _ index: Int, _ record: JSONRecord, _ node: Int, _ row: inout ImportRow,
    _ presence: inout Presence
  ) throws(Rejection) {
    let slot = slots[index]
    guard record[node].kind != .null else {
      if case .collection = slot.field {
        remarks?.add(ImportRemarks.nullCollections)
        // Once is enough.
        remarks = nil
      }
      return
    }
    presence[index] = true
    switch slot.field {
    case .scalar(let column): row.values[column] = try scalar(record, node, slot)
    case .embedded(let embedded):
      if embedded.point != nil {
        try setPoint(record, node, embedded, slot, &row)
      } else {
        guard let inner = slot.inner, record[node].kind == .object else {
          throw rejection(slot, "an object", record, node)
        }
        row.values[embedded.presence] = .int(1)
        try inner.fill(record, node, &row)
      }
    case .collection(let collection):
      row.members.append(try self.collection(record, node, collection, slot))
    case .owned(let column):
      guard let target = slot.property.objectClassName else { return }
      row.members.append(
        .owned(column: column, className: target, try object(record, node, slot)))
    case .link, .pointType, .pointCoordinates:
      throw rejection(
        slot, "no value, because it is a \(slot.property.typeDescription)", record, node)
    }
  }

  /// Ends an object; throws if a required value is missing.
  func end(_ presence: Presence, _ row: inout ImportRow) throws(Rejection) {
    for (slot, isPresent) in zip(slots, presence) where !isPresent {
      guard case .scalar = slot.field, !slot.property.isOptional, slot.property.type != .any else {
        continue
      }
      throw Rejection(
        field: slot.name,
        reason: "'\(printable(slot.name))' is missing or null; expected "
          + "\(articled(slot.property.type)), which is required")
    }
  }

  /// Converts all members of an object into a row.
  private func fill(_ record: JSONRecord, _ object: Int, _ row: inout ImportRow) throws(Rejection) {
    var presence = begin(&row)
    names.rewind()
    for (name, value) in record.members(of: object) {
      guard let index = names.index(record, name) ?? index(record, name) else {
        throw Rejection(
          field: record.text(name),
          reason: "'\(printable(record.text(name)))' is no property of the class")
      }
      try set(index, record, value, &row, &presence)
    }
    try end(presence, &row)
  }

  /// Returns the slot of a member whose property has a modified name.
  private func index(_ record: JSONRecord, _ name: Int) -> Int? {
    let property = ImportedClass.propertyName(record.text(name))
    return slots.firstIndex { $0.name == property }
  }

  // MARK: Values

  private func scalar(
    _ record: JSONRecord, _ node: Int, _ slot: Slot
  ) throws(Rejection) -> Value {
    if let value = JSONConversion.value(record, node, slot.property.type) { return value }
    throw rejection(slot, "a \(slot.property.type)", record, node)
  }

  private func setPoint(
    _ record: JSONRecord, _ node: Int, _ embedded: EmbeddedLayout, _ slot: Slot,
    _ row: inout ImportRow
  ) throws(Rejection) {
    guard record[node].kind == .object else { throw rejection(slot, "a point", record, node) }
    guard let point = try JSONPoint.coordinates(record, node, slot.name) else {
      return
    }
    embedded.write(
      longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
  }

  private func collection(
    _ record: JSONRecord, _ node: Int, _ collection: CollectionLayout, _ slot: Slot
  ) throws(Rejection) -> ImportRow.Member {
    guard collection.kind == .map else {
      guard record[node].kind == .array else { throw rejection(slot, "an array", record, node) }
      var elements: [ImportRow.Element] = []
      for element in record.elements(of: node) {
        elements.append(try self.element(record, element, collection, slot))
      }
      return .list(collection, elements)
    }
    guard record[node].kind == .object else { throw rejection(slot, "an object", record, node) }
    var entries: [(key: String, value: ImportRow.Element)] = []
    for (name, value) in record.members(of: node) {
      entries.append(
        (JSONConversion.mapKey(record.text(name)), try element(record, value, collection, slot)))
    }
    return .map(collection, entries)
  }

  private func element(
    _ record: JSONRecord, _ node: Int, _ collection: CollectionLayout, _ slot: Slot
  ) throws(Rejection) -> ImportRow.Element {
    if record[node].kind == .null {
      guard slot.property.isOptional || slot.property.type == .any else {
        throw rejection(slot, "elements other than null", record, node)
      }
      return .value(.null)
    }
    guard collection.isOwning else { return .value(try scalar(record, node, slot)) }
    return .object(try object(record, node, slot))
  }

  /// Converts an object to a separate row.
  private func object(
    _ record: JSONRecord, _ node: Int, _ slot: Slot
  ) throws(Rejection) -> ImportRow {
    guard record[node].kind == .object, let inner = slot.inner, let table = inner.table else {
      throw rejection(slot, "an object", record, node)
    }
    var row = ImportRow(columns: table.columns.count)
    guard let columns = table.point else {
      try inner.fill(record, node, &row)
      return row
    }
    guard let point = try JSONPoint.coordinates(record, node, slot.name) else {
      throw rejection(slot, "a point with coordinates", record, node)
    }
    columns.write(
      PointColumns.Content(
        type: PointShape.typeName,
        coordinates: [point.longitude, point.latitude] + (point.altitude.map { [$0] } ?? [])),
      to: &row.values)
    return row
  }

  // MARK: Messages

  private func rejection(
    _ slot: Slot, _ expected: String, _ record: JSONRecord, _ node: Int
  ) -> Rejection {
    Rejection(
      slot.name,
      "expected \(expected), found "
        + Self.quoted(record, node))
  }

  /// Returns a short form of a value for messages.
  static func quoted(_ record: JSONRecord, _ node: Int) -> String {
    switch record[node].kind {
    case .null: "null"
    case .true: "true"
    case .false: "false"
    case .integer, .number: printable(record.text(node).prefix(40))
    case .string: "'\(printable(record.text(node).prefix(40)))'"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

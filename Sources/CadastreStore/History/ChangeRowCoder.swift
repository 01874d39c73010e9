import CadastreModel

/// The bytes of objects, or of some of their properties, in a change record.
///
/// Values follow each other in the order of the properties, so that the bytes do not depend on the columns of the table.
/// Whether an embedded object exists is a part of the bytes, its presence number is not.
struct ChangeRowCoder {
  /// The tables of the objects that are written or read.
  let catalogue: Catalogue
  /// Returns the object to which a link refers after objects got other keys; nil for an object that does not exist.
  var translation: ((ObjectAddress) -> ObjectAddress?)?

  /// Appends some properties of a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - names: The properties, in this order.
  ///   - layout: The table of the row.
  ///   - writer: Receives the bytes.
  func write(
    _ row: ImportRow, _ names: [String], of layout: TableLayout, to writer: inout ChangeByteWriter
  ) {
    for name in names {
      guard let index = layout.schema.index(of: name) else { continue }
      write(row, layout.schema.properties[index], layout.fields[index], to: &writer)
    }
  }

  private func write(
    _ row: ImportRow, _ property: Property, _ field: FieldLayout, to writer: inout ChangeByteWriter
  ) {
    switch field {
    case .scalar(let column), .link(let column):
      writer.append(translated(row.values[column], of: property.objectClassName) ?? .null)
    case .embedded(let embedded):
      let exists = !row.values[embedded.presence].isNull
      writer.append(exists)
      guard exists else { return }
      for column in embedded.point?.all ?? [] { writer.append(row.values[column]) }
      for (property, field) in zip(embedded.schema.properties, embedded.fields) {
        write(row, property, field, to: &writer)
      }
    case .owned(let column):
      for case .owned(column, let className, let member) in row.members {
        writer.append(true)
        return write(member, of: className, to: &writer)
      }
      writer.append(false)
    case .collection(let collection):
      for member in row.members {
        switch member {
        case .list(collection, let elements):
          writer.append(true)
          writer.append(count: elements.count)
          for element in elements { write(element, collection, to: &writer) }
          return
        case .map(collection, let entries):
          writer.append(true)
          writer.append(count: entries.count)
          for entry in entries {
            writer.append(entry.key)
            write(entry.value, collection, to: &writer)
          }
          return
        case .list, .map, .owned: break
        }
      }
      writer.append(false)
    case .pointType, .pointCoordinates: break
    }
  }

  private func write(
    _ element: ImportRow.Element, _ collection: CollectionLayout, to writer: inout ChangeByteWriter
  ) {
    switch element {
    case .value(let value): writer.append(translated(value, of: collection.target) ?? .null)
    case .object(let row):
      if let target = collection.target { write(row, of: target, to: &writer) }
    }
  }

  /// Appends all properties of an embedded object with a row of its own.
  private func write(
    _ row: ImportRow, of className: String, to writer: inout ChangeByteWriter
  ) {
    guard let layout = catalogue.layout(className) else { return }
    for column in layout.point?.all ?? [] { writer.append(row.values[column]) }
    write(row, layout.schema.properties.map(\.name), of: layout, to: &writer)
  }

  /// A row, and whether all its links are complete.
  struct Reading {
    /// The row; links to objects that do not exist are null or left out.
    var row: ImportRow
    /// Whether the translation knows all objects of the links.
    var isComplete = true
  }

  /// Reads some properties of a row.
  ///
  /// - Parameters:
  ///   - names: The properties that were written, which the class has.
  ///   - layout: The table of the row.
  ///   - reader: The bytes.
  /// - Returns: The row; its other columns are null.
  /// - Throws: ``InvalidChangeBytes``.
  func read(
    _ names: [String], of layout: TableLayout, from reader: inout ChangeByteReader
  ) throws(InvalidChangeBytes) -> Reading {
    var reading = Reading(row: ImportRow(columns: layout.columns.count))
    for name in names {
      guard let index = layout.schema.index(of: name) else { throw InvalidChangeBytes() }
      try read(layout.schema.properties[index], layout.fields[index], from: &reader, to: &reading)
    }
    return reading
  }

  private func read(
    _ property: Property, _ field: FieldLayout, from reader: inout ChangeByteReader,
    to reading: inout Reading
  ) throws(InvalidChangeBytes) {
    switch field {
    case .scalar(let column), .link(let column):
      let value = translated(try reader.value(), of: property.objectClassName)
      reading.row.values[column] = value ?? .null
      if value == nil { reading.isComplete = false }
    case .embedded(let embedded):
      guard try reader.flag() else { return }
      reading.row.values[embedded.presence] = .int(1)
      for column in embedded.point?.all ?? [] { reading.row.values[column] = try reader.value() }
      for (property, field) in zip(embedded.schema.properties, embedded.fields) {
        try read(property, field, from: &reader, to: &reading)
      }
    case .owned(let column):
      guard try reader.flag() else { return }
      guard let className = property.objectClassName else { throw InvalidChangeBytes() }
      let member = try read(className, from: &reader, &reading)
      reading.row.members.append(.owned(column: column, className: className, member))
    case .collection(let collection):
      guard try reader.flag() else { return }
      reading.row.values[collection.countColumn] = .int(0)
      reading.row.members.append(try member(collection, from: &reader, &reading))
    case .pointType, .pointCoordinates: break
    }
  }

  private func member(
    _ collection: CollectionLayout, from reader: inout ChangeByteReader, _ reading: inout Reading
  ) throws(InvalidChangeBytes) -> ImportRow.Member {
    let count = try reader.count()
    guard collection.kind == .map else {
      var elements: [ImportRow.Element] = []
      for _ in 0..<count {
        if let element = try element(collection, from: &reader, &reading) {
          elements.append(element)
        }
      }
      return .list(collection, elements)
    }
    var entries: [(key: String, value: ImportRow.Element)] = []
    for _ in 0..<count {
      let key = try reader.text()
      entries.append((key, try element(collection, from: &reader, &reading) ?? .value(.null)))
    }
    return .map(collection, entries)
  }

  /// Reads an element; nil for a link to an object that does not exist.
  private func element(
    _ collection: CollectionLayout, from reader: inout ChangeByteReader, _ reading: inout Reading
  ) throws(InvalidChangeBytes) -> ImportRow.Element? {
    if collection.isOwning, let target = collection.target {
      return .object(try read(target, from: &reader, &reading))
    }
    guard let value = translated(try reader.value(), of: collection.target) else {
      reading.isComplete = false
      return nil
    }
    return .value(value)
  }

  /// Reads an embedded object with a row of its own.
  private func read(
    _ className: String, from reader: inout ChangeByteReader, _ reading: inout Reading
  ) throws(InvalidChangeBytes) -> ImportRow {
    guard let layout = catalogue.layout(className) else { throw InvalidChangeBytes() }
    var point: [Value] = []
    for _ in layout.point?.all ?? [] { point.append(try reader.value()) }
    var member = try read(layout.schema.properties.map(\.name), of: layout, from: &reader)
    for (column, value) in zip(layout.point?.all ?? [], point) { member.row.values[column] = value }
    if !member.isComplete { reading.isComplete = false }
    return member.row
  }

  /// Returns a value with translated links.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - className: The class of a link whose value does not name it.
  /// - Returns: The value; nil if an object does not exist.
  private func translated(_ value: Value, of className: String?) -> Value? {
    guard let translation else { return value }
    return value.mapLinks { link in
      switch link {
      case .link(let key):
        guard let className else { return link }
        return translation(ObjectAddress(className: className, key: key)).map { .link($0.key) }
      case .object(let address): return translation(address).map { .object($0) }
      default: return link
      }
    }
  }
}

package import CadastreModel

/// The conversion of stored objects to rows of another table, which may be in another store, by the names of their
/// properties.
package final class RowCopy {
  private let reader: any StoreReader
  private let target: Catalogue
  /// Whether links are kept, because both tables are in one store; otherwise they are null.
  private let keepsLinks: Bool

  /// The number of links that were not kept.
  package private(set) var droppedLinks = 0

  /// The maximum number of levels of embedded objects; a damaged file may have a cycle.
  private static let maximumDepth = 500

  /// A class and the storage of its properties.
  private typealias Fields = (schema: ObjectSchema, layouts: [FieldLayout])

  /// Creates a conversion.
  ///
  /// - Parameters:
  ///   - reader: The access to the objects.
  ///   - target: The tables of the new rows.
  ///   - keepsLinks: Whether links are kept.
  package init(from reader: any StoreReader, to target: Catalogue, keepsLinks: Bool) {
    self.reader = reader
    self.target = target
    self.keepsLinks = keepsLinks
  }

  /// Returns a stored object as a row of a table, with its embedded objects and its collections.
  ///
  /// - Parameters:
  ///   - key: The object.
  ///   - source: The table of the object.
  ///   - layout: The table of the row.
  ///   - names: The properties that are read; nil for all.
  /// - Returns: The row; properties that the object does not have are null.
  /// - Throws: ``StoreError`` if the object does not exist or the file is damaged.
  package func row(
    _ key: ObjectKey, _ source: TableLayout, as layout: TableLayout, only names: Set<String>? = nil
  ) throws(StoreError) -> ImportRow {
    try row(key, source, as: layout, only: names, depth: 1)
  }

  private func row(
    _ key: ObjectKey, _ source: TableLayout, as layout: TableLayout,
    only names: Set<String>? = nil, depth: Int
  ) throws(StoreError) -> ImportRow {
    guard depth <= Self.maximumDepth else {
      throw corrupt("embedded objects have more than \(Self.maximumDepth) levels")
    }
    guard let values = try reader.row(source, key) else {
      throw corrupt("class '\(source.schema.className)' has no object with the key \(key)")
    }
    var row = ImportRow(columns: layout.columns.count)
    // The columns of a point with a separate row belong to no property.
    if let old = source.point, let new = layout.point {
      for (from, to) in zip(old.all, new.all) { row.values[to] = values[from] }
    }
    try copy(
      values, key, (source.schema, source.fields), (layout.schema, layout.fields), only: names,
      to: &row, depth)
    return row
  }

  private func copy(
    _ values: [Value], _ key: ObjectKey, _ old: Fields, _ new: Fields, only names: Set<String>?,
    to row: inout ImportRow, _ depth: Int
  ) throws(StoreError) {
    for (property, field) in zip(new.schema.properties, new.layouts) {
      guard names?.contains(property.name) ?? true,
        let index = old.schema.index(of: property.name)
      else { continue }
      switch (old.layouts[index], field) {
      case (.scalar(let from), .scalar(let to)): row.values[to] = linked(values[from])
      case (.link(let from), .link(let to)): row.values[to] = linked(values[from])
      case (.embedded(let from), .embedded(let to)):
        row.values[to.presence] = values[from.presence]
        if let old = from.point, let new = to.point {
          for (from, to) in zip(old.all, new.all) { row.values[to] = values[from] }
        }
        try copy(
          values, key, (from.schema, from.fields), (to.schema, to.fields), only: nil, to: &row,
          depth)
      case (.owned(let from), .owned(let to)):
        guard case .link(let part) = values[from], let name = property.objectClassName else {
          continue
        }
        row.members.append(
          .owned(column: to, className: name, try embedded(part, name, depth + 1)))
      case (.collection(let from), .collection(let to)):
        guard !values[from.countColumn].isNull else { continue }
        row.values[to.countColumn] = .int(0)
        row.members.append(try member(from, to, of: key, depth))
      default: continue
      }
    }
  }

  private func member(
    _ old: CollectionLayout, _ new: CollectionLayout, of key: ObjectKey, _ depth: Int
  ) throws(StoreError) -> ImportRow.Member {
    let reading = CollectionReader(old, reader)
    guard old.kind == .map else {
      var elements: [ImportRow.Element] = []
      for value in try reading.values(key) { elements.append(try element(value, old, depth)) }
      return .list(new, elements)
    }
    var entries: [(key: String, value: ImportRow.Element)] = []
    for entry in try reading.entries(key) {
      entries.append((entry.key, try element(entry.value, old, depth)))
    }
    return .map(new, entries)
  }

  private func element(
    _ value: Value, _ collection: CollectionLayout, _ depth: Int
  ) throws(StoreError) -> ImportRow.Element {
    guard collection.isOwning, let name = collection.target, case .link(let key) = value else {
      return .value(linked(value))
    }
    return .object(try embedded(key, name, depth + 1))
  }

  private func embedded(
    _ key: ObjectKey, _ className: String, _ depth: Int
  ) throws(StoreError) -> ImportRow {
    guard let source = reader.catalogue.layout(className), let layout = target.layout(className)
    else { throw corrupt("class '\(className)' has no table") }
    return try row(key, source, as: layout, depth: depth)
  }

  /// Returns a value whose links are null, unless links are kept.
  private func linked(_ value: Value) -> Value {
    guard !keepsLinks else { return value }
    return value.mapLinks { _ in
      droppedLinks += 1
      return .null
    } ?? value
  }

  private func corrupt(_ reason: String) -> StoreError {
    StoreError(.corrupt(reason), path: reader.connection.path)
  }
}

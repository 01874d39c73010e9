import CadastreModel

/// The columns of some fields of a row, by their content.
struct FieldColumns {
  /// Columns of values and links.
  private(set) var values: [Int] = []
  /// Columns with a number where an embedded object exists, and null where it does not.
  private(set) var presences: [Int] = []
  /// Columns with the keys of embedded objects' rows.
  private(set) var owned: [Int] = []
  /// The collections, whose counts are columns.
  private(set) var collections: [CollectionLayout] = []

  init(_ fields: [FieldLayout]) {
    for field in fields { add(field) }
  }

  /// The columns of all fields.
  var all: [Int] { values + presences + members }

  /// The columns that refer to other tables: keys of owned rows, and counts of collections.
  var members: [Int] { owned + collections.map(\.countColumn) }

  private mutating func add(_ field: FieldLayout) {
    switch field {
    case .scalar(let column), .link(let column): values.append(column)
    case .owned(let column): owned.append(column)
    case .collection(let collection): collections.append(collection)
    case .embedded(let embedded):
      presences.append(embedded.presence)
      if let point = embedded.point { values += point.all }
      for field in embedded.fields { add(field) }
    case .pointType, .pointCoordinates: break
    }
  }
}

/// A comparison of the parts of a row that other tables store with the stored parts.
struct StoredMembers {
  let transaction: WriteTransaction

  /// Returns whether the members of a row equal those of a stored object.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - columns: The fields that are compared.
  ///   - layout: The table of the object.
  ///   - key: The key of the object.
  /// - Returns: Whether they are equal; false also where the stored row cannot be compared.
  /// - Throws: ``StoreError`` when reading fails.
  func contain(
    _ row: ImportRow, _ columns: FieldColumns, _ layout: TableLayout, _ key: ObjectKey
  ) throws(StoreError) -> Bool {
    for collection in columns.collections {
      guard try contains(row, collection, key) else { return false }
    }
    for column in columns.owned {
      guard let stored = try transaction.value(layout, key, column),
        try contains(row, stored, column)
      else { return false }
    }
    return true
  }

  /// Returns whether an embedded object of a row equals the stored one.
  private func contains(
    _ row: ImportRow, _ stored: Value, _ column: Int
  ) throws(StoreError) -> Bool {
    for case .owned(column, let className, let member) in row.members {
      guard case .link(let key) = stored else { return false }
      return try contains(member, className, key)
    }
    return stored.isNull
  }

  /// Returns whether the elements of a row's collection equal the stored ones.
  private func contains(
    _ row: ImportRow, _ collection: CollectionLayout, _ key: ObjectKey
  ) throws(StoreError) -> Bool {
    let reader = try CollectionReader(collection, transaction.flush(.elements))
    let count = try reader.count(key)
    for member in row.members {
      switch member {
      case .list(let other, let elements) where other.tableName == collection.tableName:
        guard elements.count == count else { return false }
        let stored = try reader.values(key)
        guard collection.kind == .list else { return Self.haveSame(elements, stored) }
        for (element, value) in zip(elements, stored) {
          guard try isSame(element, value, collection) else { return false }
        }
        return stored.count == count
      case .map(let other, let entries) where other.tableName == collection.tableName:
        guard entries.count == count else { return false }
        let stored = try reader.entries(key)
        let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (entry, other) in zip(sorted, stored) {
          guard entry.key.hasSameBytes(as: other.key),
            try isSame(entry.value, other.value, collection)
          else { return false }
        }
        return stored.count == count
      case .list, .map, .owned: break
      }
    }
    return count == 0
  }

  private static func haveSame(_ elements: [ImportRow.Element], _ stored: [Value]) -> Bool {
    let values = elements.compactMap { if case .value(let value) = $0 { value } else { nil } }
    return values.count == stored.count && Set(values) == Set(stored)
  }

  private func isSame(
    _ element: ImportRow.Element, _ stored: Value, _ collection: CollectionLayout
  ) throws(StoreError) -> Bool {
    switch (element, stored) {
    case (.value(let value), _): return value == stored
    case (.object(let row), .link(let key)):
      guard let target = collection.target else { return false }
      return try contains(row, target, key)
    case (.object, _): return false
    }
  }

  /// Returns whether a row equals a stored embedded object.
  private func contains(
    _ row: ImportRow, _ className: String, _ key: ObjectKey
  ) throws(StoreError) -> Bool {
    guard let layout = transaction.catalogue.layout(className),
      let stored = try transaction.row(layout, key)
    else { return false }
    let columns = FieldColumns(layout.fields)
    // The columns of a point with a separate row belong to no field.
    let values = columns.values + (layout.point?.all ?? [])
    guard values.allSatisfy({ row.values[$0] == stored[$0] }),
      columns.presences.allSatisfy({ row.values[$0].isNull == stored[$0].isNull })
    else { return false }
    return try contain(row, columns, layout, key)
  }
}

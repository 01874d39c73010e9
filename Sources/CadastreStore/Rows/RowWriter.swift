package import CadastreModel
package import CadastreSQLite

/// A writer of rows with their collections and owned objects.
package struct RowWriter {
  /// The fields that an update sets, and their columns.
  private struct NamedFields {
    let fields: [FieldLayout]
    let columns: FieldColumns
    /// The columns of values and links that the update sets.
    var values: [Int]

    init(_ fields: [FieldLayout], preserved: [Int]) {
      self.fields = fields
      columns = FieldColumns(fields)
      values = columns.values.filter { !preserved.contains($0) }
    }
  }

  private let transaction: WriteTransaction
  private let layout: TableLayout
  /// The indexes of the properties with values in rows.
  private let properties: [Int]
  /// The fields of these properties.
  private let named: NamedFields
  /// The point whose altitude an update preserves, because rows have only its longitude and latitude.
  private let flatPoint: EmbeddedLayout?
  /// The columns that an update preserves: the primary key and the altitude of `flatPoint`.
  private let preserved: [Int]
  private let finder: StoredRowFinder?
  private let keyColumn: Int?

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - layout: The table of the objects.
  ///   - properties: The indexes of the properties with values in rows.
  ///   - flatPoint: A point of which rows have only longitude and latitude; nil for none.
  package init(
    _ transaction: WriteTransaction, _ layout: TableLayout, properties: [Int],
    flatPoint: EmbeddedLayout? = nil
  ) {
    self.transaction = transaction
    self.layout = layout
    self.properties = properties
    self.flatPoint = flatPoint
    let keyColumn = layout.schema.primaryKeyProperty.flatMap(layout.column)
    preserved = [keyColumn, flatPoint?.point?.altitude].compactMap(\.self)
    named = NamedFields(properties.map { layout.fields[$0] }, preserved: preserved)
    self.keyColumn = keyColumn
    finder = keyColumn.map { StoredRowFinder(transaction, layout, keyColumn: $0) }
  }

  /// Returns the stored object with the primary key of a row; nil if there is none.
  package func existing(_ row: ImportRow) throws(StoreError) -> ObjectKey? {
    guard let keyColumn else { return nil }
    return try transaction.key(layout.schema.className, primaryKey: row.values[keyColumn])
  }

  /// Inserts an object.
  ///
  /// - Parameter row: The row.
  /// - Returns: The key of the object.
  /// - Throws: ``StoreError``; after `duplicateKey` nothing has changed.
  @discardableResult
  package func insert(_ row: ImportRow) throws(StoreError) -> ObjectKey {
    try insert(layout.schema.className, row)
  }

  /// Inserts objects without parts in other tables, up to one whose primary key exists.
  ///
  /// - Parameter rows: The values of the rows.
  /// - Returns: The number of inserted objects. Where it is less than the number of rows, another object has
  ///   the primary key of the next row.
  /// - Throws: ``StoreError``; after `duplicateKey`, which is about the first row, nothing has changed.
  package func insert(_ rows: ArraySlice<[Value]>) throws(StoreError) -> Int {
    try transaction.insert(layout.schema.className, rows).count
  }

  /// The outcome of an upsert.
  package enum Outcome { case inserted, updated, unchanged }

  /// Updates the object with the primary key of a row, or inserts one.
  ///
  /// Only columns whose values differ are written. Properties that rows do not have, or that are absent in
  /// this row, stay as they are.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - version: A column whose equal value shows that the object has not changed; nil to compare all
  ///     columns. It is ignored for a row in which it is absent.
  /// - Returns: The key of the object, and the outcome; `unchanged` where the object has these values already
  ///   and nothing was written.
  /// - Throws: ``StoreError``; after `duplicateKey` nothing has changed.
  /// - Complexity: O(log n).
  package func upsert(
    _ row: ImportRow, version: Int? = nil
  ) throws(StoreError) -> (outcome: Outcome, key: ObjectKey) {
    let named = named(by: row)
    let version = version.flatMap { $0 == keyColumn || named.values.contains($0) ? $0 : nil }
    guard let keyColumn,
      let (key, differences) = try finder?.withRow(
        primaryKey: row.values[keyColumn],
        { key, contains -> (ObjectKey, [Int]?) in
          if let version, contains(version, row.values[version]) { return (key, nil) }
          // An embedded object that exists before and after the update keeps its presence number.
          let presences = named.columns.presences.filter {
            contains($0, .null) != row.values[$0].isNull
          }
          return (key, named.values.filter { !contains($0, row.values[$0]) } + presences)
        })
    else {
      return (.inserted, try insert(row))
    }
    guard let changed = differences else { return (.unchanged, key) }
    let className = layout.schema.className
    guard try StoredMembers(transaction: transaction).contain(row, named.columns, layout, key)
    else {
      try replace(key, row, named, changed)
      return (.updated, key)
    }
    guard !changed.isEmpty else { return (.unchanged, key) }
    try transaction.update(className, key, changed.map { ($0, row.values[$0]) })
    return (.updated, key)
  }

  /// Sets the properties of a stored object that rows have values for, except its primary key.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - row: The row.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(log n).
  package func update(_ key: ObjectKey, _ row: ImportRow) throws(StoreError) {
    guard let stored = try transaction.row(layout, key) else { return }
    let named = named(by: row)
    // An embedded object that exists before and after the update keeps its presence number.
    let presences = named.columns.presences.filter { stored[$0].isNull != row.values[$0].isNull }
    try replace(key, row, named, named.values.filter { stored[$0] != row.values[$0] } + presences)
  }

  /// Returns the fields that an update with a row sets.
  private func named(by row: ImportRow) -> NamedFields {
    var named = named
    if !row.absent.isEmpty {
      let absent = Set(row.absent)
      named = NamedFields(
        properties.filter { !absent.contains($0) }.map { layout.fields[$0] }, preserved: preserved)
    }
    // A row whose point is null sets the altitude to null too.
    if let flatPoint, let altitude = flatPoint.point?.altitude,
      row.values[flatPoint.presence].isNull, named.columns.presences.contains(flatPoint.presence)
    {
      named.values.append(altitude)
    }
    return named
  }

  /// Sets columns of an object, and replaces the parts of the named fields in other tables.
  private func replace(
    _ key: ObjectKey, _ row: ImportRow, _ named: NamedFields, _ changed: [Int]
  ) throws(StoreError) {
    let className = layout.schema.className
    var owned: [ObjectAddress] = []
    for field in named.fields { try clear(field, of: key, &owned) }
    let changes = (changed + named.columns.members).map { ($0, row.values[$0]) }
    if !changes.isEmpty { try transaction.update(className, key, changes) }
    for object in owned { try transaction.deleteOwned(object) }
    try write(row.members, of: className, key)
  }

  /// Removes the parts of a field in other tables; appends owned objects to `owned` instead of deleting them.
  private func clear(
    _ field: FieldLayout, of key: ObjectKey, _ owned: inout [ObjectAddress]
  ) throws(StoreError) {
    switch field {
    case .collection(let collection): try transaction.removeAll(from: collection, of: key)
    case .embedded(let embedded):
      guard !embedded.fields.collections.isEmpty || !embedded.fields.ownedColumns.isEmpty else {
        return
      }
      try transaction.deleteMembers(of: embedded, in: layout.schema.className, key)
    case .owned(let column):
      guard let target = layout.owned.first(where: { $0.column == column })?.target,
        case .link(let member)? = try transaction.value(layout, key, column)
      else { return }
      owned.append(ObjectAddress(className: target, key: member))
    case .scalar, .link, .pointType, .pointCoordinates: break
    }
  }

  @discardableResult
  private func insert(_ className: String, _ row: ImportRow) throws(StoreError) -> ObjectKey {
    let key = try transaction.insert(className, row.values)
    try write(row.members, of: className, key)
    return key
  }

  private func write(
    _ members: [ImportRow.Member], of className: String, _ key: ObjectKey
  ) throws(StoreError) {
    for member in members {
      switch member {
      case .list(let collection, let elements):
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try stored(element, collection)) }
        try fill(collection, of: key, with: values)
      case .map(let collection, let entries):
        for entry in entries {
          try transaction.set(
            try stored(entry.value, collection), forKey: entry.key, in: collection, of: key)
        }
      case .owned(let column, let target, let row):
        let member = try insert(target, row)
        try transaction.update(className, key, [(column, .link(member))])
      }
    }
  }

  private func fill(
    _ collection: CollectionLayout, of key: ObjectKey, with values: [Value]
  ) throws(StoreError) {
    guard collection.kind == .set else {
      if !values.isEmpty { try transaction.append(values, to: collection, of: key) }
      return
    }
    for value in values { _ = try transaction.insert(value, into: collection, of: key) }
  }

  /// Returns the stored value of an element; inserts the row of an embedded object.
  private func stored(
    _ element: ImportRow.Element, _ collection: CollectionLayout
  ) throws(StoreError) -> Value {
    switch element {
    case .value(let value): return value
    case .object(let row):
      // Only collections of embedded objects contain objects.
      guard let target = collection.target else { return .null }
      return .link(try insert(target, row))
    }
  }
}

/// An object to be stored: a row, its collections and its owned objects.
package struct ImportRow: Sendable {
  /// A part of the object that is stored in another table.
  package enum Member: Sendable {
    case list(CollectionLayout, [Element])
    case map(CollectionLayout, [(key: String, value: Element)])
    /// An embedded object with its own row, referenced by a column of this row.
    case owned(column: Int, className: String, ImportRow)
  }

  /// An element of a collection.
  package enum Element: Sendable {
    case value(Value)
    /// An embedded object of the collection's class.
    case object(ImportRow)

    /// The value; nil for an embedded object.
    package var value: Value? { if case .value(let value) = self { value } else { nil } }
  }

  /// A value for each column of the table.
  package var values: [Value]
  /// The parts that are stored in other tables.
  package var members: [Member] = []
  /// The indexes of the properties that the record does not name; an update does not change them.
  package var absent: [Int] = []

  /// Returns the elements of a list or set; nil if the row has none.
  package func elements(of collection: CollectionLayout) -> [Element]? {
    for case .list(collection, let elements) in members { return elements }
    return nil
  }

  /// Returns the entries of a map; nil if the row has none.
  package func entries(of collection: CollectionLayout) -> [(key: String, value: Element)]? {
    for case .map(collection, let entries) in members { return entries }
    return nil
  }

  /// Creates a row of nulls.
  package init(columns: Int) { values = Array(repeating: .null, count: columns) }
}

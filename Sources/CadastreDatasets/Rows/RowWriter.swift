import CadastreModel
import CadastreStore

/// Adds and changes the objects of a class, with all that belongs to them.
struct RowWriter {
  private let transaction: WriteTransaction
  private let layout: TableLayout
  /// The fields that rows say something about.
  private let fields: [FieldLayout]
  /// Their columns, but for the primary key's.
  private let columns: [Int]
  private let keyColumn: Int?

  /// Writes rows that say something about some of the class's properties, given by their indexes.
  init(_ transaction: WriteTransaction, _ layout: TableLayout, properties: [Int]) {
    self.transaction = transaction
    self.layout = layout
    fields = properties.map { layout.fields[$0] }
    let keyColumn = layout.schema.primaryKeyProperty.flatMap(layout.column)
    columns = fields.flatMap(\.columns).filter { $0 != keyColumn }
    self.keyColumn = keyColumn
  }

  /// The stored object with the primary key of a row.
  func existing(_ row: ImportRow) throws(StoreError) -> ObjectKey? {
    guard let keyColumn else { return nil }
    return try transaction.key(layout.schema.className, primaryKey: row.values[keyColumn])
  }

  /// Adds an object.
  ///
  /// - Throws: `StoreError`, `duplicateKey` among them, when nothing is changed.
  func insert(_ row: ImportRow) throws(StoreError) {
    try insert(layout.schema.className, row)
  }

  /// Gives an object the values of a row; what rows say nothing about stays.
  func update(_ key: ObjectKey, _ row: ImportRow) throws(StoreError) {
    let className = layout.schema.className
    var owned: [ObjectAddress] = []
    for field in fields { try clear(field, of: key, &owned) }
    try transaction.update(className, key, columns.map { ($0, row.values[$0]) })
    for object in owned { try transaction.deleteOwned(object) }
    try write(row.members, of: className, key)
  }

  /// Removes what a field has outside of the row, or names it.
  private func clear(
    _ field: FieldLayout, of key: ObjectKey, _ owned: inout [ObjectAddress]
  ) throws(StoreError) {
    switch field {
    case .collection(let collection): try transaction.removeAll(from: collection, of: key)
    case .embedded(let embedded):
      guard !embedded.fields.collections.isEmpty || !embedded.fields.ownedColumns.isEmpty else {
        return
      }
      try transaction.releaseMembers(of: embedded, in: layout.schema.className, key)
    case .owned(let column):
      guard let target = layout.owned.first(where: { $0.column == column })?.target,
        case .link(let member)? = try transaction.row(layout, key)?[column]
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

  /// An element as its collection keeps it; an embedded object gets its row.
  private func stored(
    _ element: ImportRow.Element, _ collection: CollectionLayout
  ) throws(StoreError) -> Value {
    switch element {
    case .value(let value): return value
    case .object(let row):
      // Only collections of embedded objects are given objects.
      guard let target = collection.target else { return .null }
      return .link(try insert(target, row))
    }
  }
}

extension FieldLayout {
  /// The columns of the row that the field takes.
  fileprivate var columns: [Int] {
    switch self {
    case .scalar(let column), .link(let column), .owned(let column): [column]
    case .collection(let collection): [collection.countColumn]
    case .embedded(let embedded): Array(embedded.columns)
    case .pointType, .pointCoordinates: []
    }
  }
}

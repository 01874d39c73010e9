import CadastreModel
import CadastreSQLite

/// The comparison of a transaction with the version before, which yields the record that undoes it.
struct ChangeRecorder {
  private let old: Snapshot
  private let reader: FlushedTransaction
  /// The maximum size of the record in bytes.
  private let limit: Int
  private let before: RowCopy
  private let after: RowCopy
  private var record = ChangeRecord()
  /// The size of the record so far in bytes.
  private var size = 0
  private var writer = ChangeByteWriter()

  /// The number of new objects of a class up to which each has a checksum.
  private static let mostChecksums = 100_000

  /// The record exceeds its maximum size.
  private struct TooLarge: Error {}

  /// Prepares to compare a transaction.
  ///
  /// - Parameters:
  ///   - reader: The transaction, completely flushed.
  ///   - old: The version before.
  ///   - limit: The maximum size of the record in bytes.
  init(_ reader: FlushedTransaction, from old: Snapshot, limit: Int) {
    self.reader = reader
    self.old = old
    self.limit = limit
    before = RowCopy(from: old, to: old.catalogue, keepsLinks: true)
    after = RowCopy(from: reader, to: reader.catalogue, keepsLinks: true)
  }

  /// Returns the record.
  ///
  /// - Parameter renames: The names that the transaction has changed, if it has changed nothing else.
  /// - Returns: The record; nil where it exceeds its maximum size.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(k log n) for k changed objects; for a class with fewer properties, all objects change.
  mutating func record(_ renames: [SchemaRename]) throws(StoreError) -> ChangeRecord? {
    guard renames.isEmpty else {
      record.renames = renames
      return record
    }
    guard let changes = reader.tables.allChanges else { return nil }
    do {
      try compare(changes)
    } catch let error as StoreError {
      throw error
    } catch {
      return nil
    }
    return record
  }

  private mutating func compare(_ changes: ChangesByClass) throws {
    let (stored, wanted) = (old.catalogue.schema, reader.catalogue.schema)
    let all = Set((stored.objectSchema + wanted.objectSchema).map(\.className))
    let definitions = all.filter { stored[$0] != wanted[$0] }
    // A class changes with those of its embedded objects.
    let changed = all.filter { name in
      definitions.contains(name)
        || stored.embeddedClasses(of: name).contains(where: definitions.contains)
    }
    var touched = try owners(of: changes)
    for (className, changes) in changes {
      for (key, columns) in changes.modified {
        touched[className, default: [:]][key, default: []].formUnion(columns)
      }
    }
    for name in all.sorted() where (stored[name] ?? wanted[name])?.isEmbedded == false {
      guard changed.contains(name) || touched[name] != nil || changes[name] != nil else { continue }
      try compare(name, changes[name], touched[name] ?? [:])
    }
    var named = changed
    for objects in record.objects { named.insert(objects.className) }
    for schema in [stored, wanted] {
      for name in named { named.formUnion(schema.embeddedClasses(of: name)) }
    }
    for name in named.sorted() {
      let days = try stored[name].flatMap {
        try old.catalogue.layout($0.className).map(old.dayColumns)
      }
      record.classes.append(
        ChangeRecord.ChangedClass(
          before: stored[name], after: wanted[name], days: (days ?? []).sorted()))
    }
  }

  private mutating func compare(
    _ name: String, _ changes: ClassChanges?, _ touched: [Int64: ColumnSet]
  ) throws {
    var objects = ChangeRecord.ChangedObjects(className: name)
    let (stored, wanted) = (old.catalogue.layout(name), reader.catalogue.layout(name))
    switch (stored, wanted) {
    case (let stored?, nil):
      for key in try old.keys(stored, after: ObjectKey(0), limit: .max) {
        try add(deleted: key, stored, to: &objects)
      }
    case (nil, let wanted?):
      try add(inserted: reader.keys(wanted, after: ObjectKey(0), limit: .max), wanted, to: &objects)
    case (let stored?, let wanted?):
      for key in (changes?.deleted ?? []).sorted() where changes?.inserted.contains(key) != true {
        try add(deleted: ObjectKey(key), stored, to: &objects)
      }
      if let changes, !changes.inserted.isEmpty {
        let inserted = changes.inserted.filter { !changes.deleted.contains($0) }
        try add(inserted: inserted.map(ObjectKey.init), wanted, to: &objects)
      }
      try addUpdates(stored, wanted, touched, deleted: changes?.deleted ?? [], to: &objects)
    case (nil, nil): return
    }
    if !objects.isEmpty { record.objects.append(objects) }
  }

  private mutating func add(
    deleted key: ObjectKey, _ layout: TableLayout, to objects: inout ChangeRecord.ChangedObjects
  ) throws {
    guard try old.contains(layout, key) else { return }
    let row = try before.row(key, layout, as: layout)
    let column = layout.schema.primaryKeyProperty.flatMap(layout.column)
    objects.deleted.append(
      ChangeRecord.Deletion(
        key: key.rawValue, primaryKey: column.map { row.values[$0] } ?? .null,
        bytes: try bytes(row, layout.schema.properties.map(\.name), layout, old.catalogue)))
  }

  private mutating func add(
    inserted keys: [ObjectKey], _ layout: TableLayout,
    to objects: inout ChangeRecord.ChangedObjects
  ) throws {
    guard let first = keys.first, let last = keys.last else { return }
    guard keys.count <= Self.mostChecksums else {
      objects.inserted = .many(first.rawValue...last.rawValue, count: keys.count)
      return
    }
    let names = layout.schema.properties.map(\.name)
    var inserted: [(key: Int64, checksum: UInt64)] = []
    for key in keys where try reader.contains(layout, key) {
      writer.removeAll()
      ChangeRowCoder(catalogue: reader.catalogue).write(
        try after.row(key, layout, as: layout), names, of: layout, to: &writer)
      inserted.append((key.rawValue, writer.checksum))
      try count(9)
    }
    if !inserted.isEmpty { objects.inserted = .each(inserted) }
  }

  /// Adds the objects of a class that exist before and after the change.
  private mutating func addUpdates(
    _ stored: TableLayout, _ wanted: TableLayout, _ touched: [Int64: ColumnSet],
    deleted: Set<Int64>, to objects: inout ChangeRecord.ChangedObjects
  ) throws {
    let change = PropertyChange(stored.schema, wanted.schema, old.catalogue, reader.catalogue)
    let names = PropertiesOfColumns(stored)
    var updates: [[String]: ChangeRecord.Update] = [:]
    for (key, columns) in touched.sorted(by: { $0.key < $1.key }) where !deleted.contains(key) {
      let properties = change.isEmpty ? names.names(of: columns) : change.kept
      guard !properties.isEmpty, try old.contains(stored, ObjectKey(key)),
        try reader.contains(wanted, ObjectKey(key))
      else { continue }
      let (checksum, new) = try after(ObjectKey(key), properties, wanted)
      let former = try before.row(
        ObjectKey(key), stored, as: stored, only: Set(properties))
      let bytes = try bytes(former, properties, stored, old.catalogue, also: 8)
      // The columns may have been set to the values that they had.
      if Array(bytes) == new { continue }
      updates[properties, default: ChangeRecord.Update(names: properties, compared: properties)]
        .rows.append((key, bytes, checksum))
    }
    objects.updates = updates.values.sorted { $0.names.lexicographicallyPrecedes($1.names) }
    guard !change.isEmpty else { return }
    let keys = try old.keys(stored, after: ObjectKey(0), limit: .max)
      .filter { !deleted.contains($0.rawValue) }
    if !change.removed.isEmpty {
      var update = ChangeRecord.Update(names: change.removed, compared: [])
      for key in keys {
        let row = try before.row(key, stored, as: stored, only: Set(change.removed))
        update.rows.append((key.rawValue, try bytes(row, change.removed, stored, old.catalogue), 0))
      }
      objects.updates.append(update)
    }
    if !change.added.isEmpty {
      objects.isUncompared = keys.count > Self.mostChecksums
      var update = ChangeRecord.Update(names: [], compared: change.added)
      for key in objects.isUncompared ? [] : keys {
        update.rows.append((key.rawValue, [], try after(key, change.added, wanted).checksum))
        try count(10)
      }
      objects.updates.append(update)
    }
  }

  /// Returns the checksum and the bytes of properties after the change.
  private mutating func after(
    _ key: ObjectKey, _ names: [String], _ layout: TableLayout
  ) throws(StoreError) -> (checksum: UInt64, bytes: [UInt8]) {
    writer.removeAll()
    ChangeRowCoder(catalogue: reader.catalogue).write(
      try after.row(key, layout, as: layout, only: Set(names)), names, of: layout, to: &writer)
    return (writer.checksum, writer.bytes)
  }

  /// Returns the bytes of properties, and counts them.
  private mutating func bytes(
    _ row: ImportRow, _ names: [String], _ layout: TableLayout, _ catalogue: Catalogue,
    also more: Int = 0
  ) throws(TooLarge) -> ArraySlice<UInt8> {
    writer.removeAll()
    ChangeRowCoder(catalogue: catalogue).write(row, names, of: layout, to: &writer)
    try count(writer.bytes.count + 4 + more)
    return writer.bytes[...]
  }

  private mutating func count(_ bytes: Int) throws(TooLarge) {
    size += bytes
    guard size <= limit else { throw TooLarge() }
  }

  // MARK: Embedded objects with rows of their own

  /// Returns the owners of changed embedded objects, with the columns that refer to them.
  ///
  /// A change of a property also changes its owner's row. The deletion of an object changes only the row of the
  /// embedded object with the link.
  private func owners(of changes: ChangesByClass) throws(StoreError) -> [String: [Int64: ColumnSet]]
  {
    var owners: [String: [Int64: ColumnSet]] = [:]
    var pending: [ObjectAddress] = []
    for (className, changes) in changes
    where old.catalogue.schema[className]?.isEmbedded == true {
      for key in changes.modified.keys {
        pending.append(ObjectAddress(className: className, key: ObjectKey(key)))
      }
    }
    var known = Set(pending)
    while let next = pending.popLast() {
      for source in old.catalogue.sources(ofLinksTo: next.className) {
        let (className, column): (String, Int)
        let keys: [Int64]
        switch source {
        case .column(let name, let index):
          guard let layout = old.catalogue.layout(name) else { continue }
          (className, column) = (name, index)
          keys = try old.connection.integers(
            "SELECT \(SQL.quoted(TableLayout.keyName)) FROM \(SQL.quoted(layout.tableName)) WHERE "
              + "\(layout.columns[index].sqlNames[0]) = ?", .link(next.key))
        case .collection(let layout):
          (className, column) = (layout.ownerClass, layout.countColumn)
          keys = try CollectionReader(layout, old).owners(linkingTo: next.key)
        }
        let isEmbedded = old.catalogue.schema[className]?.isEmbedded == true
        for key in keys {
          let owner = ObjectAddress(className: className, key: ObjectKey(key))
          if isEmbedded {
            if known.insert(owner).inserted { pending.append(owner) }
          } else {
            owners[className, default: [:]][key, default: []].insert(column)
          }
        }
      }
    }
    return owners
  }
}

extension ChangeRecord.ChangedObjects {
  fileprivate var isEmpty: Bool { inserted.count == 0 && deleted.isEmpty && updates.isEmpty }
}

/// The properties of a class before and after a change.
private struct PropertyChange {
  /// The properties whose values are stored alike.
  private(set) var kept: [String] = []
  /// The properties before the change whose values, or parts of them, are lost.
  private(set) var removed: [String] = []
  /// The properties after the change whose values, or parts of them, are new.
  private(set) var added: [String] = []
  /// Whether the definitions are equal.
  private(set) var isEmpty = true

  init(_ old: ObjectSchema, _ new: ObjectSchema, _ before: Catalogue, _ after: Catalogue) {
    let embedded = before.schema.embeddedClasses(of: old.className)
      .union(after.schema.embeddedClasses(of: new.className))
      .filter { before.schema[$0] != after.schema[$0] }
    guard old != new || !embedded.isEmpty else { return }
    isEmpty = false
    func isAltered(_ property: Property, in schema: Schema) -> Bool {
      property.objectClassName.map { name in
        schema[name]?.isEmbedded == true
          && (embedded.contains(name)
            || !schema.embeddedClasses(of: name).isDisjoint(with: embedded))
      } ?? false
    }
    for property in old.properties {
      let isKept =
        new[property.name]?.hasSameValues(as: property) == true
        && !isAltered(property, in: before.schema)
      if isKept { kept.append(property.name) } else { removed.append(property.name) }
    }
    added = new.properties.map(\.name).filter { !kept.contains($0) }
  }
}

extension Property {
  /// Returns whether the values of two properties of the same name are stored alike.
  fileprivate func hasSameValues(as other: Property) -> Bool {
    columnName == other.columnName && type == other.type && collection == other.collection
      && objectClassName == other.objectClassName
  }
}

extension Schema {
  /// Returns the names of the embedded classes of a class's properties, also through others.
  func embeddedClasses(of className: String) -> Set<String> {
    var found: Set<String> = []
    var rest = [className]
    while let next = rest.popLast() {
      for property in self[next]?.properties ?? [] {
        guard let target = target(of: property), target.isEmbedded,
          found.insert(target.className).inserted
        else { continue }
        rest.append(target.className)
      }
    }
    return found
  }
}

/// The properties of a class by the columns that contain their values.
private struct PropertiesOfColumns {
  private let layout: TableLayout
  private let columns: [Set<Int>]

  init(_ layout: TableLayout) {
    self.layout = layout
    columns = layout.fields.map { Set(FieldColumns([$0]).all) }
  }

  /// Returns the names of the properties with values in some columns, in the order of the class.
  func names(of set: ColumnSet) -> [String] {
    let changed = Set(set)
    return layout.schema.properties.indices.filter { !columns[$0].isDisjoint(with: changed) }
      .map { layout.schema.properties[$0].name }
  }
}

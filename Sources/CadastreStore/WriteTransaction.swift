package import CadastreModel

/// The one transaction that may change a store at a time.
///
/// Ends with `commit()` or `rollback()`; dropping it without either rolls back.
package final class WriteTransaction: StoreReader {
  package let connection: Connection
  package private(set) var catalogue: Catalogue
  private let file: StoreFile
  private var versions: StoreVersions
  private var writers: [String: TableWriter] = [:]
  private var changesSchema = false
  private var isOpen = true

  init(file: StoreFile, connection: Connection, versions: StoreVersions, catalogue: Catalogue) {
    self.file = file
    self.connection = connection
    self.versions = versions
    self.catalogue = catalogue
  }

  deinit { rollback() }

  /// The number that the commit will have.
  package var version: Int64 { versions.commit + 1 }

  // MARK: Objects

  /// Adds an object.
  ///
  /// The row has a value for every column of the class's layout.
  ///
  /// - Returns: The new object's key.
  /// - Throws: ``StoreError`` `duplicateKey` when its primary key is taken; nothing is changed then.
  /// - Complexity: O(log n).
  package func insert(_ className: String, _ row: [Value]) throws(StoreError) -> ObjectKey {
    try writer(className).insert(row)
  }

  /// Sets columns of an object; false when there is none with this key.
  @discardableResult
  package func update(
    _ className: String, _ key: ObjectKey, _ changes: [(column: Int, value: Value)]
  ) throws(StoreError) -> Bool {
    try writer(className).update(key, changes)
  }

  /// Removes an object and nulls the links to it; false when there is none with this key.
  @discardableResult
  package func delete(_ className: String, _ key: ObjectKey) throws(StoreError) -> Bool {
    guard try writer(className).delete(key) else { return false }
    for table in catalogue.tables {
      for index in table.valueIndexes where index.isLink {
        guard catalogue.target(of: index, in: table)?.schema.className == className else {
          continue
        }
        try writer(table.schema.className).unlink(index.column, from: key)
      }
    }
    return true
  }

  /// Removes all objects of all classes.
  package func deleteAll() throws(StoreError) {
    for table in catalogue.tables { try writer(table.schema.className).deleteAll() }
  }

  /// The object with a given value of its class's primary key.
  package func key(
    _ className: String, primaryKey value: Value
  ) throws(StoreError) -> ObjectKey? {
    try (self as any StoreReader).key(className, primaryKey: value)
  }

  private func writer(_ className: String) throws(StoreError) -> TableWriter {
    if let writer = writers[className] { return writer }
    guard let layout = catalogue.layout(className) else {
      throw StoreError(.corrupt("it has no class '\(className)'"), path: connection.path)
    }
    let writer = try TableWriter(layout, connection)
    writers[className] = writer
    return writer
  }

  package func settleIndexes() throws(StoreError) {
    for writer in writers.values { try writer.settleIndexes() }
  }

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    if let writer = writers[className] { return writer.rowCount }
    return try connection.storedRowCount(className)
  }

  // MARK: Schema

  /// Adds the classes and indexes that the store lacks.
  ///
  /// - Throws: ``StoreError`` `schemaMismatch` where stored classes differ in more than indexes.
  package func adopt(_ schema: Schema) throws(StoreError) {
    let change = SchemaChange(from: catalogue.schema, to: schema)
    guard change.conflicts.isEmpty else {
      throw StoreError(.schemaMismatch(change.conflicts), path: connection.path)
    }
    guard change.isNeeded else { return }
    var tableNames = catalogue.tableNames
    for added in change.newClasses where !added.isEmbedded {
      tableNames[added.className] = TableLayout.tableName(
        for: added.className, used: Array(tableNames.values))
    }
    let classes = catalogue.schema.objectSchema.filter { schema[$0.className] == nil }
    let next = Catalogue(
      schema: Schema(classes + schema.objectSchema), tableNames: tableNames,
      version: versions.catalogue + 1)
    try connection.run("UPDATE cadastre_state SET catalogue_version = catalogue_version + 1")
    for added in change.newClasses {
      try Catalogue.write(added, tableName: tableNames[added.className], on: connection)
      try next.layout(added.className)?.create(on: connection)
    }
    for changed in change.reindexedClasses {
      try Catalogue.writeProperties(of: changed, on: connection)
    }
    for table in next.tables {
      guard let previous = catalogue.layout(table.schema.className) else { continue }
      try reindex(from: previous, to: table)
    }
    catalogue = next
    versions.catalogue += 1
    changesSchema = true
    writers = [:]
    connection.forgetStatements()
  }

  private func reindex(from previous: TableLayout, to next: TableLayout) throws(StoreError) {
    let wanted = Set(next.valueIndexes.map(\.name))
    for index in previous.valueIndexes where !wanted.contains(index.name) {
      try connection.run("DROP INDEX \(SQL.quoted(index.name))")
    }
    let present = Set(previous.valueIndexes.map(\.name))
    for index in next.valueIndexes where !present.contains(index.name) {
      try next.create(index, on: connection)
    }
  }

  // MARK: The end

  /// Makes the changes durable and visible to everybody.
  ///
  /// - Throws: ``StoreError``; the transaction is rolled back then.
  @discardableResult
  package func commit() throws(StoreError) -> ChangeSet {
    precondition(isOpen, "the transaction has ended")
    do throws(StoreError) {
      var changes = ChangeSet(version: version, changesSchema: changesSchema)
      for (className, writer) in writers {
        try writer.finish()
        if !writer.changes.isEmpty { changes.classes[className] = writer.changes }
      }
      guard !changes.classes.isEmpty || changesSchema else {
        rollback()
        return ChangeSet(version: versions.commit)
      }
      try connection.run("UPDATE cadastre_state SET commit_version = ?", .int(version))
      try connection.run("COMMIT")
      end(committed: true)
      return changes
    } catch {
      rollback()
      throw error
    }
  }

  /// Undoes the changes; nothing happens when the transaction has ended.
  package func rollback() {
    guard isOpen else { return }
    writers = [:]
    if connection.isInTransaction { try? connection.run("ROLLBACK") }
    end(committed: false)
  }

  private func end(committed: Bool) {
    isOpen = false
    file.endWrite(committed: committed)
  }
}

extension StoreReader {
  /// The object with a given value of its class's primary key.
  ///
  /// - Complexity: O(log n).
  package func key(
    _ className: String, primaryKey value: Value
  ) throws(StoreError) -> ObjectKey? {
    guard let query = catalogue.layout(className)?.primaryKeyQuery else { return nil }
    return try connection.integer(query, value.withoutNegativeZero).map(ObjectKey.init)
  }

  /// The columns of an object; nil when there is none with this key.
  ///
  /// - Complexity: O(log n), one statement.
  package func row(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> [Value]? {
    let statement = try connection.statement(layout.rowQuery)
    try statement.bind(.link(key), at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return layout.columns.indices.map { statement.value($0, as: layout.columns[$0].type) }
  }

  /// Whether there is an object with a key.
  package func contains(_ layout: TableLayout, _ key: ObjectKey) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM \(SQL.quoted(layout.tableName)) WHERE \(SQL.quoted(TableLayout.keyName)) = ?",
      .link(key)) != nil
  }
}

import CadastreModel
import CadastreSQLite

/// The change of a class's name within a write transaction.
struct ClassRename {
  private let state: TransactionTables
  private let className: String
  private let name: String
  private var connection: Connection { state.connection }

  init(_ state: TransactionTables, from className: String, to name: String) {
    self.state = state
    self.className = className
    self.name = name
  }

  /// Renames the class, its tables and indexes, and everything that refers to it by name.
  func run() throws(StoreError) {
    try state.discardWriters()
    let old = state.catalogue
    let new = try renamedCatalogue(old)
    if let before = old.layout(className), let after = new.layout(name) {
      try dropIndexes(before)
      try rename(before, after)
      try Restructuring(from: old, to: new, defersKeys: false, on: connection)
        .createMissingIndexes(nil, after)
    }
    try relinkMixedValues(new)
    for (table, column) in [
      ("cadastre_class", "name"), ("cadastre_property", "class"), ("cadastre_property", "target"),
    ] {
      try connection.run(
        "UPDATE \(table) SET \(column) = ?1 WHERE \(column) = ?2", .string(name),
        .string(className))
    }
    try CompoundIndexTable.rename(className, to: name, on: connection)
    try connection.run(
      "UPDATE cadastre_class SET table_name = ?1 WHERE name = ?2",
      new.layout(name).map { .string($0.tableName) } ?? .null, .string(name))
    // The copies in other databases have the former name.
    try connection.removeCopyRecords(of: className)
    try state.replaceCatalogue(with: new)
  }

  private func renamedCatalogue(_ old: Catalogue) throws(StoreError) -> Catalogue {
    let classes = old.schema.objectSchema.map { $0.renamed(className, to: name) }
    let apart = old.schema.classesStoredApart.map { $0 == className ? name : $0 }
    let schema = Schema(classes, storedApart: Set(apart))
    let errors = SchemaRules.errors(of: schema, isStored: true)
    guard errors.isEmpty else { throw StoreError(.schemaMismatch(errors), path: connection.path) }
    var names = old.tableNames
    if names.removeValue(forKey: className) != nil {
      var used = TableLayout.tableNames(names.values)
      names[name] = TableLayout.addTableName(for: name, to: &used)
    }
    return old.following(schema, names)
  }

  // MARK: Tables

  /// Drops the indexes of a table; their names contain the name of the table.
  private func dropIndexes(_ table: TableLayout) throws(StoreError) {
    for index in table.valueIndexes {
      try connection.run("DROP INDEX \(SQL.quoted(index.name))")
    }
    for column in table.columns where column.type == .any {
      let name = MixedForm.linkIndexName(table.tableName, column)
      try connection.run("DROP INDEX \(SQL.quoted(name))")
    }
    for name in table.textIndexes.map(\.name) + table.spatialIndexes.map(\.name) {
      try connection.run("DROP TABLE \(SQL.quoted(name))")
    }
  }

  private func rename(_ before: TableLayout, _ after: TableLayout) throws(StoreError) {
    try rename(before.tableName, to: after.tableName)
    try DayColumns.rename(before.tableName, to: after.tableName, connection)
    for (old, new) in zip(before.collections, after.collections) {
      try old.dropIndexes(on: connection)
      try rename(old.tableName, to: new.tableName)
      try new.createIndexes(on: connection)
    }
  }

  private func rename(_ table: String, to name: String) throws(StoreError) {
    // SQLite does not rename a table to a name that differs only in letter case.
    let between = "cadastre_renamed_table"
    for (old, new) in [(table, between), (between, name)] {
      try connection.run("ALTER TABLE \(SQL.quoted(old)) RENAME TO \(SQL.quoted(new))")
    }
  }

  // MARK: Links

  /// Changes the class name in mixed values that link to objects of the class.
  private func relinkMixedValues(_ catalogue: Catalogue) throws(StoreError) {
    for table in catalogue.tables {
      for column in table.columns where column.type == .any {
        try relink(column, in: table.tableName, key: [SQL.quoted(TableLayout.keyName)])
      }
      for collection in table.collections where collection.element.type == .any {
        let slot = CollectionLayout.slotName(collection.kind)
        try relink(
          collection.element, in: collection.tableName,
          key: collection.kind == .set ? [slot] : [CollectionLayout.ownerName, slot])
      }
    }
  }

  /// Changes the class name in a column of mixed values, also in their lists and maps.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - table: The name of its table.
  ///   - key: The quoted names of the columns that identify a row.
  /// - Throws: ``StoreError`` when writing fails.
  private func relink(
    _ column: Column, in table: String, key: [String]
  ) throws(StoreError) {
    let (table, names) = (SQL.quoted(table), column.sqlNames)
    try connection.run(
      "UPDATE \(table) SET \(names[1]) = ?1 WHERE \(names[1]) = ?2",
      .string(MixedForm.objectPrefix + name), .string(MixedForm.objectPrefix + className))
    let rows = try connection.statement(
      "SELECT \((names + key).joined(separator: ", ")) FROM \(table) "
        + "WHERE \(names[1]) IN ('\(MixedForm.listName)', '\(MixedForm.mapName)')")
    var changed: [(text: Value, key: [Value])] = []
    while try rows.step() {
      let value = rows.mixedValue(0)
      let new =
        value.mapLinks { link in
          guard case .object(let address) = link, address.className == className else {
            return link
          }
          return .object(ObjectAddress(className: name, key: address.key))
        } ?? value
      guard new != value else { continue }
      changed.append((MixedForm(new).value, key.indices.map { rows.storedValue(2 + $0) }))
    }
    let update =
      "UPDATE \(table) SET \(names[0]) = ? WHERE "
      + key.map { "\($0) = ?" }.joined(separator: " AND ")
    for (text, key) in changed {
      let statement = try connection.statement(update)
      for (index, value) in ([text] + key).enumerated() {
        try statement.bind(value, at: index + 1)
      }
      try statement.run()
    }
  }
}

extension ObjectSchema {
  /// Returns the class with another name where it, or a class to which it links, is renamed.
  fileprivate func renamed(_ old: String, to new: String) -> ObjectSchema {
    with(
      className: className == old ? new : className,
      properties: properties.map {
        $0.objectClassName == old ? $0.with(objectClassName: new) : $0
      })
  }
}

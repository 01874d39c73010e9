import CadastreModel
import CadastreSQLite

/// A writer of the classes and indexes of a store within a write transaction.
struct SchemaWriter {
  private let state: TransactionTables
  private var connection: Connection { state.connection }

  init(_ state: TransactionTables) { self.state = state }

  /// Adds the classes and indexes that the store lacks.
  ///
  /// - Throws: ``StoreError`` `schemaMismatch` where stored classes differ in more than indexes; nothing is
  ///   changed then.
  func adopt(_ schema: Schema) throws(StoreError) {
    let change = SchemaChange(from: state.catalogue.schema, to: schema)
    guard change.conflicts.isEmpty else {
      throw StoreError(.schemaMismatch(change.conflicts), path: connection.path)
    }
    guard change.isNeeded else { return }
    try restructure(to: try state.catalogue.changed(to: schema, path: connection.path)).discard()
  }

  /// Changes the tables to those of another catalogue.
  ///
  /// - Parameters:
  ///   - next: The catalogue.
  ///   - initialValues: The values of existing objects in new properties.
  ///   - defersKeys: Whether new primary keys are not checked until `checkDeferredKeys()`.
  /// - Returns: The change, which keeps obsolete columns and tables until it is discarded.
  /// - Throws: ``StoreError``; the transaction must be rolled back then.
  func restructure(
    to next: Catalogue, _ initialValues: InitialValues = InitialValues(), defersKeys: Bool = false
  ) throws(StoreError) -> Restructuring {
    try state.discardWriters()
    // A migration may change rows without the writers.
    let next = defersKeys ? next.withoutSegments : next
    let restructuring = Restructuring(
      from: state.catalogue, to: next, initialValues, defersKeys: defersKeys, on: connection)
    try restructuring.run()
    state.classesWithDeferredKey.formUnion(restructuring.classesWithNewKey)
    try state.replaceCatalogue(with: next)
    return restructuring
  }

  /// Rebuilds the ordered indexes whose entries lack the integer primary key of their class.
  ///
  /// - Returns: Whether there were any.
  func addIDsToIndexes() throws(StoreError) -> Bool {
    guard let next = state.catalogue.withIDsInIndexes else { return false }
    try restructure(to: next).discard()
    return true
  }

  /// Removes a class to which no property links: its table and its description.
  func removeClass(_ className: String) throws(StoreError) {
    try state.discardWriters()
    try state.catalogue.layout(className)?.drop(on: connection)
    for table in ["cadastre_property WHERE class", "cadastre_class WHERE name"] {
      try connection.run("DELETE FROM \(table) = ?", .string(className))
    }
    try CompoundIndexTable.replace(of: className, with: [], on: connection)
    try connection.removeCopyRecords(of: className)
    try state.replaceCatalogue(with: state.catalogue.removing(className))
  }

  /// Removes all classes.
  func removeAllClasses() throws(StoreError) {
    try state.discardWriters()
    for table in state.catalogue.tables {
      try table.drop(on: connection)
      try connection.removeCopyRecords(of: table.schema.className)
    }
    try connection.run("DELETE FROM cadastre_property")
    try connection.run("DELETE FROM cadastre_class")
    try state.replaceCatalogue(
      with: Catalogue(
        schema: Schema(), tableNames: [:], version: state.catalogue.version + 1))
  }

  // MARK: Segments

  /// Adds classes whose columns are stored as segments from now on, without segments.
  func addStoredColumns(of classNames: [String]) throws(StoreError) {
    let isFirstChange = state.changes.isEmpty
    try state.discardWriters()
    var segments = state.catalogue.segments ?? [:]
    if state.catalogue.segments == nil {
      let hasCounter = state.hasSegmentCounter
      state.noteSegmentCounter()
      try SegmentTable.create(hasCounter: hasCounter, on: connection)
    }
    for className in classNames {
      guard let layout = state.catalogue.layout(className) else { continue }
      segments[layout.tableName] = try SegmentTable.add(
        layout, segments[layout.tableName], on: connection)
    }
    try state.replaceCatalogue(
      with: state.catalogue.storing(segments), changesStorage: isFirstChange)
  }

  /// Removes all segments and their tables.
  func removeStoredColumns() throws(StoreError) {
    guard state.catalogue.segments != nil else { return }
    try state.discardWriters()
    try state.replaceCatalogue(with: state.catalogue.storing(nil))
  }

  // MARK: Many new objects

  /// Drops the ordered indexes of a class without objects until the commit, except that of the
  /// primary key.
  ///
  /// SQLite builds an index of many rows by sorting, which is faster than row by row.
  func suspendIndexes(of className: String) throws(StoreError) {
    guard !state.classesWithSuspendedIndexes.contains(className),
      let layout = state.catalogue.layout(className), try state.writer(className).rowCount == 0
    else { return }
    for index in layout.valueIndexes where !index.isUnique {
      try connection.run("DROP INDEX \(SQL.quoted(index.name))")
    }
    state.classesWithSuspendedIndexes.insert(className)
  }

  // MARK: Primary keys that change

  /// Allows several objects of a class to share a primary key until `checkDeferredKeys()`.
  func deferKey(of className: String) throws(StoreError) {
    guard !state.classesWithDeferredKey.contains(className),
      let layout = state.catalogue.layout(className),
      let index = layout.valueIndexes.first(where: \.isUnique)
    else { return }
    try connection.run("DROP INDEX \(SQL.quoted(index.name))")
    try layout.create(index, isUnique: false, on: connection)
    state.classesWithDeferredKey.insert(className)
    state.setChecksKey(false, of: className)
  }

  /// Makes the deferred primary keys unique again.
  ///
  /// - Returns: The primary keys that several objects share, one sentence each.
  /// - Throws: ``StoreError`` when reading or writing fails.
  func checkDeferredKeys() throws(StoreError) -> [String] {
    var problems: [String] = []
    for className in state.classesWithDeferredKey.sorted() {
      guard let layout = state.catalogue.layout(className),
        let index = layout.valueIndexes.first(where: \.isUnique)
      else { continue }
      let column = SQL.quoted(layout.columns[index.column].name)
      let shared = try connection.integer(
        "SELECT 1 FROM \(SQL.quoted(layout.tableName)) GROUP BY \(column) HAVING count(*) > 1 LIMIT 1"
      )
      guard shared == nil else {
        problems.append(
          "Primary key property '\(className).\(index.path)' has duplicate values after migration.")
        continue
      }
      try connection.run("DROP INDEX \(SQL.quoted(index.name))")
      try layout.create(index, isUnique: true, on: connection)
    }
    state.classesWithDeferredKey = []
    return problems
  }
}

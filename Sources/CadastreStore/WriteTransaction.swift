package import CadastreModel
package import CadastreSQLite

/// The one transaction that may change a store at a time.
///
/// Ends with `commit()` or `rollback()`; dropping it without either rolls back.
package final class WriteTransaction: StoreReader {
  package let connection: Connection
  package private(set) var catalogue: Catalogue
  private let file: StoreFile
  /// The counters, of the version that is being changed.
  package private(set) var versions: StoreVersions
  private var writers: [String: TableWriter] = [:]
  private var collectionWriters: [String: CollectionWriter] = [:]
  private let collections = CollectionCache()
  private var changesSchema = false
  /// The classes of which two objects may have one primary key for a while.
  private var classesWithDeferredKey: Set<String> = []
  /// Whether it has been neither committed nor rolled back.
  package private(set) var isOpen = true

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

  /// Removes an object, with the embedded objects that have rows of their own, and the links to it:
  /// in lists and sets they go, elsewhere they become null.
  ///
  /// - Returns: Whether there was an object with this key.
  @discardableResult
  package func delete(_ className: String, _ key: ObjectKey) throws(StoreError) -> Bool {
    guard let layout = catalogue.layout(className) else { return false }
    var owned: [ObjectAddress] = []
    try releaseMembers(layout.collections, layout.owned, of: key, layout, into: &owned)
    guard try writer(className).delete(key) else { return false }
    forgetCounts(layout, key)
    try unlink(ObjectAddress(className: className, key: key))
    try deleteOwned(owned)
    return true
  }

  /// Removes embedded objects whose owners are gone, and what these own in turn.
  private func deleteOwned(_ objects: [ObjectAddress]) throws(StoreError) {
    var waiting = objects
    while let next = waiting.popLast() {
      guard let layout = catalogue.layout(next.className) else { continue }
      try releaseMembers(layout.collections, layout.owned, of: next.key, layout, into: &waiting)
      _ = try writer(next.className).delete(next.key)
      forgetCounts(layout, next.key)
      try unlinkMixed(next)
    }
  }

  /// Removes the elements of some collections of an object, and names the embedded objects that it
  /// owned through them and through some columns.
  private func releaseMembers(
    _ collections: [CollectionLayout], _ columns: [TableLayout.OwnedColumn], of key: ObjectKey,
    _ layout: TableLayout, into owned: inout [ObjectAddress]
  ) throws(StoreError) {
    for collection in collections {
      let writer = try writer(collection)
      if collection.isOwning, let target = collection.target {
        for case .link(let element) in try CollectionReader(collection, self).values(key) {
          owned.append(ObjectAddress(className: target, key: element))
        }
      }
      if try writer.count(key.rawValue) > 0 { try writer.removeAll(of: key.rawValue) }
    }
    guard !columns.isEmpty, let row = try row(layout, key) else { return }
    for column in columns {
      guard case .link(let element) = row[column.column] else { continue }
      owned.append(ObjectAddress(className: column.target, key: element))
    }
  }

  private func forgetCounts(_ layout: TableLayout, _ key: ObjectKey) {
    for collection in layout.collections {
      collectionWriters[collection.tableName]?.forget(key.rawValue)
    }
  }

  private func unlink(_ target: ObjectAddress) throws(StoreError) {
    for source in catalogue.sources(ofLinksTo: target.className) {
      switch source {
      case .column(let owner, let column): try writer(owner).unlink(column, from: target.key)
      case .collection(let layout): try unlink(target, from: layout)
      }
    }
    try unlinkMixed(target)
  }

  private func unlinkMixed(_ target: ObjectAddress) throws(StoreError) {
    for source in catalogue.sourcesOfMixedLinks {
      switch source {
      case .column(let owner, let column): try writer(owner).unlink(mixed: column, from: target)
      case .collection(let layout): try unlink(target, from: layout)
      }
    }
  }

  private func unlink(
    _ target: ObjectAddress, from layout: CollectionLayout
  ) throws(StoreError) {
    for owner in try writer(layout).unlink(target) { try noteModified(layout, owner) }
  }

  /// Removes all objects of all classes.
  package func deleteAll() throws(StoreError) {
    for table in catalogue.tables {
      for collection in table.collections { try writer(collection).removeEverything() }
      try writer(table.schema.className).deleteAll()
    }
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
    let writer = try TableWriter(
      layout, connection, checksKey: !classesWithDeferredKey.contains(className))
    writers[className] = writer
    return writer
  }

  package func columnSource(_ className: String) -> ColumnSource? {
    // With other classes and columns than the last commit nothing of what is kept can be told.
    guard !changesSchema else { return nil }
    return ColumnSource(
      cache: file.columns, history: file.history, version: versions.commit,
      own: writers[className]?.touches)
  }

  package func settleIndexes() throws(StoreError) {
    try settleCounts()
    for writer in writers.values { try writer.settleIndexes() }
  }

  package func settleAll() throws(StoreError) {
    try settleCounts()
    for writer in writers.values { try writer.finish() }
  }

  /// Writes the numbers of elements into the rows of their owners.
  private func settleCounts() throws(StoreError) {
    for collection in collectionWriters.values {
      let layout = collection.layout
      for (owner, count) in collection.takeCounts() {
        _ = try writer(layout.ownerClass).update(
          ObjectKey(owner), [(layout.countColumn, .int(Int64(count)))])
      }
    }
  }

  package func rowCount(_ className: String) throws(StoreError) -> Int {
    if let writer = writers[className] { return writer.rowCount }
    return try connection.storedRowCount(className)
  }

  // MARK: Collections

  private func writer(_ layout: CollectionLayout) throws(StoreError) -> CollectionWriter {
    if let writer = collectionWriters[layout.tableName] { return writer }
    let writer = CollectionWriter(layout, catalogue, connection, collections)
    collectionWriters[layout.tableName] = writer
    return writer
  }

  private func noteModified(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) {
    try writer(layout.ownerClass).noteModified(owner, layout.countColumn)
  }

  package func elementCount(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> Int {
    try writer(layout).count(owner)
  }

  package func positions(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> ListPositions {
    try collections.positions(layout, owner) { () throws(StoreError) in
      try connection.storedPositions(layout, owner)
    }
  }

  package func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement] {
    try collections.set(layout, owner) { () throws(StoreError) in
      try connection.storedSet(layout, owner)
    }
  }

  /// Adds values at the end of a list.
  ///
  /// - Complexity: O(log n) for each value.
  package func append(
    _ values: [Value], to layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try writer(layout).append(values, to: owner.rawValue)
    try noteModified(layout, owner.rawValue)
  }

  /// Adds values before the element of a list at an index, which may be the end.
  ///
  /// - Complexity: As `append` at the end; elsewhere O(n) in memory once, and then a move of what
  ///   follows in memory.
  package func insert(
    _ values: [Value], at index: Int, into layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    let writer = try writer(layout)
    guard try index < writer.count(owner.rawValue) else {
      return try append(values, to: layout, of: owner)
    }
    try writer.insert(values, at: index, of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
  }

  /// Replaces the element of a list at an index; an embedded object that stood there goes.
  package func replace(
    at index: Int, with value: Value, in layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    let previous =
      layout.isOwning ? try CollectionReader(layout, self).value(owner, at: index) : .null
    try writer(layout).replace(value, at: index, of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
    if previous != value { try deleteElement(previous, of: layout) }
  }

  /// Removes elements of a list; embedded objects among them go.
  package func remove(
    _ range: Range<Int>, from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    guard !range.isEmpty else { return }
    var elements: [Value] = []
    if layout.isOwning {
      elements = Array(try CollectionReader(layout, self).values(owner)[range])
    }
    try writer(layout).remove(range, of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
    for element in elements { try deleteElement(element, of: layout) }
  }

  /// Moves the element of a list at an index, so that it ends up at another.
  package func move(
    from index: Int, to destination: Int, in layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    guard index != destination else { return }
    let value = try CollectionReader(layout, self).value(owner, at: index)
    let writer = try writer(layout)
    try writer.remove(index..<index + 1, of: owner.rawValue)
    try insert([value], at: destination, into: layout, of: owner)
  }

  /// Adds a value to a set; false where it is in it already.
  package func insert(
    _ value: Value, into layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) -> Bool {
    guard try !CollectionReader(layout, self).contains(value, owner) else { return false }
    try writer(layout).insert(value, of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
    return true
  }

  /// Removes a value from a set; false where it is not in it.
  package func remove(
    _ value: Value, from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) -> Bool {
    guard let row = try CollectionReader(layout, self).row(of: value, owner) else { return false }
    try writer(layout).remove(row: row, of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
    return true
  }

  /// Sets the value under a key of a map; an embedded object that stood there goes.
  package func set(
    _ value: Value, forKey key: String, in layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    let previous = try CollectionReader(layout, self).value(owner, forKey: key)
    try writer(layout).set(value, forKey: key, of: owner.rawValue, isNew: previous == nil)
    try noteModified(layout, owner.rawValue)
    if let previous, previous != value { try deleteElement(previous, of: layout) }
  }

  /// Removes a key from a map; false where there is none.
  ///
  /// An embedded object that stood there goes.
  package func remove(
    key: String, from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) -> Bool {
    guard let previous = try CollectionReader(layout, self).value(owner, forKey: key) else {
      return false
    }
    try writer(layout).remove(key: key, of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
    try deleteElement(previous, of: layout)
    return true
  }

  /// Removes all elements; embedded objects among them go.
  package func removeAll(
    from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    let writer = try writer(layout)
    guard try writer.count(owner.rawValue) > 0 else { return }
    let elements = layout.isOwning ? try CollectionReader(layout, self).values(owner) : []
    try writer.removeAll(of: owner.rawValue)
    try noteModified(layout, owner.rawValue)
    for element in elements { try deleteElement(element, of: layout) }
  }

  private func deleteElement(
    _ element: Value, of layout: CollectionLayout
  ) throws(StoreError) {
    guard layout.isOwning, let target = layout.target, case .link(let key) = element else { return }
    try deleteOwned([ObjectAddress(className: target, key: key)])
  }

  /// Removes an embedded object whose row nothing refers to any more, and what it owns.
  package func deleteOwned(_ object: ObjectAddress) throws(StoreError) {
    try deleteOwned([object])
  }

  /// Removes what an embedded object in its owner's row has outside of that row: its collections, and
  /// embedded objects with rows of their own.
  package func releaseMembers(
    of embedded: EmbeddedLayout, in className: String, _ key: ObjectKey
  ) throws(StoreError) {
    guard let layout = catalogue.layout(className) else { return }
    let columns = embedded.fields.ownedColumns
    var owned: [ObjectAddress] = []
    try releaseMembers(
      embedded.fields.collections, layout.owned.filter { columns.contains($0.column) }, of: key,
      layout, into: &owned)
    try deleteOwned(owned)
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
    try restructure(to: try catalogue.changed(to: schema, path: connection.path)).discard()
  }

  /// Changes the tables to those of another catalogue.
  ///
  /// - Parameters:
  ///   - next: The catalogue.
  ///   - defersKeys: Whether new primary keys are not yet checked.
  /// - Returns: What was done, which keeps what is not needed any more until it is discarded.
  /// - Throws: ``StoreError``; the transaction is to be rolled back then.
  func restructure(
    to next: Catalogue, defersKeys: Bool = false
  ) throws(StoreError) -> Restructuring {
    try letGoOfWriters()
    let restructuring = Restructuring(
      from: catalogue, to: next, defersKeys: defersKeys, on: connection)
    try restructuring.run()
    classesWithDeferredKey.formUnion(restructuring.classesWithNewKey)
    try note(next)
    return restructuring
  }

  /// Makes another catalogue the one of the store.
  func note(_ next: Catalogue) throws(StoreError) {
    try connection.run(
      "UPDATE cadastre_state SET catalogue_version = ?", .int(next.version))
    catalogue = next
    versions.catalogue = next.version
    changesSchema = true
    connection.discardStatements()
  }

  /// Removes the table of a class whose objects nobody links to, and its description.
  func removeClass(_ className: String) throws(StoreError) {
    try letGoOfWriters()
    try catalogue.layout(className)?.drop(on: connection)
    for table in ["cadastre_property WHERE class", "cadastre_class WHERE name"] {
      try connection.run("DELETE FROM \(table) = ?", .string(className))
    }
    try note(catalogue.removing(className))
  }

  /// Removes all classes.
  func removeAllClasses() throws(StoreError) {
    try letGoOfWriters()
    for table in catalogue.tables { try table.drop(on: connection) }
    try connection.run("DELETE FROM cadastre_property")
    try connection.run("DELETE FROM cadastre_class")
    try note(Catalogue(schema: Schema(), tableNames: [:], version: catalogue.version + 1))
  }

  // MARK: Primary keys that change

  /// Lets two objects of a class have one primary key until `checkDeferredKeys()`.
  package func deferKey(of className: String) throws(StoreError) {
    guard !classesWithDeferredKey.contains(className), let layout = catalogue.layout(className),
      let index = layout.valueIndexes.first(where: \.isUnique)
    else { return }
    try connection.run("DROP INDEX \(SQL.quoted(index.name))")
    try layout.create(index, isUnique: false, on: connection)
    classesWithDeferredKey.insert(className)
    writers[className]?.checksKey = false
  }

  /// Makes the primary keys unique again that were not for a while.
  ///
  /// - Returns: The keys that several objects share, one sentence each.
  func checkDeferredKeys() throws(StoreError) -> [String] {
    var problems: [String] = []
    for className in classesWithDeferredKey.sorted() {
      guard let layout = catalogue.layout(className),
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
    classesWithDeferredKey = []
    return problems
  }

  /// Writes what is still in memory, before tables are changed.
  func letGoOfWriters() throws(StoreError) {
    try settleAll()
    writers = [:]
    collectionWriters = [:]
    collections.forgetAll()
    connection.discardStatements()
  }

  /// Notes the application's version of the schema.
  package func setSchemaVersion(_ version: UInt64) throws(StoreError) {
    guard version != versions.schema else { return }
    try connection.run(
      "UPDATE cadastre_state SET schema_version = ?", .int(Int64(bitPattern: version)))
    versions.schema = version
    changesSchema = true
  }

  // MARK: The end

  /// What the transaction has changed so far.
  package var changes: ChangeSet {
    var changes = ChangeSet(from: versions.commit, to: version)
    changes.changesSchema = changesSchema
    for (className, writer) in writers where !writer.changes.isEmpty {
      changes.classes[className] = writer.changes
    }
    return changes
  }

  /// Makes the changes durable and visible to everybody.
  ///
  /// - Throws: ``StoreError``; the transaction is rolled back then.
  @discardableResult
  package func commit() throws(StoreError) -> ChangeSet { try commit(reading: false).changes }

  /// Makes the changes durable and visible to everybody.
  ///
  /// - Parameter reading: Whether a snapshot of the very version is wanted, before anybody else can
  ///   write.
  /// - Returns: What has changed, and the snapshot.
  /// - Throws: ``StoreError``; the transaction is rolled back then.
  package func commit(
    reading: Bool
  ) throws(StoreError) -> (changes: ChangeSet, snapshot: Snapshot?) {
    precondition(isOpen, "the transaction has ended")
    do throws(StoreError) {
      try settleAll()
      let changes = changes
      guard !changes.classes.isEmpty || changesSchema else {
        rollback()
        return (ChangeSet(from: versions.commit, to: versions.commit), nil)
      }
      try file.requireInPlace()
      try connection.run("UPDATE cadastre_state SET commit_version = ?", .int(version))
      file.history.note(changes)
      do throws(StoreError) {
        try connection.run("COMMIT")
      } catch {
        file.history.withdraw(changes.version)
        throw error
      }
      // What is committed stays so, even if it cannot be read just now.
      let snapshot = reading ? try? file.snapshot() : nil
      end(committed: true)
      return (changes, snapshot)
    } catch {
      rollback()
      throw error
    }
  }

  /// Commits what was rebuilt past the writers; nobody keeps what was read before.
  func commitRebuilt() throws(StoreError) {
    changesSchema = true
    connection.discardStatements()
    try commit()
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

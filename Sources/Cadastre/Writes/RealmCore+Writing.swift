import CadastreModel
import CadastreQuery
import CadastreStore

/// Changes of objects in a write transaction.
///
/// A failed transaction ignores changes; see ``RealmCore/attempt(or:_:)``.
extension RealmCore {
  private func requireTransaction(_ what: String) -> WriteTransaction {
    checkThread()
    guard let transaction else {
      requireChangeableObjects()
      stopOutsideTransaction(what)
    }
    return transaction
  }

  /// Stops the process because a write transaction is missing.
  func stopOutsideTransaction(_ what: String) -> Never {
    ProgrammingError.stop(
      "Can only \(what) objects in a write transaction: call it inside realm.write { … }."
        + AbandonedWrites.advice(for: file.path))
  }

  /// Runs a change in the transaction; a failed transaction ignores it and returns the fallback.
  private func change<Result>(
    _ what: String, or fallback: @autoclosure () -> Result,
    _ body: (WriteTransaction) throws -> Result
  ) -> Result {
    if hasFailed {
      checkThread()
      return fallback()
    }
    let transaction = requireTransaction(what)
    return attempt(or: fallback()) { try body(transaction) }
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - row: The columns.
  ///   - isUpsert: Whether a lookup of the primary key found no row; a duplicate is then an error of the
  ///     file, not of the program.
  /// - Returns: The key; a negative one if the transaction has failed.
  func insert(_ table: ManagedTable, _ row: [Value], isUpsert: Bool) -> ObjectKey {
    change("add", or: nextRefusedKey()) { transaction in
      do throws(StoreError) {
        return try transaction.insert(table.className, buffering: row, isUnique: isUpsert)
      } catch {
        if case .duplicateKey = error.reason, !isUpsert { stopForDuplicate(table, row) }
        throw error
      }
    }
  }

  /// Adds rows of embedded objects.
  ///
  /// - Returns: The keys; nil if the transaction has failed.
  func insert(_ table: ManagedTable, _ rows: [[Value]]) -> Range<Int64>? {
    change("add", or: nil) { transaction in
      try transaction.insert(table.className, rows[...])
    }
  }

  /// Returns the key of a row that a failed transaction does not insert.
  func nextRefusedKey() -> ObjectKey {
    lastRefusedKey -= 1
    return ObjectKey(lastRefusedKey)
  }

  func stopForDuplicate(_ table: ManagedTable, _ row: [Value]) -> Never {
    let schema = table.info.schema
    let value = schema.primaryKeyProperty.flatMap(table.layout.column).map { row[$0] }
    ProgrammingError.stop(
      "Attempting to create an object of type '\(schema.className)' with an existing primary key "
        + "value '\(value?.dynamicValue ?? "null")'. Use update: .modified to change the existing "
        + "object.")
  }

  /// Sets columns of a row.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - key: The key of the row.
  ///   - changes: The distinct columns and their values.
  ///   - exists: Whether a read or write has confirmed that the row exists.
  /// - Returns: Whether the row exists.
  func update(
    _ table: ManagedTable, _ key: ObjectKey, _ changes: [(column: Int, value: Value)],
    exists: Bool
  ) -> Bool {
    change("change", or: true) { transaction in
      try transaction.update(table.className, key, changes, exists: exists)
    }
  }

  /// Sets one column of a row.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - key: The key of the row.
  ///   - column: The column.
  ///   - value: The value.
  ///   - exists: Whether a read or write has confirmed that the row exists.
  /// - Returns: Whether the row exists.
  func update(
    _ table: ManagedTable, _ key: ObjectKey, _ column: Int, _ value: Value, exists: Bool
  ) -> Bool {
    change("change", or: true) { transaction in
      try transaction.update(table.className, key, column, value, exists: exists)
    }
  }

  /// Deletes an object.
  func delete(_ object: ObjectBase) {
    change("delete", or: ()) { _ in
      guard let position = object.position else {
        ProgrammingError.stop(
          "Can only delete an object from the Realm it belongs to: this one has none.")
      }
      guard position.row.core === self else {
        ProgrammingError.stop("Can only delete an object from the Realm it belongs to.")
      }
      guard position.isValid else { return }
      if let layout = position.embeddedLayout {
        release(layout, of: position.row)
        position.row.set(layout.columns.map { ($0, .null) })
      } else {
        delete(position.row.table, [position.row.key])
      }
    }
  }

  /// Sets columns of rows, by ascending keys, to the same values.
  func update(_ table: ManagedTable, _ keys: [Int64], _ changes: [(column: Int, value: Value)]) {
    change("change", or: ()) { transaction in
      try transaction.update(table.className, keys, changes)
    }
  }

  /// Deletes rows by ascending keys.
  func delete(_ table: ManagedTable, _ keys: [ObjectKey]) {
    change("delete", or: ()) { transaction in
      try transaction.delete(table.className, keys.map(\.rawValue))
    }
  }

  /// Deletes all rows of all classes.
  func deleteAll() {
    change("delete", or: ()) { transaction in
      try transaction.deleteAll()
      generation.advance()
      // The rows of all existing instances are deleted; the instances stay invalidated after a rollback.
      revokeAll()
    }
  }

  /// Changes the elements of a collection.
  func change<Result>(
    or fallback: Result, _ body: (WriteTransaction) throws -> Result
  ) -> Result {
    change("change", or: fallback, body)
  }

  /// Deletes the collections and owned objects of an embedded object in its owner's row.
  func release(_ layout: EmbeddedLayout, of row: ManagedRow) {
    guard !layout.fields.collections.isEmpty || !layout.fields.ownedColumns.isEmpty else { return }
    change("change", or: ()) { transaction in
      try transaction.deleteMembers(of: layout, in: row.table.className, row.key)
    }
  }

  /// Deletes an embedded object with a separate row.
  func deleteOwned(_ object: ObjectAddress) {
    change("change", or: ()) { transaction in
      try transaction.deleteOwned(object)
    }
  }
}

/// Updates of existing objects from dictionaries of common scalars, without an unmanaged object.
extension RealmCore {
  /// Updates an existing object from a dictionary.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - value: The dictionary by property name.
  ///   - policy: The policy for objects whose primary key exists.
  /// - Returns: The object; nil without a change if no object has the primary key, or the conversion of the
  ///   values requires an unmanaged object.
  func update<Element: Object>(
    _ type: Element.Type, from value: Any, _ policy: Realm.UpdatePolicy
  ) -> Element? {
    guard policy == .modified else { return nil }
    let table = self.table(type)
    let properties = table.info.schema.properties
    guard let given = table.info.plainValues(in: value),
      let key = given.first(where: { properties[$0.property].isPrimaryKey })?.value,
      let found = readRow(or: nil, { try $0.row(table.layout, primaryKey: key) })
    else { return nil }
    let row = ManagedRow(table, found.key, values: found.row)
    var changes: [(column: Int, value: Value)] = []
    for (property, value) in given {
      guard let column = table.column(of: property), found.row[column] != value else { continue }
      changes.append((column, value))
    }
    if !changes.isEmpty { row.set(changes) }
    return table.info.makeInstance(of: type, at: ObjectPosition(row)) as? Element
  }
}

extension ClassInfo {
  /// Returns the common scalars in a dictionary, by ascending property index.
  ///
  /// - Parameter value: The dictionary.
  /// - Returns: The values; nil if `value` is not a dictionary, or a value must be converted or checked.
  fileprivate func plainValues(in value: Any) -> [(property: Int, value: Value)]? {
    guard let dictionary = DynamicValue.exactly(value, [String: Any].self) else { return nil }
    var found: [(property: Int, value: Value)] = []
    found.reserveCapacity(dictionary.count)
    for (name, value) in dictionary {
      guard let index = schema.index(of: name) else { continue }
      guard let stored = plainValue(value, index), ObjectWriter.excessBytes(of: stored) == nil
      else { return nil }
      found.append((index, stored))
    }
    // The store batches changes of the same columns in the same order.
    found.sort { $0.property < $1.property }
    return found
  }
}

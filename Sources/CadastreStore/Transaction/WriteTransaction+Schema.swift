package import CadastreModel
package import CadastreSQLite

extension WriteTransaction {
  /// Adds the classes and indexes that the store lacks.
  ///
  /// - Throws: ``StoreError`` `schemaMismatch` where stored classes differ in more than indexes; nothing is
  ///   changed then.
  package func adopt(_ schema: Schema) throws(StoreError) {
    try write { flushed throws(StoreError) in try SchemaWriter(flushed.tables).adopt(schema) }
  }

  /// Changes the tables to those of another catalogue, see ``SchemaWriter``.
  func restructure(
    to next: Catalogue, _ initialValues: InitialValues, defersKeys: Bool
  ) throws(StoreError) -> Restructuring {
    try write { flushed throws(StoreError) in
      try SchemaWriter(flushed.tables).restructure(to: next, initialValues, defersKeys: defersKeys)
    }
  }

  /// Rebuilds the ordered indexes whose entries lack the integer primary key of their class, as in stores of earlier
  /// versions; returns whether there were any.
  func addIDsToIndexes() throws(StoreError) -> Bool {
    try write { flushed throws(StoreError) in try SchemaWriter(flushed.tables).addIDsToIndexes() }
  }

  /// Adds classes whose columns are stored as segments from now on, without segments.
  func addStoredColumns(of classNames: [String]) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try SchemaWriter(flushed.tables).addStoredColumns(of: classNames)
    }
  }

  /// Removes all segments and their tables.
  func removeStoredColumns() throws(StoreError) {
    try write { flushed throws(StoreError) in
      try SchemaWriter(flushed.tables).removeStoredColumns()
    }
  }

  /// Removes a class to which no property links.
  package func removeClass(_ className: String) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try SchemaWriter(flushed.tables).removeClass(className)
    }
  }

  /// Removes all classes.
  func removeAllClasses() throws(StoreError) {
    try write { flushed throws(StoreError) in try SchemaWriter(flushed.tables).removeAllClasses() }
  }

  /// Drops the ordered indexes of a class without objects until the commit, except that of the
  /// primary key.
  ///
  /// Until then the transaction may insert objects of the class and look up primary keys, but not
  /// query the class, change its objects or delete objects to which it links.
  package func suspendIndexes(of className: String) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try SchemaWriter(flushed.tables).suspendIndexes(of: className)
    }
  }

  /// Allows several objects of a class to share a primary key until `checkDeferredKeys()`.
  package func deferKey(of className: String) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try SchemaWriter(flushed.tables).deferKey(of: className)
    }
  }

  /// Makes the deferred primary keys unique again; returns those that several objects share, one sentence
  /// each.
  package func checkDeferredKeys() throws(StoreError) -> [String] {
    try write { flushed throws(StoreError) in try SchemaWriter(flushed.tables).checkDeferredKeys() }
  }

  /// Sets the application's schema version.
  package func setSchemaVersion(_ version: UInt64) throws(StoreError) {
    try write { flushed throws(StoreError) in try flushed.tables.setSchemaVersion(version) }
  }

  /// Renames a class: its table, the properties with its type, and the mixed values that link to it.
  ///
  /// - Parameters:
  ///   - className: The name of a stored class.
  ///   - name: The new name, which no class has.
  /// - Throws: ``StoreError`` when writing fails, or `schemaMismatch` for an invalid name.
  /// - Complexity: O(n log n) for n objects, because the indexes are built again.
  package func renameClass(_ className: String, to name: String) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try ClassRename(flushed.tables, from: className, to: name).run()
    }
  }

  /// Copies a class and its objects; embedded objects and collections are copied too.
  ///
  /// - Parameters:
  ///   - className: The name of a stored class.
  ///   - name: The name of the copy, which no class has.
  /// - Returns: The number of copied objects.
  /// - Throws: ``StoreError`` when writing fails, or `schemaMismatch` for an invalid name.
  /// - Complexity: O(n log n) for n objects.
  package func copyClass(_ className: String, to name: String) throws(StoreError) -> Int {
    if let source = catalogue.layout(className), source.hasOwnedRows {
      return try OwningClassCopy(self, of: source).run(to: name)
    }
    return try write { flushed throws(StoreError) in
      try ClassCopy(flushed.tables, from: className, to: name).run()
    }
  }
}

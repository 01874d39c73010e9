package import CadastreModel
package import CadastreSQLite

extension WriteTransaction {
  /// Adds the classes and indexes that the store lacks.
  ///
  /// - Throws: ``StoreError`` `schemaMismatch` where stored classes differ in more than indexes; nothing is
  ///   changed then.
  package func adopt(_ schema: Schema) throws(StoreError) {
    try write { () throws(StoreError) in try SchemaWriter(state).adopt(schema) }
  }

  /// Changes the tables to those of another catalogue, see ``SchemaWriter``.
  func restructure(
    to next: Catalogue, defersKeys: Bool = false
  ) throws(StoreError) -> Restructuring {
    try write { () throws(StoreError) in
      try SchemaWriter(state).restructure(to: next, defersKeys: defersKeys)
    }
  }

  /// Removes a class to which no property links.
  func removeClass(_ className: String) throws(StoreError) {
    try write { () throws(StoreError) in try SchemaWriter(state).removeClass(className) }
  }

  /// Removes all classes.
  func removeAllClasses() throws(StoreError) {
    try write { () throws(StoreError) in try SchemaWriter(state).removeAllClasses() }
  }

  /// Allows several objects of a class to share a primary key until the end of a migration.
  package func deferKey(of className: String) throws(StoreError) {
    try write { () throws(StoreError) in try SchemaWriter(state).deferKey(of: className) }
  }

  /// Makes the deferred primary keys unique again; returns those that several objects share, one sentence
  /// each.
  func checkDeferredKeys() throws(StoreError) -> [String] {
    try write { () throws(StoreError) in try SchemaWriter(state).checkDeferredKeys() }
  }

  /// Sets the application's schema version.
  package func setSchemaVersion(_ version: UInt64) throws(StoreError) {
    try write { () throws(StoreError) in try state.setSchemaVersion(version) }
  }
}

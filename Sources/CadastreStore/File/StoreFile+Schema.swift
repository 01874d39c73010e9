package import CadastreModel
package import CadastreSQLite
import Foundation

extension StoreFile {
  /// The changes that a store needs before it can be used with a schema.
  package enum Preparation: Hashable, Sendable {
    /// No changes.
    case none
    /// Classes, indexes or the version are added; the stored objects stay as they are.
    case addition
    /// The stored objects change.
    case migration
  }

  /// Adds missing classes and indexes to the file.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - version: The application's version of the schema; nil for the one that is stored.
  /// - Throws: ``StoreError``: `schemaMismatch` where stored classes differ in more than indexes,
  ///   `olderSchema` where a newer version is stored.
  package func prepare(for schema: Schema, version: UInt64? = nil) throws(StoreError) {
    guard access == .readWrite else { return try requireReadable(schema, version: version) }
    guard try preparation(for: schema, version: version) != .none else { return }
    let transaction = try beginWrite()
    do throws(StoreError) {
      // Another process may have changed the schema meanwhile.
      _ = try transaction.versions.preparation(
        from: transaction.catalogue.schema, to: schema, version: version, path: path)
      try transaction.adopt(schema)
      if let version { try transaction.setSchemaVersion(version) }
      try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Changes the file to the given classes, and migrates the stored objects where that is needed.
  ///
  /// Everything happens in one transaction: an error or the end of the process leaves the store unchanged.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - version: The application's version of the schema.
  ///   - isResetting: Whether to remove all classes instead of a migration.
  ///   - initialValues: Returns the values of existing objects in new properties, from the stored classes.
  ///   - migrate: The application's migration block.
  /// - Throws: ``StoreError`` as ``prepare(for:version:)``, `migrationFailed` where the migrated objects do
  ///   not fit the classes, or the error of `migrate`.
  package func prepare(
    for schema: Schema, version: UInt64, resetting isResetting: Bool,
    initialValues: (Schema) -> InitialValues = { _ in InitialValues() },
    migrating migrate: (StoreMigration) throws -> Void
  ) throws {
    guard access == .readWrite else { return try requireReadable(schema, version: version) }
    do throws(StoreError) {
      guard try preparation(for: schema, version: version) != .none else { return }
    } catch {
      guard isResetting, error.isAboutSchema else { throw error }
    }
    let transaction = try beginWrite()
    do {
      let preparation = Result { () throws(StoreError) in
        // Another process may have changed the schema meanwhile.
        try transaction.versions.preparation(
          from: transaction.catalogue.schema, to: schema, version: version, path: path)
      }
      switch preparation {
      case .success(.none), .success(.addition):
        try transaction.adopt(schema)
        try transaction.setSchemaVersion(version)
      case .success(.migration) where isResetting, .failure where isResetting:
        try transaction.removeAllClasses()
        try transaction.adopt(schema)
        try transaction.setSchemaVersion(version)
      case .success(.migration):
        let migration = try StoreMigration(
          transaction, from: try snapshot(), to: schema, version: version,
          initialValues(transaction.catalogue.schema))
        try migrate(migration)
        try migration.finish()
      case .failure(let error): throw error
      }
      try transaction.commit()
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Returns the changes that the store needs before it can be used with a schema.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - version: The application's version of the schema; nil for the one that is stored.
  /// - Returns: The kind of change.
  /// - Throws: ``StoreError``: `schemaMismatch` where stored classes differ in more than indexes at the
  ///   same version, `olderSchema` where a newer version is stored.
  package func preparation(
    for schema: Schema, version: UInt64?
  ) throws(StoreError) -> Preparation {
    guard exists else { return .addition }
    let snapshot = try snapshot()
    return try snapshot.versions.preparation(
      from: snapshot.catalogue.schema, to: schema, version: version, path: path)
  }

  private var exists: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }
}

extension StoreError {
  /// Whether an intact file has another schema than the program.
  fileprivate var isAboutSchema: Bool {
    switch reason {
    case .schemaMismatch, .olderSchema: true
    default: false
    }
  }
}

extension StoreVersions {
  /// Returns the changes that a store with these versions needs, see
  /// ``StoreFile/preparation(for:version:)``.
  func preparation(
    from stored: Schema, to wanted: Schema, version: UInt64?, path: String
  ) throws(StoreError) -> StoreFile.Preparation {
    let change = SchemaChange(from: stored, to: wanted)
    let isNew = schema == 0 && stored.objectSchema.isEmpty
    if let version, version != schema, !isNew {
      guard version > schema else {
        throw StoreError(.olderSchema(wanted: version, stored: schema), path: path)
      }
      return .migration
    }
    guard change.conflicts.isEmpty else {
      throw StoreError(.schemaMismatch(change.conflicts), path: path)
    }
    return change.isNeeded || version.map { $0 != schema } == true ? .addition : .none
  }
}

extension StoreFile {
  /// Checks that a store that is open for reading only can be read with the given classes as it is.
  ///
  /// Indexes may differ, and the store may contain more classes.
  ///
  /// - Throws: ``StoreError``: `schemaMismatch` where classes differ or are missing, or where a higher
  ///   version requires a migration; `olderSchema` where a newer version is stored.
  func requireReadable(_ schema: Schema, version: UInt64?) throws(StoreError) {
    let snapshot = try snapshot()
    let stored = snapshot.versions.schema
    let change = SchemaChange(from: snapshot.catalogue.schema, to: schema)
    var reasons = change.conflicts
    reasons += change.newClasses.map { "Class '\($0.className)' has been added." }
    if let version, version != stored {
      guard version > stored else {
        throw StoreError(.olderSchema(wanted: version, stored: stored), path: path)
      }
      reasons.append("The schema version has been raised from \(stored) to \(version).")
    }
    guard reasons.isEmpty else {
      throw StoreError(
        .schemaMismatch(reasons.map { $0 + " The store is open for reading only." }), path: path)
    }
  }
}

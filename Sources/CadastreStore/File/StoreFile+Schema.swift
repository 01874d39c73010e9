package import CadastreModel
package import CadastreSQLite
import Foundation

extension StoreFile {
  /// What must be done before a store can be used with a schema.
  package enum Preparation: Hashable, Sendable {
    /// Nothing.
    case none
    /// Classes, indexes or the version are to be noted, which needs no migration.
    case addition
    /// The stored objects have to be changed.
    case migration
  }

  /// Makes sure that the file holds the given classes, adding what is missing.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - version: The application's version of the schema; nil for the one that is stored.
  /// - Throws: ``StoreError``, `schemaMismatch` where stored classes differ in more than indexes and
  ///   `olderSchema` where a newer version is stored.
  package func prepare(for schema: Schema, version: UInt64? = nil) throws(StoreError) {
    guard access == .readWrite else { return try requireReadable(schema, version: version) }
    guard try preparation(for: schema, version: version) != .none else { return }
    let transaction = try beginWrite()
    do throws(StoreError) {
      // Others may have been here in the meantime.
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

  /// Makes sure that the file holds the given classes, changing the stored objects where that is needed.
  ///
  /// All happens in one transaction: what fails, or ends with the process, changes nothing.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - version: The application's version of the schema.
  ///   - isResetting: Whether everything is removed instead of changed.
  ///   - migrate: The application's part in the change.
  /// - Throws: ``StoreError`` as ``prepare(for:version:)``, `migrationFailed` where the objects do not fit the
  ///   classes afterwards, or what `migrate` throws.
  package func prepare(
    for schema: Schema, version: UInt64, resetting isResetting: Bool,
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
      let standing = Result { () throws(StoreError) in
        // Others may have been here in the meantime.
        try transaction.versions.preparation(
          from: transaction.catalogue.schema, to: schema, version: version, path: path)
      }
      switch standing {
      case .success(.none), .success(.addition):
        try transaction.adopt(schema)
        try transaction.setSchemaVersion(version)
      case .success(.migration) where isResetting, .failure where isResetting:
        try transaction.removeAllClasses()
        try transaction.adopt(schema)
        try transaction.setSchemaVersion(version)
      case .success(.migration):
        let migration = try StoreMigration(
          transaction, from: try snapshot(), to: schema, version: version)
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

  /// Finds out what must be done before the store can be used with a schema.
  ///
  /// - Parameters:
  ///   - schema: The classes.
  ///   - version: The application's version of the schema; nil for the one that is stored.
  /// - Returns: What to do.
  /// - Throws: ``StoreError``, `schemaMismatch` where stored classes differ in more than indexes at the
  ///   same version, and `olderSchema` where a newer version is stored.
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
  /// Whether another schema is stored than is wanted, in a file that is sound otherwise.
  fileprivate var isAboutSchema: Bool {
    switch reason {
    case .schemaMismatch, .olderSchema: true
    default: false
    }
  }
}

extension StoreVersions {
  /// Finds out what must be done with what is stored, see ``StoreFile/preparation(for:version:)``.
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

import CadastreModel
import CadastreSQLite

extension StoreFile {
  /// Checks that a store which is open for reading only can be read with the given classes as it is.
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

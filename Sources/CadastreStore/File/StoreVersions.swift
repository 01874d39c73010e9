import CadastreSQLite

/// The counters of a store.
package struct StoreVersions: Hashable, Sendable {
  /// The number of commits.
  package var commit: Int64
  /// The number of changes of the catalogue.
  package var catalogue: Int64
  /// The application's schema version.
  package var schema: UInt64

  init(reading connection: Connection) throws(StoreError) {
    do throws(StoreError) {
      try self.init(row: connection)
    } catch {
      // Another program may have put something else in place of the table.
      if case .sqlite = error.reason {
        try StoredObjects(reading: connection).requireCatalogueTables()
      }
      throw error
    }
  }

  private init(row connection: Connection) throws(StoreError) {
    let row = try connection.statement(
      "SELECT commit_version, catalogue_version, schema_version FROM cadastre_state")
    defer { row.reset() }
    guard try row.step() else {
      throw StoreError(.corrupt("its state is missing"), path: connection.path)
    }
    commit = row.integer(0)
    catalogue = row.integer(1)
    schema = UInt64(bitPattern: row.integer(2))
    guard [commit, catalogue].allSatisfy({ (0..<Int64.max / 2).contains($0) }) else {
      throw StoreError(.corrupt("its counters are out of range"), path: connection.path)
    }
  }
}

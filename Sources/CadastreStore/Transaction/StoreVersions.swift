import CadastreSQLite

/// The counters of a store.
package struct StoreVersions: Hashable, Sendable {
  /// The number of commits.
  package var commit: Int64
  /// The number of changes of the catalogue.
  package var catalogue: Int64
  /// The application's schema version.
  package var schema: UInt64
  /// The number of commits up to the last write of a program that knows segments; nil for a store without them.
  var segments: Int64?
  /// The key of the row that contains the counters.
  let row: Int64

  init(reading connection: Connection) throws(StoreError) {
    do throws(StoreError) {
      try self.init(row: connection)
    } catch {
      // Another program may have replaced the table by another object of the same name.
      if case .sqlite = error.reason {
        try StoredObjects(reading: connection).requireCatalogueTables()
      }
      throw error
    }
  }

  private init(row connection: Connection) throws(StoreError) {
    let counters = try connection.statement(TransactionSQL.readVersions)
    defer { counters.reset() }
    guard try counters.step() else {
      throw StoreError(.corrupt("its state is missing"), path: connection.path)
    }
    row = counters.integer(0)
    commit = counters.integer(1)
    catalogue = counters.integer(2)
    schema = UInt64(bitPattern: counters.integer(3))
    // All columns of the table follow.
    segments = counters.columnCount > 7 ? counters.integer(7) : nil
    guard [commit, catalogue].allSatisfy({ (0..<Int64.max / 2).contains($0) }) else {
      throw StoreError(.corrupt("its counters are out of range"), path: connection.path)
    }
  }
}

extension StoreVersions {
  /// Whether no other program has written since the segments of the store were stored or marked.
  var hasValidSegments: Bool { segments == commit }
}

/// The statements that begin and end transactions.
enum TransactionSQL {
  /// Begins a read transaction.
  static let begin = SQLText("BEGIN")
  /// Begins a write transaction.
  static let beginWrite = SQLText("BEGIN IMMEDIATE")
  /// Makes changes durable.
  static let commit = SQLText("COMMIT")
  /// Ends a read transaction, or discards changes.
  static let rollback = SQLText("ROLLBACK")
  /// Reads the counters of the store, with the key of the row that contains them.
  ///
  /// Only stores with segments have their counter, which is among all columns.
  static let readVersions = SQLText(
    "SELECT rowid, commit_version, catalogue_version, schema_version, * FROM cadastre_state")
  /// Sets the number of commits in the row with a key, which takes SQLite half as long as in all rows.
  static let setCommitVersion = SQLText(
    "UPDATE cadastre_state SET commit_version = ? WHERE rowid = ?")
  /// Sets the number of commits and the counter of segments, in a store with segments.
  static let setCommitVersions = SQLText(
    "UPDATE cadastre_state SET commit_version = ?1, segment_version = ?1 WHERE rowid = ?2")
}

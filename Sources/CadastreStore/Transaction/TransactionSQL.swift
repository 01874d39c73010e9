import CadastreSQLite

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
  static let readVersions = SQLText(
    "SELECT rowid, commit_version, catalogue_version, schema_version FROM cadastre_state")
  /// Sets the number of commits in the row with a key, which takes SQLite half as long as in all rows.
  static let setCommitVersion = SQLText(
    "UPDATE cadastre_state SET commit_version = ? WHERE rowid = ?")
}

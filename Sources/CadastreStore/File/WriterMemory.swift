import CadastreSQLite

/// The state of a store that its writing connection keeps between two write transactions: the counters of the store, and
/// the writers of its tables with their counters and prepared statements.
///
/// The state is valid for as long as the pages that SQLite caches for the connection: until another connection changes
/// the file.
// Safe because it is used only under the write lock of the store.
final class WriterMemory: @unchecked Sendable {
  /// The state of the store after a transaction.
  struct State {
    /// The counters of the store.
    let versions: StoreVersions
    /// The writers of tables, by class.
    var tableWriters: [String: TableWriter]
  }

  private var kept: (state: State, dataVersion: UInt32)?

  /// Removes and returns the state.
  ///
  /// - Parameter connection: The connection, in a transaction.
  /// - Returns: The state; nil if there is none, or if another connection has changed the file
  ///   since.
  func take(at connection: Connection) -> State? {
    guard let kept else { return nil }
    self.kept = nil
    return kept.dataVersion == connection.dataVersion ? kept.state : nil
  }

  /// Keeps the state for the next transaction.
  ///
  /// - Parameters:
  ///   - state: The state, without uncommitted changes.
  ///   - connection: The connection, after its transaction or before its first change.
  func keep(_ state: State, at connection: Connection) {
    kept = connection.dataVersion.map { (state, $0) }
  }
}

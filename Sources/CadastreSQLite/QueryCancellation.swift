import CSQLite
import Synchronization

/// Ends the queries of a connection, from any thread.
///
///     let cancellation = QueryCancellation()
///     snapshot.connection.cancellation = cancellation
///     // On another thread: a read of the snapshot throws `StoreError` with the reason `cancelled`.
///     cancellation.cancel()
package final class QueryCancellation: Sendable {
  private let isSet = Atomic<Bool>(false)

  package init() {}

  /// Ends running and later queries.
  package func cancel() { isSet.store(true, ordering: .relaxed) }

  /// Whether the queries were cancelled.
  package var isCancelled: Bool { isSet.load(ordering: .relaxed) }
}

extension Connection {
  /// The instructions of SQLite between two checks, about 50 µs.
  private static let checkedInstructions: Int32 = 4096

  /// Throws where the queries of the connection were cancelled.
  ///
  /// - Throws: ``StoreError`` with the reason `cancelled`.
  package func checkCancellation() throws(StoreError) {
    if let cancellation, cancellation.isCancelled { throw StoreError(.cancelled, path: path) }
  }

  /// Lets SQLite check the cancellation while it runs a statement.
  func updateProgressHandler() {
    guard let cancellation else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    // Safe because the connection retains the cancellation until it replaces the handler.
    sqlite3_progress_handler(
      handle, Self.checkedInstructions,
      { context in
        guard let context else { return 0 }
        let cancellation = Unmanaged<QueryCancellation>.fromOpaque(context).takeUnretainedValue()
        return cancellation.isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(cancellation).toOpaque())
  }
}

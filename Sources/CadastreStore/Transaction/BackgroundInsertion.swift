import CadastreModel
import CadastreSQLite
import Dispatch

/// Stores new rows of a write transaction on a second thread, while the transaction's own makes the next ones.
///
/// Rows are stored in their order. The transaction's thread uses the connection and what the writers do with it
/// only after `finish()`.
final class BackgroundInsertion {
  /// A row that could not be stored, and the reason.
  struct Failure: Sendable {
    let error: StoreError
    let className: String
    let row: [Value]
  }

  // Safe because only the second thread stores rows between a submission and the end of `finish()`.
  private struct Batch: @unchecked Sendable {
    var rows: [(writer: TableWriter, key: Int64, row: [Value])] = []
  }

  private let queue = DispatchQueue(label: "cadastre.insertion")
  private let submissions = DispatchSemaphore(value: mostSubmissions)
  private let failure = Guarded<Failure?>(nil)
  private var batch = Batch()

  /// The number of rows that are handed over together.
  private static let batchSize = 256
  /// The number of submitted batches that may wait, so that memory stays bounded.
  private static let mostSubmissions = 4

  /// The first row that could not be stored; nil while there is none.
  ///
  /// Rows after it are not stored.
  var firstFailure: Failure? { failure.withLock { $0 } }

  /// Stores a row later.
  ///
  /// - Parameters:
  ///   - row: The columns.
  ///   - key: The key that the writer has reserved for it.
  ///   - writer: The writer of its class.
  func insert(_ row: [Value], _ key: Int64, _ writer: TableWriter) {
    batch.rows.append((writer, key, row))
    if batch.rows.count == Self.batchSize { submit() }
  }

  /// Waits until all rows are stored, or one of them could not be.
  func finish() {
    if !batch.rows.isEmpty { submit() }
    queue.sync {}
  }

  private func submit() {
    submissions.wait()
    let rows = batch
    batch = Batch()
    batch.rows.reserveCapacity(Self.batchSize)
    queue.async { [failure, submissions] in
      defer { submissions.signal() }
      guard failure.withLock({ $0 == nil }) else { return }
      for (writer, key, row) in rows.rows {
        do throws(StoreError) {
          guard writer.connection.isInTransaction else { throw writer.connection.rollbackError }
          try writer.store(row, key)
        } catch {
          failure.withLock {
            $0 = Failure(error: error, className: writer.layout.schema.className, row: row)
          }
          return
        }
      }
    }
  }
}

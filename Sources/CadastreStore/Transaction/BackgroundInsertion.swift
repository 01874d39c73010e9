import CadastreModel
import CadastreSQLite
import Dispatch

/// Stores new rows of a write transaction on a second thread, while the thread of the transaction
/// creates the next rows.
///
/// Rows are stored in their order. The thread of the transaction uses the connection and the writers that use
/// it only after `finish()`.
final class BackgroundInsertion {
  /// A row that could not be stored, and the reason.
  struct Failure: Sendable {
    let error: StoreError
    let className: String
    let row: [Value]
  }

  // Safe because only the second thread stores rows between a submission and the end of `finish()`.
  private struct Batch: @unchecked Sendable {
    var runs: [Run] = []
    var rowCount = 0
  }

  /// Rows of one class with consecutive keys.
  private struct Run {
    let writer: TableWriter
    let firstKey: Int64
    var rows: [[Value]]

    func isContinued(by key: Int64, _ writer: TableWriter) -> Bool {
      self.writer === writer && key == firstKey + Int64(rows.count)
    }
  }

  private let queue = DispatchQueue(label: "cadastre.insertion")
  private let submissions = DispatchSemaphore(value: mostSubmissions)
  private let failure = Guarded<Failure?>(nil)
  private var batch = Batch()

  /// The number of rows that are handed over together.
  private static let batchSize = 256
  /// The maximum number of queued batches, which bounds the memory.
  private static let mostSubmissions = 4

  /// The first row that could not be stored; nil while there is none.
  ///
  /// Rows after it are not stored.
  var firstFailure: Failure? { failure.withLock { $0 } }

  /// Queues a row for insertion.
  ///
  /// - Parameters:
  ///   - row: The columns.
  ///   - key: The key that the writer has reserved for it.
  ///   - writer: The writer of its class.
  func insert(_ row: [Value], _ key: Int64, _ writer: TableWriter) {
    if let last = batch.runs.indices.last, batch.runs[last].isContinued(by: key, writer) {
      batch.runs[last].rows.append(row)
    } else {
      batch.runs.append(Run(writer: writer, firstKey: key, rows: [row]))
    }
    batch.rowCount += 1
    if batch.rowCount == Self.batchSize { submit() }
  }

  /// Waits until all rows are stored, or one of them could not be.
  func finish() {
    if batch.rowCount > 0 { submit() }
    queue.sync {}
  }

  private func submit() {
    submissions.wait()
    let submitted = batch
    batch = Batch()
    queue.async { [failure, submissions] in
      defer { submissions.signal() }
      guard failure.withLock({ $0 == nil }) else { return }
      for run in submitted.runs {
        if let failed = Self.failure(storing: run) {
          failure.withLock { $0 = failed }
          return
        }
      }
    }
  }

  /// Stores rows up to one that cannot be stored, and returns that one.
  private static func failure(storing run: Run) -> Failure? {
    let writer = run.writer
    var stored = 0
    do throws(StoreError) {
      guard writer.connection.isInTransaction else { throw writer.connection.rollbackError }
      try writer.store(run.rows[...], from: run.firstKey, &stored)
      return nil
    } catch {
      return Failure(
        error: error, className: writer.layout.schema.className, row: run.rows[stored])
    }
  }
}

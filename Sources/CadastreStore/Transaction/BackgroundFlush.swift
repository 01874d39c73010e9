import CadastreModel
import CadastreSQLite
import Dispatch

/// The storing of new rows on a second thread, while the thread of the transaction buffers the next ones.
///
/// One set of rows is stored at a time. Only the second thread uses the connection, and the parts of the writer that
/// use it, until `finish()` returns.
final class BackgroundFlush {
  /// A row that could not be stored, and the reason.
  struct Failure: Sendable {
    let error: StoreError
    /// The index of the row.
    let index: Int
  }

  // Safe because only the second thread uses the writer's statements until `finish()` returns.
  fileprivate struct Work: @unchecked Sendable {
    let writer: TableWriter
    let rows: WriteBuffer.NewRows
    /// Receives the entries of the spatial indexes.
    let entries: [PendingEntries]
  }

  private let queue = DispatchQueue(label: "cadastre.flush")
  private let failure = Guarded<Failure?>(nil)
  private var work: Work?

  /// Starts to store the new rows of a buffer, after the rows before.
  ///
  /// - Returns: False if the rows before could not be stored; `finish()` returns why.
  func start(_ writer: TableWriter) -> Bool {
    queue.sync {}
    guard failure.withLock({ $0 == nil }) else { return false }
    work?.writer.endFlight()
    let next = Work(
      writer: writer, rows: writer.startFlight(), entries: writer.buffer.pendingEntries)
    work = next
    queue.async { [failure] in
      if let failed = next.failure() { failure.withLock { $0 = failed } }
    }
    return true
  }

  /// Waits until the rows are stored, or one of them could not be.
  ///
  /// - Returns: The failure, with the writer and the rows; nil if all rows are stored.
  func finish() -> (failure: Failure, writer: TableWriter, rows: WriteBuffer.NewRows)? {
    queue.sync {}
    guard let work else { return nil }
    self.work = nil
    work.writer.endFlight()
    return failure.withLock { $0 }.map { ($0, work.writer, work.rows) }
  }
}

extension BackgroundFlush.Work {
  /// Stores the rows up to one that cannot be stored, and returns its failure.
  fileprivate func failure() -> BackgroundFlush.Failure? {
    var stored = 0
    do throws(StoreError) {
      guard writer.connection.isInTransaction else { throw writer.connection.rollbackError }
      try writer.store(rows.rows[...], from: rows.firstKey, entries, &stored)
      return nil
    } catch {
      return BackgroundFlush.Failure(error: error, index: stored)
    }
  }
}

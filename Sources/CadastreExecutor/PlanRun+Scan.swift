import CadastrePlanner
import CadastreStore
import Dispatch
import Synchronization

/// Scans of all rows of a class.
extension PlanRun {
  /// Whether several threads filter the rows of a scan.
  private var isParallel: Bool {
    threads.maximum > 1 && !filter.parts.isEmpty && filter.readsBatchOnly
      && batches.rowCount >= threads.minimumRows
  }

  /// Calls a closure with each batch of a scan and the rows that pass the filters, in order of key.
  mutating func forEachMatch(
    _ body: (borrowing ColumnBatch, [Int32]) throws -> Void
  ) throws {
    guard isParallel else {
      var batch = batches.makeBatch()
      while try batches.readNext(into: &batch) {
        statistics.accessRows += batch.allRows.count
        try body(batch, filter.matching(batch, among: batch.allRows))
      }
      return
    }
    statistics.threads = threads.maximum
    var window: [ColumnBatch] = []
    repeat {
      window.removeAll(keepingCapacity: true)
      while window.count < Self.batchesPerThread * threads.maximum {
        var batch = batches.makeBatch()
        guard try batches.readNext(into: &batch) else { break }
        statistics.accessRows += batch.allRows.count
        window.append(batch)
      }
      let matches = try matching(window)
      for (batch, rows) in zip(window, matches) { try body(batch, rows) }
    } while !window.isEmpty
  }

  /// The number of batches that are read before the threads filter them.
  private static let batchesPerThread = 32

  /// The rows of some batches that pass the filters, filtered by several threads.
  private func matching(_ window: [ColumnBatch]) throws -> [[Int32]] {
    // Safe because the filter reads nothing but the batch, and each thread writes other elements.
    nonisolated(unsafe) let filter = filter
    var results = [Result<[Int32], any Error>](repeating: .success([]), count: window.count)
    let next = Atomic<Int>(0)
    results.withUnsafeMutableBufferPointer { results in
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: min(threads.maximum, window.count)) { _ in
        while true {
          let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard index < window.count else { return }
          results[index] = Result {
            try filter.matching(window[index], among: window[index].allRows)
          }
        }
      }
    }
    return try results.map { try $0.get() }
  }
}

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
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    guard isParallel else {
      var batch = batches.makeBatch()
      while try batches.readNext(into: &batch) {
        statistics.accessRows += batch.allRows.count
        try body(batch, filter.matching(batch))
      }
      return
    }
    statistics.threads = threads.maximum
    guard let scan = try batches.cachedScan() else { return try forEachMatchRead(body) }
    let size = Self.batchesPerThread * threads.maximum
    var next = scan.segments.lowerBound
    while next <= scan.segments.upperBound {
      let first = next
      try reader.connection.checkCancellation()
      let matches = try inParallel(min(size, Int(scan.segments.upperBound - first) + 1)) {
        filter, index -> (batch: ColumnBatch, rows: RowSet)? in
        guard let batch = scan.batch(first + Int64(index)) else { return nil }
        return (batch, try filter.matching(batch))
      }
      for match in matches {
        guard let (batch, rows) = match else { continue }
        statistics.accessRows += batch.allRows.count
        batches.note(batch)
        try body(batch, rows)
      }
      next += Int64(size)
    }
  }

  /// The same where this thread reads the batches, and several threads filter them.
  private mutating func forEachMatchRead(
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    var window: [ColumnBatch] = []
    repeat {
      window.removeAll(keepingCapacity: true)
      while window.count < Self.batchesPerThread * threads.maximum {
        var batch = batches.makeBatch()
        guard try batches.readNext(into: &batch) else { break }
        statistics.accessRows += batch.allRows.count
        window.append(batch)
      }
      let matches = try inParallel(window.count) { [window] filter, index in
        try filter.matching(window[index])
      }
      for (batch, rows) in zip(window, matches) { try body(batch, rows) }
    } while !window.isEmpty
  }

  /// The number of batches that each thread filters, about, before their rows are passed on.
  private static let batchesPerThread = 32

  /// The results of a closure for some indexes, which several threads compute, given the filter.
  private func inParallel<Result: Sendable>(
    _ count: Int, _ body: @Sendable (AllFilter, Int) throws -> Result
  ) throws -> [Result] {
    // Safe because the filter reads nothing but the batch, and each thread writes other elements.
    nonisolated(unsafe) let filter = filter
    var results = [Swift.Result<Result, any Error>?](repeating: nil, count: count)
    let next = Atomic<Int>(0)
    results.withUnsafeMutableBufferPointer { results in
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: min(threads.maximum, count)) { _ in
        while true {
          let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard index < count else { return }
          results[index] = Swift.Result { try body(filter, index) }
        }
      }
    }
    return try results.compactMap { try $0?.get() }
  }
}

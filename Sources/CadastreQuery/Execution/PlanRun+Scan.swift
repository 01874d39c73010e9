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
        try pass(batch, filter.matching(batch), body)
      }
      return
    }
    statistics.threads = threads.maximum
    let reading = late?.batches ?? batches
    if late?.filter.readsBatchOnly ?? true, let scan = try reading.cachedScan() {
      return try forEachMatch(in: scan, of: reading, body)
    }
    try forEachMatchRead(body)
  }

  /// Calls a closure with a batch and those of its rows that pass the late filters too.
  private func pass(
    _ batch: borrowing ColumnBatch, _ rows: RowSet,
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    guard let late else { return try body(batch, rows) }
    if batches.readsLateColumns {
      return try body(batch, late.filter.matching(batch, among: rows))
    }
    try late.batches.forEachBatch(of: rows, in: batch) { try body($0, late.filter.matching($0)) }
  }

  /// The same where all columns are cached.
  private mutating func forEachMatch(
    in scan: CachedScan, of reading: BatchReader,
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    // Safe because the filter reads nothing but the batch.
    nonisolated(unsafe) let filter = AllFilter(parts: filter.parts + (late?.filter.parts ?? []))
    let size = Self.segmentsPerThread * threads.maximum
    var next = scan.segments.lowerBound
    while next <= scan.segments.upperBound {
      let first = next
      try reader.connection.checkCancellation()
      let count = min(size, Int(scan.segments.upperBound - first) + 1)
      let matches = try inParallel(count, workers: threads.maximum) {
        _, index -> (batch: ColumnBatch, rows: RowSet)? in
        guard let batch = scan.batch(first + Int64(index)) else { return nil }
        return (batch, try filter.matching(batch))
      }
      for match in matches {
        guard let (batch, rows) = match else { continue }
        statistics.accessRows += batch.allRows.count
        reading.note(batch)
        try body(batch, rows)
      }
      next += Int64(size)
    }
  }

  /// The same where each thread reads some segments from the file, with a reader of its own.
  private mutating func forEachMatchRead(
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    guard let segments = try batches.allSegments() else { return }
    // Safe because each reader is used by one thread at a time, and the filter reads nothing but the batch.
    nonisolated(unsafe) let filter = filter
    nonisolated(unsafe) let readers = siblings()
    statistics.threads = readers.count
    let size = Self.segmentsPerPart
    var next = segments.lowerBound
    while next <= segments.upperBound {
      let first = next
      let left = Int((segments.upperBound - first) / size) + 1
      let parts = try inParallel(
        min(Self.partsPerThread * readers.count, left), workers: readers.count
      ) { worker, index in
        let start = first + Int64(index) * size
        let reader = readers[worker]
        try reader.beginPart(start...min(segments.upperBound, start + size - 1))
        var found: [(batch: ColumnBatch, rows: RowSet)] = []
        var rowCount = 0
        while true {
          var batch = reader.makeBatch()
          guard try reader.readNext(into: &batch) else { break }
          rowCount += batch.allRows.count
          let rows = try filter.matching(batch)
          if !rows.isEmpty { found.append((batch, rows)) }
        }
        return (found: found, rowCount: rowCount)
      }
      for part in parts {
        statistics.accessRows += part.rowCount
        for match in part.found { try pass(match.batch, match.rows, body) }
      }
      next += Int64(parts.count) * size
    }
    for reader in readers { batches.add(reader) }
  }

  /// Opens readers of the same rows for several threads; the first reader uses the connection of this run.
  private func siblings() -> [BatchReader] {
    var readers = [batches.sibling(reader)]
    while readers.count < threads.maximum, let other = reader.sibling() {
      readers.append(batches.sibling(other))
    }
    return readers
  }

  /// The number of cached segments that each thread filters, about, before their rows are passed on.
  private static let segmentsPerThread = 32
  /// The number of segments that a thread reads from the file at once.
  private static let segmentsPerPart: Int64 = 8
  /// The number of such parts of each thread, about, before their rows are passed on.
  private static let partsPerThread = 4

  /// The results of a closure for some indexes, which several threads compute, given the number of the thread.
  private func inParallel<Result: Sendable>(
    _ count: Int, workers: Int, _ body: @Sendable (_ worker: Int, _ index: Int) throws -> Result
  ) throws -> [Result] {
    // Safe because each thread writes other elements.
    var results = [Swift.Result<Result, any Error>?](repeating: nil, count: count)
    let next = Atomic<Int>(0)
    results.withUnsafeMutableBufferPointer { results in
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: min(workers, count)) { worker in
        while true {
          let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard index < count else { return }
          results[index] = Swift.Result { try body(worker, index) }
        }
      }
    }
    return try results.compactMap { try $0?.get() }
  }
}

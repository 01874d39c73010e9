import CadastreStore

/// Scans of all rows of a class.
extension PlanRun {
  /// Whether several threads read and filter the rows of a scan.
  private var isParallel: Bool {
    threads.maximum > 1 && filter.readsBatchOnly && batches.rowCount >= threads.minimumRows
  }

  /// Whether both stages of the scan may run on several threads.
  private var isLateParallel: Bool { late?.filter.readsBatchOnly ?? true }

  /// Calls a closure with each batch of a scan and the rows that pass the filters, in order of key.
  mutating func forEachMatch(
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    try forEachMatch(isCostly: false, preparing: { (batch: copy $0, rows: $1) }) {
      try body($0.batch, $0.rows)
    }
  }

  /// Calls a closure with what another one makes of each batch and the rows that pass the filters, in order of key.
  ///
  /// - Parameters:
  ///   - isCostly: Whether the rows are prepared on several threads also where these have nothing else to do.
  ///   - prepare: The closure that prepares rows, on the thread that has read them.
  ///   - body: The closure that receives the results on this thread.
  /// - Throws: The error of a read or of a closure.
  mutating func forEachMatch<Prepared: Sendable>(
    isCostly: Bool = true,
    preparing prepare: @Sendable (borrowing ColumnBatch, RowSet) throws -> Prepared,
    _ body: (Prepared) throws -> Void
  ) throws {
    let consume = { (batch: borrowing ColumnBatch, rows: RowSet) in
      try body(prepare(batch, rows))
    }
    guard isParallel else { return try forEachMatchAlone(consume) }
    let reading = late?.batches ?? batches
    if isLateParallel, let scan = try reading.cachedScan() {
      guard isCostly || !filter.parts.isEmpty else { return try forEachMatchAlone(consume) }
      statistics.threads = threads.maximum
      return try forEachMatch(in: scan, of: reading, prepare, body)
    }
    try forEachMatchRead(prepare, body)
  }

  /// The same on this thread.
  private mutating func forEachMatchAlone(
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    var batch = batches.makeBatch()
    while try batches.readNext(into: &batch) {
      statistics.accessRows += batch.allRows.count
      try pass(batch, filter.matching(batch), body)
    }
  }

  /// Calls a closure with the rows of a batch of the first stage that pass the second one.
  func pass(
    _ batch: borrowing ColumnBatch, _ rows: RowSet,
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    if rows.isEmpty { return }
    guard let late else { return try body(batch, rows) }
    if batches.readsLateColumns {
      return try body(batch, late.filter.matching(batch, among: rows))
    }
    try late.batches.forEachBatch(of: rows, in: batch) { try body($0, late.filter.matching($0)) }
  }

  /// The same where all columns are cached.
  private mutating func forEachMatch<Prepared: Sendable>(
    in scan: CachedScan, of reading: BatchReader,
    _ prepare: @Sendable (borrowing ColumnBatch, RowSet) throws -> Prepared,
    _ body: (Prepared) throws -> Void
  ) throws {
    // Safe because the filter reads nothing but the batch.
    nonisolated(unsafe) let filter = AllFilter(parts: filter.parts + (late?.filter.parts ?? []))
    let size = Self.segmentsPerThread * threads.maximum
    var next = scan.segments.lowerBound
    while next <= scan.segments.upperBound {
      let first = next
      try reader.connection.checkCancellation()
      let count = min(size, Int(scan.segments.upperBound - first) + 1)
      let matches = try QueryThreads.results(count, workers: threads.maximum) {
        _, index -> (rowCount: Int, prepared: Prepared)? in
        guard let batch = scan.batch(first + Int64(index)) else { return nil }
        return (batch.allRows.count, try prepare(batch, filter.matching(batch)))
      }
      for match in matches {
        guard let (rowCount, prepared) = match else { continue }
        statistics.accessRows += rowCount
        reading.note(segmentOf: rowCount)
        try body(prepared)
      }
      next += Int64(size)
    }
  }

  /// The same where each thread reads some segments from the file, with readers of its own.
  private mutating func forEachMatchRead<Prepared: Sendable>(
    _ prepare: @Sendable (borrowing ColumnBatch, RowSet) throws -> Prepared,
    _ body: (Prepared) throws -> Void
  ) throws {
    guard let segments = try batches.allSegments() else { return }
    // One thread skips the gaps between keys, which may be far apart where another program has written rows.
    guard segments.count / Self.mostGaps <= KeySegment.count(ofRows: batches.rowCount) else {
      return try forEachMatchAlone { try body(prepare($0, $1)) }
    }
    // Safe because each worker is used by one thread at a time, and the filters read nothing but the batch.
    nonisolated(unsafe) let filter = filter
    nonisolated(unsafe) let workers = workers()
    // Safe because each thread writes its own element.
    nonisolated(unsafe) let isPaused = UnsafeMutableBufferPointer<Bool>.allocate(
      capacity: workers.count)
    defer { isPaused.deallocate() }
    statistics.threads = workers.count
    let hasOneStage = late == nil
    let size = Self.segmentsPerPart
    @Sendable func range(_ number: Int64) -> ClosedRange<Int64> {
      let start = segments.lowerBound + number * size
      return start...min(segments.upperBound, start + size - 1)
    }
    let partCount = (segments.upperBound - segments.lowerBound) / size + 1
    var next: Int64 = 0
    while next < partCount {
      let first = next
      isPaused.initialize(repeating: false)
      let count = Int(min(Int64(Self.partsPerThread * workers.count), partCount - first))
      let parts = try QueryThreads.results(count, workers: workers.count) { worker, index in
        guard !isPaused[worker] else { return PreparedPart<Prepared>(worker: worker) }
        try workers[worker].batches.beginPart(range(first + Int64(index)))
        let part = try workers[worker].readPart(filter)
        isPaused[worker] = !part.isComplete
        let matches = try part.matches.map { match -> PreparedMatch<Prepared> in
          match.isLate || hasOneStage
            ? .prepared(try prepare(match.batch, match.rows)) : .early(match.batch, match.rows)
        }
        return PreparedPart(
          worker: worker, matches: matches, rowCount: part.rowCount, isBegun: true,
          isComplete: part.isComplete)
      }
      for (index, part) in parts.enumerated() {
        let worker = workers[part.worker]
        if !part.isBegun { try worker.batches.beginPart(range(first + Int64(index))) }
        try pass(part, of: worker, prepare, body)
      }
      next += Int64(count)
    }
    for worker in workers {
      batches.add(worker.batches)
      if let late = worker.late { self.late?.batches.add(late.batches) }
    }
  }

  /// Calls a closure with the rows of a part, after reading those that its thread has left.
  private mutating func pass<Prepared>(
    _ part: PreparedPart<Prepared>, of worker: ScanWorker,
    _ prepare: (borrowing ColumnBatch, RowSet) throws -> Prepared,
    _ body: (Prepared) throws -> Void
  ) throws {
    for match in part.matches {
      switch match {
      case .prepared(let prepared): try body(prepared)
      case .early(let batch, let rows): try pass(batch, rows) { try body(prepare($0, $1)) }
      }
    }
    statistics.accessRows += part.rowCount
    if part.isComplete { return }
    var batch = worker.batches.makeBatch()
    while try worker.batches.readNext(into: &batch) {
      statistics.accessRows += batch.allRows.count
      try pass(batch, filter.matching(batch)) { try body(prepare($0, $1)) }
    }
  }

  /// Opens readers of the same rows for several threads; the first one uses the connection of this run.
  private func workers() -> [ScanWorker] {
    let late = isLateParallel ? late : nil
    func worker(_ reader: any StoreReader) -> ScanWorker {
      ScanWorker(batches: batches.sibling(reader), late: late?.sibling(reader))
    }
    var workers = [worker(reader)]
    while workers.count < threads.maximum, let other = reader.sibling() {
      workers.append(worker(other))
    }
    return workers
  }

  /// The number of segments for each segment of rows up to which several threads read the segments one after the
  /// other.
  private static let mostGaps = 16
  /// The number of cached segments that each thread filters, about, before their rows are passed on.
  private static let segmentsPerThread = 32
  /// The number of segments that a thread reads from the file at once.
  private static let segmentsPerPart: Int64 = 8
  /// The number of such parts of each thread, about, before their rows are passed on.
  private static let partsPerThread = 4
}

/// Some rows of a part of a scan, in order of key.
private enum PreparedMatch<Prepared: Sendable>: Sendable {
  /// What was made of rows that match.
  case prepared(Prepared)
  /// Rows that have passed the first stage only.
  case early(ColumnBatch, RowSet)
}

/// The rows of a part of a scan that its thread has read and prepared.
private struct PreparedPart<Prepared: Sendable>: Sendable {
  /// The index of the worker.
  var worker: Int
  var matches: [PreparedMatch<Prepared>] = []
  /// The number of rows that the first stage has read.
  var rowCount = 0
  /// Whether the worker has begun to read the part.
  var isBegun = false
  /// Whether the part has been read to its end.
  var isComplete = false
}

import CadastreStore

/// The second stage of a scan: the columns that are read only for the rows that pass the first filters.
///
/// The first stage reads all rows of the columns that the first filters test, and leaves them in memory. Coordinates,
/// geometries, the columns of an order and those that the query yields are read for the rows that pass: from memory
/// where they are there, else by key, or by segment where many rows of a segment pass.
struct LateRows {
  /// The filters of the second stage; they may be none.
  let filter: AllFilter
  /// The reader of all columns of the scan.
  let batches: BatchReader

  /// The same stage with a reader for another thread, or for the same rows.
  func sibling(_ reader: any StoreReader) -> LateRows {
    LateRows(filter: filter, batches: batches.sibling(reader))
  }
}

/// The reader of a thread that scans a part of the rows.
struct ScanWorker {
  /// The reader of the first stage.
  let batches: BatchReader
  /// The second stage, if the thread runs it.
  let late: LateRows?

  /// Some rows of a part, in order of key.
  struct Match {
    let batch: ColumnBatch
    let rows: RowSet
    /// Whether the rows have passed the second stage.
    let isLate: Bool
  }

  /// The rows of a part that match, or the first of them.
  struct Part {
    var matches: [Match] = []
    /// The keys of the last rows of the first stage, which wait for the second one: there are few of them in each
    /// segment.
    fileprivate var pending: [Int64] = []
    /// The number of rows of the part that the first stage has read.
    var rowCount = 0
    /// The memory that rows take which are not in the cache, about, in bytes.
    fileprivate var byteCount = 0
    /// Whether the part has been read to its end.
    var isComplete = false

    /// Whether the rows take so much memory that the rest is left to the thread that consumes them.
    fileprivate var isFull: Bool { byteCount > Self.mostBytes }

    private static let mostBytes = 16 << 20

    fileprivate mutating func add(_ batch: ColumnBatch, _ rows: RowSet, isLate: Bool) {
      byteCount += batch.addedBytes
      matches.append(Match(batch: batch, rows: rows, isLate: isLate))
    }
  }

  /// Reads the rows of the part at which the reader is positioned.
  ///
  /// - Parameter filter: The filters of the first stage.
  /// - Returns: The part, which is not complete where its rows take too much memory.
  /// - Throws: The error of a read.
  func readPart(_ filter: AllFilter) throws -> Part {
    var part = Part()
    while !part.isFull {
      var batch = batches.makeBatch()
      guard try batches.readNext(into: &batch) else {
        part.isComplete = true
        break
      }
      part.rowCount += batch.allRows.count
      let rows = try filter.matching(batch)
      if !rows.isEmpty { try add(batch, rows, to: &part) }
    }
    try readPending(of: &part)
    return part
  }

  /// Adds rows that have passed the first stage.
  private func add(_ batch: ColumnBatch, _ rows: RowSet, to part: inout Part) throws {
    guard let late else { return part.add(batch, rows, isLate: false) }
    if batches.readsLateColumns {
      return part.add(batch, try late.filter.matching(batch, among: rows), isLate: true)
    }
    if rows.count < BatchReader.longRun {
      batch.appendKeys(of: rows, to: &part.pending)
      if part.pending.count >= ColumnBatch.capacity { try readPending(of: &part) }
      return
    }
    try readPending(of: &part)
    var rest = rows
    while !part.isFull {
      var found = late.batches.makeBatch()
      guard try late.batches.readNext(of: &rest, in: batch, into: &found) else { return }
      part.add(found, try late.filter.matching(found), isLate: true)
    }
    if !rest.isEmpty { part.add(batch, rest, isLate: false) }
  }

  /// Runs the second stage of the pending rows.
  private func readPending(of part: inout Part) throws {
    guard let late, !part.pending.isEmpty else { return }
    var next = 0
    while !part.isFull {
      var found = late.batches.makeBatch()
      guard try late.batches.readNext(of: part.pending, from: &next, into: &found) else { break }
      part.add(found, try late.filter.matching(found), isLate: true)
    }
    if next < part.pending.count {
      var rest = ColumnBatch([])
      rest.append(part.pending[next...].map { IndexEntry(key: $0) })
      part.add(rest, rest.allRows, isLate: false)
    }
    part.pending = []
  }
}

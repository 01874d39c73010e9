import CadastreStore

/// A reader of columns of rows with given keys, in the order of the keys.
///
/// Many keys in another order than that of the file are read in the order of the file, so that each page and each
/// cached segment is read once, and put in their order afterwards. Many rows that are not cached are read on several
/// threads.
struct RowsByKey {
  /// The reader of the rows.
  let reader: BatchReader
  /// Opens readers of the same rows for other threads.
  private let others: (BatchReader) -> [BatchReader]

  /// The number of keys up to which rows are read in any order.
  static let fewKeys = 64
  /// The largest number of keys whose rows are put in order at once.
  private static let mostKeys = 1 << 20
  /// The size of their values above which they are read in any order.
  private static let mostBytes = 256 << 20
  /// The number of rows from which several threads read them: about 2 ms.
  private static let manyRows = 2048

  /// Prepares to read rows.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - others: Opens readers of the same rows for other threads.
  init(reader: BatchReader, others: @escaping (BatchReader) -> [BatchReader] = { _ in [] }) {
    self.reader = reader
    self.others = others
  }

  /// Passes the rows with the given keys, in their order, to a closure in batches; keys without a row are skipped.
  ///
  /// - Throws: ``StoreError``, or the error of the closure.
  func forEachBatch(of keys: [Int64], _ body: (borrowing ColumnBatch) throws -> Void) throws {
    guard keys.count > Self.fewKeys, reader.columns.allSatisfy({ $0.type.isSmall }) else {
      return try reader.forEachBatch(of: keys, body)
    }
    guard !KeySort.isAscending(keys) else { return try forEachBatch(ascending: keys, body) }
    var next = 0
    while next < keys.count {
      let end = min(next + Self.mostKeys, keys.count)
      let part = Array(keys[next..<end])
      next = end
      guard let order = KeyOrder(of: part), let rows = try rows(order.keys) else {
        try reader.forEachBatch(of: part, body)
        continue
      }
      let ranks = order.ranks
      for start in stride(from: 0, to: ranks.count, by: ColumnBatch.capacity) {
        let slice = ranks[start..<min(start + ColumnBatch.capacity, ranks.count)]
        try body(rows.gathered(slice))
      }
    }
  }

  /// Passes the rows with ascending keys to a closure in batches.
  private func forEachBatch(
    ascending keys: [Int64], _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    let readers = readers(of: keys)
    guard readers.count > 1 else { return try reader.forEachBatch(of: keys, body) }
    let size = KeySegment.capacity * readers.count
    for start in stride(from: 0, to: keys.count, by: size) {
      let part = Array(keys[start..<min(start + size, keys.count)])
      if let rows = try rows(part, readers) {
        for rows in rows { try body(rows) }
      } else {
        try reader.forEachBatch(of: part, body)
      }
    }
    for other in readers.dropFirst() { reader.add(other) }
  }

  /// Returns the rows with ascending keys; nil where one is missing, or their values are large.
  private func rows(_ keys: [Int64]) throws -> ColumnBatch? {
    let readers = readers(of: keys)
    defer { for other in readers.dropFirst() { reader.add(other) } }
    guard let parts = try rows(keys, readers) else { return nil }
    if parts.count == 1, parts[0].addedKeys.count == keys.count { return parts[0] }
    var rows = reader.makeBatch()
    for part in parts { rows.append(part, part.allRows, Array(reader.columns.indices)) }
    return rows.addedKeys.count == keys.count ? rows : nil
  }

  /// The readers of some rows, one for each thread.
  private func readers(of keys: [Int64]) -> [BatchReader] {
    [reader] + (reader.uncachedCount(of: keys) < Self.manyRows ? [] : others(reader))
  }

  /// Returns the rows with ascending keys, a part from each reader; nil where their values are large.
  private func rows(_ keys: [Int64], _ readers: [BatchReader]) throws -> [ColumnBatch]? {
    // Safe because each reader is used by one thread.
    nonisolated(unsafe) let readers = readers
    let slots = Array(reader.columns.indices)
    let size = (keys.count - 1) / readers.count + 1
    let parts = try QueryThreads.results(readers.count, workers: readers.count) { _, index in
      var rows: ColumnBatch? = readers[index].makeBatch()
      let part = Array(keys[min(index * size, keys.count)..<min((index + 1) * size, keys.count)])
      try readers[index].forEachBatch(of: part) { batch in
        rows.gather(batch, batch.allRows, slots, mostBytes: Self.mostBytes / readers.count)
      }
      return rows
    }
    let complete = parts.compactMap(\.self)
    return complete.count == parts.count ? complete : nil
  }
}

extension ColumnBatch? {
  /// Appends rows of another batch, unless there is no batch; releases all rows when their texts and data exceed a
  /// size.
  mutating func gather(
    _ batch: borrowing ColumnBatch, _ rows: RowSet, _ slots: [Int], mostBytes: Int
  ) {
    self?.append(batch, rows, slots)
    if let size = self?.contentBytes, size > mostBytes { self = nil }
  }
}

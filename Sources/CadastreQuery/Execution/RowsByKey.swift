import CadastreStore

/// A reader of columns of rows with given keys, in the order of the keys.
///
/// Many keys in another order than that of the file are read in the order of the file, so that each page and each
/// cached segment is read once, and put in their order afterwards. Many rows are read on several threads.
struct RowsByKey {
  private let reader: BatchReader
  private let store: any StoreReader
  private let threads: QueryThreads
  /// The largest number of keys whose rows are put in order at once.
  private let mostKeys: Int

  /// The number of keys up to which rows are read in any order.
  static let fewKeys = 64
  /// The number of rows from which several threads read them: about 2 ms.
  private static let manyRows = 2048

  /// Prepares to read rows.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - store: The snapshot or transaction of the reader, which opens readers for other threads.
  ///   - threads: The threads that read, and the memory of the rows that are put in order at once.
  init(_ reader: BatchReader, of store: any StoreReader, _ threads: QueryThreads) {
    self.reader = reader
    self.store = store
    self.threads = threads
    // A key takes about 64 bytes while its row is put in order, and a value 16.
    mostKeys = max(Self.fewKeys, threads.mostGatheredBytes / (16 * (reader.columns.count + 4)))
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
      let end = min(next + mostKeys, keys.count)
      let part = Array(keys[next..<end])
      next = end
      guard let order = KeyOrder(of: part, threads), let rows = try rows(order.keys) else {
        try reader.forEachBatch(of: part, body)
        continue
      }
      try rows.forEachBatch(of: order.ranks[...], threads, body)
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
    guard keys.count >= threads.minimumRows || reader.uncachedCount(of: keys) >= Self.manyRows
    else { return [reader] }
    return [reader] + (1..<threads.maximum).compactMap { _ in store.sibling().map(reader.sibling) }
  }

  /// Returns the rows with ascending keys, a part from each reader; nil where their values are large.
  private func rows(_ keys: [Int64], _ readers: [BatchReader]) throws -> [ColumnBatch]? {
    // Safe because each reader is used by one thread.
    nonisolated(unsafe) let readers = readers
    let slots = Array(reader.columns.indices)
    let mostBytes = threads.mostGatheredBytes / readers.count
    let size = (keys.count - 1) / readers.count + 1
    let parts = try QueryThreads.results(readers.count, workers: readers.count) { _, index in
      var rows: ColumnBatch? = readers[index].makeBatch()
      let part = Array(keys[min(index * size, keys.count)..<min((index + 1) * size, keys.count)])
      try readers[index].forEachBatch(of: part) { batch in
        rows.gather(batch, batch.allRows, slots, mostBytes: mostBytes)
      }
      return rows
    }
    let complete = parts.compactMap(\.self)
    return complete.count == parts.count ? complete : nil
  }
}

extension ColumnBatch? {
  /// Appends rows of another batch, unless there is no batch; releases all rows when they exceed a size in
  /// bytes.
  mutating func gather(
    _ batch: borrowing ColumnBatch, _ rows: RowSet, _ slots: [Int], mostBytes: Int
  ) {
    self?.append(batch, rows, slots)
    if let size = self?.addedBytes, size > mostBytes { self = nil }
  }
}

extension ColumnBatch {
  /// Passes rows that were added one by one, in a given order, to a closure in batches, which several threads gather.
  ///
  /// - Parameters:
  ///   - positions: The positions of the rows.
  ///   - threads: The threads.
  ///   - body: The closure.
  /// - Throws: The error of the closure.
  func forEachBatch(
    of positions: ArraySlice<UInt32>, _ threads: QueryThreads,
    _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    let workers = positions.count >= threads.minimumRows ? threads.maximum : 1
    var rest = positions
    while !rest.isEmpty {
      let part = rest.prefix(Self.capacity * (workers == 1 ? 1 : Self.batchesPerThread * workers))
      rest = rest[part.endIndex...]
      let starts = Array(stride(from: part.startIndex, to: part.endIndex, by: Self.capacity))
      let batches = QueryThreads.results(starts.count, workers: workers) { _, index in
        gathered(part[starts[index]...].prefix(Self.capacity))
      }
      for batch in batches { try body(batch) }
    }
  }

  /// The number of batches that each thread gathers before they are passed on.
  private static var batchesPerThread: Int { 32 }
}

import CadastreStore

/// A reader of columns of rows with given keys, in the order of the keys.
///
/// Many keys in another order than that of the file are read in the order of the file, so that each page and each
/// cached segment is read once, and put in their order afterwards.
struct RowsByKey {
  /// The reader of the rows.
  let reader: BatchReader

  /// The number of keys up to which rows are read in any order.
  static let fewKeys = 64
  /// The largest number of keys whose rows are put in order at once.
  private static let mostKeys = 1 << 20
  /// The size of their values above which they are read in any order.
  private static let mostBytes = 256 << 20

  /// Passes the rows with the given keys, in their order, to a closure in batches; keys without a row are skipped.
  ///
  /// - Throws: ``StoreError``, or the error of the closure.
  func forEachBatch(of keys: [Int64], _ body: (borrowing ColumnBatch) throws -> Void) throws {
    guard keys.count > Self.fewKeys, reader.columns.allSatisfy({ $0.type.isSmall }),
      !KeySort.isAscending(keys)
    else { return try reader.forEachBatch(of: keys, body) }
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

  /// Returns the rows with ascending keys; nil where one is missing, or their values are large.
  private func rows(_ keys: [Int64]) throws -> ColumnBatch? {
    var rows: ColumnBatch? = reader.makeBatch()
    let slots = Array(reader.columns.indices)
    try reader.forEachBatch(of: keys) { batch in
      rows.gather(batch, batch.allRows, slots, mostBytes: Self.mostBytes)
    }
    return rows?.addedKeys.count == keys.count ? rows : nil
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

import CadastreModel
import CadastreSQLite

/// Insertions of many rows with few statements.
extension TableWriter {
  /// Inserts rows, up to one that cannot be stored.
  ///
  /// - Parameter rows: The rows.
  /// - Returns: The keys of the rows that were inserted; the primary key of the next one exists.
  /// - Throws: ``StoreError``: `duplicateKey` when the primary key of the first row exists; nothing is changed then.
  func insert(_ rows: ArraySlice<[Value]>) throws(StoreError) -> Range<Int64> {
    var stored = 0
    let first = nextKey
    let outcome = Result { () throws(StoreError) in
      try store(rows, from: nextKey, buffer.pendingEntries, &stored)
    }
    for _ in 0..<stored { _ = reserveKey() }
    if case .failure(let error) = outcome {
      guard case .duplicateKey = error.reason, stored > 0 else { throw error }
    }
    return first..<nextKey
  }

  /// Stores new rows; uses neither the buffer nor the touched cells.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - firstKey: The key of the first row; the others follow it.
  ///   - entries: Receives the entries of the spatial indexes.
  ///   - stored: Receives the number of rows that were stored, also where this throws.
  /// - Throws: ``StoreError`` `duplicateKey` when another row has the primary key of the row after these.
  func store(
    _ rows: ArraySlice<[Value]>, from firstKey: Int64, _ entries: [PendingEntries],
    _ stored: inout Int
  ) throws(StoreError) {
    stored = 0
    while stored < rows.count {
      let rest = rows.dropFirst(stored)
      let key = firstKey + Int64(stored)
      if let joint = try jointInsertion(of: rest) {
        let part = rest.prefix(joint.rowCount)
        if try joint.bind(part, from: key) {
          try store(part, from: key, joint, entries, &stored)
          continue
        }
        // Rows of this size take longer than starting a statement for each.
        insertsJointly = false
      }
      try store(rest[rest.startIndex], key, entries)
      stored += 1
    }
  }

  /// Stores rows that are bound to a statement; adds their number to `stored`.
  private func store(
    _ rows: ArraySlice<[Value]>, from firstKey: Int64, _ joint: JointInsertion,
    _ entries: [PendingEntries], _ stored: inout Int
  ) throws(StoreError) {
    var failure: StoreError?
    var count = rows.count
    do throws(StoreError) {
      try joint.run()
    } catch {
      guard error.isUniqueViolation else { throw error }
      failure = explained(error)
      count = connection.changedRows
    }
    var key = firstKey
    for row in rows.prefix(count) {
      try addIndexEntries(row, key, entries)
      key += 1
    }
    stored += count
    if let failure { throw failure }
  }
}

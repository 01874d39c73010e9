import CadastreModel

/// Reads columns of a class in batches, either of all rows or of rows with given keys.
///
/// Columns behind links are read by the same statement, through left joins on the linked rows' keys,
/// so that a null link gives nulls.
package final class BatchReader {
  private let connection: Connection
  private let sql: String
  private let columns: [ColumnReference]
  private let key: String
  private var all: Statement?
  private var one: Statement?
  /// Rows read so far.
  package private(set) var rowsRead = 0

  /// Prepares to read columns of a class.
  package init(
    _ layout: TableLayout, _ columns: [ColumnReference], _ reader: any StoreReader
  ) {
    connection = reader.connection
    self.columns = columns
    let source = RowSource.objects(layout)
    key = source.key
    sql = source.query(columns, reader.catalogue)
  }

  deinit {
    all?.reset()
    one?.reset()
  }

  /// An empty batch of the right columns.
  package func makeBatch() -> ColumnBatch { ColumnBatch(columns) }

  /// Reads the next rows of all, in order of key; false when there are none left.
  package func readNext(into batch: inout ColumnBatch) throws(StoreError) -> Bool {
    batch.removeAll()
    let statement: Statement
    if let all {
      statement = all
      guard statement.isInUse else { return false }
    } else {
      statement = try connection.statement("\(sql) ORDER BY \(key)")
      all = statement
    }
    while batch.keys.count < ColumnBatch.capacity, try statement.step() {
      batch.append(statement)
      rowsRead += 1
    }
    return !batch.keys.isEmpty
  }

  /// Gives the rows with the given keys, in their order, to a closure, batch by batch.
  ///
  /// - Throws: ``StoreError``, or what the closure throws.
  package func forEachBatch(
    of keys: [Int64], _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    var batch = makeBatch()
    for start in stride(from: 0, to: keys.count, by: ColumnBatch.capacity) {
      try read(keys[start..<min(keys.count, start + ColumnBatch.capacity)], into: &batch)
      try body(batch)
    }
  }

  /// Reads the rows with the given keys, in their order; keys without a row are left out.
  package func read(
    _ keys: some Sequence<Int64>, into batch: inout ColumnBatch
  ) throws(StoreError) {
    batch.removeAll()
    let statement: Statement
    if let one {
      statement = one
    } else {
      statement = try connection.statement("\(sql) WHERE \(key) = ?")
      one = statement
    }
    for key in keys {
      try statement.bind(.int(key), at: 1)
      if try statement.step() {
        batch.append(statement)
        rowsRead += 1
      }
      statement.reset()
    }
  }
}

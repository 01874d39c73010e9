import CadastreSQLite

/// Reads rows with given keys from the file, several with each statement.
struct RowFetch {
  private let connection: Connection
  private let sql: BatchQueries.Texts
  private var one: Statement?
  private var several: Statement?

  /// Prepares to read rows of a class.
  ///
  /// - Parameters:
  ///   - sql: The queries for the columns.
  ///   - connection: The connection.
  init(_ sql: BatchQueries.Texts, _ connection: Connection) {
    self.sql = sql
    self.connection = connection
  }

  /// Appends the rows with some of the given keys to a batch, in their order; keys without a row are
  /// skipped.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - range: The indexes of those keys whose rows are wanted.
  ///   - batch: Receives the rows.
  ///   - isWhole: Whether to continue when the batch is full.
  /// - Returns: The index of the first key that was not processed.
  /// - Throws: ``StoreError`` when reading fails.
  mutating func append(
    _ keys: [Int64], _ range: Range<Int>, to batch: inout ColumnBatch, isWhole: Bool
  ) throws(StoreError) -> Int {
    var next = range.lowerBound
    while next < range.upperBound, isWhole || !batch.isFull {
      if range.upperBound - next >= BatchQueries.listedKeys {
        next = try appendSeveral(keys, from: next, to: &batch, isWhole: isWhole)
      } else {
        try appendOne(keys[next], to: &batch)
        next += 1
      }
    }
    return next
  }

  private mutating func appendOne(
    _ key: Int64, to batch: inout ColumnBatch
  ) throws(StoreError) {
    let statement: Statement
    if let one { statement = one } else { statement = try connection.statement(sql.byKey) }
    one = statement
    try statement.bind(integer: key, at: 1)
    if try statement.step() { batch.append(statement) }
    statement.reset()
  }

  /// Appends the rows with the keys that one statement takes; returns the index of the key after the last
  /// one that was processed.
  private mutating func appendSeveral(
    _ keys: [Int64], from start: Int, to batch: inout ColumnBatch, isWhole: Bool
  ) throws(StoreError) -> Int {
    let statement: Statement
    if let several { statement = several } else { statement = try connection.statement(sql.byKeys) }
    several = statement
    let end = start + BatchQueries.listedKeys
    for index in start..<end {
      try statement.bind(integer: keys[index], at: index - start + 1)
    }
    var next = start
    while try statement.step() {
      // Rows come in the order of the keys; a key may be repeated.
      let key = statement.integer(0)
      while next < end, keys[next] != key { next += 1 }
      next += 1
      batch.append(statement)
      if !isWhole, batch.isFull {
        statement.reset()
        return min(next, end)
      }
    }
    return end
  }
}

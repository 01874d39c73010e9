import CadastreSQLite

/// Rows with given keys.
extension BatchReader {
  /// Passes the rows with the given keys, in their order, to a closure in batches.
  ///
  /// - Throws: ``StoreError``, or the error of the closure.
  package func forEachBatch(
    of keys: [Int64], _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    var batch = makeBatch()
    var next = 0
    while try readNext(of: keys, from: &next, into: &batch) { try body(batch) }
  }

  /// Reads the next of the rows with the given keys, in their order; keys without a row are skipped.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - next: The index of the first key that is not processed yet.
  ///   - batch: Receives the rows.
  /// - Returns: False when no rows are left.
  /// - Throws: ``StoreError`` when reading fails.
  package func readNext(
    of keys: [Int64], from next: inout Int, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    batch.removeAll()
    try connection.checkCancellation()
    if next == 0, keys.count > Self.fewRows { cached?.view.continueScan() }
    while next < keys.count, !batch.isFull {
      let run = Self.run(of: keys, from: next)
      switch try access(to: run, in: keys) {
      case .segment(let image, let columns, let rows):
        // The batch is returned first where it contains single rows.
        guard batch.isEmpty else { return true }
        next = run.upperBound
        batch.lend(image.firstKey, columns, rows)
        rowsRead += rows.count
        if !batch.isEmpty { return true }
      case .rows(let image): next = append(keys, run, of: image, to: &batch, isWhole: false)
      case .file: next = try fetch(keys, run, into: &batch, isWhole: false)
      }
    }
    return !batch.isEmpty
  }

  /// The source of the rows with some keys of one segment.
  private enum RowAccess {
    /// The columns of the segment are lent.
    case segment(SegmentImage, [BatchColumn], RowSet)
    /// Single rows are copied from the segment.
    case rows(CopiedSegments.Entry)
    /// The rows are read from the file.
    case file
  }

  private func access(to run: Range<Int>, in keys: [Int64]) throws(StoreError) -> RowAccess {
    let number = KeySegment.number(of: keys[run.lowerBound])
    guard run.count >= Self.longRun else {
      return try image(number, rows: run.count, of: keys.count).map(RowAccess.rows) ?? .file
    }
    let lent = try lent(
      number, keys.withUnsafeBufferPointer { RowSet(slotsOf: .init(rebasing: $0[run])) })
    if let lent { return .segment(lent.image, lent.columns, lent.rows) }
    return copied.find(number).map(RowAccess.rows) ?? .file
  }

  /// Returns the end of the keys whose rows one query should read from the file, beginning with those of a
  /// run.
  private func endOfFileRows(
    _ keys: [Int64], after run: Range<Int>
  ) throws(StoreError) -> Int {
    var end = run.upperBound
    while end < keys.count, end - run.lowerBound < BatchQueries.listedKeys {
      let next = Self.run(of: keys, from: end)
      guard next.count < Self.longRun,
        try image(KeySegment.number(of: keys[end]), rows: next.count, of: keys.count) == nil
      else { break }
      end = next.upperBound
    }
    return end
  }

  /// The number of keys in one segment from which its columns are lent, not copied row by row.
  package static let longRun = 16

  /// Returns the range of keys from an index on that ascend within one segment.
  private static func run(of keys: [Int64], from start: Int) -> Range<Int> {
    let number = KeySegment.number(of: keys[start])
    return keys.withUnsafeBufferPointer { keys in
      var end = start + 1
      while end < keys.count, keys[end] > keys[end - 1], KeySegment.number(of: keys[end]) == number
      {
        end += 1
      }
      return start..<end
    }
  }

  /// Returns the number of rows with ascending keys that are not cached, after preparing to read them.
  package func uncachedCount(of keys: [Int64]) -> Int {
    beginScan()
    guard let view = cached?.view else { return keys.count }
    var count = 0
    var next = 0
    while next < keys.count {
      let run = Self.run(of: keys, from: next)
      if !view.isPublished(KeySegment.number(of: keys[next])) { count += run.count }
      next = run.upperBound
    }
    return count
  }

  /// Prepares to read rows of most segments, so that cached segments are read without the cache's lock.
  package func beginScan() { cached?.view.beginScan() }

  /// Passes some rows of another reader's batch, with the columns of this reader, to a closure in batches.
  ///
  /// - Throws: ``StoreError``, or the error of the closure.
  package func forEachBatch(
    of rows: RowSet, in other: borrowing ColumnBatch, _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    var batch = makeBatch()
    var rest = rows
    while try readNext(of: &rest, in: other, into: &batch) { try body(batch) }
  }

  /// Reads the next of some rows of another reader's batch, with the columns of this reader.
  ///
  /// - Parameters:
  ///   - rows: The rows; those that were read are removed.
  ///   - other: The other batch.
  ///   - batch: Receives the rows.
  /// - Returns: False when no rows are left.
  /// - Throws: ``StoreError`` when reading fails.
  package func readNext(
    of rows: inout RowSet, in other: borrowing ColumnBatch, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    guard !rows.isEmpty else { return false }
    // Rows of other segments are counted where they are read.
    if let number = other.firstKey.map(KeySegment.number), rows.count >= Self.longRun,
      cached?.view.isPublished(number) == true, let lent = try lent(number, rows)
    {
      batch.removeAll()
      batch.lend(lent.image.firstKey, lent.columns, lent.rows)
      rowsRead += lent.rows.count
      rows = RowSet()
      return true
    }
    var keys: [Int64] = []
    other.appendKeys(of: rows, to: &keys)
    var next = 0
    let isRead = try readNext(of: keys, from: &next, into: &batch)
    _ = rows.removeFirst(next)
    return isRead
  }

  /// Returns some rows of a segment from the cache; reads the segment where that costs less than reading the
  /// rows.
  private func lent(
    _ number: Int64, _ rows: RowSet
  ) throws(StoreError) -> (image: SegmentImage, columns: [BatchColumn], rows: RowSet)? {
    guard let cached,
      let image = try cached.view.segment(number, for: .rows(rows.count, of: rowCount))
    else { return nil }
    var rows = rows
    rows.formIntersection(image.rows)
    return try cached.joined.columns(image.columns, rows).map { (image, $0, rows) }
  }

  /// Copies rows of one segment.
  ///
  /// - Parameters:
  ///   - keys: All requested keys.
  ///   - run: The indexes of the keys of the segment.
  ///   - image: The segment.
  ///   - batch: Receives the rows that exist.
  ///   - isWhole: Whether to continue when the batch is full.
  /// - Returns: The index of the first key that was not processed.
  private func append(
    _ keys: [Int64], _ run: Range<Int>, of image: CopiedSegments.Entry, to batch: inout ColumnBatch,
    isWhole: Bool
  ) -> Int {
    for index in run {
      if !isWhole, batch.isFull { return index }
      let key = keys[index]
      let slot = KeySegment.slot(of: key)
      guard image.image.rows.contains(slot) else { continue }
      batch.append(key, image.columns, slot)
      rowsRead += 1
    }
    return run.upperBound
  }

  /// Reads the rows of a run from the file, with following rows that the same query reads; returns the index
  /// of the first key that was not processed.
  private func fetch(
    _ keys: [Int64], _ run: Range<Int>, into batch: inout ColumnBatch, isWhole: Bool
  ) throws(StoreError) -> Int {
    let range = run.lowerBound..<(try endOfFileRows(keys, after: run))
    let before = batch.allRows.count
    defer { rowsRead += batch.allRows.count - before }
    return try fetched.append(keys, range, to: &batch, isWhole: isWhole)
  }

  private func image(
    _ number: Int64, rows: Int, of count: Int
  ) throws(StoreError) -> CopiedSegments.Entry? {
    if let entry = copied.find(number) { return entry }
    // Opening the cache takes longer than reading a row or two.
    guard count > Self.fewRows || hasOpenedCache, let cached, cached.joined.isWithoutLinks else {
      return nil
    }
    let isDense = count > rowCount / KeySegment.scannedRows
    guard let image = try cached.view.segment(number, for: isDense ? .allRows : .rows(rows)),
      let columns = try cached.joined.columns(image.columns, RowSet())
    else { return nil }
    let entry = (number, image, columns)
    copied.insert(entry)
    return entry
  }

  /// The number of rows up to which the cache is not opened.
  private static let fewRows = 2

  /// Reads all rows with the given keys, in their order; keys without a row are skipped.
  package func read(_ keys: [Int64], into batch: inout ColumnBatch) throws(StoreError) {
    batch.removeAll()
    if keys.count > Self.fewRows { cached?.view.continueScan() }
    var next = 0
    while next < keys.count {
      let run = Self.run(of: keys, from: next)
      if let image = try image(
        KeySegment.number(of: keys[next]), rows: run.count, of: keys.count)
      {
        next = append(keys, run, of: image, to: &batch, isWhole: true)
      } else {
        next = try fetch(keys, run, into: &batch, isWhole: true)
      }
    }
  }
}

/// The segments from which a reader has copied single rows and may copy more.
///
/// There is no limit: keys in the order of a number refer to all segments again and again, and an entry shares the
/// memory of the cached segment.
struct CopiedSegments {
  /// A segment and the columns that are copied.
  typealias Entry = (number: Int64, image: SegmentImage, columns: [BatchColumn])
  private var last: Entry?
  /// Segments before the highest one, which are used again where the keys do not ascend.
  private var others: [Int64: Entry] = [:]
  private var highestNumber = Int64.min

  /// Returns a segment that was inserted; nil for others.
  mutating func find(_ number: Int64) -> Entry? {
    if let last, last.number == number { return last }
    guard !others.isEmpty, let entry = others[number] else { return nil }
    last = entry
    return entry
  }

  /// Adds a segment.
  mutating func insert(_ entry: Entry) {
    last = entry
    // Ascending keys need no earlier segment again.
    if entry.number < highestNumber { others[entry.number] = entry }
    highestNumber = max(highestNumber, entry.number)
  }
}

/// A reader of rows with given keys from the file, several with each statement.
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
  ///   - range: The indexes of the keys whose rows are requested.
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

  /// Appends the rows for the keys of one statement; returns the index of the first key that was not
  /// processed.
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

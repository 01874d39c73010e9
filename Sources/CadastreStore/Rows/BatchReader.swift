import CadastreModel
package import CadastreSQLite

/// Reads columns of a class in batches, either of all rows or of rows with given keys.
///
/// Cached segments are lent without a copy, and read segments are cached where possible. Columns of linked
/// objects are joined to the rows with the links; a null link gives nulls.
package final class BatchReader {
  private let connection: Connection
  private let reader: any StoreReader
  private let layout: TableLayout
  /// The columns that every batch has.
  private let columns: [ColumnReference]
  /// The columns that only streamed rows have.
  private let late: [ColumnReference]
  /// The columns of the batches.
  private lazy var references = readsLateColumns ? columns + late : columns
  /// The queries of the columns, which are not needed where all rows are cached.
  private lazy var sql = layout.batches.texts(of: references, layout, reader.catalogue)
  private lazy var key = RowSource.objects(layout).key
  /// The number of rows of the class, which is not needed for a few rows with given keys.
  package private(set) lazy var rowCount =
    (try? reader.rowCount(layout.schema.className)) ?? .max
  /// The access to cached columns, opened when the first row is read; nil where the cache may not be
  /// used.
  private lazy var cached = openCache()
  private var hasOpenedCache = false
  /// Whether the scan may end after the first rows, so that it does not read whole segments for them.
  private let isLimited: Bool
  /// What SQLite tests where a scan does not read segments.
  private let conditions: [ScanCondition]
  private var streaming: Statement?
  /// Whether the connection's page cache is small, because all pages of the table are read once.
  private var hasSmallPageCache = false
  /// Checks the keys of streamed rows.
  private var streamedKeys: AscendingKeys
  private lazy var fetched = RowFetch(sql, connection)
  private var hasStarted = false
  /// Whether a scan reads nothing from the cache and does not fill it: nothing of a large class is in
  /// memory, and copying all of it for one query would take much longer than the query.
  private lazy var isFirstScan =
    !conditions.isEmpty && rowCount >= Self.largeTable
    && cached?.view.isFirstScan(of: rowCount) == true
  /// The segments that are still to be read; nil where there are none, or where rows are streamed.
  private var remaining: (next: Int64, last: Int64)?
  private var copied = CopiedSegments()
  /// Rows read so far.
  package private(set) var rowsRead = 0
  /// Rows that a completed scan did not read because they do not meet the conditions.
  package private(set) var rowsSkipped = 0

  /// The number of segments that were cached, and of those that were read from the file, so far.
  package var segments: (inMemory: Int, read: Int) {
    guard hasOpenedCache, let cached else { return (0, 0) }
    return (cached.view.segmentsInMemory, cached.view.segmentsRead)
  }

  /// Prepares to read columns of a class.
  ///
  /// - Parameters:
  ///   - layout: The class.
  ///   - columns: The columns.
  ///   - late: Columns that are wanted of the few rows that meet the conditions; they are read where that
  ///     takes no second pass, see ``readsLateColumns``.
  ///   - reader: The snapshot or transaction.
  ///   - isLimited: Whether the scan may end after the first rows.
  ///   - conditions: Conditions on columns that the rows of interest meet; a scan may pass others too.
  package init(
    _ layout: TableLayout, _ columns: [ColumnReference], late: [ColumnReference] = [],
    _ reader: any StoreReader, isLimited: Bool = false, conditions: [ScanCondition] = []
  ) {
    self.conditions = conditions
    connection = reader.connection
    self.columns = columns
    self.late = late
    self.isLimited = isLimited
    self.reader = reader
    self.layout = layout
    streamedKeys = AscendingKeys(of: layout.tableName, reader.connection)
  }

  private func openCache() -> (view: ColumnView, joined: JoinedColumns)? {
    hasOpenedCache = true
    guard let joined = JoinedColumns(layout, columns, reader),
      let view = ColumnView(layout, joined.rootColumns, reader)
    else { return nil }
    return (view, joined)
  }

  deinit {
    streaming?.reset()
    endFirstScan()
  }

  /// Whether the batches of a scan have the late columns, after the others.
  package var readsLateColumns: Bool { !late.isEmpty && isFirstScan }

  /// Returns an empty batch of the requested columns.
  package func makeBatch() -> ColumnBatch { ColumnBatch(references) }

  // MARK: All rows

  /// Reads the next rows of all in the order of their keys; returns false when there are none left.
  package func readNext(into batch: inout ColumnBatch) throws(StoreError) -> Bool {
    batch.removeAll()
    try connection.checkCancellation()
    try start()
    while true {
      if let streaming, try stream(streaming, into: &batch) { return true }
      guard let (number, last) = remaining, number <= last else { return false }
      remaining = (number + 1, last)
      if try lend(number, into: &batch) {
        if !batch.isEmpty { return true }
        try skipGap()
      } else {
        try startStreaming(number)
      }
    }
  }

  /// Returns a scan of all rows that several threads can share, instead of `readNext`; nil where some
  /// columns are not cached, or belong to linked classes.
  package func cachedScan() throws(StoreError) -> CachedScan? {
    try start()
    guard let (first, last) = remaining, first <= last, let cached,
      let outputs = cached.joined.outputsWithoutLinks,
      let published = cached.view.complete(first, through: last)
    else { return nil }
    return CachedScan(first...last, published, references, outputs: outputs)
  }

  /// Counts a batch of a scan that several threads share.
  package func note(_ batch: borrowing ColumnBatch) {
    rowsRead += batch.allRows.count
    cached?.view.noteInMemory(1)
  }

  /// Begins the scan, once.
  private func start() throws(StoreError) {
    guard !hasStarted else { return }
    hasStarted = true
    guard !isFirstScan, cached != nil else { return try startStreaming() }
    beginScan()
    guard let keys = try reader.keyRange(layout) else { return }
    remaining = (Segment.number(of: keys.lowerBound), Segment.number(of: keys.upperBound))
  }

  /// Continues with the next segment that contains a row.
  private func skipGap() throws(StoreError) {
    guard let (next, last) = remaining, next <= last, let cached else { return }
    let first = try cached.view.firstKey(from: Segment.firstKey(next))
    remaining = (first.map(Segment.number) ?? last + 1, last)
  }

  private func lend(
    _ number: Int64, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    guard let cached,
      let image = try cached.view.segment(number, filling: !isLimited || rowsRead > 0),
      let columns = try cached.joined.columns(image.columns, image.rows)
    else { return false }
    batch.lend(image.firstKey, columns, image.rows)
    rowsRead += image.rows.count
    return true
  }

  /// The number of rows from which on the columns are cached by the second scan.
  private static let largeTable = 16 * Segment.capacity

  /// Streams all rows that meet the conditions.
  private func startStreaming() throws(StoreError) {
    let tests = conditions.map { condition in
      let column = layout.columns[references[condition.column].column]
      return condition.sql("t0.\(column.sqlNames[0])")
    }
    let condition = tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))"
    let statement = try connection.statement("\(sql.all)\(condition) ORDER BY \(key)")
    for (index, value) in conditions.flatMap(\.arguments).enumerated() {
      try statement.bind(value, at: index + 1)
    }
    streaming = statement
    if isFirstScan {
      try connection.setPageCache(.forOneScan)
      hasSmallPageCache = true
    }
  }

  /// Gives the connection its usual page cache again.
  private func endFirstScan() {
    guard hasSmallPageCache else { return }
    hasSmallPageCache = false
    try? connection.setPageCache(.usual)
  }

  private func startStreaming(_ number: Int64) throws(StoreError) {
    let statement = try connection.statement(sql.byRange)
    let first = Segment.firstKey(number)
    try statement.bind(.int(first), at: 1)
    try statement.bind(.int(first + Int64(Segment.capacity - 1)), at: 2)
    streaming = statement
  }

  private func stream(
    _ statement: Statement, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    while !batch.isFull {
      guard try statement.step() else {
        // Another step would restart the statement.
        streaming = nil
        endFirstScan()
        // All rows were streamed, without those that do not meet the conditions.
        if remaining == nil, !conditions.isEmpty, rowCount < .max {
          rowsSkipped = max(0, rowCount - rowsRead)
        }
        break
      }
      try streamedKeys.accept(statement.integer(0))
      batch.append(statement)
      rowsRead += 1
    }
    return !batch.isEmpty
  }

  // MARK: Rows with given keys

  /// Passes the rows with the given keys, in their order, to a closure in batches.
  ///
  /// - Throws: ``StoreError``, or what the closure throws.
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
  ///   - next: The index of the first key that was not processed yet.
  ///   - batch: Receives the rows.
  /// - Returns: False when there are none left.
  /// - Throws: ``StoreError`` when reading fails.
  package func readNext(
    of keys: [Int64], from next: inout Int, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    batch.removeAll()
    try connection.checkCancellation()
    if next == 0, keys.count >= Self.manyRows { beginScan() }
    while next < keys.count, !batch.isFull {
      let run = Self.run(of: keys, from: next)
      switch try place(of: run, in: keys) {
      case .segment(let image, let columns, let rows):
        // The batch is returned first where it contains single rows.
        guard batch.isEmpty else { return true }
        next = run.upperBound
        batch.lend(image.firstKey, columns, rows)
        rowsRead += rows.count
        if !batch.isEmpty { return true }
      case .rows(let image): next = append(keys, run, of: image, to: &batch, isWhole: false)
      case .file:
        let end = try endOfFileRows(keys, after: run)
        next = try fetch(keys, next..<end, into: &batch, isWhole: false)
      }
    }
    return !batch.isEmpty
  }

  /// Where the rows with some keys of one segment are read.
  private enum Place {
    /// The columns of the segment are lent.
    case segment(SegmentImage, [BatchColumn], RowSet)
    /// Single rows are copied from the segment.
    case rows(CopiedSegments.Entry)
    /// The segment is not in memory.
    case file
  }

  private func place(of run: Range<Int>, in keys: [Int64]) throws(StoreError) -> Place {
    let number = Segment.number(of: keys[run.lowerBound])
    guard run.count >= Self.longRun else {
      return try image(number, rows: run.count, of: keys.count).map(Place.rows) ?? .file
    }
    let lent = try lent(
      number, keys.withUnsafeBufferPointer { RowSet(slotsOf: .init(rebasing: $0[run])) })
    if let lent { return .segment(lent.image, lent.columns, lent.rows) }
    return copied.find(number).map(Place.rows) ?? .file
  }

  /// Returns the index after the last of the keys whose rows one query of the file should read, if the rows
  /// with the keys of a run are read from the file.
  private func endOfFileRows(
    _ keys: [Int64], after run: Range<Int>
  ) throws(StoreError) -> Int {
    var end = run.upperBound
    while end < keys.count, end - run.lowerBound < BatchQueries.listedKeys {
      let next = Self.run(of: keys, from: end)
      guard next.count < Self.longRun,
        try image(Segment.number(of: keys[end]), rows: next.count, of: keys.count) == nil
      else { break }
      end = next.upperBound
    }
    return end
  }

  /// The number of keys in one segment from which its columns are lent instead of copied row by row.
  private static let longRun = 16

  /// Returns the range of keys from an index on that ascend within one segment.
  private static func run(of keys: [Int64], from start: Int) -> Range<Int> {
    let number = Segment.number(of: keys[start])
    return keys.withUnsafeBufferPointer { keys in
      var end = start + 1
      while end < keys.count, keys[end] > keys[end - 1], Segment.number(of: keys[end]) == number {
        end += 1
      }
      return start..<end
    }
  }

  /// Prepares for rows of most segments, which are then found in the cache without its lock.
  package func beginScan() { cached?.view.beginScan() }

  /// Passes some rows of a batch of another reader, with the columns of this one, to a closure in batches.
  ///
  /// - Throws: ``StoreError``, or what the closure throws.
  package func forEachBatch(
    of rows: RowSet, in other: borrowing ColumnBatch, _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    guard !rows.isEmpty else { return }
    if let firstKey = other.firstKey, rows.count >= Self.longRun,
      let lent = try lent(Segment.number(of: firstKey), rows)
    {
      var batch = makeBatch()
      batch.lend(lent.image.firstKey, lent.columns, lent.rows)
      rowsRead += lent.rows.count
      return try body(batch)
    }
    var keys: [Int64] = []
    other.appendKeys(of: rows, to: &keys)
    try forEachBatch(of: keys, body)
  }

  /// Returns some rows of a segment from the cache, or after reading it where that costs less than reading
  /// the rows.
  private func lent(
    _ number: Int64, _ rows: RowSet
  ) throws(StoreError) -> (image: SegmentImage, columns: [BatchColumn], rows: RowSet)? {
    let count = rows.count
    let isDense = count * Segment.scannedRows >= min(Segment.capacity, rowCount)
    guard let cached, let image = try cached.view.segment(number, filling: isDense, rows: count)
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
      let slot = Segment.slot(of: key)
      guard image.image.rows.contains(slot) else { continue }
      batch.append(key, image.columns, slot)
      rowsRead += 1
    }
    return run.upperBound
  }

  /// Reads rows from the file; returns the index of the first key that was not processed.
  private func fetch(
    _ keys: [Int64], _ range: Range<Int>, into batch: inout ColumnBatch, isWhole: Bool
  ) throws(StoreError) -> Int {
    let before = batch.allRows.count
    defer { rowsRead += batch.allRows.count - before }
    return try fetched.append(keys, range, to: &batch, isWhole: isWhole)
  }

  private func image(
    _ number: Int64, rows: Int, of count: Int
  ) throws(StoreError) -> CopiedSegments.Entry? {
    if let known = copied.find(number) { return known }
    // Opening the cache takes longer than reading a row or two.
    guard count > Self.fewRows || hasOpenedCache, let cached, cached.joined.isWithoutLinks else {
      return nil
    }
    let isDense = count > rowCount / Segment.scannedRows
    guard let image = try cached.view.segment(number, filling: isDense, rows: rows),
      let columns = try cached.joined.columns(image.columns, RowSet())
    else { return nil }
    let entry = (number, image, columns)
    copied.insert(entry)
    return entry
  }

  /// The number of rows from which on looking up segments without the cache's lock takes less time.
  private static let manyRows = 64
  /// The number of rows that are read without the cache.
  private static let fewRows = 2

  /// Reads all rows with the given keys, in their order; keys without a row are skipped.
  package func read(_ keys: [Int64], into batch: inout ColumnBatch) throws(StoreError) {
    batch.removeAll()
    var next = 0
    while next < keys.count {
      let run = Self.run(of: keys, from: next)
      if let image = try image(
        Segment.number(of: keys[next]), rows: run.count, of: keys.count)
      {
        next = append(keys, run, of: image, to: &batch, isWhole: true)
      } else {
        let end = try endOfFileRows(keys, after: run)
        next = try fetch(keys, next..<end, into: &batch, isWhole: true)
      }
    }
  }
}

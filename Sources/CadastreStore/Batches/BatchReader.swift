package import CadastreModel
package import CadastreSQLite
import Foundation

/// Reads columns of a class in batches, either of all rows or of rows with given keys.
///
/// Cached segments are lent without a copy, and read segments are cached where possible. Columns of linked
/// objects are joined to the rows with the links; a null link gives nulls.
package final class BatchReader {
  let connection: Connection
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
  lazy var cached = openCache()
  var hasOpenedCache = false
  /// Whether the scan may end after the first rows, so that it does not read whole segments for them.
  private let isLimited: Bool
  /// What SQLite tests where a scan does not read segments.
  private let conditions: [ScanCondition]
  private var streaming: Statement?
  /// Whether the connection's page cache is small, because all pages of the table are read once.
  private var hasSmallPageCache = false
  /// Checks the keys of streamed rows.
  private var streamedKeys: AscendingKeys
  lazy var fetched = RowFetch(sql, connection)
  private var hasStarted = false
  /// Whether a scan reads nothing from the cache and does not fill it: nothing of a large class is in
  /// memory, and copying all of it for one query would take much longer than the query.
  private lazy var isFirstScan =
    !conditions.isEmpty && rowCount >= Self.largeTable
    && cached?.view.isFirstScan(of: rowCount) == true
  /// The segments that are still to be read; nil where there are none, or where rows are streamed.
  private var remaining: (next: Int64, last: Int64)?
  var copied = CopiedSegments()
  /// Whether a scan left out rows that do not meet the conditions.
  private var hasSkipped = false
  private var isComplete = false
  /// Rows read so far.
  package internal(set) var rowsRead = 0
  /// The segments that other readers have read of the scan.
  private var segmentsOfSiblings = (inMemory: 0, read: 0)

  /// The number of rows that a completed scan did not read because they do not meet the conditions.
  package var rowsSkipped: Int {
    hasSkipped && isComplete && rowCount < .max ? max(0, rowCount - rowsRead) : 0
  }

  /// The number of segments that were cached, and of those that were read from the file, so far.
  package var segments: (inMemory: Int, read: Int) {
    guard hasOpenedCache, let cached else { return segmentsOfSiblings }
    return (
      segmentsOfSiblings.inMemory + cached.view.segmentsInMemory,
      segmentsOfSiblings.read + cached.view.segmentsRead
    )
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
    useUsualPageCache()
  }

  /// Whether the batches of a scan have the late columns, after the others.
  package var readsLateColumns: Bool { !late.isEmpty && streamsAll }

  /// Whether a scan reads no segments, but streams all rows.
  private var streamsAll: Bool { isFirstScan || cached == nil }

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
      guard let (number, last) = remaining, number <= last else {
        isComplete = true
        return false
      }
      let end = cached?.view.endOfStreaming(from: number, through: last)
      remaining = ((end ?? number) + 1, last)
      if end == nil, try lend(number, into: &batch) {
        if !batch.isEmpty { return true }
        try skipGap()
      } else {
        try startStreaming(number...(end ?? number))
      }
    }
  }

  /// Returns a scan of all rows that several threads can share, instead of `readNext`; nil where some
  /// columns are not cached, or belong to linked classes.
  package func cachedScan() throws(StoreError) -> CachedScan? {
    guard !streamsAll else { return nil }
    try start()
    guard let (first, last) = remaining, first <= last, let cached,
      let outputs = cached.joined.outputsWithoutLinks,
      let published = try cached.view.complete(first, through: last)
    else { return nil }
    return CachedScan(first...last, published, references, outputs: outputs)
  }

  /// Counts a batch of a scan that several threads share.
  package func note(_ batch: borrowing ColumnBatch) {
    rowsRead += batch.allRows.count
    cached?.view.noteInMemory(1)
  }

  /// Begins the scan of all rows, unless a scan was begun.
  private func start() throws(StoreError) {
    guard !hasStarted else { return }
    if !streamsAll, let segments = try allSegments() { return try beginPart(segments) }
    hasStarted = true
    if streamsAll { try startStreaming(nil) }
  }

  // MARK: Parts

  /// Returns the segments between which all rows are; nil where there are no rows.
  package func allSegments() throws(StoreError) -> ClosedRange<Int64>? {
    guard let keys = try reader.keyRange(layout) else { return nil }
    return KeySegment.number(of: keys.lowerBound)...KeySegment.number(of: keys.upperBound)
  }

  /// Returns a reader of the same columns for another thread, which reads a part of the scan.
  ///
  /// - Parameter reader: A reader of the same version, which no other thread uses.
  /// - Returns: The reader.
  package func sibling(_ reader: any StoreReader) -> BatchReader {
    let other = BatchReader(
      layout, columns, late: late, reader, isLimited: isLimited, conditions: conditions)
    other.isFirstScan = isFirstScan
    return other
  }

  /// Begins the scan of some segments, after those of the part before.
  package func beginPart(_ segments: ClosedRange<Int64>) throws(StoreError) {
    if streamsAll {
      try startStreaming(segments)
    } else {
      if !hasStarted {
        beginScan()
        if rowCount >= Self.largeTable, cached?.view.isMostlyMissing(of: rowCount) == true {
          try useSmallPageCache()
        }
      }
      remaining = (segments.lowerBound, segments.upperBound)
    }
    hasStarted = true
  }

  /// Adds what another reader has read of the scan, which is complete then.
  package func add(_ other: BatchReader) {
    rowsRead += other.rowsRead
    hasSkipped = hasSkipped || other.hasSkipped
    isComplete = true
    segmentsOfSiblings.inMemory += other.segments.inMemory
    segmentsOfSiblings.read += other.segments.read
  }

  // MARK: Segments and streams

  /// Continues with the next segment that contains a row.
  private func skipGap() throws(StoreError) {
    guard let (next, last) = remaining, next <= last, let cached else { return }
    let first = try cached.view.firstKey(from: KeySegment.firstKey(next))
    remaining = (first.map(KeySegment.number) ?? last + 1, last)
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
  private static let largeTable = 16 * KeySegment.capacity

  /// Streams the rows of some segments, or all, that meet the conditions.
  private func startStreaming(_ segments: ClosedRange<Int64>?) throws(StoreError) {
    // The late columns may not be read.
    let conditions = conditions.filter { $0.column < references.count }
    hasSkipped = hasSkipped || !conditions.isEmpty
    var tests = segments == nil ? [] : ["\(key) BETWEEN ? AND ?"]
    tests += conditions.map { condition in
      let column = layout.columns[references[condition.column].column]
      return condition.sql("t0.\(column.sqlNames[0])")
    }
    let condition = tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))"
    let statement = try connection.statement("\(sql.all)\(condition) ORDER BY \(key)")
    var arguments = conditions.flatMap(\.arguments)
    if let segments {
      let end = KeySegment.firstKey(segments.upperBound) + Int64(KeySegment.capacity - 1)
      arguments.insert(
        contentsOf: [.int(KeySegment.firstKey(segments.lowerBound)), .int(end)], at: 0)
    }
    for (index, value) in arguments.enumerated() { try statement.bind(value, at: index + 1) }
    streaming = statement
    if isFirstScan { try useSmallPageCache() }
  }

  /// Gives the connection a small page cache, because the scan reads most pages of the table once.
  private func useSmallPageCache() throws(StoreError) {
    try connection.setPageCache(.forOneScan)
    hasSmallPageCache = true
  }

  /// Gives the connection its usual page cache again.
  private func useUsualPageCache() {
    guard hasSmallPageCache else { return }
    hasSmallPageCache = false
    try? connection.setPageCache(.usual)
  }

  private func stream(
    _ statement: Statement, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    while !batch.isFull {
      guard try statement.step() else {
        // Another step would restart the statement.
        streaming = nil
        useUsualPageCache()
        break
      }
      try streamedKeys.accept(statement.integer(0))
      batch.append(statement)
      rowsRead += 1
    }
    return !batch.isEmpty
  }
}

/// A condition on a column that SQLite tests while it reads all rows, so that rows which cannot
/// match are not copied.
///
/// It holds for each row whose value matches, and may hold for others.
package struct ScanCondition: Sendable {
  /// The index of the column among the requested ones.
  let column: Int
  /// The ranges; the value lies in one of them.
  private let ranges: [Range]

  /// A range of values.
  package struct Range: Sendable {
    let lower: Value
    /// The upper end; nil for an open one.
    let upper: Value?
    var includesUpper = true

    /// The values between two values, both included.
    package static func closed(_ lower: Value, _ upper: Value) -> Range {
      Range(lower: lower, upper: upper, includesUpper: true)
    }

    /// The fractions between two fractions, both included.
    package static func closed(_ lower: Double, _ upper: Double) -> [Range] {
      // Negative zero is stored and bound as bytes, which sort after all numbers; adding 0 makes it 0.
      let range = Range(lower: .double(lower + 0), upper: .double(upper + 0), includesUpper: true)
      return lower <= 0 && upper >= 0 ? [range, Range(lower: .data(Data()), upper: nil)] : [range]
    }

    /// The texts that begin with a text, which is not empty.
    package static func prefix(_ text: String) -> Range {
      Range(lower: .string(text), upper: next(after: text).map(Value.string), includesUpper: false)
    }

    /// Returns the least text above all that begin with a text; nil where there is none.
    private static func next(after text: String) -> String? {
      var scalars = Array(text.unicodeScalars)
      while let last = scalars.popLast() {
        // Surrogates are no characters.
        let code = last.value == 0xD7FF ? 0xE000 : last.value + 1
        if let next = Unicode.Scalar(code) {
          return String(String.UnicodeScalarView(scalars + [next]))
        }
      }
      return nil
    }
  }

  /// A condition that a value lies in one of some ranges.
  package init(column: Int, ranges: [Range]) {
    self.column = column
    self.ranges = ranges
  }

  /// Returns the condition as SQL, given the name of the column.
  func sql(_ name: String) -> String {
    // The sign keeps SQLite from using an index, which would need a sort.
    let parts = ranges.map { range in
      range.upper == nil
        ? "+\(name) >= ?" : "+\(name) >= ? AND +\(name) \(range.includesUpper ? "<=" : "<") ?"
    }
    return "(\(parts.joined(separator: " OR ")))"
  }

  /// The values of the parameters in the SQL.
  var arguments: [Value] { ranges.flatMap { [$0.lower] + ($0.upper.map { [$0] } ?? []) } }
}

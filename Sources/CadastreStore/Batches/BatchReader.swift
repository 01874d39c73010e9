package import CadastreModel
package import CadastreSQLite
import Foundation

/// A reader of a class's columns in batches: of all rows, or of rows with given keys.
///
/// Cached segments are lent without a copy, and read segments are cached where possible. Columns of linked
/// objects are joined to the rows with the links; a null link gives nulls.
package final class BatchReader {
  let connection: Connection
  private let reader: any StoreReader
  private let layout: TableLayout
  /// The columns that every batch has.
  package let columns: [ColumnReference]
  /// The columns that only streamed rows have, after the other columns.
  private let late: [ColumnReference]
  /// The columns of the batches.
  private lazy var references = readsLateColumns ? columns + late : columns
  /// The queries for the columns, composed when a row is read from the file.
  private lazy var sql = layout.batches.texts(of: references, layout, reader.catalogue)
  private lazy var key = RowSource.objects(layout).key
  /// The number of rows of the class, read on first use.
  package private(set) lazy var rowCount =
    (try? reader.rowCount(layout.schema.className)) ?? .max
  /// The access to cached columns, opened when the first row is read; nil where the cache may not be
  /// used.
  lazy var cached = openCache()
  var hasOpenedCache = false
  /// Whether the scan may end after the first rows, so that it does not read whole segments for them.
  private let isLimited: Bool
  /// The conditions that SQLite tests where a scan streams rows.
  private let conditions: () -> [ScanCondition]
  /// The use of the columns by this reader and its siblings.
  private var use = SharedUse()
  private var streaming: Statement?
  /// Whether the connection's page cache is small, because all pages of the table are read once.
  private var hasSmallPageCache = false
  /// Checks the keys of streamed rows.
  private var streamedKeys: AscendingKeys
  lazy var fetched = RowFetch(sql, connection)
  private var hasStarted = false
  /// The segments that are still to be read; nil where there are none, or where all rows are streamed.
  private var remaining: (next: Int64, last: Int64)?
  var copied = CopiedSegments()
  /// Whether a scan skipped rows that do not meet the conditions.
  private var hasSkipped = false
  private var isComplete = false
  /// The number of rows that were read so far.
  package internal(set) var rowsRead = 0
  /// The numbers of segments that sibling readers have read in the scan.
  private var segmentsOfSiblings = (inMemory: 0, read: 0)

  /// The number of rows that a completed scan did not read because they do not meet the conditions.
  package var rowsSkipped: Int {
    hasSkipped && isComplete && rowCount < .max ? max(0, rowCount - rowsRead) : 0
  }

  /// The numbers of segments that came from the cache and from the file so far.
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
  ///   - late: Columns that the caller needs only of the rows that match. A scan without the cache reads them in
  ///     the same pass, see ``readsLateColumns``; an integer primary key among them is cached with the other
  ///     columns, because it takes little more time.
  ///   - reader: The snapshot or transaction.
  ///   - isLimited: Whether the scan may end after the first rows.
  ///   - conditions: Conditions that each matching row meets, evaluated by a scan that streams rows, which may return
  ///     other rows too.
  package init(
    _ layout: TableLayout, _ columns: [ColumnReference], late: [ColumnReference] = [],
    _ reader: any StoreReader, isLimited: Bool = false,
    conditions: @autoclosure @escaping () -> [ScanCondition] = []
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
      let view = ColumnView(
        layout, joined.rootColumns, reader, with: companion, sharing: use)
    else { return nil }
    return (view, joined)
  }

  /// The column of an integer primary key that only matching rows need; nil for none.
  private var companion: Int? {
    layout.integerKeyColumn.flatMap { key in
      late.contains { $0.hops.isEmpty && $0.column == key } ? key : nil
    }
  }

  deinit {
    streaming?.reset()
    useUsualPageCache()
  }

  /// Whether the batches of a scan have the late columns, after the others.
  package var readsLateColumns: Bool { !late.isEmpty && streamsAll }

  /// Whether a scan streams all rows instead of reading segments.
  private var streamsAll: Bool { cached == nil }

  /// Returns an empty batch of the requested columns.
  package func makeBatch() -> ColumnBatch { ColumnBatch(references) }

  // MARK: All rows

  /// Reads the next rows of a scan in the order of their keys; returns false at the end.
  package func readNext(into batch: inout ColumnBatch) throws(StoreError) -> Bool {
    batch.removeAll()
    try connection.checkCancellation()
    try start()
    while true {
      if let streaming {
        if try stream(streaming, into: &batch) { return true }
        try skipGap()
      }
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
    guard let cached, let outputs = cached.joined.outputsWithoutLinks,
      let segments = try allSegments()
    else { return nil }
    cached.view.beginScan()
    guard let published = try cached.view.complete(segments) else { return nil }
    return CachedScan(segments, published, references, outputs: outputs)
  }

  /// Counts the rows of a segment in a scan that several threads share.
  package func note(segmentOf rows: Int) {
    rowsRead += rows
    cached?.view.noteInMemory(1)
  }

  /// Begins the scan of all rows, unless it has begun.
  private func start() throws(StoreError) {
    guard !hasStarted else { return }
    if !streamsAll, let segments = try allSegments() { return try beginPart(segments) }
    hasStarted = true
    if streamsAll { try startStreaming(nil) }
  }

  // MARK: Parts

  /// Returns the range of segments that contains all rows; nil where there are no rows.
  package func allSegments() throws(StoreError) -> ClosedRange<Int64>? {
    guard let keys = try reader.keyRange(layout) else { return nil }
    return KeySegment.number(of: keys.lowerBound)...KeySegment.number(of: keys.upperBound)
  }

  /// Returns a reader of the same columns for another thread, which reads a part of the scan.
  ///
  /// - Parameter reader: A reader of the same version, which no other thread uses.
  /// - Returns: The reader.
  package func sibling(_ reader: any StoreReader) -> BatchReader {
    let conditions = conditions
    let sibling = BatchReader(
      layout, columns, late: late, reader, isLimited: isLimited, conditions: conditions())
    sibling.use = use
    return sibling
  }

  /// Begins the scan of a range of segments; the ranges of successive calls ascend.
  package func beginPart(_ segments: ClosedRange<Int64>) throws(StoreError) {
    if streamsAll {
      try startStreaming(segments)
    } else {
      if !hasStarted {
        beginScan()
        if rowCount >= Self.largeTable, !connection.readsNodesAgain,
          cached?.view.isMostlyMissing(of: rowCount) == true
        {
          try useSmallPageCache()
        }
      }
      remaining = (segments.lowerBound, segments.upperBound)
    }
    hasStarted = true
  }

  /// Adds the counts of a sibling reader, and marks the scan as complete.
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
      let image = try cached.view.segment(
        number, for: isLimited && rowsRead == 0 ? .rows(1) : .scan),
      let columns = try cached.joined.columns(image.columns, image.rows)
    else { return false }
    batch.lend(image.firstKey, columns, image.rows)
    rowsRead += image.rows.count
    return true
  }

  /// The number of rows from which a class is large: a scan that reads it from the file uses a small page cache.
  private static let largeTable = 16 * KeySegment.capacity

  /// Streams the rows of some segments, or all, that meet the conditions.
  private func startStreaming(_ segments: ClosedRange<Int64>?) throws(StoreError) {
    // A condition on a late column does not apply where late columns are not read.
    let conditions = conditions().filter { $0.column < references.count }
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
  }

  /// Gives the connection a small page cache, because the scan reads most pages of the table once; a connection that
  /// needs the pages of a spatial index again keeps its page cache.
  private func useSmallPageCache() throws(StoreError) {
    try connection.setPageCache(.forOneScan)
    hasSmallPageCache = true
  }

  /// Resets the page cache of the connection to its usual size.
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

/// A condition on a column that SQLite tests in a scan, so that other rows are not copied.
///
/// The condition is necessary, not sufficient: each matching row meets it, and other rows may.
package struct ScanCondition: Sendable {
  /// The index of the column among the requested ones.
  let column: Int
  /// The ranges; the value lies in at least one of them.
  private let ranges: [Range]

  /// A range of values.
  package struct Range: Sendable {
    let lower: Value
    /// The upper bound; nil for none.
    let upper: Value?
    var includesUpper = true

    /// Returns the range from one value through another.
    package static func closed(_ lower: Value, _ upper: Value) -> Range {
      Range(lower: lower, upper: upper, includesUpper: true)
    }

    /// Returns the ranges of the stored forms of doubles from one number through another.
    package static func closed(_ lower: Double, _ upper: Double) -> [Range] {
      // Negative zero is stored and bound as bytes, which sort after all numbers; adding 0 makes it 0.
      let range = Range(lower: .double(lower + 0), upper: .double(upper + 0), includesUpper: true)
      return lower <= 0 && upper >= 0 ? [range, Range(lower: .data(Data()), upper: nil)] : [range]
    }

    /// Returns the range of texts with a prefix, which is not empty.
    package static func prefix(_ text: String) -> Range {
      Range(lower: .string(text), upper: next(after: text).map(Value.string), includesUpper: false)
    }

    /// Returns the least text that sorts after all texts with a prefix; nil where there is none.
    private static func next(after text: String) -> String? {
      var scalars = Array(text.unicodeScalars)
      while let last = scalars.popLast() {
        // Surrogates are not Unicode scalars.
        let code = last.value == 0xD7FF ? 0xE000 : last.value + 1
        if let next = Unicode.Scalar(code) {
          return String(String.UnicodeScalarView(scalars + [next]))
        }
      }
      return nil
    }
  }

  /// Creates the condition that a value lies in at least one of several ranges.
  package init(column: Int, ranges: [Range]) {
    self.column = column
    self.ranges = ranges
  }

  /// Returns the condition as SQL, given the name of the column.
  func sql(_ name: String) -> String {
    // The unary plus prevents SQLite from using an index, which would require a sort.
    let parts = ranges.map { range in
      range.upper == nil
        ? "+\(name) >= ?" : "+\(name) >= ? AND +\(name) \(range.includesUpper ? "<=" : "<") ?"
    }
    return "(\(parts.joined(separator: " OR ")))"
  }

  /// The values of the parameters in the SQL.
  var arguments: [Value] { ranges.flatMap { [$0.lower] + ($0.upper.map { [$0] } ?? []) } }
}

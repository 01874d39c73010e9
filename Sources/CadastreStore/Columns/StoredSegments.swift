import CadastreModel
import CadastreSQLite

/// The stored segments of a class, as one reader sees them.
///
/// A segment that cannot be read, or whose bytes make no sense, is reported and read from the rows instead.
struct StoredSegments {
  private let columns: StoredColumns
  private let layout: TableLayout
  private let reader: SegmentReader
  private let connection: Connection
  /// Receives a sentence about each damaged segment.
  private let report: (String) -> Void

  private static let columnQuery = SQLText(
    "SELECT bytes, slots FROM \(SegmentTable.name) JOIN \(SegmentTable.changes) USING (id) WHERE id = ?"
  )
  private static let rowsQuery = SQLText("SELECT bytes FROM \(SegmentTable.name) WHERE id = ?")

  /// Prepares to read stored segments; nil where another program has removed what shows its writes.
  init?(
    _ columns: StoredColumns, _ layout: TableLayout, _ connection: Connection,
    reporting report: @escaping (String) -> Void
  ) {
    guard (try? SegmentTable.hasTriggers(layout.tableName, on: connection)) == true else {
      return nil
    }
    self.columns = columns
    self.layout = layout
    self.connection = connection
    self.report = report
    reader = SegmentReader(layout, connection)
  }

  /// The stored contents of a segment.
  struct Contents {
    /// The set of existing rows; nil if it is not stored.
    var rows: RowSet?
    /// The stored columns.
    var columns: [SegmentContents.Column] = []
    /// The columns that are not stored.
    var missing: [Int] = []
  }

  /// Returns the stored columns of a segment with the values that have changed since.
  ///
  /// Slots without a row may have values.
  func contents(_ segment: Int64, _ wanted: [Int]) throws(StoreError) -> Contents {
    var contents = Contents()
    contents.rows = try rows(segment)
    var stale: [SegmentContents.Column] = []
    var changed: Set<Int32> = []
    for column in wanted {
      guard let stored = try self.column(column, segment) else {
        contents.missing.append(column)
        continue
      }
      if stored.changed.isEmpty {
        contents.columns.append((column, .values(stored.values)))
      } else {
        stale.append((column, .values(stored.values)))
        changed.formUnion(stored.changed)
      }
    }
    guard !stale.isEmpty else { return contents }
    if changed.count <= CachedSegment.mostPatches,
      let patched = try reader.patched(segment, stale, at: changed.sorted())
    {
      contents.columns += patched.map { ($0.column, $0.1) }
    } else {
      contents.missing += stale.map(\.column)
    }
    return contents
  }

  /// Returns whether a column of a segment is stored.
  func has(_ segment: Int64, _ column: Int) -> Bool {
    guard let id = columns.columns[column], let key = SegmentTable.key(id, segment) else {
      return false
    }
    return (try? SegmentTable.exists(key, on: connection)) == true
  }

  /// Returns the stored set of existing rows; nil if there is none.
  func rows(_ segment: Int64) throws(StoreError) -> RowSet? {
    guard let key = SegmentTable.key(columns.rows, segment) else { return nil }
    return try read(key, "rows", Self.rowsQuery) { statement throws(InvalidSegment) in
      try Self.decoded(statement, 0) { bytes throws(InvalidSegment) in
        try SegmentFormat.rows(bytes, key: key)
      }
    }
  }

  /// Returns a stored column, and the slots that have changed since; nil if there is none.
  func column(
    _ column: Int, _ segment: Int64
  ) throws(StoreError) -> (values: EncodedColumn, changed: [Int32])? {
    guard let id = columns.columns[column], let key = SegmentTable.key(id, segment) else {
      return nil
    }
    let description = layout.columns[column]
    return try read(key, description.name, Self.columnQuery) { statement throws(InvalidSegment) in
      let changed = try Self.decoded(statement, 1) { bytes throws(InvalidSegment) in
        try SegmentMarks.slots(bytes, key: key)
      }
      let values = try Self.decoded(statement, 0) { bytes throws(InvalidSegment) in
        try SegmentFormat.column(bytes, key: key, description.type)
      }
      return (values, changed)
    }
  }

  private func read<Result>(
    _ key: Int64, _ name: String, _ query: SQLText,
    _ decode: (Statement) throws(InvalidSegment) -> Result
  ) throws(StoreError) -> Result? {
    let statement: Statement
    do throws(StoreError) {
      statement = try connection.statement(query)
      try statement.bind(integer: key, at: 1)
      guard try statement.step() else { return nil }
    } catch {
      if case .cancelled = error.reason { throw error }
      report("segment \(key) of '\(layout.tableName)', \(name), cannot be read: \(error)")
      return nil
    }
    defer { statement.reset() }
    do throws(InvalidSegment) {
      return try decode(statement)
    } catch {
      report("segment \(key) of '\(layout.tableName)', \(name), is damaged: \(error.reason)")
      return nil
    }
  }

  /// Decodes a blob of the current row.
  static func decoded<Result>(
    _ statement: Statement, _ column: Int,
    _ decode: (UnsafeRawBufferPointer) throws(InvalidSegment) -> Result
  ) throws(InvalidSegment) -> Result {
    guard statement.storage(column) == .blob else { throw InvalidSegment("it is not a blob") }
    return try statement.withBlobBytes(column) { bytes -> Swift.Result<Result, InvalidSegment> in
      Swift.Result { () throws(InvalidSegment) in try decode(UnsafeRawBufferPointer(bytes)) }
    }.get()
  }
}

extension EncodedColumn {
  /// Returns the column with null in the slots without a row.
  func masked(_ rows: RowSet) -> EncodedColumn {
    var free = RowSet(below: count)
    free.subtract(rows)
    free.subtract(nulls)
    guard !free.isEmpty else { return self }
    var masked = RowSet(below: count)
    masked.formIntersection(nulls)
    masked.formUnion(free)
    return EncodedColumn(type, content, count: count, nulls: masked)
  }
}

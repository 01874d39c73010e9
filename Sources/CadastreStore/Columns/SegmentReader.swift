import CadastreModel
import CadastreSQLite

/// The contents of some columns of a segment, and of the rows, that were read from the file.
struct SegmentContents {
  typealias Column = (column: Int, content: CachedSegment.Content)

  /// The contents.
  var columns: [Column] = []
  /// The number of patched contents: only their changed rows were read.
  var patches = 0
  /// The number of contents that were read from stored segments.
  var stored = 0
}

/// A reader of columns of a segment from the file: of all rows, or of some.
struct SegmentReader {
  private let layout: TableLayout
  private let connection: Connection
  private let key = SQL.quoted(TableLayout.keyName)

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// The size of text and data in bytes above which a segment is not cached; its rows are streamed instead.
  static let largestContent = 16 << 20
  /// The size of a value in bytes above which its segment is not cached: a quarter of `largestContent`.
  ///
  /// SQLite finds such a value without reading it.
  static let largestValue: Int32 = 4 << 20

  /// The names of the key and of some columns.
  private func names(_ columns: [Int]) -> String {
    ([key] + columns.flatMap { layout.columns[$0].sqlNames }).joined(separator: ", ")
  }

  /// Returns the index of each column in a result row; the key has the index 0.
  private func resultIndexes(_ columns: [Int]) -> [Int] {
    columns.map { layout.columns[$0] }.resultIndexes
  }

  /// Returns the lowest row key that is at least `first`; nil where there is none.
  func firstKey(from first: Int64) throws(StoreError) -> Int64? {
    let found = try connection.integer(
      "SELECT \(key) FROM \(SQL.quoted(layout.tableName)) WHERE \(key) >= ? ORDER BY \(key) LIMIT 1",
      .int(first))
    if let found {
      var keys = AscendingKeys(of: layout.tableName, in: first ... .max, connection)
      try keys.accept(found)
    }
    return found
  }

  /// Returns the smallest and the largest key of all rows; nil where there are none.
  func keys() throws(StoreError) -> ClosedRange<Int64>? {
    let last = try connection.integer("SELECT max(\(key)) FROM \(SQL.quoted(layout.tableName))")
    guard let last, let first = try firstKey(from: .min) else { return nil }
    guard first <= last else {
      throw StoreError(
        .corrupt("the rows of table '\(layout.tableName)' are out of order"), path: connection.path)
    }
    return first...last
  }

  /// Reads the rows and columns of a segment, by slot; nil where they are too large for the cache.
  func read(
    _ segment: Int64, _ columns: [Int]
  ) throws(StoreError) -> (rows: RowSet, columns: [EncodedColumn])? {
    guard columns.count <= Self.mostColumns else {
      let part = Array(columns[..<Self.mostColumns])
      guard let first = try read(segment, part),
        let others = try read(segment, Array(columns[Self.mostColumns...]))
      else { return nil }
      return (first.rows, first.columns + others.columns)
    }
    let types = columns.map { layout.columns[$0].type }
    let collected = CollectedColumns(
      types.flatMap(\.collectedKinds), from: KeySegment.firstKey(segment),
      slotCount: KeySegment.capacity, mostBytes: Self.largestContent)
    let isRead = try connection.collect(
      collected, of: SQL.quoted(layout.tableName), key: key,
      columns.flatMap { layout.columns[$0].sqlNames }, valueLimit: Self.largestValue)
    if let key = collected.unorderedKey {
      throw AscendingKeys.error(key, of: layout.tableName, connection)
    }
    // The value that is too large may be that of a later segment.
    if !isRead, try hasRow(segment, from: collected.count) { return nil }
    guard !collected.isTooLarge else { return nil }
    let rows = RowSet(words: collected.rows)
    return (
      rows,
      zip(types, resultIndexes(columns)).map { type, index in
        EncodedColumn.encoded(type, index: index, of: collected, rows)
      }
    )
  }

  /// Whether a segment has a row in a slot or in one after it.
  private func hasRow(_ segment: Int64, from slot: Int) throws(StoreError) -> Bool {
    guard slot < KeySegment.capacity else { return false }
    let key = try firstKey(from: KeySegment.firstKey(segment) + Int64(slot))
    return key.map { KeySegment.number(of: $0) == segment } ?? false
  }

  /// The number of columns of one statement: SQLite passes 100 arguments to a function, and some columns are two.
  private static let mostColumns = 48

  /// Reads columns of the rows in ascending slots, and whether each slot contains a row; nil where a value is too
  /// large for the cache.
  private func read(
    _ segment: Int64, _ columns: [Int], at slots: [Int32]
  ) throws(StoreError) -> (isPresent: [Bool], columns: [ColumnVector])? {
    let vectors = columns.map { ColumnVector(type: layout.columns[$0].type) }
    var isPresent: [Bool] = []
    let indexes = resultIndexes(columns)
    let statement = try connection.statement(
      "SELECT \(names(columns)) FROM \(SQL.quoted(layout.tableName)) WHERE \(key) = ?")
    defer { statement.reset() }
    let first = KeySegment.firstKey(segment)
    for slot in slots {
      try statement.bind(.int(first + Int64(slot)), at: 1)
      let isFound: Bool
      switch try statement.step(valueLimit: Self.largestValue) {
      case .row: isFound = true
      case .end: isFound = false
      case .tooLarge: return nil
      }
      for column in vectors.indices {
        if isFound {
          vectors[column].append(statement, indexes[column])
        } else {
          vectors[column].pad(to: isPresent.count + 1)
        }
      }
      isPresent.append(isFound)
      statement.reset()
    }
    return (isPresent, vectors)
  }

  /// Reads the changed slots of stale contents again, and returns the patched contents; nil where a value is too
  /// large for the cache.
  func patched(
    _ segment: Int64, _ stale: [SegmentContents.Column],
    at slots: [Int32]
  ) throws(StoreError) -> [SegmentContents.Column]? {
    let columns = stale.map(\.column).filter { $0 != TableCache.rows }
    guard let read = try read(segment, columns, at: slots) else { return nil }
    return stale.map { column, content in
      switch content {
      case .rows(let rows):
        var rows = rows
        for (slot, isPresent) in zip(slots, read.isPresent) {
          if isPresent { rows.insert(Int(slot)) } else { rows.remove(Int(slot)) }
        }
        return (column, .rows(rows))
      case .values(let values):
        let index = columns.firstIndex(of: column) ?? 0
        let patched = ColumnVector(values).replacing(slots, with: read.columns[index])
        let isTooLarge = patched.contentBytes > Self.largestContent
        return (column, isTooLarge ? .tooLarge : .values(EncodedColumn(patched)))
      case .tooLarge: return (column, content)
      }
    }
  }
}

extension ColumnVector {
  /// Returns a copy with other values in ascending rows; rows beyond the end extend the copy.
  func replacing(_ rows: [Int32], with values: ColumnVector) -> ColumnVector {
    let patched = ColumnVector(type: type)
    patched.reserveCapacity(max(count, rows.last.map { Int($0) + 1 } ?? 0))
    var next = 0
    for (index, row) in rows.enumerated() {
      let row = Int(row)
      if next < min(row, count) { patched.append(self, next..<min(row, count)) }
      patched.pad(to: row)
      patched.append(values, index)
      next = row + 1
    }
    if next < count { patched.append(self, next..<count) }
    return patched
  }
}

extension PropertyType {
  /// The kinds of the columns of a value that is stored.
  fileprivate var collectedKinds: [CollectedColumns.Kind] {
    switch self {
    case .int, .bool, .object, .linkingObjects: [.integers]
    case .double: [.reals]
    case .string: [.texts]
    case .data, .objectId, .UUID, .geometry: [.blobs]
    case .float, .date, .decimal128: [.mixed]
    case .any: [.mixed, .mixed]
    }
  }
}

extension EncodedColumn {
  /// Returns a column that was collected, encoded.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - index: The index of the column in a result with the key.
  ///   - collected: The columns.
  ///   - rows: The slots with rows.
  /// - Returns: The column.
  fileprivate static func encoded(
    _ type: PropertyType, index: Int, of collected: CollectedColumns, _ rows: RowSet
  ) -> EncodedColumn {
    let count = collected.count
    let column = index - 1
    var nulls = RowSet(below: count)
    nulls.subtract(RowSet(words: collected.present(column)))
    let content: Content
    switch type {
    case .int, .bool, .object, .linkingObjects:
      content = .integers(PackedIntegers(collected.integers(column), except: nulls))
    case .double:
      let numbers = collected.reals(column)
      for (slot, bytes) in collected.otherReals(column) {
        guard let number = Double(stored: bytes) else { continue }
        numbers[slot] = number
        nulls.remove(slot)
      }
      content = Content(UnsafeBufferPointer(numbers), isFloat: false, except: nulls)
    case .string, .data, .objectId, .UUID, .geometry:
      content = Content(collected.bytes(column), collected.offsets(column), except: nulls)
    case .float, .date, .decimal128, .any:
      let vector = ColumnVector(type: type)
      vector.reserveCapacity(count)
      for slot in rows {
        vector.pad(to: slot)
        vector.append(CollectedRow(collected, slot: slot), index)
      }
      return EncodedColumn(vector)
    }
    return EncodedColumn(
      type, content, count: count, nulls: nulls.isEmpty ? RowSet() : nulls)
  }
}

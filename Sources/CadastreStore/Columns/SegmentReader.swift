import CadastreModel
import CadastreSQLite

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

  private func query(_ columns: [Int]) -> String {
    let names = [key] + columns.flatMap { layout.columns[$0].sqlNames }
    return "SELECT \(names.joined(separator: ", ")) FROM \(SQL.quoted(layout.tableName))"
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
    var rows = RowSet()
    var builders = zip(columns, resultIndexes(columns)).map {
      SegmentColumnBuilder(layout.columns[$0].type, index: $1)
    }
    let statement = try connection.statement(
      "\(query(columns)) WHERE \(key) BETWEEN ? AND ? ORDER BY \(key)")
    defer { statement.reset() }
    let first = KeySegment.firstKey(segment)
    let last = first + Int64(KeySegment.capacity - 1)
    try statement.bind(.int(first), at: 1)
    try statement.bind(.int(last), at: 2)
    var keys = AscendingKeys(of: layout.tableName, in: first...last, connection)
    let valueLimit = connection.setValueLimit(Self.largestValue)
    defer { connection.setValueLimit(valueLimit) }
    while true {
      switch try statement.stepWithinLimit() {
      case .row: break
      case .end:
        let count = rows.last.map { $0 + 1 } ?? 0
        return (rows, builders.map { $0.column(count) })
      case .tooLarge: return nil
      }
      let key = statement.integer(0)
      try keys.accept(key)
      let slot = Int(key - first)
      rows.insert(slot)
      var content = 0
      for index in builders.indices { content += builders[index].append(statement, slot) }
      if content > Self.largestContent { return nil }
    }
  }

  /// Reads columns of the rows in ascending slots, and whether each slot contains a row; nil where a value is too
  /// large for the cache.
  private func read(
    _ segment: Int64, _ columns: [Int], at slots: [Int32]
  ) throws(StoreError) -> (isPresent: [Bool], columns: [ColumnVector])? {
    let vectors = columns.map { ColumnVector(type: layout.columns[$0].type) }
    var isPresent: [Bool] = []
    let indexes = resultIndexes(columns)
    let statement = try connection.statement("\(query(columns)) WHERE \(key) = ?")
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
    _ segment: Int64, _ stale: [(column: Int, content: CachedSegment.Content)],
    at slots: [Int32]
  ) throws(StoreError) -> [(column: Int, CachedSegment.Content)]? {
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

/// A builder of one column of a segment from a statement's rows in the order of their keys.
///
/// Numbers are written to their slots; all other values are appended to a vector.
struct SegmentColumnBuilder {
  private enum Form { case integers, doubles, other }

  private let type: PropertyType
  /// The index of the column in the statement's rows.
  private let index: Int
  private let form: Form
  private var integers: [Int64] = []
  private var doubles: [Double] = []
  private var isNull: [Bool] = []
  private var nullCount = KeySegment.capacity
  private let vector: ColumnVector

  init(_ type: PropertyType, index: Int) {
    self.type = type
    self.index = index
    vector = ColumnVector(type: type)
    switch type {
    case .int, .bool, .object, .linkingObjects:
      form = .integers
      integers = Array(repeating: 0, count: KeySegment.capacity)
    case .double:
      form = .doubles
      doubles = Array(repeating: 0, count: KeySegment.capacity)
    case .float, .string, .data, .date, .objectId, .decimal128, .UUID, .geometry, .any:
      form = .other
      vector.reserveCapacity(KeySegment.capacity)
      return
    }
    isNull = Array(repeating: true, count: KeySegment.capacity)
  }

  /// Appends the value of the current row; the slots of successive calls ascend.
  ///
  /// - Returns: The size of text and data so far in bytes.
  @inline(__always)
  mutating func append(_ row: Statement, _ slot: Int) -> Int {
    switch form {
    case .integers:
      guard row.storage(index) == .integer else { return 0 }
      integers[slot] = row.integer(index)
      isNull[slot] = false
      nullCount -= 1
      return 0
    case .doubles:
      guard let value = row.double(index) else { return 0 }
      doubles[slot] = value
      isNull[slot] = false
      nullCount -= 1
      return 0
    case .other:
      vector.pad(to: slot)
      vector.append(row, index)
      return vector.contentBytes
    }
  }

  /// Returns the values of the first slots.
  func column(_ count: Int) -> EncodedColumn {
    if form == .other {
      vector.pad(to: count)
      return EncodedColumn(vector)
    }
    let free = KeySegment.capacity - count
    return EncodedColumn(
      ColumnVector(
        type: type, isNull: first(count, of: isNull), nullCount: nullCount - free,
        integers: form == .integers ? first(count, of: integers) : [],
        doubles: form == .doubles ? first(count, of: doubles) : []))
  }

  private func first<Element>(_ count: Int, of elements: [Element]) -> [Element] {
    count == elements.count ? elements : Array(elements[..<count])
  }
}

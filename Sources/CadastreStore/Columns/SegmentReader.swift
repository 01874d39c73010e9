import CadastreModel
import CadastreSQLite

/// Reads columns of a segment from the file, whole or row by row.
struct SegmentReader {
  private let layout: TableLayout
  private let connection: Connection
  private let key = SQL.quoted(TableLayout.keyName)

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// Bytes of text and data from which on a segment is not kept: its rows are streamed instead.
  static let largestContent = 16 << 20

  private func query(_ columns: [Int]) -> String {
    let names = [key] + columns.flatMap { layout.columns[$0].sqlNames }
    return "SELECT \(names.joined(separator: ", ")) FROM \(SQL.quoted(layout.tableName))"
  }

  /// Where each column stands in a row, after the key.
  private func places(_ columns: [Int]) -> [Int] {
    var place = 1
    return columns.map { column in
      defer { place += layout.columns[column].width }
      return place
    }
  }

  /// The first key of a row that is not below another; nil where there is none.
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

  /// The smallest and the largest key of all rows; nil where there are none.
  func keys() throws(StoreError) -> ClosedRange<Int64>? {
    let last = try connection.integer("SELECT max(\(key)) FROM \(SQL.quoted(layout.tableName))")
    guard let last, let first = try firstKey(from: .min) else { return nil }
    guard first <= last else {
      throw StoreError(
        .corrupt("the rows of table '\(layout.tableName)' are out of order"), path: connection.path)
    }
    return first...last
  }

  /// The rows of a segment and columns of theirs, by slot; nil where that is too much to keep.
  func read(
    _ segment: Int64, _ columns: [Int]
  ) throws(StoreError) -> (rows: SegmentRows, columns: [ColumnVector])? {
    var slots: [Int32] = []
    slots.reserveCapacity(Segment.capacity)
    var builders = zip(columns, places(columns)).map {
      SegmentColumnBuilder(layout.columns[$0].type, place: $1)
    }
    let statement = try connection.statement(
      "\(query(columns)) WHERE \(key) BETWEEN ? AND ? ORDER BY \(key)")
    defer { statement.reset() }
    let first = Segment.firstKey(segment)
    let last = first + Int64(Segment.capacity - 1)
    try statement.bind(.int(first), at: 1)
    try statement.bind(.int(last), at: 2)
    var keys = AscendingKeys(of: layout.tableName, in: first...last, connection)
    while try statement.step() {
      let key = statement.integer(0)
      try keys.accept(key)
      let slot = Int(key - first)
      slots.append(Int32(slot))
      var content = 0
      for place in builders.indices { content += builders[place].take(statement, slot) }
      if content > Self.largestContent { return nil }
    }
    let count = slots.last.map { Int($0) + 1 } ?? 0
    return (SegmentRows(slots), builders.map { $0.vector(count) })
  }

  /// Columns of the rows in some slots, ascending, and whether each slot holds a row.
  private func read(
    _ segment: Int64, _ columns: [Int], at slots: [Int32]
  ) throws(StoreError) -> (isThere: [Bool], columns: [ColumnVector]) {
    var vectors = columns.map { ColumnVector(type: layout.columns[$0].type) }
    var isThere: [Bool] = []
    let places = places(columns)
    let statement = try connection.statement("\(query(columns)) WHERE \(key) = ?")
    defer { statement.reset() }
    let first = Segment.firstKey(segment)
    for slot in slots {
      try statement.bind(.int(first + Int64(slot)), at: 1)
      let found = try statement.step()
      for place in vectors.indices {
        if found {
          vectors[place].append(statement, places[place])
        } else {
          vectors[place].pad(to: isThere.count + 1)
        }
      }
      isThere.append(found)
      statement.reset()
    }
    return (isThere, vectors)
  }

  /// Contents in which some slots have changed, those slots read again.
  func patched(
    _ segment: Int64, _ stale: [(column: Int, content: CachedSegment.Content)],
    at slots: [Int32]
  ) throws(StoreError) -> [(column: Int, CachedSegment.Content)] {
    let columns = stale.map(\.column).filter { $0 != TableImage.rows }
    let read = try read(segment, columns, at: slots)
    return stale.map { column, content in
      switch content {
      case .rows(let rows):
        let looked = zip(slots, read.isThere)
        return (column, .rows(rows.replacing(Dictionary(uniqueKeysWithValues: looked))))
      case .values(let vector):
        let place = columns.firstIndex(of: column) ?? 0
        let patched = vector.replacing(slots, with: read.columns[place]).coded()
        let isTooLarge = patched.contentBytes > Self.largestContent
        return (column, isTooLarge ? .tooLarge : .values(patched))
      case .tooLarge: return (column, content)
      }
    }
  }
}

extension ColumnVector {
  /// The vector with other values at some rows, ascending, which may lie beyond its end.
  func replacing(_ rows: [Int32], with values: ColumnVector) -> ColumnVector {
    var patched = ColumnVector(type: type)
    patched.reserveCapacity(max(count, rows.last.map { Int($0) + 1 } ?? 0))
    var next = 0
    for (place, row) in rows.enumerated() {
      let row = Int(row)
      if next < min(row, count) { patched.append(self, next..<min(row, count)) }
      patched.pad(to: row)
      patched.append(values, place)
      next = row + 1
    }
    if next < count { patched.append(self, next..<count) }
    return patched
  }
}

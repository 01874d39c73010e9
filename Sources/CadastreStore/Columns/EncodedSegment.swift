import CadastreModel
import CadastreSQLite
import Foundation

/// Columns and existing rows of a segment, encoded for the file.
struct EncodedSegment: Sendable {
  /// A column.
  private struct Part: Sendable {
    let key: Int64
    let bytes: [UInt8]
    let bounds: (minimum: Value, maximum: Value)
    let nullCount: Int
  }

  /// The number of the segment.
  let number: Int64
  private let rows: (key: Int64, bytes: [UInt8])
  private var columns: [Part] = []
  /// The columns that are not stored: the file has no form for their type, or they are too large.
  private(set) var omitted: [Int] = []

  /// Encodes a segment; nil for one without rows, and for one that is never stored.
  ///
  /// - Parameters:
  ///   - segment: The number of the segment.
  ///   - rows: The existing rows.
  ///   - values: Columns with their values.
  ///   - columns: The stored columns of the class.
  init?(
    _ segment: Int64, _ rows: RowSet, _ values: [(column: Int, values: EncodedColumn)],
    of columns: StoredColumns
  ) {
    guard !rows.isEmpty, let key = SegmentTable.key(columns.rows, segment) else { return nil }
    number = segment
    self.rows = (key, SegmentFormat.bytes(rows, key: key))
    for (column, values) in values {
      guard let id = columns.columns[column], let key = SegmentTable.key(id, segment),
        let bytes = SegmentFormat.bytes(values, key: key)
      else {
        omitted.append(column)
        continue
      }
      var nulls = values.nulls
      nulls.formIntersection(rows)
      self.columns.append(
        Part(key: key, bytes: bytes, bounds: values.storedBounds, nullCount: nulls.count))
    }
  }

  /// Whether none of the columns is stored.
  var isEmpty: Bool { columns.isEmpty }

  /// Stores the segment; the values have not changed since.
  ///
  /// - Parameter connection: The connection, in a write transaction.
  /// - Returns: The number of bytes.
  /// - Throws: ``StoreError`` when writing fails.
  func store(on connection: Connection) throws(StoreError) -> Int {
    var count = rows.bytes.count
    try Self.store(rows.bytes, rows.key, (.null, .null), nullCount: 0, on: connection)
    for part in columns {
      count += part.bytes.count
      try Self.store(part.bytes, part.key, part.bounds, nullCount: part.nullCount, on: connection)
      try connection.run(
        "INSERT OR REPLACE INTO \(SegmentTable.changes) VALUES (?, ?)", .int(part.key),
        .data(.init(SegmentMarks.bytes([], key: part.key))))
    }
    return count
  }

  private static func store(
    _ bytes: [UInt8], _ key: Int64, _ bounds: (minimum: Value, maximum: Value), nullCount: Int,
    on connection: Connection
  ) throws(StoreError) {
    try connection.run(
      "INSERT OR REPLACE INTO \(SegmentTable.name) VALUES (?, ?, ?, ?, ?)", .int(key),
      .int(Int64(nullCount)), bounds.minimum, bounds.maximum, .data(.init(bytes)))
  }
}

extension EncodedColumn {
  /// The minimum and the maximum of numbers, and of the seconds of dates; null for others.
  fileprivate var storedBounds: (minimum: Value, maximum: Value) {
    guard nullCount < count else { return (.null, .null) }
    switch content {
    case .integers(let numbers), .dates(seconds: let numbers, subseconds: _):
      return (.int(numbers.least), .int(numbers.greatest))
    case .decimals(let numbers):
      return (.double(numbers.bounds.lowerBound), .double(numbers.bounds.upperBound))
    case .doubles, .floats, .text, .dictionary, .values: return (.null, .null)
    }
  }
}

import CadastreModel
import CadastreSQLite
import Dispatch
import Foundation

/// When the columns of classes are stored as segments.
package enum ColumnStorage: Hashable, Sendable {
  /// Those of classes with many objects.
  case automatic
  /// Those of all classes.
  case always
  /// None.
  case never

  /// The number of objects from which on a class has many.
  package static let manyObjects = 100_000

  /// Returns whether the columns of a class with some number of objects are stored.
  func stores(_ objectCount: Int) -> Bool {
    switch self {
    case .automatic: objectCount >= Self.manyObjects
    case .always: objectCount >= KeySegment.capacity
    case .never: false
    }
  }

  /// Returns whether a class whose largest key is in a segment may be stored.
  func storesSegment(_ number: Int64) -> Bool {
    number < SegmentTable.segmentLimit && stores((Int(number) + 1) * KeySegment.capacity)
  }
}

/// A writer of the segments of one class that are not stored, or have changed, within a transaction.
///
/// Readers of the version that the transaction does not change read and encode the segments, each on a thread of its own.
struct SegmentStorage {
  private let columns: StoredColumns
  private let readers: [SegmentReader]
  private let connection: Connection
  /// The segments of each column that are stored and have not changed.
  private var intact: [Int: Set<Int64>] = [:]
  /// The segments whose existing rows are stored.
  private let intactRows: Set<Int64>
  /// The number of segments to which no row can be added.
  private let segmentCount: Int64

  /// The number of segments that each thread encodes before they are written.
  private static let segmentsPerThread: Int64 = 2

  /// Finds the stored segments of a class.
  ///
  /// - Parameters:
  ///   - layout: The class.
  ///   - columns: Its stored columns.
  ///   - readers: Readers of the version before the transaction, on connections of their own; at least one.
  ///   - connection: The connection of the transaction.
  /// - Throws: ``StoreError`` when reading fails.
  init(
    _ layout: TableLayout, _ columns: StoredColumns, _ readers: [any StoreReader],
    _ connection: Connection
  ) throws(StoreError) {
    self.columns = columns
    self.connection = connection
    self.readers = readers.map { SegmentReader(layout, $0.connection) }
    segmentCount = try Self.segmentCount(layout.schema.className, connection)
    let isIntact = "length(slots) = \(Self.bytesOfNoChange)"
    for (column, id) in columns.columns {
      intact[column] = try Self.segments(id, SegmentTable.changes, isIntact, connection)
    }
    intactRows = try Self.segments(columns.rows, SegmentTable.name, "1", connection)
  }

  private static let changesQuery = SQLText(
    "SELECT length(slots) FROM \(SegmentTable.changes) WHERE id = ?")

  /// Returns whether a column of a segment and the existing rows are stored, and no value has changed since.
  static func isIntact(
    _ column: Int, _ segment: Int64, _ columns: StoredColumns, _ connection: Connection
  ) throws(StoreError) -> Bool {
    guard let id = columns.columns[column], let key = SegmentTable.key(id, segment),
      let rows = SegmentTable.key(columns.rows, segment),
      try SegmentTable.exists(key, on: connection), try SegmentTable.exists(rows, on: connection)
    else { return false }
    let changes = try connection.statement(changesQuery)
    try changes.bind(integer: key, at: 1)
    return try connection.firstInteger(of: changes) == bytesOfNoChange
  }

  /// The number of bytes of the list of changed slots of a segment without changes.
  private static let bytesOfNoChange = Int64(SegmentMarks.bytes([], key: 0).count)

  /// Returns the number of segments of a class to which no row can be added.
  static func segmentCount(
    _ className: String, _ connection: Connection
  ) throws(StoreError) -> Int64 {
    let nextKey = try connection.integer(
      "SELECT next_key FROM cadastre_class WHERE name = ?", .string(className))
    return min(KeySegment.number(of: max(0, nextKey ?? 0)), SegmentTable.segmentLimit)
  }

  private static func segments(
    _ id: Int64, _ table: String, _ condition: String, _ connection: Connection
  ) throws(StoreError) -> Set<Int64> {
    let keys = SegmentTable.keys(id)
    let found = try connection.integers(
      "SELECT id FROM \(table) WHERE id BETWEEN ? AND ? AND \(condition)", .int(keys.lowerBound),
      .int(keys.upperBound))
    return Set(found.map { $0 - keys.lowerBound })
  }

  /// Stores segments until they have a number of bytes.
  ///
  /// - Parameters:
  ///   - first: The number of the first segment.
  ///   - limit: The number of bytes, which the last segment may exceed.
  ///   - bytes: Receives the number of bytes of the stored segments.
  /// - Returns: The number of the next segment; nil at the end.
  /// - Throws: ``StoreError`` when reading or writing fails.
  func store(
    from first: Int64, limit: Int, _ bytes: inout Int
  ) throws(StoreError) -> Int64? {
    var next = first
    while next < segmentCount {
      guard bytes < limit else { return next }
      // Keys may be far apart.
      guard let key = try readers[0].firstKey(from: KeySegment.firstKey(next)),
        KeySegment.number(of: key) < segmentCount
      else { return nil }
      next = KeySegment.number(of: key)
      let end = min(segmentCount, next + Self.segmentsPerThread * Int64(readers.count))
      for segment in try encoded(next..<end) { bytes += try segment.store(on: connection) }
      next = end
    }
    return nil
  }

  /// Reads and encodes what is missing of some segments.
  private func encoded(_ segments: Range<Int64>) throws(StoreError) -> [EncodedSegment] {
    let results = Guarded<[Int64: Result<EncodedSegment?, StoreError>]>([:])
    let next = Guarded(segments.lowerBound)
    DispatchQueue.concurrentPerform(iterations: readers.count) { worker in
      while true {
        let segment = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard segment < segments.upperBound else { return }
        let result = Result { () throws(StoreError) in
          try self.encoded(segment, readers[worker])
        }
        results.withLock { $0[segment] = result }
      }
    }
    var encoded: [EncodedSegment] = []
    for (_, result) in results.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      if let segment = try result.get() { encoded.append(segment) }
    }
    return encoded
  }

  /// Reads and encodes what is missing of a segment; nil where nothing is.
  private func encoded(
    _ segment: Int64, _ reader: SegmentReader
  ) throws(StoreError) -> EncodedSegment? {
    let missing = columns.columns.keys.filter { intact[$0]?.contains(segment) != true }.sorted()
    guard !missing.isEmpty || !intactRows.contains(segment),
      let (rows, read) = try Self.read(segment, missing, reader)
    else { return nil }
    return EncodedSegment(segment, rows, read, of: columns)
  }

  /// Reads the rows and columns of a segment, without columns that are too large.
  static func read(
    _ segment: Int64, _ columns: [Int], _ reader: SegmentReader
  ) throws(StoreError) -> (rows: RowSet, columns: [(column: Int, values: EncodedColumn)])? {
    if let read = try reader.read(segment, columns) {
      return (read.rows, Array(zip(columns, read.columns)))
    }
    guard let rows = try reader.read(segment, [])?.rows else { return nil }
    var values: [(column: Int, values: EncodedColumn)] = []
    for column in columns {
      if let read = try reader.read(segment, [column]) { values.append((column, read.columns[0])) }
    }
    return (rows, values)
  }
}

package import CadastreModel

/// A segment: a range of row keys whose rows are cached together.
///
/// Keys begin at 1 and are never reused, so a segment contains a row for each key except the deleted ones.
/// The slot of a row is its offset in the range.
package enum KeySegment {
  /// The number of slots of a segment.
  package static let capacity = 1 << bits
  private static let bits = 12

  /// The number of rows that a scan reads in about the time of one fetch by key, see
  /// `Benchmarks/cost.sh`.
  static let scannedRows = 8

  /// Returns the number of segments for a number of rows with consecutive keys; at least 1.
  package static func count(ofRows rows: Int) -> Int {
    max(1, rows / capacity + (rows % capacity).signum())
  }

  /// Returns the number of the segment that contains a key.
  package static func number(of key: Int64) -> Int64 { key >> Int64(bits) }

  /// Returns the slot of a key in its segment.
  package static func slot(of key: Int64) -> Int { Int(key & Int64(capacity - 1)) }

  /// Returns the key of a segment's first slot.
  package static func firstKey(_ number: Int64) -> Int64 { number << Int64(bits) }

  /// Returns the slots of a segment whose keys are in a range; nil for none.
  static func slots(_ number: Int64, in keys: Range<Int64>) -> Range<Int>? {
    guard let last = keys.last, Self.number(of: keys.lowerBound) <= number,
      number <= Self.number(of: last)
    else { return nil }
    let lower = Self.number(of: keys.lowerBound) < number ? 0 : slot(of: keys.lowerBound)
    let upper = Self.number(of: last) > number ? capacity - 1 : slot(of: last)
    return lower..<upper + 1
  }
}

/// The rows of a segment that a reader needs, which decide whether a segment that is not cached is read as a whole.
///
/// A segment is encoded while it is read, and cached, unless the cache has no room for it.
package enum SegmentUse: Sendable {
  /// All rows, once: a stored segment is read also where the cache has no room for it, or is that of another version.
  case scan
  /// All rows: the segment is read, which takes about as long as a scan of its rows without the cache.
  case allRows
  /// A number of rows, which the reader fetches by key. The segment is read instead as soon as the fetches of all
  /// readers have cost as much as reading it: the total cost is then at most twice the optimum for any sequence of
  /// fetches, the ski rental problem.
  /// Source: Karlin, Manasse, Rudolph and Sleator, "Competitive Snoopy Caching", Algorithmica 3, 1988.
  case rows(Int)

  /// Returns the use of a number of rows by a query that knows all of them: many rows are read with the segment.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - rowCount: The number of rows of the class.
  /// - Returns: The use.
  static func rows(_ count: Int, of rowCount: Int) -> SegmentUse {
    count * KeySegment.scannedRows >= min(KeySegment.capacity, rowCount) ? .scan : .rows(count)
  }
}

/// The rows of a segment and some of its columns, by slot; free slots are null.
package struct SegmentImage: Sendable {
  /// The key of the first slot.
  package let firstKey: Int64
  /// The slots that contain a row.
  package let rows: RowSet
  /// The requested columns, which end with the last slot that contains a row.
  package let columns: [EncodedColumn]
}

extension SegmentImage {
  /// Creates the image of a segment from cached contents; nil where one of them is missing.
  init?(
    _ number: Int64, rows: CachedSegment.Content?,
    columns contents: some Collection<CachedSegment.Content?>
  ) {
    guard case .rows(let rows)? = rows else { return nil }
    var columns: [EncodedColumn] = []
    columns.reserveCapacity(contents.count)
    for content in contents {
      guard case .values(let column)? = content else { return nil }
      columns.append(column)
    }
    self.init(firstKey: KeySegment.firstKey(number), rows: rows, columns: columns)
  }
}

/// One column of a segment, for reading single values.
// A class, so that reading a value copies no references of the arrays.
package final class SegmentColumn {
  /// The key of the first slot.
  package let firstKey: Int64
  let rows: RowSet
  let values: EncodedColumn

  /// Whether the values are integers, booleans, doubles or keys of linked rows.
  package var hasNumbers: Bool {
    switch values.type {
    case .int, .bool, .double, .object: true
    default: false
    }
  }

  /// Creates the column from the first column of an image.
  package init(_ image: SegmentImage) {
    firstKey = image.firstKey
    rows = image.rows
    values = image.columns[0]
  }

  /// Returns the value of the row with a key; nil where the segment has no such row.
  package func value(_ key: Int64) -> Value? {
    let (slot, overflow) = key.subtractingReportingOverflow(firstKey)
    guard !overflow, slot >= 0, slot < KeySegment.capacity, rows.contains(Int(slot)) else {
      return nil
    }
    return values.value(Int(slot))
  }
}

/// The decoded numbers of one column of a segment, which objects read with a single load.
///
/// Integers and keys of linked rows are stored as they are, booleans as 0 and 1, doubles as their bits.
// The memory is allocated, because objects read it through a pointer that they keep.
package final class DecodedNumbers {
  /// The numbers, by slot.
  package let numbers: UnsafeMutablePointer<Int64>
  /// One bit for each slot: whether it contains a row whose value is not null.
  package let present: UnsafeMutablePointer<UInt64>

  /// Allocates the memory of a segment.
  package init() {
    numbers = .allocate(capacity: KeySegment.capacity)
    numbers.initialize(repeating: 0, count: KeySegment.capacity)
    present = .allocate(capacity: KeySegment.capacity / 64)
    present.initialize(repeating: 0, count: KeySegment.capacity / 64)
  }

  deinit {
    numbers.deallocate()
    present.deallocate()
  }

  /// Decodes a column whose values are numbers.
  package func decode(_ column: SegmentColumn) {
    let values = column.values
    var rows = column.rows
    BatchColumn.encoded(values).keep(&rows, areNull: false)
    present.update(repeating: 0, count: KeySegment.capacity / 64)
    for (index, word) in rows.words.prefix(KeySegment.capacity / 64).enumerated() {
      present[index] = word
    }
    if values.type == .double {
      for row in rows { numbers[row] = Int64(bitPattern: values.double(row).bitPattern) }
    } else {
      for row in rows { numbers[row] = values.integer(row) }
    }
  }
}

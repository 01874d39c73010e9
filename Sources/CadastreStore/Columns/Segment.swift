/// A range of keys of a table whose rows are kept in memory together.
///
/// Keys begin at 1 and are never used again, so that ranges of keys are ranges of rows but for what was
/// deleted. A row's slot is its place within the range.
package enum Segment {
  /// Rows that a segment holds at most.
  package static let capacity = 1 << bits
  private static let bits = 12

  /// Rows that are read in a scan in the time in which one is fetched by its key, about.
  static let scannedRows = 32

  /// The number of the segment that a key lies in.
  package static func number(of key: Int64) -> Int64 { key >> Int64(bits) }

  /// The place of a key in its segment.
  package static func slot(of key: Int64) -> Int { Int(key & Int64(capacity - 1)) }

  /// The key of a segment's first slot.
  package static func firstKey(_ number: Int64) -> Int64 { number << Int64(bits) }

  /// The slots of a segment whose keys lie in a range; nil for none.
  static func slots(_ number: Int64, in keys: Range<Int64>) -> Range<Int>? {
    guard let last = keys.last, Self.number(of: keys.lowerBound) <= number,
      number <= Self.number(of: last)
    else { return nil }
    let lower = Self.number(of: keys.lowerBound) < number ? 0 : slot(of: keys.lowerBound)
    let upper = Self.number(of: last) > number ? capacity - 1 : slot(of: last)
    return lower..<upper + 1
  }
}

/// The slots of a segment that hold a row.
package struct SegmentRows: Sendable {
  /// The slots, ascending.
  package let slots: [Int32]
  /// By slot whether it is one of them; empty where all up to the last are.
  private let isPresent: [Bool]

  init(_ slots: [Int32]) {
    self.slots = slots
    let count = slots.last.map { Int($0) + 1 } ?? 0
    guard slots.count < count else {
      isPresent = []
      return
    }
    var isPresent = [Bool](repeating: false, count: count)
    for slot in slots { isPresent[Int(slot)] = true }
    self.isPresent = isPresent
  }

  /// Whether a slot holds a row.
  @inline(__always)
  package func contains(_ slot: Int) -> Bool {
    isPresent.isEmpty ? slot < slots.count : slot < isPresent.count && isPresent[slot]
  }

  /// The slots after some were looked at again.
  func replacing(_ looked: [Int32: Bool]) -> SegmentRows {
    var kept = slots.filter { looked[$0] == nil }
    kept += looked.filter(\.value).map(\.key)
    return SegmentRows(kept.sorted())
  }

  /// Bytes of memory.
  var byteCount: Int { slots.capacity * MemoryLayout<Int32>.stride + isPresent.capacity }
}

/// What is known of a segment: its rows and some columns, by slot; free slots are null.
package struct SegmentImage: Sendable {
  /// The key of the first slot.
  package let firstKey: Int64
  /// The slots that hold a row.
  package let rows: SegmentRows
  /// The columns that were asked for; shorter than the segment where its last slots are free.
  package let columns: [ColumnVector]
}

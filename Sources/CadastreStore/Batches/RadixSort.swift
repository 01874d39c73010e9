/// A record of fixed size with the key by which it is sorted.
package protocol SortableRecord: BitwiseCopyable {
  /// The key; records are sorted in its ascending order.
  var sortKey: UInt64 { get }
}

/// A stable radix sort of records by 64-bit keys, least significant byte first.
///
/// A byte that is equal in all keys is skipped. The sort takes memory for a second array.
///
/// Source: D. Knuth, The Art of Computer Programming, vol. 3, 5.2.5.
package enum RadixSort {
  /// A sort key, and the index of the element to which it belongs.
  package struct Entry: SortableRecord {
    /// The sort key.
    package var sortKey: UInt64
    /// The index of the element.
    package let index: UInt32

    /// Creates an entry.
    package init(sortKey: UInt64, index: UInt32) {
      self.sortKey = sortKey
      self.index = index
    }
  }

  /// The number of records below which a comparison sort is faster.
  private static let fewRecords = 256

  /// Sorts entries by their keys; entries with equal keys keep their order.
  ///
  /// - Complexity: O(n) for each byte in which keys differ.
  // Other modules call this function, because they cannot specialise the generic one.
  package static func sort(_ entries: inout [Entry]) { sort(records: &entries) }

  /// A number as a record.
  private struct Number: SortableRecord {
    let number: Int64
    var sortKey: UInt64 { RadixSort.sortKey(of: number) }
  }

  /// Returns a number as an unsigned one with the same order.
  // Inlinable, because other modules call it for each row.
  @inlinable
  package static func sortKey(of number: Int64) -> UInt64 {
    UInt64(bitPattern: number) ^ (1 << 63)
  }

  /// Returns numbers in ascending order.
  ///
  /// - Complexity: O(n) for each byte in which numbers differ.
  package static func ascending(_ numbers: [Int64]) -> [Int64] {
    guard numbers.count >= fewRecords else { return numbers.sorted() }
    var records = numbers.map { Number(number: $0) }
    sort(records: &records)
    return records.map(\.number)
  }

  /// Sorts records by their keys; records with equal keys keep their order.
  ///
  /// - Complexity: O(n) for each byte in which keys differ.
  static func sort<Record: SortableRecord>(records: inout [Record]) {
    // Swift's sort is stable too.
    guard records.count >= fewRecords else { return records.sort { $0.sortKey < $1.sortKey } }
    var counts = [Int](repeating: 0, count: 8 * 256)
    for record in records {
      for byte in 0..<8 { counts[byte << 8 + digit(record.sortKey, byte)] += 1 }
    }
    var target = records
    for byte in 0..<8 {
      let first = digit(records[0].sortKey, byte)
      if counts[byte << 8 + first] == records.count { continue }
      // The index of the next record with each value of the byte.
      var next = [Int](repeating: 0, count: 256)
      for value in 1..<256 { next[value] = next[value - 1] + counts[byte << 8 + value - 1] }
      records.withUnsafeBufferPointer { records in
        target.withUnsafeMutableBufferPointer { target in
          next.withUnsafeMutableBufferPointer { next in
            for record in records {
              let value = digit(record.sortKey, byte)
              target[next[value]] = record
              next[value] += 1
            }
          }
        }
      }
      swap(&records, &target)
    }
  }

  @inline(__always)
  private static func digit(_ key: UInt64, _ byte: Int) -> Int {
    Int(truncatingIfNeeded: key >> UInt64(8 * byte)) & 0xFF
  }
}

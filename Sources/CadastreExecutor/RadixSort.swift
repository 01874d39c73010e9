/// A stable radix sort of entries by 64-bit keys.
///
/// Least significant byte first. A byte in which all entries agree costs nothing.
///
/// Source: D. Knuth, The Art of Computer Programming, vol. 3, 5.2.5.
package enum RadixSort {
  /// A sort key, and the position of its element.
  package struct Entry {
    package var head: UInt64
    package let place: UInt32

    /// An entry.
    package init(head: UInt64, place: UInt32) {
      self.head = head
      self.place = place
    }
  }

  /// The number of entries below which a comparison sort is faster.
  private static let fewEntries = 256

  /// Sorts entries by their keys; ties keep their order.
  ///
  /// - Complexity: O(n), once for each byte of the keys that is not the same in all.
  package static func sort(_ entries: inout [Entry]) {
    // Swift's sort is stable too.
    guard entries.count >= fewEntries else { return entries.sort { $0.head < $1.head } }
    var counts = [Int](repeating: 0, count: 8 * 256)
    for entry in entries {
      for byte in 0..<8 { counts[byte << 8 + digit(entry.head, byte)] += 1 }
    }
    var other = entries
    for byte in 0..<8 {
      let first = digit(entries[0].head, byte)
      if counts[byte << 8 + first] == entries.count { continue }
      var starts = [Int](repeating: 0, count: 256)
      for value in 1..<256 { starts[value] = starts[value - 1] + counts[byte << 8 + value - 1] }
      entries.withUnsafeBufferPointer { entries in
        other.withUnsafeMutableBufferPointer { other in
          starts.withUnsafeMutableBufferPointer { starts in
            for entry in entries {
              let value = digit(entry.head, byte)
              other[starts[value]] = entry
              starts[value] += 1
            }
          }
        }
      }
      swap(&entries, &other)
    }
  }

  @inline(__always)
  private static func digit(_ head: UInt64, _ byte: Int) -> Int {
    Int(truncatingIfNeeded: head >> UInt64(8 * byte)) & 0xFF
  }
}

/// Puts keys in ascending order.
enum KeySort {
  /// The keys in ascending order, each once.
  ///
  /// Dense keys are set as bits and read off in order; sparse ones are sorted.
  ///
  /// - Complexity: O(n + range / 64) if the keys are dense, else O(n log n).
  static func ascending(_ keys: [Int64]) -> [Int64] {
    guard let first = keys.min(), let last = keys.max() else { return [] }
    let span = last.subtractingReportingOverflow(first)
    guard !span.overflow, span.partialValue / 64 < Int64(keys.count) else {
      return sorted(keys)
    }
    var words = [UInt64](repeating: 0, count: Int(span.partialValue / 64) + 1)
    for key in keys {
      let offset = Int(key - first)
      words[offset >> 6] |= 1 << UInt64(offset & 63)
    }
    var ascending: [Int64] = []
    ascending.reserveCapacity(keys.count)
    for (place, word) in words.enumerated() {
      var bits = word
      while bits != 0 {
        ascending.append(first + Int64(place << 6 + bits.trailingZeroBitCount))
        bits &= bits - 1
      }
    }
    return ascending
  }

  private static func sorted(_ keys: [Int64]) -> [Int64] {
    keys.sorted().reduce(into: []) { unique, key in
      if unique.last != key { unique.append(key) }
    }
  }
}

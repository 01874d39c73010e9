import CadastreStore

/// Puts keys in ascending order.
package enum KeySort {
  /// The keys in ascending order, each once.
  ///
  /// Dense keys are set as bits and read off in order; sparse ones are sorted by their bytes.
  ///
  /// - Complexity: O(n) comparisons if the keys ascend; else O(n + range / 64) if they are dense, and O(n) for each
  ///   byte in which keys differ if they are sparse.
  package static func ascending(_ keys: [Int64]) -> [Int64] {
    guard !isAscending(keys), let first = keys.min(), let last = keys.max() else { return keys }
    let span = last.subtractingReportingOverflow(first)
    guard !span.overflow, span.partialValue / 64 < Int64(keys.count) * wordsPerKey else {
      return sorted(keys)
    }
    let count = Int(span.partialValue / 64) + 1
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { words in
      words.initialize(repeating: 0)
      for key in keys {
        let offset = Int(key - first)
        words[offset >> 6] |= 1 << UInt64(offset & 63)
      }
      return [Int64](unsafeUninitializedCapacity: keys.count) { ascending, found in
        for (place, word) in words.enumerated() {
          var bits = word
          while bits != 0 {
            ascending[found] = first + Int64(place << 6 + bits.trailingZeroBitCount)
            found += 1
            bits &= bits - 1
          }
        }
      }
    }
  }

  /// Whether each key is above the one before it.
  package static func isAscending(_ keys: [Int64]) -> Bool {
    keys.withUnsafeBufferPointer { keys in
      var index = 1
      while index < keys.count {
        // Without a branch for each key, the compiler makes vector instructions of the loop.
        let end = min(index + 512, keys.count)
        var isAscending = true
        for place in index..<end { isAscending = isAscending && keys[place - 1] < keys[place] }
        if !isAscending { return false }
        index = end
      }
      return true
    }
  }

  /// The number of words of bits that are read in the time in which one key is sorted: a nanosecond for two.
  private static let wordsPerKey: Int64 = 16

  /// The keys that two ascending lists have in common.
  static func common(_ first: [Int64], _ second: [Int64]) -> [Int64] {
    var common: [Int64] = []
    var (one, other) = (0, 0)
    while one < first.count, other < second.count {
      let (key, otherKey) = (first[one], second[other])
      if key == otherKey { common.append(key) }
      if key <= otherKey { one += 1 }
      if otherKey <= key { other += 1 }
    }
    return common
  }

  /// The keys of an ascending list that are not in another one.
  static func difference(_ first: [Int64], _ second: [Int64]) -> [Int64] {
    var next = 0
    return first.filter { key in
      while next < second.count, second[next] < key { next += 1 }
      return next == second.count || second[next] != key
    }
  }

  private static func sorted(_ keys: [Int64]) -> [Int64] {
    var keys = RadixSort.ascending(keys)
    guard !isAscending(keys) else { return keys }
    var count = 0
    for key in keys where count == 0 || keys[count - 1] != key {
      keys[count] = key
      count += 1
    }
    keys.removeLast(keys.count - count)
    return keys
  }
}

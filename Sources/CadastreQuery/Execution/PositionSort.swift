import CadastreModel
import CadastreStore

/// Keys of rows by position, as numbers of the same order, and the bits that they use.
struct SortKeys: Sendable {
  /// The keys; 0 for rows without one.
  private(set) var numbers: [UInt64] = []
  /// The smallest and the largest key.
  private(set) var (least, greatest) = (UInt64.max, UInt64.min)
  /// The bits that are set in any key.
  private var bits: UInt64 = 0

  /// Creates an empty list.
  init() {}

  /// Creates the keys of all rows from numbers.
  init(_ integers: [Int64]) {
    for number in integers { append(RadixSort.sortKey(of: number)) }
  }

  /// Appends the key of the next row.
  @inline(__always)
  mutating func append(_ number: UInt64) {
    numbers.append(number)
    least = min(least, number)
    greatest = max(greatest, number)
    bits |= number
  }

  /// Appends a row without a key.
  mutating func appendMissing() { numbers.append(0) }

  /// Reserves memory for a number of rows.
  mutating func reserve(_ count: Int) { numbers.reserve(count) }

  /// Appends the rows of another list.
  mutating func append(_ other: SortKeys) {
    numbers += other.numbers
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
    bits |= other.bits
  }

  /// The bits in which differences from the smallest or the largest key may be set; empty where all keys are equal.
  var bitsInUse: Range<Int> {
    guard least < greatest else { return 0..<0 }
    // If the low bits of all keys are zero, those of their differences are zero too.
    return bits.trailingZeroBitCount..<64 - (greatest - least).leadingZeroBitCount
  }
}

/// The positions of rows, which keys put in order: a stable radix sort on several threads.
///
/// A word has the position of a row in its low bits and bits of the key above them, so a pass moves eight bytes for
/// each row. Only the bits in which keys differ are sorted. Bits that do not fit above the position are sorted in
/// another round, the least significant ones first. In a pass each thread counts the digits of its part of the words;
/// the counts of all parts determine where each thread moves its words.
///
/// Source: M. Zagha and G. Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991.
struct PositionSort {
  private var words: [UInt64]
  /// The words of the pass before.
  private var others: [UInt64] = []
  private let positionBits: Int
  private let threads: QueryThreads

  /// The number of bits of a digit: with more, the words of a pass are written to more places than the processor's
  /// cache and its table of pages hold.
  private static let mostDigitBits = 9
  /// The number of rows below which a comparison sort is faster.
  private static let fewRows = 256

  /// Begins with rows in the order of their positions.
  ///
  /// - Parameters:
  ///   - count: The number of rows; at most 2³².
  ///   - threads: The threads that sort.
  init(_ count: Int, _ threads: QueryThreads) {
    self.threads = threads
    positionBits = max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
    words = threads.array(count) { UInt64($0) }
  }

  /// Puts the rows in the order of their keys; rows with equal keys, and rows without a key, keep their order.
  ///
  /// - Complexity: O(n) for each nine bits in use.
  mutating func sort(by keys: SortKeys, isAscending: Bool = true) {
    let bits = keys.bitsInUse
    var first = bits.lowerBound
    while first < bits.upperBound {
      let width = min(64 - positionBits, bits.upperBound - first)
      pack(keys, first..<first + width, isAscending: isAscending)
      sort(width)
      first += width
    }
  }

  /// Writes some bits of the keys above the positions.
  private mutating func pack(_ keys: SortKeys, _ bits: Range<Int>, isAscending: Bool) {
    let mask = positionMask
    let (base, shift, positionBits) = (
      isAscending ? keys.least : keys.greatest, UInt64(bits.lowerBound), UInt64(positionBits)
    )
    let keyMask: UInt64 = 1 << UInt64(bits.count) - 1
    keys.numbers.withUnsafeBufferPointer { numbers in
      nonisolated(unsafe) let numbers = numbers
      change { words in
        for index in words.indices {
          let position = words[index] & mask
          let number = numbers[Int(truncatingIfNeeded: position)]
          // Rows without a key may lie outside of the range; their bits are equal.
          let difference = isAscending ? number &- base : base &- number
          words[index] = (difference >> shift & keyMask) << positionBits | position
        }
      }
    }
  }

  /// Sorts the words by some bits above the position.
  private mutating func sort(_ width: Int) {
    guard words.count >= Self.fewRows else {
      let shift = UInt64(positionBits)
      // Swift's sort is stable too.
      return words.sort { $0 >> shift < $1 >> shift }
    }
    if others.isEmpty { others = threads.array(words.count) { _ in 0 } }
    var (left, passes) = (width, (width - 1) / Self.mostDigitBits + 1)
    while left > 0 {
      let digitBits = (left - 1) / passes + 1
      pass(shift: UInt64(positionBits + width - left), digitBits)
      left -= digitBits
      passes -= 1
    }
  }

  /// Moves the words into the order of one digit.
  private mutating func pass(shift: UInt64, _ digitBits: Int) {
    let mask: UInt64 = 1 << UInt64(digitBits) - 1
    let parts = parts
    words.withUnsafeBufferPointer { words in
      others.withUnsafeMutableBufferPointer { others in
        // Safe because no thread writes words, and each writes other elements of the others.
        nonisolated(unsafe) let (words, others) = (words, others)
        let counts = QueryThreads.results(parts.count, workers: parts.count) { _, part in
          var counts = [Int](repeating: 0, count: 1 << digitBits)
          for index in parts[part] {
            counts[Int(truncatingIfNeeded: words[index] >> shift & mask)] += 1
          }
          return counts
        }
        var next = 0
        var starts = counts
        for digit in 0...Int(mask) {
          for part in parts.indices {
            starts[part][digit] = next
            next += counts[part][digit]
          }
        }
        let final = starts
        _ = QueryThreads.results(parts.count, workers: parts.count) { _, part in
          var starts = final[part]
          starts.withUnsafeMutableBufferPointer { starts in
            for index in parts[part] {
              let digit = Int(truncatingIfNeeded: words[index] >> shift & mask)
              others[starts[digit]] = words[index]
              starts[digit] += 1
            }
          }
        }
      }
    }
    swap(&words, &others)
  }

  /// Puts rows with equal keys, by which they were sorted last, in the order of a comparison.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - precedes: Whether the row at one position precedes that at another one.
  mutating func sortTies(of keys: SortKeys, by precedes: @Sendable (Int, Int) -> Bool) {
    let mask = positionMask
    keys.numbers.withUnsafeBufferPointer { numbers in
      nonisolated(unsafe) let numbers = numbers
      @Sendable func key(_ word: UInt64) -> UInt64 { numbers[Int(word & mask)] }
      change(where: { key($0) != key($1) }) { words in
        var start = 0
        while start < words.count {
          let first = key(words[start])
          var end = start + 1
          while end < words.count, key(words[end]) == first { end += 1 }
          if end - start > 1 {
            words[start..<end].sort { precedes(Int($0 & mask), Int($1 & mask)) }
          }
          start = end
        }
      }
    }
  }

  /// The positions of the rows, in order.
  var positions: [UInt32] {
    let mask = positionMask
    return words.withUnsafeBufferPointer { words in
      nonisolated(unsafe) let words = words
      return threads.array(words.count) { UInt32(truncatingIfNeeded: words[$0] & mask) }
    }
  }

  private var positionMask: UInt64 { 1 << UInt64(positionBits) - 1 }

  /// The indexes of the words, a part for each thread.
  private var parts: [Range<Int>] { threads.parts(words.count) }

  /// Calls a closure with parts of the words, on several threads.
  ///
  /// - Parameters:
  ///   - isBoundary: Whether a part may begin between two words.
  ///   - body: The closure.
  private mutating func change(
    where isBoundary: (UInt64, UInt64) -> Bool = { _, _ in true },
    _ body: @Sendable (UnsafeMutableBufferPointer<UInt64>) -> Void
  ) {
    let parts = parts
    words.withUnsafeMutableBufferPointer { words in
      let starts = parts.map { part in
        var start = part.lowerBound
        while start > 0, start < words.count, !isBoundary(words[start - 1], words[start]) {
          start += 1
        }
        return start
      }
      // Safe because each thread gets other words.
      nonisolated(unsafe) let words = words
      _ = QueryThreads.results(parts.count, workers: parts.count) { _, part in
        let end = part + 1 < starts.count ? starts[part + 1] : words.count
        body(.init(rebasing: words[starts[part]..<end]))
      }
    }
  }
}

extension [Int64] {
  /// Returns the numbers at some positions, in a given order, which several threads read.
  func gathered(_ positions: ArraySlice<UInt32>, _ threads: QueryThreads) -> [Int64] {
    withUnsafeBufferPointer { numbers in
      positions.withUnsafeBufferPointer { positions in
        // Safe because no thread writes.
        nonisolated(unsafe) let (numbers, positions) = (numbers, positions)
        return threads.array(positions.count) { numbers[Int(positions[$0])] }
      }
    }
  }
}

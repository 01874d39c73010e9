/// A set of row numbers of a batch, one bit for each row.
///
/// Filters remove rows, 64 at a time where possible.
// Public because the compiler inlines nothing else into other modules, and the loops over the rows
// call a closure for each of them.
@_documentation(visibility: internal)
@frozen
public struct RowSet: Hashable, Sendable {
  /// The bits, from the lowest row number on.
  @usableFromInline
  var words: [UInt64]

  /// Creates an empty set.
  public init() { words = [] }

  /// Creates the set of all row numbers below a limit.
  public init(below count: Int) {
    words = Array(repeating: .max, count: (count + 63) / 64)
    if count % 64 != 0 { words[words.count - 1] = (1 << UInt64(count % 64)) - 1 }
  }

  /// Creates a set of row numbers, in any order.
  @inlinable
  public init(_ rows: some Sequence<Int>) {
    words = []
    for row in rows { insert(row) }
  }

  /// Creates the set of the row numbers below a limit for which a flag is set.
  init(below count: Int, where isMember: (Int) -> Bool) {
    self.init(below: count)
    keep(where: isMember)
  }

  /// Creates the set with some bits, from the lowest row number on.
  init(words: [UInt64]) { self.words = words }

  /// Creates the set of the slots of some keys of one segment.
  init(slotsOf keys: UnsafeBufferPointer<Int64>) {
    words = Array(repeating: 0, count: KeySegment.capacity / 64)
    words.withUnsafeMutableBufferPointer { words in
      for key in keys {
        let slot = KeySegment.slot(of: key)
        words[slot >> 6] |= 1 << UInt64(slot & 63)
      }
    }
  }

  // MARK: Members

  /// Whether the set has no rows.
  public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// The number of rows.
  ///
  /// - Complexity: O(n/64).
  public var count: Int { words.withUnsafeBufferPointer(BitCount.count) }

  /// The highest row number; nil where there is none.
  public var last: Int? {
    words.lastIndex { $0 != 0 }.map { $0 * 64 + 63 - words[$0].leadingZeroBitCount }
  }

  /// Returns whether a row is in the set.
  @inlinable
  public func contains(_ row: Int) -> Bool {
    row >> 6 < words.count && words[row >> 6] & (1 << UInt64(row & 63)) != 0
  }

  /// Adds a row.
  @inlinable
  public mutating func insert(_ row: Int) {
    if row >> 6 >= words.count {
      words.append(contentsOf: repeatElement(0, count: (row >> 6) + 1 - words.count))
    }
    words[row >> 6] |= 1 << UInt64(row & 63)
  }

  /// Extends a set of all rows below some limit to all rows below a limit that is not less.
  mutating func extend(below count: Int) {
    if !words.isEmpty { words[words.count - 1] = .max }
    let missing = (count + 63) / 64 - words.count
    if missing > 0 { words.append(contentsOf: repeatElement(.max, count: missing)) }
    if count % 64 != 0 { words[words.count - 1] = (1 << UInt64(count % 64)) - 1 }
  }

  /// Removes a row.
  public mutating func remove(_ row: Int) {
    guard row >> 6 < words.count else { return }
    words[row >> 6] &= ~(1 << UInt64(row & 63))
  }

  /// Removes the lowest rows.
  ///
  /// - Parameter count: The number of rows; all rows where there are fewer.
  /// - Returns: The removed rows.
  public mutating func removeFirst(_ count: Int) -> RowSet {
    var first = RowSet()
    first.words = Array(repeating: 0, count: words.count)
    var missing = count
    for index in words.indices where missing > 0 && words[index] != 0 {
      var taken = words[index]
      var excess = taken.nonzeroBitCount - missing
      missing = Swift.max(0, -excess)
      while excess > 0 {
        taken ^= 1 << UInt64(63 - taken.leadingZeroBitCount)
        excess -= 1
      }
      first.words[index] = taken
      words[index] ^= taken
    }
    return first
  }

  /// Writes the row numbers, plus a number, to memory with room for all of them.
  func write(adding base: Int64, to numbers: UnsafeMutablePointer<Int64>) {
    write(to: numbers) { base &+ Int64($0) }
  }

  /// Writes the elements of a buffer at the rows of the set, plus a number, to memory with room for all of
  /// them.
  ///
  /// The buffer must contain each row of the set.
  @inline(__always)
  func gather<Element: FixedWidthInteger>(
    _ elements: UnsafeBufferPointer<Element>, adding base: Int64,
    to numbers: UnsafeMutablePointer<Int64>
  ) {
    write(to: numbers) { base &+ Int64(truncatingIfNeeded: elements[$0]) }
  }

  /// Writes a number for each row, in ascending order of the rows, to memory with room for all of them.
  @inline(__always)
  private func write(to numbers: UnsafeMutablePointer<Int64>, _ number: (Int) -> Int64) {
    var position = 0
    for index in words.indices {
      var rest = words[index]
      let first = index * 64
      if rest == .max {
        for row in 0..<64 { numbers[position + row] = number(first + row) }
        position += 64
        continue
      }
      while rest != 0 {
        numbers[position] = number(first + rest.trailingZeroBitCount)
        position += 1
        rest &= rest &- 1
      }
    }
  }

  // MARK: Other sets

  /// Keeps the rows that are also in another set.
  public mutating func formIntersection(_ other: RowSet) {
    if words.count > other.words.count { words.removeLast(words.count - other.words.count) }
    for index in words.indices { words[index] &= other.words[index] }
  }

  /// Adds the rows of another set.
  public mutating func formUnion(_ other: RowSet) {
    if words.count < other.words.count {
      words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
    }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  /// Removes the rows of another set.
  public mutating func subtract(_ other: RowSet) {
    for index in 0..<Swift.min(words.count, other.words.count) {
      words[index] &= ~other.words[index]
    }
  }

  // MARK: Filtering

  /// Keeps the rows that pass a test; the test is called for each row of the set in ascending order.
  @inlinable
  @inline(__always)
  public mutating func keep(where test: (Int) throws -> Bool) rethrows {
    for index in words.indices {
      words[index] = try Self.kept(words[index]) { try test(index * 64 + $0) }
    }
  }

  /// Keeps the rows whose element of a buffer passes a test.
  ///
  /// The test may also be called for elements of rows that are not in the set.
  @inlinable
  @inline(__always)
  public mutating func keep<Element>(
    _ elements: UnsafeBufferPointer<Element>, where test: (Element) -> Bool
  ) {
    guard let start = elements.baseAddress else { return words.removeAll() }
    keep(below: elements.count) { test(start[$0]) }
  }

  /// Keeps the rows below a limit that pass a test.
  ///
  /// The test may also be called for rows below the limit that are not in the set.
  @inlinable
  @inline(__always)
  public mutating func keep(below count: Int, where test: (Int) -> Bool) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.blockWords * 8) { block in
      guard let flags = block.baseAddress.map(UnsafeMutableRawPointer.init) else { return }
      let bytes = flags.assumingMemoryBound(to: UInt8.self)
      var index = 0
      while index < words.count {
        let start = index * 64
        let complete = Swift.min(Self.blockWords, words.count - index, (count - start) / 64)
        guard complete > 0, hasManyRows(index..<index + complete) else {
          words[index] = Self.kept(words[index]) { start + $0 < count && test(start + $0) }
          index += 1
          continue
        }
        // Where the test is a comparison, the compiler makes vector instructions of this loop, which has no
        // check for overflow: `start` and `row` are below `count`.
        for row in 0..<complete * 64 { bytes[row] = test(start &+ row) ? 1 : 0 }
        for word in 0..<complete { words[index + word] &= Self.packed(flags + word * 64) }
        index += complete
      }
    }
  }

  /// The maximum number of words whose rows are tested together.
  @inlinable
  static var blockWords: Int { 8 }

  /// Returns whether a block of words has enough rows to test all of its rows together.
  @usableFromInline
  func hasManyRows(_ block: Range<Int>) -> Bool {
    if words[block.lowerBound] == .max, words[block.upperBound - 1] == .max { return true }
    var rows = 0
    for word in block { rows += words[word].nonzeroBitCount }
    return rows > Self.fewRows * block.count
  }

  /// The average number of rows per word up to which rows are tested one by one.
  @inlinable
  static var fewRows: Int { 8 }

  /// Returns the bits of a word whose rows, from 0 to 63, pass a test.
  @inlinable
  @inline(__always)
  static func kept(
    _ word: UInt64, where test: (Int) throws -> Bool
  ) rethrows -> UInt64 {
    var (rest, kept) = (word, word)
    while rest != 0 {
      let bit = rest & (0 &- rest)
      if try !test(rest.trailingZeroBitCount) { kept ^= bit }
      rest ^= bit
    }
    return kept
  }

  /// Returns 64 bytes, each 0 or 1, as the bits of one word.
  @inlinable
  @inline(__always)
  static func packed(_ flags: UnsafeMutableRawPointer) -> UInt64 {
    var word: UInt64 = 0
    for group in 0..<8 {
      let bytes = UInt64(littleEndian: flags.load(fromByteOffset: group * 8, as: UInt64.self))
      // The factor moves the lowest bit of byte n to bit n of the highest byte.
      word |= ((bytes &* 0x0102_0408_1020_4080) >> 56) << UInt64(group * 8)
    }
    return word
  }

  /// The size in memory in bytes.
  var byteCount: Int { words.capacity * MemoryLayout<UInt64>.stride }
}

extension RowSet: Sequence {
  /// An iterator over the row numbers in ascending order.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline
    let words: [UInt64]
    @usableFromInline
    var index = 0
    @usableFromInline
    var rest: UInt64

    @inlinable
    init(_ words: [UInt64]) {
      self.words = words
      rest = words.first ?? 0
    }

    @inlinable
    @inline(__always)
    public mutating func next() -> Int? {
      while rest == 0 {
        index += 1
        guard index < words.count else { return nil }
        rest = words[index]
      }
      defer { rest &= rest &- 1 }
      return index << 6 | rest.trailingZeroBitCount
    }
  }

  /// Returns an iterator over the row numbers in ascending order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(words) }

  /// The number of rows.
  public var underestimatedCount: Int { count }
}

/// A fast count of the bits that are set in many words.
///
/// Without an instruction for it, counting the bits of one word takes 20 instructions. Carry-save adders add the
/// words bit by bit first, so that one word in eight is counted.
/// Source: Harley and Seal's method in H. Warren, "Hacker's Delight", 2nd edition, 5-1.
enum BitCount {
  /// Returns the number of bits that are set in some words.
  static func count(_ words: UnsafeBufferPointer<UInt64>) -> Int {
    var (ones, twos, fours): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var eights = 0
    var index = 0
    while index + 8 <= words.count {
      let first = add(&ones, words[index], words[index + 1])
      let second = add(&ones, words[index + 2], words[index + 3])
      let third = add(&ones, words[index + 4], words[index + 5])
      let fourth = add(&ones, words[index + 6], words[index + 7])
      let lower = add(&twos, first, second)
      let upper = add(&twos, third, fourth)
      eights += add(&fours, lower, upper).nonzeroBitCount
      index += 8
    }
    var count = 8 * eights + 4 * fours.nonzeroBitCount + 2 * twos.nonzeroBitCount
    count += ones.nonzeroBitCount
    while index < words.count {
      count += words[index].nonzeroBitCount
      index += 1
    }
    return count
  }

  /// Adds two words to a sum, bit by bit; returns the carries.
  @inline(__always)
  private static func add(_ sum: inout UInt64, _ first: UInt64, _ second: UInt64) -> UInt64 {
    let partial = sum ^ first
    let carries = (sum & first) | (partial & second)
    sum = partial ^ second
    return carries
  }
}

import CadastrePredicate
import CadastreStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Searches the values of a column for some bytes, eight offsets at a time.
///
/// An offset is examined only where the first and the last byte match, up to the bit that
/// distinguishes upper case from lower case.
struct BytesSearch {
  /// The bytes to search for, folded if case is ignored; not empty.
  let part: [UInt8]
  let ignoresCase: Bool

  /// Keeps the rows in whose bytes these occur.
  ///
  /// - Parameters:
  ///   - rows: The rows; none of them is null.
  ///   - bytes: The bytes of all rows, end to end.
  ///   - offsets: The offset of each row, and of the end.
  func keep(
    _ rows: inout RowSet, _ bytes: UnsafeBufferPointer<UInt8>,
    _ offsets: UnsafeBufferPointer<UInt32>
  ) {
    // Where most rows are wanted, one search runs through all of them.
    if rows.count > (offsets.count - 1) / 2, let last = rows.last {
      return rows = found(among: rows, bytes, offsets, end: Int(offsets[last + 1]))
    }
    rows.keep { row in
      let start = Int(offsets[row])
      return next(in: bytes, from: start, end: Int(offsets[row + 1])) { base, place in
        fits(base, place, valueStart: start)
      } != nil
    }
  }

  private func found(
    among rows: RowSet, _ bytes: UnsafeBufferPointer<UInt8>,
    _ offsets: UnsafeBufferPointer<UInt32>, end: Int
  ) -> RowSet {
    var found = RowSet()
    var place = 0
    var remaining = rows.makeIterator()
    var wanted = remaining.next()
    while wanted != nil {
      let match = next(in: bytes, from: place, end: end) { base, place in
        // The row that contains the offset, or the next selected row.
        while let row = wanted, Int(offsets[row + 1]) <= place { wanted = remaining.next() }
        guard let row = wanted else { return true }
        return Int(offsets[row]) <= place && place + part.count <= Int(offsets[row + 1])
          && fits(base, place, valueStart: Int(offsets[row]))
      }
      guard match != nil, let row = wanted else { break }
      found.insert(row)
      place = Int(offsets[row + 1])
      wanted = remaining.next()
    }
    return found
  }

  /// The first offset, from one on and with room for the bytes before an end, that a closure
  /// accepts; offsets whose first and last byte cannot match are skipped.
  @inline(__always)
  private func next(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, end: Int,
    where fits: (UnsafeRawPointer, Int) -> Bool
  ) -> Int? {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return nil }
    let span = part.count - 1
    let ones: UInt64 = 0x0101_0101_0101_0101
    let fold: UInt64 = ignoresCase ? 0x20 * ones : 0
    let first = UInt64(part[0]) * ones | fold
    let last = UInt64(part[span]) * ones | fold
    var place = start
    while place + span + 8 <= end {
      let one = (base + place).loadUnaligned(as: UInt64.self) | fold
      let other = (base + place + span).loadUnaligned(as: UInt64.self) | fold
      // A byte is zero where both match; the lowest zero byte is marked by its highest bit.
      let differences = (one ^ first) | (other ^ last)
      var marks = (differences &- ones) & ~differences & (0x80 * ones)
      while marks != 0 {
        let offset = UInt64(littleEndian: marks).trailingZeroBitCount >> 3
        if fits(base, place + offset) { return place + offset }
        marks &= marks &- 1
      }
      place += 8
    }
    while place + span < end {
      if fits(base, place) { return place }
      place += 1
    }
    return nil
  }

  /// Whether the bytes occur at an offset of a value; the folding of a byte depends on the byte
  /// before it.
  private func fits(_ base: UnsafeRawPointer, _ place: Int, valueStart: Int) -> Bool {
    if !ignoresCase { return memcmp(base + place, part, part.count) == 0 }
    let bytes = base.assumingMemoryBound(to: UInt8.self)
    var previous = place > valueStart ? bytes[place - 1] : 0
    for (offset, byte) in part.enumerated() {
      let found = bytes[place + offset]
      if StringFolding.lowered(found, after: previous) != byte { return false }
      previous = found
    }
    return true
  }
}

/// The first bytes of a constant, in one word.
struct BytesHead {
  private let bytes: [UInt8]
  private let head: UInt64
  private let mask: UInt64

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let count = min(8, bytes.count)
    var head: UInt64 = 0
    var mask: UInt64 = 0
    for (place, byte) in bytes.prefix(count).enumerated() {
      head |= UInt64(byte) << UInt64(8 * place)
      mask |= 0xFF << UInt64(8 * place)
    }
    self.head = head
    self.mask = mask
  }

  /// Whether the bytes at an offset may begin with the constant; exact up to the length of a word.
  @inline(__always)
  func mayStand(at place: Int, in all: UnsafeBufferPointer<UInt8>) -> Bool {
    guard place + 8 <= all.count, let base = UnsafeRawPointer(all.baseAddress) else { return true }
    let found = UInt64(littleEndian: (base + place).loadUnaligned(as: UInt64.self))
    return found & mask == head
  }

  /// Whether the bytes occur at an offset with at least as many bytes left.
  func stands(at place: Int, in all: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = UnsafeRawPointer(all.baseAddress) else { return bytes.isEmpty }
    return memcmp(base + place, bytes, bytes.count) == 0
  }
}

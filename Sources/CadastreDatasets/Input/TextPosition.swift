#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A position in a text as line and column.
struct TextPosition: Hashable, Sendable {
  /// The line, from 1; lines end in a line feed.
  var line = 1
  /// The column, in Unicode scalars from 1.
  var column = 1

  /// Moves the position after the given bytes.
  ///
  /// - Parameter bytes: The bytes from the current position on.
  /// - Complexity: O(n), with eight bytes at a time between line ends.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes[...]
    while let lineEnd = ByteSearch.offset(of: UInt8(ascii: "\n"), in: .init(rebasing: rest)) {
      line += 1
      column = 1
      rest = rest.dropFirst(lineEnd + 1)
    }
    column += Self.scalars(in: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: rest)))
  }

  /// Returns the position after the given bytes.
  func advanced(over bytes: UnsafeBufferPointer<UInt8>) -> TextPosition {
    var position = self
    position.advance(over: bytes)
    return position
  }

  /// Returns the number of bytes that are not UTF-8 continuation bytes.
  private static func scalars(in bytes: UnsafeRawBufferPointer) -> Int {
    var continuations = 0
    var at = 0
    while at + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 {
        continuations += ((word >> 7) & ~(word >> 6) & 0x0101_0101_0101_0101).nonzeroBitCount
      }
      at += 8
    }
    while at < bytes.count {
      if bytes[at] & 0xC0 == 0x80 { continuations += 1 }
      at += 1
    }
    return bytes.count - continuations
  }
}

/// Validation of UTF-8, with a fast path for ASCII.
///
/// Source: RFC 3629, section 4 (the table of well-formed sequences).
enum UTF8Check {
  /// Returns the offset of the first byte outside a well-formed sequence; nil for valid UTF-8.
  ///
  /// - Complexity: O(n), with eight bytes at a time for ASCII.
  static func firstInvalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let raw = UnsafeRawBufferPointer(bytes)
    let count = raw.count
    var at = 0
    while at < count {
      while at + 8 <= count,
        raw.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        at += 8
      }
      guard at < count else { break }
      if raw[at] < 0x80 {
        at += 1
        continue
      }
      let length = sequenceLength(raw, at)
      guard length > 0 else { return at }
      at += length
    }
    return nil
  }

  /// Returns the length of the well-formed sequence of two to four bytes at an offset; 0 for none.
  private static func sequenceLength(_ raw: UnsafeRawBufferPointer, _ at: Int) -> Int {
    let lead = raw[at]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)  // no overlong forms
    case 0xED: (length, second) = (3, 0x80...0x9F)  // no surrogates
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)  // nothing above U+10FFFF
    default: return 0
    }
    guard at + length <= raw.count, second.contains(raw[at + 1]) else { return 0 }
    for offset in 2..<max(length, 2) where raw[at + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}

/// Search and comparison of bytes with `memchr` and `memcmp` of the C library.
enum ByteSearch {
  /// Returns whether two ranges contain the same bytes.
  @inline(__always)
  static func areEqual(
    _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard first.count == second.count else { return false }
    guard let start = first.baseAddress, let other = second.baseAddress else { return true }
    return memcmp(start, other, first.count) == 0
  }

  /// Returns the offset of the first occurrence of a byte; nil if there is none.
  @inline(__always)
  static func offset(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let match = memchr(base, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(match) - UnsafeRawPointer(base)
  }
}

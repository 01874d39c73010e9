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

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

  /// Returns the number of bytes that are no UTF-8 continuation bytes.
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

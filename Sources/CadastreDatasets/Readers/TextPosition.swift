/// A place in a text, as editors show it.
struct TextPlace: Hashable, Sendable {
  /// The line, counted from 1; lines end in a line feed.
  var line = 1
  /// The column, in Unicode scalars counted from 1.
  var column = 1

  /// Moves behind some bytes.
  ///
  /// - Complexity: O(n); eight bytes at a time, but for the line ends.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes[...]
    while let lineEnd = ByteSearch.offset(of: UInt8(ascii: "\n"), in: .init(rebasing: rest)) {
      line += 1
      column = 1
      rest = rest.dropFirst(lineEnd + 1)
    }
    column += Self.scalars(in: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: rest)))
  }

  /// The place behind some bytes.
  func advanced(over bytes: UnsafeBufferPointer<UInt8>) -> TextPlace {
    var place = self
    place.advance(over: bytes)
    return place
  }

  /// How many bytes do not continue a character of UTF-8.
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

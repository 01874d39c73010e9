/// A fast hash of numbers and texts, for caches that compare the key of an entry after the look-up.
// Not a `Hasher`, which takes several times as long for short texts.
struct FormHash {
  private var mix: UInt64 = 0

  /// The hash of all numbers and texts.
  var value: Int { Int(truncatingIfNeeded: mix) }

  /// Mixes a number into the hash.
  mutating func append(_ word: UInt64) {
    mix = (mix ^ word) &* 0x9E37_79B9_7F4A_7C15
    mix ^= mix >> 29
  }

  /// Mixes the bytes of a text into the hash, eight at a time.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var offset = 0
      while offset + 8 <= bytes.count {
        append(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      var word = UInt64(bytes.count)
      while offset < bytes.count {
        word = word << 8 | UInt64(bytes[offset])
        offset += 1
      }
      append(word)
    }
  }
}

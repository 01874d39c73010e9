extension SeededGenerator {
  /// Changes bytes at a random offset: a bit, a byte, or a reference that is copied from elsewhere.
  package mutating func damage(_ bytes: inout [UInt8]) {
    // Half of the changes hit the lowest bytes, where most nodes of small files are.
    let offset = below(oneIn(2) ? bytes.count : min(bytes.count, 4096))
    switch below(4) {
    case 0: bytes[offset] ^= 1 << UInt8(below(8))
    case 1: bytes[offset] = UInt8(below(256))
    case 2: bytes[offset] = pick([0, 1, 0x7F, 0x80, 0xFF])
    default:
      let source = below(bytes.count)
      let count = min(8, bytes.count - max(offset, source))
      bytes.replaceSubrange(offset..<(offset + count), with: bytes[source..<(source + count)])
    }
  }
}

/// A writer of gzip files of stored blocks, without compression.
///
/// Source: RFC 1952 for the frame, RFC 1951, section 3.2.4, for stored blocks.
enum StoredGzip {
  static func file(_ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, content.count)
      let count = UInt16(end - start)
      bytes.append(end == content.count ? 1 : 0)
      bytes += littleEndian(count) + littleEndian(~count) + content[start..<end]
      start = end
    } while start < content.count
    return bytes + littleEndian(checksum(content)) + littleEndian(UInt32(content.count))
  }

  private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}

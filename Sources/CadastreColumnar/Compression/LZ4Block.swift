/// The LZ4 block format.
///
/// Source: github.com/lz4/lz4, "lz4_Block_format.md".
enum LZ4Block {
  /// Decompresses a block of a known decompressed size.
  static func decompress(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    var input = input
    var output = BlockOutput(count)
    while input.remaining > 0 {
      let token = Int(try input.byte())
      try output.append(&input, try length(token >> 4, &input, atMost: count))
      if input.remaining == 0 { break }
      let offset = Int(try input.integer(UInt16.self))
      let length = try length(token & 0x0F, &input, atMost: count) + 4
      try output.copy(length: length, offset: offset, input)
    }
    return try output.finished(input)
  }

  private static func length(
    _ nibble: Int, _ input: inout ByteReader, atMost limit: Int
  ) throws(ColumnarError) -> Int {
    guard nibble == 15 else { return nibble }
    var length = 15
    while true {
      let byte = try input.byte()
      length += Int(byte)
      guard length <= limit else {
        throw input.corrupt("an LZ4 sequence of \(length) bytes", expected: "at most \(limit)")
      }
      if byte < 255 { return length }
    }
  }
}

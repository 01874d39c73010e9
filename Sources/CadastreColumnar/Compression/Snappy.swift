/// The Snappy block format.
///
/// Source: github.com/google/snappy, "format_description.txt".
enum Snappy {
  /// Decompresses a block of a known decompressed size.
  static func decompress(_ input: ByteReader, to count: Int) throws(ColumnarError) -> [UInt8] {
    var input = input
    let size = try input.varint()
    guard size == UInt64(count) else {
      throw input.corrupt("a Snappy block of \(size) bytes", expected: "\(count) bytes")
    }
    var output = BlockOutput(count)
    while input.remaining > 0 {
      let tag = Int(try input.byte())
      switch tag & 3 {
      case 0:
        var length = tag >> 2 + 1
        if length > 60 {
          let extra = length - 60
          try input.require(extra, "a literal length")
          length = 1
          for index in 0..<extra { length += Int(try input.byte()) << (8 * index) }
        }
        try output.append(&input, length)
      case 1:
        let offset = (tag >> 5) << 8 | Int(try input.byte())
        try output.copy(length: 4 + (tag >> 2 & 7), offset: offset, input)
      case 2:
        let offset = Int(try input.integer(UInt16.self))
        try output.copy(length: tag >> 2 + 1, offset: offset, input)
      default:
        let offset = Int(try input.integer(UInt32.self))
        try output.copy(length: tag >> 2 + 1, offset: offset, input)
      }
    }
    return try output.finished(input)
  }
}

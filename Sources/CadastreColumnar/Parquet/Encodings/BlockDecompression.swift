/// The Snappy block format.
///
/// Source: github.com/google/snappy, "format_description.txt".
enum Snappy {
  /// Decompresses a block to `count` bytes.
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

/// The LZ4 block format.
///
/// Source: github.com/lz4/lz4, "lz4_Block_format.md".
enum LZ4Block {
  /// Decompresses a block to `count` bytes.
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

/// The output of a block decompressor, of a fixed size.
struct BlockOutput {
  private var bytes: [UInt8]
  private var count = 0

  /// Creates an output of a size in bytes.
  init(_ size: Int) { bytes = [UInt8](repeating: 0, count: size) }

  /// Appends bytes of the input.
  mutating func append(_ input: inout ByteReader, _ length: Int) throws(ColumnarError) {
    let source = try input.skip(length, "literal bytes")
    try requireSpace(length, input)
    let start = count
    bytes.withUnsafeMutableBytes { target in
      input.bytes.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: target[start..<start + length])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[source]))
      }
    }
    count += length
  }

  /// Appends a copy of earlier output; the ranges may overlap.
  mutating func copy(length: Int, offset: Int, _ input: ByteReader) throws(ColumnarError) {
    guard offset > 0, offset <= count else {
      throw input.corrupt("a copy from \(offset) bytes before", expected: "1 to \(count) bytes")
    }
    try requireSpace(length, input)
    let start = count
    bytes.withUnsafeMutableBytes { target in
      if offset >= length {
        UnsafeMutableRawBufferPointer(rebasing: target[start..<start + length])
          .copyMemory(
            from: UnsafeRawBufferPointer(rebasing: target[start - offset..<start - offset + length])
          )
      } else {
        for index in start..<start + length { target[index] = target[index - offset] }
      }
    }
    count += length
  }

  /// Returns the bytes; the output must be full.
  func finished(_ input: ByteReader) throws(ColumnarError) -> [UInt8] {
    guard count == bytes.count else {
      throw input.corrupt("\(count) decompressed bytes", expected: "\(bytes.count) bytes")
    }
    return bytes
  }

  private func requireSpace(_ length: Int, _ input: ByteReader) throws(ColumnarError) {
    guard length <= bytes.count - count else {
      throw input.corrupt(
        "more than \(bytes.count) decompressed bytes", expected: "\(bytes.count) bytes")
    }
  }
}

/// The output of a block decompressor; it has a fixed size.
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

  /// Appends bytes that were written before; the ranges may overlap.
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

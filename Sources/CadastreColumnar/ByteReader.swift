/// A bounds-checked reader of bytes in memory.
struct ByteReader {
  /// The bytes.
  let bytes: [UInt8]
  /// The offset of the next byte.
  var offset: Int
  /// The offset after the last byte.
  let end: Int
  /// The offset of the first byte in the file, for messages; nil for decompressed bytes.
  let base: Int?

  /// Creates a reader of a part of an array.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - range: The part; nil for all. It must be in bounds.
  ///   - base: The offset of the first byte in the file.
  init(_ bytes: [UInt8], _ range: Range<Int>? = nil, base: Int? = nil) {
    self.bytes = bytes
    offset = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
    precondition(offset >= 0 && end <= bytes.count)
    self.base = base
  }

  /// The number of bytes left.
  var remaining: Int { end - offset }

  /// Creates an error at the current offset.
  func corrupt(_ found: String, expected: String) -> ColumnarError {
    .corrupt(found: found, expected: expected, offset: base.map { $0 + offset })
  }

  /// Checks that at least `count` bytes are left.
  func require(_ count: Int, _ name: @autoclosure () -> String) throws(ColumnarError) {
    guard count >= 0, count <= remaining else {
      throw corrupt("\(remaining) bytes", expected: "\(count) bytes for \(name())")
    }
  }

  /// Reads a byte.
  mutating func byte() throws(ColumnarError) -> UInt8 {
    guard offset < end else { throw corrupt("the end", expected: "a byte") }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a little-endian integer.
  mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(ColumnarError) -> Number {
    let count = MemoryLayout<Number>.size
    try require(count, "a number")
    defer { offset += count }
    return bytes.word(at: offset, as: type)
  }

  /// Reads an unsigned variable-length integer of at most 64 bits.
  mutating func varint() throws(ColumnarError) -> UInt64 {
    var result: UInt64 = 0
    for index in 0..<10 {
      let byte = try byte()
      let bits = UInt64(byte & 0x7F)
      guard index < 9 || bits <= 1 else { break }
      result |= bits << UInt64(7 * index)
      if byte & 0x80 == 0 { return result }
    }
    throw corrupt("a variable-length integer of more than 64 bits", expected: "at most 64 bits")
  }

  /// Reads a signed variable-length integer in zigzag form.
  mutating func zigzag() throws(ColumnarError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a number of bytes or elements and checks that it is within a limit.
  mutating func count(atMost limit: Int, _ name: String) throws(ColumnarError) -> Int {
    let value = try varint()
    guard value <= UInt64(clamping: limit) else {
      throw corrupt("\(value) \(name)", expected: "at most \(limit)")
    }
    return Int(value)
  }

  /// Skips bytes and returns their range.
  mutating func skip(_ count: Int, _ name: @autoclosure () -> String) throws(ColumnarError)
    -> Range<Int>
  {
    try require(count, name())
    defer { offset += count }
    return offset..<offset + count
  }
}

extension [UInt8] {
  /// Returns the little-endian integer at an offset; its bytes must be in bounds.
  @inline(__always)
  func word<Number: FixedWidthInteger & UnsignedInteger>(
    at offset: Int, as type: Number.Type
  ) -> Number {
    precondition(offset >= 0 && offset + MemoryLayout<Number>.size <= count)
    return withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }

  /// Appends an unsigned integer of variable length.
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a signed integer of variable length in zigzag form.
  mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Appends a little-endian integer.
  mutating func appendWord<Number: FixedWidthInteger>(_ value: Number) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

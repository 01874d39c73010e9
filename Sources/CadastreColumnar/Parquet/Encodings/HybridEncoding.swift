/// A decoder of the hybrid of run-length encoding and bit packing.
///
/// Source: Apache parquet-format, "Encodings.md", RLE.
struct HybridDecoder {
  private var input: ByteReader
  private let width: Int
  /// The number of values left in the current run.
  private var runCount = 0
  private var runValue: UInt32 = 0
  /// Whether the current run is bit-packed.
  private var isPacked = false
  /// The index of the next bit of a bit-packed run.
  private var bit = 0

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - input: The encoded bytes.
  ///   - width: The number of bits of a value.
  /// - Throws: ``ColumnarError`` for a width of more than 32.
  init(_ input: ByteReader, width: Int) throws(ColumnarError) {
    guard (0...32).contains(width) else {
      throw input.corrupt("values of \(width) bits", expected: "at most 32 bits")
    }
    self.input = input
    self.width = width
  }

  /// Decodes values.
  ///
  /// - Parameters:
  ///   - count: The number of values.
  ///   - body: Receives a value and the number of its repetitions.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  mutating func decode(
    _ count: Int, _ body: (UInt32, Int) -> Void
  ) throws(ColumnarError) {
    var wanted = count
    while wanted > 0 {
      if runCount == 0 { try readRun() }
      let step = Swift.min(wanted, runCount)
      if isPacked {
        unpack(step, body)
      } else {
        body(runValue, step)
      }
      runCount -= step
      wanted -= step
    }
  }

  private mutating func unpack(_ count: Int, _ body: (UInt32, Int) -> Void) {
    let mask = width == 32 ? UInt64(UInt32.max) : (1 << UInt64(width)) - 1
    let end = input.end
    input.bytes.withUnsafeBytes { bytes in
      var bit = bit
      for _ in 0..<count {
        let offset = bit >> 3
        var word: UInt64 = 0
        if offset + 8 <= end {
          word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        } else {
          for index in offset..<end { word |= UInt64(bytes[index]) << UInt64(8 * (index - offset)) }
        }
        body(UInt32(truncatingIfNeeded: word >> UInt64(bit & 7) & mask), 1)
        bit += width
      }
    }
    bit += count * width
  }

  private mutating func readRun() throws(ColumnarError) {
    let header = try input.varint()
    if header & 1 == 0 {
      guard header > 0 else { throw input.corrupt("a run of no values", expected: "a run") }
      runCount = Int(header >> 1)
      isPacked = false
      runValue = 0
      for index in 0..<(width + 7) / 8 { runValue |= UInt32(try input.byte()) << (8 * index) }
      return
    }
    // Older writers leave out bytes of the last group.
    let groups = header >> 1
    let available = width == 0 ? Int.max : input.remaining * 8 / width
    runCount = Swift.min(Int(clamping: groups), Int.max >> 3) << 3
    runCount = Swift.min(runCount, available)
    guard runCount > 0 else {
      throw input.corrupt("a run of no values", expected: "packed values of \(width) bits")
    }
    isPacked = true
    bit = input.offset * 8
    let bytes = Int(clamping: groups).multipliedReportingOverflow(by: width)
    input.offset +=
      bytes.overflow ? input.remaining : Swift.min(bytes.partialValue, input.remaining)
  }
}

/// An encoder of the hybrid of run-length encoding and bit packing.
enum HybridEncoder {
  /// Returns the number of bits of integers from 0 to a maximum.
  static func width(upTo maximum: Int) -> Int { Int.bitWidth - maximum.leadingZeroBitCount }

  /// Encodes values.
  ///
  /// - Parameters:
  ///   - values: The values, each of at most `width` bits.
  ///   - width: The number of bits of a value, at least 1.
  /// - Returns: The runs.
  static func encode<Number: FixedWidthInteger & UnsignedInteger>(
    _ values: ArraySlice<Number>, width: Int
  ) -> [UInt8] {
    var output: [UInt8] = []
    var start = values.startIndex
    var packed = start
    while start < values.endIndex {
      var end = start + 1
      while end < values.endIndex, values[end] == values[start] { end += 1 }
      // Packed values are in groups of eight, so a run may have to complete a group.
      let completed = (8 - (start - packed) % 8) % 8
      guard end - start >= 8 + completed else {
        start = end
        continue
      }
      start += completed
      pack(values[packed..<start], width, &output)
      output.appendVarint(UInt64(end - start) << 1)
      let value = UInt64(truncatingIfNeeded: values[start])
      for index in 0..<(width + 7) / 8 {
        output.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
      }
      start = end
      packed = end
    }
    pack(values[packed...], width, &output)
    return output
  }

  private static func pack<Number: FixedWidthInteger & UnsignedInteger>(
    _ values: ArraySlice<Number>, _ width: Int, _ output: inout [UInt8]
  ) {
    guard !values.isEmpty else { return }
    let groups = (values.count + 7) / 8
    output.appendVarint(UInt64(groups) << 1 | 1)
    let end = output.count + groups * width
    var word: UInt64 = 0
    var filled = 0
    for value in values {
      word |= UInt64(truncatingIfNeeded: value) << UInt64(filled)
      filled += width
      while filled >= 8 {
        output.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
        filled -= 8
      }
    }
    if filled > 0 { output.append(UInt8(truncatingIfNeeded: word)) }
    while output.count < end { output.append(0) }
  }
}

/// The deprecated encoding BIT_PACKED of levels, whose values begin with the most significant bit of a byte.
///
/// Source: Apache parquet-format, "Encodings.md", BIT_PACKED.
enum BitPackedLevels {
  /// Returns levels as a packed run of the hybrid encoding, whose values begin with the least significant bit.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, of at least `count * width` bits.
  ///   - count: The number of levels.
  ///   - width: The number of bits of a level, at most 8.
  /// - Returns: The run.
  static func hybrid(_ bytes: ArraySlice<UInt8>, count: Int, width: Int) -> ByteReader {
    let groups = (count + 7) / 8
    var run: [UInt8] = []
    run.appendVarint(UInt64(groups) << 1 | 1)
    let start = run.count
    run += repeatElement(0, count: groups * width)
    for bit in 0..<count * width {
      let source = bytes[bytes.startIndex + bit >> 3] >> UInt8(7 - bit & 7) & 1
      // The bits of each level are in reverse order.
      let target = bit - bit % width + (width - 1 - bit % width)
      run[start + target >> 3] |= source << UInt8(target & 7)
    }
    return ByteReader(run)
  }
}

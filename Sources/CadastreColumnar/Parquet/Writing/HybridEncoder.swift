/// An encoder of the hybrid of run-length encoding and bit packing.
enum HybridEncoder {
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

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

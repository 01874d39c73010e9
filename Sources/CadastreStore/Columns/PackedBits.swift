/// Numbers of a fixed number of bits, one after the other in words of 64 bits, little-endian.
struct PackedBits {
  private let words: UnsafeRawBufferPointer
  /// The number of bits of each number, at most 64.
  let width: Int
  /// The number of numbers.
  let count: Int
  /// The number of first numbers that lie in the eight bytes which begin with the byte of their first bit.
  private let shortCount: Int
  private let mask: UInt64

  /// Describes numbers in words that have at least `width * count` bits.
  init(_ words: UnsafeRawBufferPointer, width: Int, count: Int) {
    self.words = words
    self.width = width
    self.count = count
    shortCount = (1...57).contains(width) ? min(count, max(0, words.count - 8) * 8 / width) : 0
    mask = width == 64 ? UInt64.max : (1 &<< UInt64(width)) &- 1
  }

  /// Returns a number; its index is below the number of numbers.
  @inline(__always)
  subscript(index: Int) -> UInt64 {
    guard index < shortCount else { return last(index) }
    let bit = index &* width
    return Self.word(words, bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7) & mask
  }

  /// Writes all numbers, which fit the type, to memory; returns the largest one.
  func unpack<Number: FixedWidthInteger & UnsignedInteger>(
    to numbers: UnsafeMutableBufferPointer<Number>
  ) -> Number {
    var largest: Number = 0
    for index in 0..<shortCount {
      let bit = index &* width
      let number = Number(
        truncatingIfNeeded: Self.word(words, bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
          & mask)
      numbers[index] = number
      largest = max(largest, number)
    }
    for index in shortCount..<count {
      numbers[index] = Number(truncatingIfNeeded: last(index))
      largest = max(largest, numbers[index])
    }
    return largest
  }

  /// Returns a number that is very long, or one of the last.
  private func last(_ index: Int) -> UInt64 {
    guard width > 0 else { return 0 }
    let bit = index * width
    let (first, shift) = (bit >> 6, bit & 63)
    let low = Self.word(words, first * 8) >> UInt64(shift)
    guard shift + width > 64 else { return low & mask }
    return (low | Self.word(words, first * 8 + 8) << UInt64(64 - shift)) & mask
  }

  /// Returns the word at an offset.
  @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

/// The powers of ten that fit in 128 bits, and functions based on them.
enum PowerOfTen {
  /// Ten to the power of the index, from 0 to ``last``.
  private static let table: [UInt128] = {
    var powers: [UInt128] = [1]
    while powers.count <= last { powers.append(powers[powers.count - 1] * 10) }
    return powers
  }()

  /// The largest exponent whose power fits in 128 bits.
  static let last = 38

  /// Returns ten to the power of an exponent from 0 to ``last``.
  static func power(_ exponent: Int) -> UInt128 { table[exponent] }

  /// Returns the number of decimal digits; 0 for zero.
  static func digitCount(_ number: UInt128) -> Int {
    let bitCount = UInt128.bitWidth - number.leadingZeroBitCount
    // 1233/4096 approximates log10(2); for 128 bits the estimate is at most one too small.
    let estimate = (bitCount * 1233) >> 12
    return number >= table[estimate] ? estimate + 1 : estimate
  }

  /// Removes up to `limit` trailing zeros from a nonzero number.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - limit: The maximum number of zeros to remove.
  /// - Returns: The remaining number and the number of removed zeros.
  static func strippingZeros(
    _ number: UInt128, atMost limit: Int = last
  ) -> (number: UInt128, count: Int) {
    var number = number
    var count = 0
    for step in [32, 16, 8, 4, 2, 1] where count + step <= limit {
      // A multiple of 10^n is a multiple of 2^n; this cheap test rejects most numbers.
      guard number.trailingZeroBitCount >= step else { continue }
      let (quotient, remainder) = number.quotientAndRemainder(dividingBy: table[step])
      guard remainder == 0 else { continue }
      number = quotient
      count += step
    }
    return (number, count)
  }
}

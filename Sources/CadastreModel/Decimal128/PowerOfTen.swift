/// The powers of ten that fit in 128 bits, and what can be told with them.
enum PowerOfTen {
  /// 10 to the power of its index, 0...38.
  private static let table: [UInt128] = {
    var powers: [UInt128] = [1]
    while powers.count <= last { powers.append(powers[powers.count - 1] * 10) }
    return powers
  }()

  /// The largest exponent whose power fits.
  static let last = 38

  /// Ten to the power of `exponent`, which is in 0...``last``.
  static func power(_ exponent: Int) -> UInt128 { table[exponent] }

  /// How many digits a number has; none for zero.
  static func digitCount(_ number: UInt128) -> Int {
    let bitCount = UInt128.bitWidth - number.leadingZeroBitCount
    // 1233/4096 is log10(2), near enough for 128 bits to be one short at most.
    let least = (bitCount * 1233) >> 12
    return number >= table[least] ? least + 1 : least
  }

  /// Takes up to `limit` zeros off the end of a number other than zero.
  ///
  /// - Returns: What is left, and how many zeros went.
  static func strippingZeros(
    _ number: UInt128, atMost limit: Int = last
  ) -> (number: UInt128, count: Int) {
    var number = number
    var count = 0
    for step in [32, 16, 8, 4, 2, 1] where count + step <= limit {
      // A multiple of 10^n is a multiple of 2^n: most numbers fail this at no cost.
      guard number.trailingZeroBitCount >= step else { continue }
      let (quotient, remainder) = number.quotientAndRemainder(dividingBy: table[step])
      guard remainder == 0 else { continue }
      number = quotient
      count += step
    }
    return (number, count)
  }
}

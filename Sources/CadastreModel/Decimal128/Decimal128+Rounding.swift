extension Decimal128 {
  /// Creates the number nearest to `coefficient` × 10^`exponent`, ties to even.
  ///
  /// An exponent above the range is reduced by appending zeros to the coefficient; if that is not
  /// possible, the result is infinity. An exponent below the range is increased by rounding digits,
  /// possibly to zero.
  ///
  /// - Parameters:
  ///   - isNegative: The sign.
  ///   - coefficient: Any number; it has more than 34 digits if `isMore`.
  ///   - exponent: Any power of ten.
  ///   - isMore: Whether the exact coefficient is larger by less than one.
  @inline(__always)
  init(
    isNegative: Bool, rounding coefficient: UInt128, exponent: Int, isMore: Bool = false
  ) {
    if coefficient <= Self.maxCoefficient && Self.exponents.contains(exponent) {
      self.init(isNegative: isNegative, exactly: coefficient, exponent: exponent)
    } else {
      self = Self.rounded(isNegative, coefficient, exponent, isMore)
    }
  }

  private static func rounded(
    _ isNegative: Bool, _ coefficient: UInt128, _ exponent: Int, _ isMore: Bool
  ) -> Decimal128 {
    let excess = Swift.max(
      PowerOfTen.digitCount(coefficient) - precision, exponents.lowerBound - exponent, 0)
    var rounded = dividedHalfEven(coefficient, byPowerOfTen: excess, isMore: isMore)
    var exponent = exponent + excess
    if rounded > maxCoefficient {
      // Rounding carried to 10^34, which has one digit too many; all digits but the first are zero.
      rounded /= 10
      exponent += 1
    }
    guard exponent > exponents.upperBound else {
      return Decimal128(isNegative: isNegative, exactly: rounded, exponent: exponent)
    }
    let zeros = rounded == 0 ? 0 : exponent - exponents.upperBound
    guard PowerOfTen.digitCount(rounded) + zeros <= precision else {
      return infinity(isNegative: isNegative)
    }
    return Decimal128(
      isNegative: isNegative, exactly: rounded * PowerOfTen.power(zeros),
      exponent: exponents.upperBound)
  }

  /// Returns a quotient rounded to the nearest integer, ties to even.
  ///
  /// - Parameters:
  ///   - number: The dividend.
  ///   - exponent: The power of ten that is the divisor; 0 or more.
  ///   - isMore: Whether the exact dividend is larger by less than one.
  /// - Returns: The integer nearest to the quotient.
  static func dividedHalfEven(
    _ number: UInt128, byPowerOfTen exponent: Int, isMore: Bool = false
  ) -> UInt128 {
    guard exponent > 0 else { return number }
    // The largest 128-bit number is less than half of 10^39.
    guard exponent <= PowerOfTen.last else { return 0 }
    let divisor = PowerOfTen.power(exponent)
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let isTie = remainder == half && !isMore
    let roundsUp = isTie ? quotient & 1 == 1 : remainder >= half
    return roundsUp ? quotient + 1 : quotient
  }
}

extension Decimal128 {
  /// The number nearest to `coefficient` × 10^`exponent`, ties to even.
  ///
  /// Exponents above the range are lowered by zeros at the end of the coefficient, or else become
  /// infinity; those below it cost digits, down to zero.
  ///
  /// - Parameters:
  ///   - isNegative: The sign.
  ///   - coefficient: Any number; of more than 34 digits if `isMore`.
  ///   - exponent: Any power of ten.
  ///   - isMore: Whether the true number is a little larger, by less than one unit of `coefficient`.
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
    var kept = dividedHalfEven(coefficient, byPowerOfTen: excess, isMore: isMore)
    var exponent = exponent + excess
    if kept > maxCoefficient {
      // Nines carried over: 10^34 is one digit too many, and all of them but the first are zero.
      kept /= 10
      exponent += 1
    }
    guard exponent > exponents.upperBound else {
      return Decimal128(isNegative: isNegative, exactly: kept, exponent: exponent)
    }
    let zeros = kept == 0 ? 0 : exponent - exponents.upperBound
    guard PowerOfTen.digitCount(kept) + zeros <= precision else {
      return infinity(isNegative: isNegative)
    }
    return Decimal128(
      isNegative: isNegative, exactly: kept * PowerOfTen.power(zeros),
      exponent: exponents.upperBound)
  }

  /// A quotient rounded to the nearest whole number, ties to even.
  ///
  /// - Parameters:
  ///   - number: The number to divide.
  ///   - exponent: 0 or more; the divisor is ten to this power.
  ///   - isMore: Whether the true number is a little larger, by less than one.
  /// - Returns: The whole number nearest to the quotient.
  static func dividedHalfEven(
    _ number: UInt128, byPowerOfTen exponent: Int, isMore: Bool = false
  ) -> UInt128 {
    guard exponent > 0 else { return number }
    // 128 bits are less than half of 10^39.
    guard exponent <= PowerOfTen.last else { return 0 }
    let divisor = PowerOfTen.power(exponent)
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let isTie = remainder == half && !isMore
    let goesUp = isTie ? quotient & 1 == 1 : remainder >= half
    return goesUp ? quotient + 1 : quotient
  }
}

extension Decimal128: SignedNumeric {
  /// Returns the sum; NaN for infinities of opposite sign.
  ///
  /// An exact sum has the smaller of the two exponents if its digits allow it: 1.5 + 1.50 is 3.00.
  public static func + (first: Decimal128, second: Decimal128) -> Decimal128 {
    guard first.isFinite, second.isFinite else { return sumOfSpecials(first, second) }
    return first.exponent >= second.exponent
      ? sum(first, second) : sum(second, first)
  }

  /// Returns the difference; NaN for infinities of the same sign.
  public static func - (first: Decimal128, second: Decimal128) -> Decimal128 {
    first + second.negated
  }

  /// Returns the product; NaN for zero times infinity.
  ///
  /// An exact product has the sum of the exponents if its digits allow it: 1.5 * 1.50 is 2.250.
  public static func * (first: Decimal128, second: Decimal128) -> Decimal128 {
    let isNegative = first.isNegative != second.isNegative
    guard first.isFinite, second.isFinite else {
      let isUndefined = first.isNaN || second.isNaN || first.isZero || second.isZero
      return isUndefined ? .nan : .infinity(isNegative: isNegative)
    }
    let exponent = first.exponent + second.exponent
    let product = first.coefficient.multipliedFullWidth(by: second.coefficient)
    guard product.high != 0 else {
      return Decimal128(isNegative: isNegative, rounding: product.low, exponent: exponent)
    }
    // 35 or 36 digits remain, which is enough to detect a tie in rounding.
    let excess =
      PowerOfTen.digitCount(first.coefficient) + PowerOfTen.digitCount(second.coefficient) - 36
    let shortened = PowerOfTen.power(excess).dividingFullWidth(product)
    return Decimal128(
      isNegative: isNegative, rounding: shortened.quotient, exponent: exponent + excess,
      isTruncated: shortened.remainder != 0)
  }

  /// Returns the quotient; infinity for a nonzero number divided by zero, NaN for 0 / 0 and for two
  /// infinities.
  ///
  /// An exact quotient has the exponent nearest to the difference of the exponents: 3.00 / 2 is
  /// 1.50, and 1 / 8 is 0.125.
  public static func / (first: Decimal128, second: Decimal128) -> Decimal128 {
    let isNegative = first.isNegative != second.isNegative
    guard first.isFinite, second.isFinite, second.coefficient != 0 else {
      return quotientOfSpecials(first, second, isNegative: isNegative)
    }
    let exponent = first.exponent - second.exponent
    guard first.coefficient != 0 else {
      return Decimal128(isNegative: isNegative, rounding: 0, exponent: exponent)
    }
    // The dividend is padded with zeros until the quotient has 35 or 36 digits.
    let firstZeros = precision - PowerOfTen.digitCount(first.coefficient)
    let secondZeros = PowerOfTen.digitCount(second.coefficient) + 1
    let padded = (first.coefficient * PowerOfTen.power(firstZeros))
      .multipliedFullWidth(by: PowerOfTen.power(secondZeros))
    let zeros = firstZeros + secondZeros
    let (quotient, remainder) = second.coefficient.dividingFullWidth(padded)
    guard remainder == 0 else {
      return Decimal128(
        isNegative: isNegative, rounding: quotient, exponent: exponent - zeros, isTruncated: true)
    }
    let stripped = PowerOfTen.strippingZeros(quotient, atMost: zeros)
    return Decimal128(
      isNegative: isNegative, rounding: stripped.number,
      exponent: exponent - zeros + stripped.count)
  }

  /// Adds the second number to the first.
  public static func += (first: inout Decimal128, second: Decimal128) { first = first + second }
  /// Subtracts the second number from the first.
  public static func -= (first: inout Decimal128, second: Decimal128) { first = first - second }
  /// Multiplies the first number by the second.
  public static func *= (first: inout Decimal128, second: Decimal128) { first = first * second }
  /// Divides the first number by the second.
  public static func /= (first: inout Decimal128, second: Decimal128) { first = first / second }

  /// Returns the number with the opposite sign; zero has a sign too.
  public static prefix func - (number: Decimal128) -> Decimal128 { number.quieted.negated }

  /// Replaces the number by the one with the opposite sign.
  public mutating func negate() { self = -self }

  /// False: operations return quiet NaN only.
  public var isSignalingNaN: Bool { false }
}

extension Decimal128: Strideable {
  /// Returns the difference between another number and this one.
  public func distance(to other: Decimal128) -> Decimal128 { other - self }

  /// Returns the sum of this number and a distance.
  public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}

extension Decimal128 {
  private var quieted: Decimal128 { isNaN ? .nan : self }

  private static func sumOfSpecials(_ first: Decimal128, _ second: Decimal128) -> Decimal128 {
    if first.isNaN || second.isNaN { return .nan }
    guard first.isInfinite else { return second }
    return second.isInfinite && first.isNegative != second.isNegative ? .nan : first
  }

  private static func quotientOfSpecials(
    _ first: Decimal128, _ second: Decimal128, isNegative: Bool
  ) -> Decimal128 {
    if first.isNaN || second.isNaN { return .nan }
    if first.isInfinite { return second.isInfinite ? .nan : .infinity(isNegative: isNegative) }
    if second.isInfinite {
      return Decimal128(isNegative: isNegative, exactly: 0, exponent: exponents.lowerBound)
    }
    return first.isZero ? .nan : .infinity(isNegative: isNegative)
  }

  /// Returns the sum of two finite numbers, the one with the larger exponent first.
  private static func sum(_ upper: Decimal128, _ lower: Decimal128) -> Decimal128 {
    guard upper.coefficient != 0 else { return sum(zero: upper, lower) }
    let distance = upper.exponent - lower.exponent
    // 128 bits can represent 38 digits, plus the other number and a carry.
    let fits =
      distance <= PowerOfTen.last - precision
      || distance <= PowerOfTen.last - PowerOfTen.digitCount(upper.coefficient)
    guard !fits else {
      return total(
        (upper.isNegative, upper.coefficient * PowerOfTen.power(distance)),
        (lower.isNegative, lower.coefficient), exponent: lower.exponent)
    }
    let zeros = PowerOfTen.last - PowerOfTen.digitCount(upper.coefficient)
    let excess = distance - zeros
    // The digits of the lower number beyond 38 digits of the sum only decide the rounding.
    let divisor = PowerOfTen.power(Swift.min(excess, PowerOfTen.last))
    let (quotient, remainder) = lower.coefficient.quotientAndRemainder(dividingBy: divisor)
    return total(
      (upper.isNegative, upper.coefficient * PowerOfTen.power(zeros)),
      (lower.isNegative, quotient), exponent: lower.exponent + excess, isTruncated: remainder != 0)
  }

  private static func sum(zero: Decimal128, _ other: Decimal128) -> Decimal128 {
    guard other.coefficient == 0 else { return other }
    return Decimal128(
      isNegative: zero.isNegative && other.isNegative, exactly: 0, exponent: other.exponent)
  }

  /// Adds two signed coefficients with the same exponent and rounds the sum.
  ///
  /// - Parameters:
  ///   - first: The first coefficient.
  ///   - second: The second coefficient; if `isTruncated`, it is truncated and far smaller than `first`.
  ///   - exponent: The common exponent.
  ///   - isTruncated: Whether nonzero digits of `second` were truncated.
  /// - Returns: The rounded sum.
  private static func total(
    _ first: (isNegative: Bool, coefficient: UInt128),
    _ second: (isNegative: Bool, coefficient: UInt128), exponent: Int, isTruncated: Bool = false
  ) -> Decimal128 {
    guard first.isNegative != second.isNegative else {
      return Decimal128(
        isNegative: first.isNegative, rounding: first.coefficient + second.coefficient,
        exponent: exponent, isTruncated: isTruncated)
    }
    guard first.coefficient != second.coefficient else {
      return Decimal128(isNegative: false, rounding: 0, exponent: exponent)
    }
    guard first.coefficient > second.coefficient else {
      return Decimal128(
        isNegative: second.isNegative, rounding: second.coefficient - first.coefficient,
        exponent: exponent)
    }
    // The exact second number is larger by a fraction: the difference is one unit less, plus a fraction.
    return Decimal128(
      isNegative: first.isNegative,
      rounding: first.coefficient - second.coefficient - (isTruncated ? 1 : 0),
      exponent: exponent, isTruncated: isTruncated)
  }
}

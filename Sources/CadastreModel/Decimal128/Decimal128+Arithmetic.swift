extension Decimal128: SignedNumeric {
  /// The sum; of unlike infinities, NaN.
  ///
  /// An exact sum has the smaller of both exponents if its digits allow: 1.5 + 1.50 is 3.00.
  public static func + (first: Decimal128, second: Decimal128) -> Decimal128 {
    guard first.isFinite, second.isFinite else { return sumOfSpecials(first, second) }
    return first.exponent >= second.exponent
      ? sum(first, second) : sum(second, first)
  }

  /// The difference; of like infinities, NaN.
  public static func - (first: Decimal128, second: Decimal128) -> Decimal128 {
    first + second.negated
  }

  /// The product; of zero and infinity, NaN.
  ///
  /// An exact product has the sum of both exponents if its digits allow: 1.5 * 1.50 is 2.250.
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
    // 35 or 36 digits are kept for the rounding, which is enough to tell a tie.
    let excess =
      PowerOfTen.digitCount(first.coefficient) + PowerOfTen.digitCount(second.coefficient) - 36
    let kept = PowerOfTen.power(excess).dividingFullWidth(product)
    return Decimal128(
      isNegative: isNegative, rounding: kept.quotient, exponent: exponent + excess,
      isMore: kept.remainder != 0)
  }

  /// The quotient; infinity for a number divided by zero, NaN for 0 / 0 and of two infinities.
  ///
  /// An exact quotient has an exponent as near as can be to the difference of both: 3.00 / 2 is
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
    // Zeros are put at the end of the first number until the quotient has 35 or 36 digits.
    let ownZeros = precision - PowerOfTen.digitCount(first.coefficient)
    let moreZeros = PowerOfTen.digitCount(second.coefficient) + 1
    let padded = (first.coefficient * PowerOfTen.power(ownZeros))
      .multipliedFullWidth(by: PowerOfTen.power(moreZeros))
    let zeros = ownZeros + moreZeros
    let (quotient, remainder) = second.coefficient.dividingFullWidth(padded)
    guard remainder == 0 else {
      return Decimal128(
        isNegative: isNegative, rounding: quotient, exponent: exponent - zeros, isMore: true)
    }
    let stripped = PowerOfTen.strippingZeros(quotient, atMost: zeros)
    return Decimal128(
      isNegative: isNegative, rounding: stripped.number,
      exponent: exponent - zeros + stripped.count)
  }

  /// Adds a number to a variable.
  public static func += (first: inout Decimal128, second: Decimal128) { first = first + second }
  /// Takes a number from a variable.
  public static func -= (first: inout Decimal128, second: Decimal128) { first = first - second }
  /// Multiplies a variable by a number.
  public static func *= (first: inout Decimal128, second: Decimal128) { first = first * second }
  /// Divides a variable by a number.
  public static func /= (first: inout Decimal128, second: Decimal128) { first = first / second }

  /// The number with the other sign; that of zero changes too.
  public static prefix func - (number: Decimal128) -> Decimal128 { number.quieted.negated }

  /// Changes the sign.
  public mutating func negate() { self = -self }
}

extension Decimal128: Strideable {
  /// What must be added to this number to reach another.
  public func distance(to other: Decimal128) -> Decimal128 { other - self }

  /// The number that is farther by a distance.
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

  /// The sum of two finite numbers, the one with the larger exponent first.
  private static func sum(_ upper: Decimal128, _ lower: Decimal128) -> Decimal128 {
    guard upper.coefficient != 0 else { return sum(zero: upper, lower) }
    let distance = upper.exponent - lower.exponent
    // 38 digits leave room in 128 bits for the other number and a carry.
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
    // Of the lower number only the digits above the last of 38 count, and whether more follow.
    let divisor = PowerOfTen.power(Swift.min(excess, PowerOfTen.last))
    let (quotient, remainder) = lower.coefficient.quotientAndRemainder(dividingBy: divisor)
    return total(
      (upper.isNegative, upper.coefficient * PowerOfTen.power(zeros)),
      (lower.isNegative, quotient), exponent: lower.exponent + excess, isMore: remainder != 0)
  }

  private static func sum(zero: Decimal128, _ other: Decimal128) -> Decimal128 {
    guard other.coefficient == 0 else { return other }
    return Decimal128(
      isNegative: zero.isNegative && other.isNegative, exactly: 0, exponent: other.exponent)
  }

  /// Adds two signed coefficients of one exponent and rounds the sum.
  ///
  /// - Parameters:
  ///   - first: One of them.
  ///   - second: The other; its true size is less than one unit more if `isMore`, and then it is
  ///     the smaller one by far.
  ///   - exponent: The exponent of both.
  ///   - isMore: Whether there is more to `second`.
  /// - Returns: The sum.
  private static func total(
    _ first: (isNegative: Bool, coefficient: UInt128),
    _ second: (isNegative: Bool, coefficient: UInt128), exponent: Int, isMore: Bool = false
  ) -> Decimal128 {
    guard first.isNegative != second.isNegative else {
      return Decimal128(
        isNegative: first.isNegative, rounding: first.coefficient + second.coefficient,
        exponent: exponent, isMore: isMore)
    }
    guard first.coefficient != second.coefficient else {
      return Decimal128(isNegative: false, rounding: 0, exponent: exponent)
    }
    guard first.coefficient > second.coefficient else {
      return Decimal128(
        isNegative: second.isNegative, rounding: second.coefficient - first.coefficient,
        exponent: exponent)
    }
    // Taking away a little more than the whole units leaves one unit less, and a little more.
    return Decimal128(
      isNegative: first.isNegative,
      rounding: first.coefficient - second.coefficient - (isMore ? 1 : 0),
      exponent: exponent, isMore: isMore)
  }
}

extension Decimal128: Comparable, Hashable {
  /// Returns whether two numbers are equal by value: 1.5 and 1.50, 0 and -0, NaN and NaN.
  ///
  /// NaN equals NaN so that collections can find it.
  public static func == (first: Decimal128, second: Decimal128) -> Bool {
    first.hasSameRepresentation(as: second) || ordering(first, second) == .same
  }

  /// Returns whether the first number is smaller; NaN precedes all numbers.
  public static func < (first: Decimal128, second: Decimal128) -> Bool {
    ordering(first, second) == .ascending
  }

  /// Hashes the value without trailing zeros, so that equal values have equal hashes.
  public func hash(into hasher: inout Hasher) {
    guard isFinite else {
      hasher.combine(isNaN ? Self.nan.bits : bits)
      return
    }
    guard coefficient != 0 else {
      hasher.combine(UInt128(0))
      return
    }
    let stripped = PowerOfTen.strippingZeros(coefficient)
    hasher.combine(stripped.number)
    hasher.combine(exponent + stripped.count)
    hasher.combine(isNegative)
  }

  /// Compares two numbers by value; NaN precedes all numbers and equals NaN.
  package static func ordering(_ first: Decimal128, _ second: Decimal128) -> ValueOrdering {
    if let order = first.sameScaleOrdering(second) { return order }
    if first.isNaN || second.isNaN {
      return ValueOrdering(first.isNaN ? 0 : 1, second.isNaN ? 0 : 1)
    }
    let signs = (first.signum, second.signum)
    guard signs.0 == signs.1, signs.0 != 0 else { return ValueOrdering(signs.0, signs.1) }
    let bySize = magnitudeOrdering(first, second)
    return first.isNegative ? bySize.reversed : bySize
  }

  /// The sign: -1, 0 or 1.
  var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

  /// The power of ten of the first digit; the number is finite and not zero.
  var leadingExponent: Int { exponent + PowerOfTen.digitCount(coefficient) - 1 }

  /// Compares the magnitudes of two numbers other than zero and NaN.
  private static func magnitudeOrdering(
    _ first: Decimal128, _ second: Decimal128
  ) -> ValueOrdering {
    guard first.isFinite, second.isFinite else {
      return ValueOrdering(first.isFinite ? 0 : 1, second.isFinite ? 0 : 1)
    }
    let distance = first.exponent - second.exponent
    if distance == 0 { return ValueOrdering(first.coefficient, second.coefficient) }
    let byLeadingDigit = ValueOrdering(first.leadingExponent, second.leadingExponent)
    guard byLeadingDigit == .same else { return byLeadingDigit }
    // The leading exponents are equal, so the padded coefficient has as many digits as the other.
    return distance > 0
      ? ValueOrdering(first.coefficient * PowerOfTen.power(distance), second.coefficient)
      : ValueOrdering(first.coefficient, second.coefficient * PowerOfTen.power(-distance))
  }
}

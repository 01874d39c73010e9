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

  /// The power of ten of the first digit of a finite nonzero number.
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

// MARK: - Integers and doubles

extension Decimal128 {
  /// Compares a decimal with an integer by value; NaN precedes all numbers.
  package static func ordering(_ first: Decimal128, _ second: Int64) -> ValueOrdering {
    ordering(first, Decimal128(second))
  }

  /// Compares a decimal with a double exactly; NaN precedes all numbers and equals NaN.
  ///
  /// The decimal 0.1 is less than the double 0.1, whose exact value is slightly larger.
  package static func ordering(_ first: Decimal128, _ second: Double) -> ValueOrdering {
    if first.isNaN || second.isNaN {
      return ValueOrdering(first.isNaN ? 0 : 1, second.isNaN ? 0 : 1)
    }
    // Rounding is monotonic, so only a decimal that rounds to this double needs an exact
    // comparison.
    let rounded = ValueOrdering(first.doubleValue, second)
    guard rounded == .same else { return rounded }
    if first.isInfinite { return .same }
    if second.isInfinite { return second < 0 ? .descending : .ascending }
    // A nonzero decimal may round to zero.
    guard second != 0 else { return ValueOrdering(first.signum, 0) }
    let bySize = magnitudeOrdering(first, second)
    return first.isNegative ? bySize.reversed : bySize
  }

  /// Compares coefficient × 10^exponent with significand × 2^exponent, both finite and not zero.
  private static func magnitudeOrdering(_ first: Decimal128, _ second: Double) -> ValueOrdering {
    let isNormal = second.exponentBitPattern != 0
    var decimal = BigNatural(first.coefficient)
    var binary = BigNatural(
      UInt128(second.significandBitPattern | (isNormal ? 1 << 52 : 0)))
    let binaryExponent = Int(isNormal ? second.exponentBitPattern : 1) - 1075
    // Both sides become integers: negative powers of five and of two move to the other side.
    if first.exponent >= 0 {
      decimal.multiply(byPowerOfFive: first.exponent)
    } else {
      binary.multiply(byPowerOfFive: -first.exponent)
    }
    let twos = first.exponent - binaryExponent
    if twos >= 0 { decimal.shiftLeft(by: twos) } else { binary.shiftLeft(by: -twos) }
    return decimal.ordering(binary)
  }
}

/// An unsigned integer of any size, with the operations that exact comparison needs.
private struct BigNatural {
  /// The digits in base 2^32, least significant first; the last one is not zero.
  private var words: [UInt32]

  init(_ number: UInt128) {
    words = (0..<4).map { UInt32(truncatingIfNeeded: number >> (32 * $0)) }
    trim()
  }

  mutating func multiply(byPowerOfFive exponent: Int) {
    // 5^13 is the largest power of five in 32 bits.
    for _ in 0..<(exponent / 13) { multiply(by: 1_220_703_125) }
    for _ in 0..<(exponent % 13) { multiply(by: 5) }
  }

  mutating func shiftLeft(by bitCount: Int) {
    multiply(by: 1 << UInt32(bitCount % 32))
    words.insert(contentsOf: repeatElement(0, count: bitCount / 32), at: 0)
  }

  func ordering(_ other: BigNatural) -> ValueOrdering {
    guard words.count == other.words.count else {
      return ValueOrdering(words.count, other.words.count)
    }
    for index in words.indices.reversed() where words[index] != other.words[index] {
      return ValueOrdering(words[index], other.words[index])
    }
    return .same
  }

  private mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in words.indices {
      carry += UInt64(words[index]) * UInt64(factor)
      words[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry != 0 { words.append(UInt32(carry)) }
  }

  private mutating func trim() {
    while words.last == 0 { words.removeLast() }
  }
}

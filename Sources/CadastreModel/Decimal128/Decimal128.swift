/// A decimal floating-point number of 34 digits: 0.1 + 0.2 is exactly 0.3.
///
///     let price: Decimal128 = "19.99"
///     let total = price * 3  // 59.97
///
/// A finite number is an integer coefficient of at most 34 digits times a power of ten from -6176 to
/// 6111. There are also two infinities and NaN. Zero has a sign. 1.5 and 1.50 are equal, but differ
/// in their representation. Results of more than 34 digits are rounded to the nearest number, ties
/// to the even digit.
///
/// Source: IEEE 754-2008, decimal128 in its binary encoding (section 3.5.2).
public struct Decimal128: Sendable {
  /// The sign, the exponent or the kind of number, and the upper 49 bits of the coefficient.
  ///
  /// Two words are used, because a `UInt128` would align each `Value` to 16 bytes.
  private let high: UInt64
  /// The lower 64 bits of the coefficient.
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates zero.
  public init() { self.init(isNegative: false, exactly: 0, exponent: 0) }

  /// Creates a finite number without rounding.
  ///
  /// - Parameters:
  ///   - isNegative: The sign, also of zero.
  ///   - coefficient: At most ``maxCoefficient``.
  ///   - exponent: The power of ten, in ``exponents``.
  package init(isNegative: Bool, exactly coefficient: UInt128, exponent: Int) {
    precondition(coefficient <= Self.maxCoefficient && Self.exponents.contains(exponent))
    let biased = UInt64(truncatingIfNeeded: exponent &- Self.exponents.lowerBound)
    self.init(
      high: (isNegative ? Self.signBit : 0) | biased << Self.exponentShift
        | UInt64(truncatingIfNeeded: coefficient >> 64),
      low: UInt64(truncatingIfNeeded: coefficient))
  }

  /// Creates the number with a binary encoding.
  ///
  /// The sign and payload of NaN are ignored. A coefficient of more than 34 digits is decoded as zero,
  /// as the standard requires.
  package init(bits: UInt128) {
    let high = UInt64(truncatingIfNeeded: bits >> 64)
    let isNegative = high & Self.signBit != 0
    switch high & Self.kindBits {
    case Self.infinityBits: self = .infinity(isNegative: isNegative)
    case Self.quietBits: self = high & Self.signalingBit == 0 ? .nan : .signalingNaN
    default:
      let isLong = high & Self.specialBits == Self.specialBits
      let biased = high >> (isLong ? Self.exponentShift - 2 : Self.exponentShift) & 0x3fff
      let coefficient = bits & (UInt128(1) << 113 - 1)
      self.init(
        isNegative: isNegative,
        exactly: isLong || coefficient > Self.maxCoefficient ? 0 : coefficient,
        exponent: Int(biased) + Self.exponents.lowerBound)
    }
  }
}

extension Decimal128 {
  /// The 128 bits of the binary encoding.
  package var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Whether the sign is negative; false for NaN.
  package var isNegative: Bool { high & Self.signBit != 0 }

  /// The coefficient; undefined unless ``isFinite``.
  package var coefficient: UInt128 { UInt128(high & Self.coefficientBits) << 64 | UInt128(low) }

  /// The power of ten by which the coefficient is multiplied; undefined unless ``isFinite``.
  package var exponent: Int {
    Int(truncatingIfNeeded: high >> Self.exponentShift & 0x3fff) &+ Self.exponents.lowerBound
  }

  /// Whether the number is neither infinite nor NaN.
  public var isFinite: Bool { high & Self.specialBits != Self.specialBits }

  /// Whether the number is zero, of either sign.
  public var isZero: Bool { isFinite && coefficient == 0 }

  /// Whether the number is infinite, of either sign.
  public var isInfinite: Bool { high & Self.kindBits == Self.infinityBits }

  /// Whether this is NaN, quiet or signaling.
  public var isNaN: Bool { high & Self.kindBits == Self.quietBits }

  /// Whether this is a signaling NaN.
  ///
  /// Arithmetic returns quiet NaN only.
  public var isSignaling: Bool { isNaN && high & Self.signalingBit != 0 }

  /// Returns whether two numbers have the same digits, exponent and sign.
  package func hasSameRepresentation(as other: Decimal128) -> Bool {
    high == other.high && low == other.low
  }

  /// Compares two finite numbers with the same sign and exponent; nil for all others.
  func sameScaleOrdering(_ other: Decimal128) -> ValueOrdering? {
    guard isFinite, (high ^ other.high) & ~Self.coefficientBits == 0 else { return nil }
    // The bits below the exponent are the coefficient.
    let bySize =
      high == other.high ? ValueOrdering(low, other.low) : ValueOrdering(high, other.high)
    return isNegative ? bySize.reversed : bySize
  }

  /// The number with the opposite sign, also of zero; NaN for NaN.
  var negated: Decimal128 { isNaN ? self : Decimal128(high: high ^ Self.signBit, low: low) }

  /// The absolute value.
  public var magnitude: Decimal128 { Decimal128(high: high & ~Self.signBit, low: low) }
}

extension Decimal128 {
  /// The smallest finite number, -9.99…E+6144.
  public static var min: Decimal128 { max.negated }

  /// The largest finite number, 9.99…E+6144.
  public static var max: Decimal128 {
    Decimal128(isNegative: false, exactly: maxCoefficient, exponent: exponents.upperBound)
  }

  /// NaN: the result of 0 / 0, and of text that is not a number.
  public static var nan: Decimal128 { Decimal128(high: quietBits, low: 0) }

  /// Positive infinity: the result of operations that exceed the range of finite numbers.
  public static var infinity: Decimal128 { infinity(isNegative: false) }

  static var signalingNaN: Decimal128 { Decimal128(high: quietBits | signalingBit, low: 0) }

  static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(high: infinityBits | (isNegative ? signBit : 0), low: 0)
  }

  /// The maximum number of digits of a coefficient.
  static let precision = 34
  /// The largest coefficient: 34 nines.
  package static var maxCoefficient: UInt128 { 9_999_999_999_999_999_999_999_999_999_999_999 }
  /// The range of exponents.
  package static var exponents: ClosedRange<Int> { -6176...6111 }

  private static var signBit: UInt64 { 0x8000_0000_0000_0000 }
  private static var specialBits: UInt64 { 0x6000_0000_0000_0000 }
  private static var kindBits: UInt64 { 0x7c00_0000_0000_0000 }
  private static var infinityBits: UInt64 { 0x7800_0000_0000_0000 }
  private static var quietBits: UInt64 { 0x7c00_0000_0000_0000 }
  private static var signalingBit: UInt64 { 0x0200_0000_0000_0000 }
  private static var coefficientBits: UInt64 { 0x0001_ffff_ffff_ffff }
  private static var exponentShift: UInt64 { 49 }
}

// MARK: - Rounding

extension Decimal128 {
  /// Creates the number nearest to `coefficient` × 10^`exponent`, ties to even.
  ///
  /// An exponent above the range is reduced by appending zeros to the coefficient; if that is not
  /// possible, the result is infinity. An exponent below the range is increased by rounding digits,
  /// possibly to zero.
  ///
  /// - Parameters:
  ///   - isNegative: The sign.
  ///   - coefficient: Any number; it has more than 34 digits if `isTruncated`.
  ///   - exponent: Any power of ten.
  ///   - isTruncated: Whether the exact coefficient is larger by less than one.
  @inline(__always)
  init(
    isNegative: Bool, rounding coefficient: UInt128, exponent: Int, isTruncated: Bool = false
  ) {
    if coefficient <= Self.maxCoefficient && Self.exponents.contains(exponent) {
      self.init(isNegative: isNegative, exactly: coefficient, exponent: exponent)
    } else {
      self = Self.rounded(isNegative, coefficient, exponent, isTruncated)
    }
  }

  private static func rounded(
    _ isNegative: Bool, _ coefficient: UInt128, _ exponent: Int, _ isTruncated: Bool
  ) -> Decimal128 {
    let excess = Swift.max(
      PowerOfTen.digitCount(coefficient) - precision, exponents.lowerBound - exponent, 0)
    var rounded = dividedHalfEven(coefficient, byPowerOfTen: excess, isTruncated: isTruncated)
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
  ///   - isTruncated: Whether the exact dividend is larger by less than one.
  /// - Returns: The integer nearest to the quotient.
  static func dividedHalfEven(
    _ number: UInt128, byPowerOfTen exponent: Int, isTruncated: Bool = false
  ) -> UInt128 {
    guard exponent > 0 else { return number }
    // The largest 128-bit number is less than half of 10^39.
    guard exponent <= PowerOfTen.last else { return 0 }
    let divisor = PowerOfTen.power(exponent)
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    let half = divisor / 2
    let isTie = remainder == half && !isTruncated
    let roundsUp = isTie ? quotient & 1 == 1 : remainder >= half
    return roundsUp ? quotient + 1 : quotient
  }
}

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

/// A decimal number of 34 digits, for amounts that must add up: 0.1 + 0.2 is 0.3.
///
/// Finite numbers are a whole coefficient of at most 34 digits times a power of ten from -6176 to
/// 6111; beside them stand two infinities and NaN. Zero has a sign. 1.5 and 1.50 are equal, but
/// each keeps its digits. Results that need more than 34 digits are rounded to the nearest number,
/// ties to the even digit.
///
/// Source: IEEE 754-2008, decimal128 in its binary encoding (section 3.5.2).
public struct Decimal128: Sendable {
  /// The sign, and the exponent or the kind, and the upper 49 bits of the coefficient.
  ///
  /// Two words, because a `UInt128` would align every value that holds a decimal to 16 bytes.
  private let high: UInt64
  /// The lower 64 bits of the coefficient.
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Zero.
  public init() { self.init(isNegative: false, exactly: 0, exponent: 0) }

  /// A finite number that needs no rounding.
  ///
  /// - Parameters:
  ///   - isNegative: The sign, which zero has too.
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

  /// The number encoded in bits; a NaN loses its sign and payload, and a coefficient of more than
  /// 34 digits reads as zero, as the standard asks.
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

  /// Whether the sign is minus; never so for NaN.
  package var isNegative: Bool { high & Self.signBit != 0 }

  /// The digits as a whole number; meaningless unless ``isFinite``.
  package var coefficient: UInt128 { UInt128(high & Self.coefficientBits) << 64 | UInt128(low) }

  /// The power of ten that the coefficient is multiplied by; meaningless unless ``isFinite``.
  package var exponent: Int {
    Int(truncatingIfNeeded: high >> Self.exponentShift & 0x3fff) &+ Self.exponents.lowerBound
  }

  /// Whether this is neither infinite nor NaN.
  public var isFinite: Bool { high & Self.specialBits != Self.specialBits }

  /// Whether this is zero of either sign.
  public var isZero: Bool { isFinite && coefficient == 0 }

  /// Whether this is one of the two infinities.
  public var isInfinite: Bool { high & Self.kindBits == Self.infinityBits }

  /// Whether this is not a number, quiet or signaling.
  public var isNaN: Bool { high & Self.kindBits == Self.quietBits }

  /// Whether this is the NaN written `sNaN`; arithmetic turns it into the quiet one.
  public var isSignaling: Bool { isNaN && high & Self.signalingBit != 0 }

  /// Whether both are the same digits with the same exponent and sign, not only equal.
  package func hasSameRepresentation(as other: Decimal128) -> Bool {
    high == other.high && low == other.low
  }

  /// Orders two finite numbers that have the same sign and exponent; nil for all others.
  func sameScaleOrdering(_ other: Decimal128) -> ValueOrdering? {
    guard isFinite, (high ^ other.high) & ~Self.coefficientBits == 0 else { return nil }
    // The bits below the exponent are the coefficient.
    let bySize =
      high == other.high ? ValueOrdering(low, other.low) : ValueOrdering(high, other.high)
    return isNegative ? bySize.reversed : bySize
  }

  /// The same number with the other sign, zero included; NaN stays NaN.
  var negated: Decimal128 { isNaN ? self : Decimal128(high: high ^ Self.signBit, low: low) }

  /// The same number without its sign.
  public var magnitude: Decimal128 { Decimal128(high: high & ~Self.signBit, low: low) }
}

extension Decimal128 {
  /// The finite number farthest below zero, -9.99…E+6144.
  public static var min: Decimal128 { max.negated }

  /// The largest finite number, 9.99…E+6144.
  public static var max: Decimal128 {
    Decimal128(isNegative: false, exactly: maxCoefficient, exponent: exponents.upperBound)
  }

  /// Not a number: the answer of 0 / 0, and of text that cannot be read.
  public static var nan: Decimal128 { Decimal128(high: quietBits, low: 0) }

  /// The answer that is too large for any finite number.
  public static var infinity: Decimal128 { infinity(isNegative: false) }

  static var signalingNaN: Decimal128 { Decimal128(high: quietBits | signalingBit, low: 0) }

  static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(high: infinityBits | (isNegative ? signBit : 0), low: 0)
  }

  /// The digits of a coefficient.
  static let precision = 34
  /// 34 nines.
  package static var maxCoefficient: UInt128 { 9_999_999_999_999_999_999_999_999_999_999_999 }
  /// The powers of ten that a coefficient can be multiplied by.
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

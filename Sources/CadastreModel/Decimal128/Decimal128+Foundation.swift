public import Foundation

extension Decimal128 {
  /// The number in a value of any type of number, or the one that a string spells.
  ///
  /// Values of other types stop the process.
  public init(value: Any) {
    switch value {
    case let number as Decimal128: self = number
    case let text as String: self = Decimal128(parsing: text) ?? .nan
    case let number as Decimal: self.init(number)
    case let number as any BinaryInteger: self = Self.converted(number)
    case let number as any BinaryFloatingPoint: self.init(shortest: number)
    case let number as NSNumber: self.init(number: number)
    default: preconditionFailure("Cannot convert value '\(value)' to decimal128")
    }
  }

  private static func converted(_ number: some BinaryInteger) -> Decimal128 { Decimal128(number) }

  /// The number in an object: whole ones exactly, binary fractions as their shortest decimal.
  public init(number: NSNumber) {
    if let number = number as? NSDecimalNumber {
      self.init(number.decimalValue)
      return
    }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"): self.init(number.doubleValue)
    case UInt8(ascii: "f"): self.init(number.floatValue)
    case UInt8(ascii: "Q"): self.init(number.uint64Value)
    default: self.init(number.int64Value)
    }
  }

  /// The nearest decimal to one of Foundation's, which may have up to 39 digits.
  public init(_ number: Decimal) {
    self = number.isNaN ? .nan : Decimal128(parsing: number.description) ?? .nan
  }

  /// The nearest of Foundation's decimals, whose exponents are -128...127.
  ///
  /// Numbers below that range are rounded, down to zero; those above it, infinities and NaN are
  /// `Decimal.nan`.
  public var decimalValue: Decimal {
    guard isFinite else { return .nan }
    let excess = Swift.max(-128 - exponent, 0)
    let kept = Self.dividedHalfEven(coefficient, byPowerOfTen: excess)
    guard kept != 0, let significand = Decimal(string: "\(kept)") else { return 0 }
    guard exponent <= 127 else { return .nan }
    return Decimal(
      sign: isNegative ? .minus : .plus, exponent: exponent + excess, significand: significand)
  }
}

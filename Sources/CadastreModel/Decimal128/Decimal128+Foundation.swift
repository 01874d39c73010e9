public import Foundation

extension Decimal128 {
  /// Creates a decimal from a number of any type or from text; NaN for text that is no number.
  ///
  /// - Precondition: The value is a number or a string.
  /// - Parameter value: A number or a string.
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

  /// Creates a decimal from a number object: integers exactly, floating-point numbers as the
  /// shortest decimal that rounds to them.
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

  /// Creates the decimal nearest to a `Decimal`, which may have up to 39 digits.
  public init(_ number: Decimal) {
    self = number.isNaN ? .nan : Decimal128(parsing: number.description) ?? .nan
  }

  /// The nearest `Decimal`, whose exponent is from -128 to 127.
  ///
  /// Smaller numbers are rounded, possibly to zero. Larger numbers, infinities and NaN give
  /// `Decimal.nan`.
  public var decimalValue: Decimal {
    guard isFinite else { return .nan }
    let excess = Swift.max(-128 - exponent, 0)
    let rounded = Self.dividedHalfEven(coefficient, byPowerOfTen: excess)
    guard rounded != 0, let significand = Decimal(string: "\(rounded)") else { return 0 }
    guard exponent <= 127 else { return .nan }
    return Decimal(
      sign: isNegative ? .minus : .plus, exponent: exponent + excess, significand: significand)
  }
}

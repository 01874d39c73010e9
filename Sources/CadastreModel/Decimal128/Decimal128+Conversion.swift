public import Foundation

extension Decimal128: ExpressibleByIntegerLiteral {
  /// Creates the number of an integer literal.
  public init(integerLiteral number: Int64) { self.init(number) }

  /// Creates the decimal nearest to an integer, which is exact up to 34 digits.
  public init(_ number: some BinaryInteger) {
    if let short = Int64(exactly: number) {
      self.init(isNegative: short < 0, exactly: UInt128(short.magnitude), exponent: 0)
    } else if let coefficient = UInt128(exactly: number.magnitude) {
      self.init(isNegative: number < 0, rounding: coefficient, exponent: 0)
    } else {
      self = Decimal128(parsing: "\(number)") ?? .nan
    }
  }

  /// Creates the decimal equal to an integer; nil if it needs more than 34 digits.
  public init?(exactly number: some BinaryInteger) {
    if let coefficient = UInt128(exactly: number.magnitude), coefficient <= Self.maxCoefficient {
      self.init(isNegative: number < 0, exactly: coefficient, exponent: 0)
      return
    }
    let digits = "\(number.magnitude)"
    let zeros = digits.reversed().prefix { $0 == "0" }.count
    guard digits.utf8.count - zeros <= Self.precision else { return nil }
    self.init(number)
  }
}

extension Decimal128: ExpressibleByFloatLiteral {
  /// Creates the number of a floating-point literal, with the precision of a double.
  ///
  /// A string literal has up to 34 digits: `"0.1234567890123456789"`.
  public init(floatLiteral number: Double) { self.init(number) }

  /// Creates the shortest decimal that rounds to the same double: 0.1, not 0.1000000000000000055….
  public init(_ number: Double) { self.init(shortest: number) }

  /// Creates the shortest decimal that rounds to the same float.
  public init(_ number: Float) { self.init(shortest: number) }

  /// Creates the shortest decimal that rounds to the same binary floating-point number.
  init(shortest number: some BinaryFloatingPoint) {
    guard !number.isNaN else { self = .nan; return }
    // Swift prints the shortest text that rounds to the same number.
    let parsed = Decimal128(parsing: "\(number)") ?? .nan
    guard parsed.isFinite, parsed.exponent == -1, parsed.coefficient.isMultiple(of: 10) else {
      self = parsed
      return
    }
    // Swift prints an integral number with a fraction: 5.0.
    self.init(isNegative: parsed.isNegative, exactly: parsed.coefficient / 10, exponent: 0)
  }

  /// The nearest double; infinity or zero if the number is out of the range of doubles.
  public var doubleValue: Double {
    guard isFinite else {
      return isNaN ? .nan : isNegative ? -.infinity : .infinity
    }
    // Both factors are exact doubles, so the product or quotient is rounded only once.
    if coefficient < 1 << 53, let power = Self.exactPowers[safe: exponent.magnitude] {
      let size = Double(UInt64(truncatingIfNeeded: coefficient))
      let signed = isNegative ? -size : size
      return exponent < 0 ? signed / power : signed * power
    }
    return Double(exactText) ?? .nan
  }

  /// The powers of ten that are exact doubles.
  private static let exactPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

extension [Double] {
  /// Returns the element at an index; nil past the end.
  fileprivate subscript(safe index: UInt) -> Double? {
    index < UInt(count) ? self[Int(index)] : nil
  }
}

extension Decimal128 {
  /// Creates a decimal from a number of any type or from text; NaN for text that is not a number and for null.
  ///
  /// - Precondition: The value is a number, a string or `NSNull`.
  /// - Parameter value: A number, a string or `NSNull`.
  public init(value: Any) {
    switch value {
    case let number as Decimal128: self = number
    case let text as String: self = Decimal128(parsing: text) ?? .nan
    case let number as Decimal: self.init(number)
    case let number as any BinaryInteger: self = Self.converted(number)
    case let number as any BinaryFloatingPoint: self.init(shortest: number)
    case let number as NSNumber: self.init(number: number)
    case is NSNull: self = .nan
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

extension Decimal128: Codable {
  /// Decodes a string or a number.
  ///
  /// A 64-bit integer is decoded exactly, another number with the precision of a double.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the value is neither a number nor a string with a number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let number = Decimal128(parsing: text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "expected a decimal number, found '\(text.prefix(80))'")
      }
      self = number
    } else if let number = try? container.decode(Int64.self) {
      self.init(number)
    } else {
      self.init(try container.decode(Double.self))
    }
  }

  /// Encodes ``stringValue``.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}

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

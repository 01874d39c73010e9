extension Decimal128: ExpressibleByFloatLiteral {
  /// Creates the number of a floating-point literal, with the precision of a double.
  ///
  /// A string literal has no such limit: `"0.1234567890123456789"`.
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
    // An integer, which is printed as 5.0.
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

extension Decimal128: ExpressibleByFloatLiteral {
  /// The number of a literal; its digits beyond those of a double are lost, so write long ones as text.
  public init(floatLiteral number: Double) { self.init(number) }

  /// The shortest decimal that reads back as the same double: 0.1 and not 0.1000000000000000055….
  public init(_ number: Double) { self.init(shortest: number) }

  /// The shortest decimal that reads back as the same float.
  public init(_ number: Float) { self.init(shortest: number) }

  /// The shortest decimal that reads back as the same binary fraction, of any width.
  init(shortest number: some BinaryFloatingPoint) {
    guard !number.isNaN else { self = .nan; return }
    // Swift prints binary fractions with the fewest digits that tell them from their neighbours.
    let read = Decimal128(parsing: "\(number)") ?? .nan
    guard read.isFinite, read.exponent == -1, read.coefficient.isMultiple(of: 10) else {
      self = read
      return
    }
    // A whole number, printed as 5.0.
    self.init(isNegative: read.isNegative, exactly: read.coefficient / 10, exponent: 0)
  }

  /// The nearest double; infinity or zero where the number is beyond the range of doubles.
  public var doubleValue: Double {
    guard isFinite else {
      return isNaN ? .nan : isNegative ? -.infinity : .infinity
    }
    // A double holds these two exactly, and their one product or quotient is rounded once.
    if coefficient < 1 << 53, let power = Self.exactPowers[safe: exponent.magnitude] {
      let size = Double(UInt64(truncatingIfNeeded: coefficient))
      let signed = isNegative ? -size : size
      return exponent < 0 ? signed / power : signed * power
    }
    return Double(exactText) ?? .nan
  }

  /// The powers of ten that a double holds exactly.
  private static let exactPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

extension [Double] {
  /// The element at an index, or nil past the end.
  fileprivate subscript(safe index: UInt) -> Double? {
    index < UInt(count) ? self[Int(index)] : nil
  }
}

package import CadastreModel

extension Arithmetic.Operation {
  /// Returns the result for two numbers, for two dates, or for a date and a number of seconds; null if there is none.
  package func result(_ first: Value, _ second: Value) -> Value {
    switch (first, second) {
    case (.int(let first), .int(let second)): return result(first, second)
    case (.date(let first), .date(let second)):
      return self == .subtract ? .double(first.seconds(since: second)) : .null
    case (.date(let date), let seconds) where self == .add || self == .subtract:
      return date.shifted(by: seconds, isBackwards: self == .subtract).map(Value.date) ?? .null
    case (let seconds, .date(let date)) where self == .add:
      return date.shifted(by: seconds, isBackwards: false).map(Value.date) ?? .null
    default: break
    }
    if case .decimal(let first) = first {
      return second.asDecimal.map { .decimal(result(first, $0)) } ?? .null
    }
    if case .decimal(let second) = second {
      return first.asDecimal.map { .decimal(result($0, second)) } ?? .null
    }
    guard let first = first.doubleValue, let second = second.doubleValue else { return .null }
    let number = result(first, second)
    // Processors give the NaN of 0 / 0 different signs.
    return .double(number.isNaN ? .nan : number)
  }

  private func result(_ first: Int64, _ second: Int64) -> Value {
    if self == .divide, second == 0 { return .null }
    let (exact, overflow) =
      switch self {
      case .add: first.addingReportingOverflow(second)
      case .subtract: first.subtractingReportingOverflow(second)
      case .multiply: first.multipliedReportingOverflow(by: second)
      case .divide: first.dividedReportingOverflow(by: second)
      }
    return overflow ? .double(result(Double(first), Double(second))) : .int(exact)
  }

  private func result(_ first: Double, _ second: Double) -> Double {
    switch self {
    case .add: first + second
    case .subtract: first - second
    case .multiply: first * second
    case .divide: first / second
    }
  }

  private func result(_ first: Decimal128, _ second: Decimal128) -> Decimal128 {
    switch self {
    case .add: first + second
    case .subtract: first - second
    case .multiply: first * second
    case .divide: first / second
    }
  }
}

extension Timestamp {
  /// Returns the timestamp some seconds later or earlier; nil if the value is no number, or the result is no date.
  fileprivate func shifted(by seconds: Value, isBackwards: Bool) -> Timestamp? {
    if case .int(let whole) = seconds, whole != .min {
      return advanced(bySeconds: isBackwards ? -whole : whole)
    }
    return seconds.asDouble.flatMap { advanced(bySeconds: isBackwards ? -$0 : $0) }
  }
}

extension Value {
  /// A number as a decimal, the shortest that reads back as the same one; nil for anything else.
  package var asDecimal: Decimal128? {
    switch self {
    case .decimal(let decimal): decimal
    case .int(let number): Decimal128(number)
    case .float(let number): Decimal128(number)
    case .double(let number): Decimal128(number)
    default: nil
    }
  }
}

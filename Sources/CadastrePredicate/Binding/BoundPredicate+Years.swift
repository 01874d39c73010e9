import CadastreModel

extension BoundPredicate {
  /// The comparison of a year with constants as a range of dates, which an index on the property supports; other
  /// predicates as they are.
  ///
  ///     year(opened) == 2013   →   opened >= 2013-01-01 AND opened < 2014-01-01
  var withRangesOfYears: BoundPredicate {
    switch self {
    case .comparison(let comparison): Self.range(comparison) ?? self
    case .not(let inner): inner.withRangesOfYears.negated
    default: self
    }
  }

  private static func range(_ comparison: BoundComparison) -> BoundPredicate? {
    guard case .elements(.any, let path) = comparison.left, let (date, measures) = path.measured,
      measures == [.date(.year)], date.isSingleValue
    else { return nil }
    let years = YearRanges(date: .property(date))
    switch (comparison.operation, comparison.right) {
    case (.isIn, .list(let values)):
      let parts = values.map { years.condition(.equal, $0) }
      return parts.contains(nil) ? nil : .any(parts.compactMap(\.self))
    case (.between, .list(let bounds)) where bounds.count == 2:
      guard let lower = years.condition(.greaterOrEqual, bounds[0]),
        let upper = years.condition(.lessOrEqual, bounds[1])
      else { return nil }
      return .all([lower, upper])
    case (let operation, .value(let value)): return years.condition(operation, value)
    default: return nil
    }
  }
}

/// The conditions on a date that are equivalent to comparisons of its year.
private struct YearRanges {
  let date: BoundOperand

  /// The years beyond which dates are too coarse for the beginning of each year.
  private static let mostYears = 100_000_000.0

  /// Returns the condition for one constant; nil for other operators, for years far from the present, and for a
  /// decimal that no `Double` equals.
  func condition(_ operation: ComparisonOperator, _ year: Value) -> BoundPredicate? {
    if year.isNull { return null(operation) }
    guard let number = year.asDouble, number.magnitude < Self.mostYears else { return nil }
    if case .decimal(let decimal) = year, Decimal128.ordering(decimal, number) != .same {
      return nil
    }
    let (floor, ceiling) = (number.rounded(.down), number.rounded(.up))
    return switch operation {
    case .equal:
      floor == ceiling
        ? .all([compared(.greaterOrEqual, floor), compared(.less, floor + 1)]) : .constant(false)
    case .notEqual: condition(.equal, year)?.negated
    case .less: compared(.less, ceiling)
    case .lessOrEqual: compared(.less, floor + 1)
    case .greater: compared(.greaterOrEqual, floor + 1)
    case .greaterOrEqual: compared(.greaterOrEqual, ceiling)
    default: nil
    }
  }

  /// Returns the condition for null, which equals null and has no order.
  private func null(_ operation: ComparisonOperator) -> BoundPredicate? {
    let isNull = BoundPredicate.comparison(BoundComparison(date, .equal, .value(.null)))
    return switch operation {
    case .equal, .lessOrEqual, .greaterOrEqual: isNull
    case .notEqual: isNull.negated
    case .less, .greater: .constant(false)
    default: nil
    }
  }

  /// Compares the date with the beginning of a year.
  private func compared(_ operation: ComparisonOperator, _ year: Double) -> BoundPredicate {
    guard let start = Timestamp.start(ofYear: Int64(year)) else { return .constant(false) }
    return .comparison(BoundComparison(date, operation, .value(.date(start))))
  }
}

import CadastreModel
import CadastrePredicate
import Foundation

extension PredicateExpressions.Equal: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (left, right) = (try translation.term(lhs), try translation.term(rhs))
    return .condition(try translation.compare(left, .equal, right))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (left, right) = (try translation.term(lhs), try translation.term(rhs))
    return .condition(try translation.compare(left, .notEqual, right))
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let operation: ComparisonOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw .unsupported(self)
      }
    let (left, right) = (try translation.term(lhs), try translation.term(rhs))
    return .condition(try translation.compare(left, operation, right))
  }
}

// MARK: Ranges

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .range(try translation.term(lower), try translation.term(upper), isClosed: true)
  }
}

extension PredicateExpressions.Range: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .range(try translation.term(lower), try translation.term(upper), isClosed: false)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .range(let lower, let upper, let isClosed) = try translation.term(range) else {
      throw .unsupported(self)
    }
    let element = try translation.term(element)
    return .condition(
      .all([
        try translation.compare(element, .greaterOrEqual, lower),
        try translation.compare(element, isClosed ? .lessOrEqual : .less, upper),
      ]))
  }
}

/// A range of values, as a constant.
protocol ConstantRange {
  var term: PredicateTerm { get }
}

extension Swift.ClosedRange: ConstantRange {
  var term: PredicateTerm { .range(.constant(lowerBound), .constant(upperBound), isClosed: true) }
}

extension Swift.Range: ConstantRange {
  var term: PredicateTerm { .range(.constant(lowerBound), .constant(upperBound), isClosed: false) }
}

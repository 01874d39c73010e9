import CadastreModel
import CadastrePredicate
import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .condition(.all([try translation.condition(lhs), try translation.condition(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .condition(.any([try translation.condition(lhs), try translation.condition(rhs)]))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression
where Wrapped: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .condition(try translation.condition(wrapped).negated)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression
where Test: TranslatableExpression, If: TranslatableExpression, Else: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let test = try translation.condition(test)
    return .cases([
      (test, try trueBranch.term(in: &translation)),
      (test.negated, try falseBranch.term(in: &translation)),
    ])
  }
}

extension PredicateExpressions.Equal: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (left, right) = (try lhs.term(in: &translation), try rhs.term(in: &translation))
    return .condition(try translation.compare(left, .equal, right))
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (left, right) = (try lhs.term(in: &translation), try rhs.term(in: &translation))
    return .condition(try translation.compare(left, .notEqual, right))
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
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
    let (left, right) = (try lhs.term(in: &translation), try rhs.term(in: &translation))
    return .condition(try translation.compare(left, operation, right))
  }
}

// MARK: Ranges

extension PredicateExpressions.ClosedRange: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .range(try lower.term(in: &translation), try upper.term(in: &translation), isClosed: true)
  }
}

extension PredicateExpressions.Range: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .range(try lower.term(in: &translation), try upper.term(in: &translation), isClosed: false)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression
where RangeExpression: TranslatableExpression, Element: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .range(let lower, let upper, let isClosed) = try range.term(in: &translation) else {
      throw .unsupported(self)
    }
    let element = try element.term(in: &translation)
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

extension PredicateExpressions.Arithmetic: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let operation: CadastrePredicate.Arithmetic.Operation =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw .unsupported(self)
      }
    return try translation.arithmetic(lhs, operation, rhs)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.arithmetic(lhs, .divide, rhs) }
}

extension PredicateExpressions.IntDivision: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.arithmetic(lhs, .divide, rhs) }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression
where Wrapped: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let operand = try wrapped.term(in: &translation)
    return try translation.arithmetic(.constant(0), .subtract, operand)
  }
}

extension PredicateTranslation {
  fileprivate mutating func arithmetic(
    _ left: some TranslatableExpression, _ operation: Arithmetic.Operation,
    _ right: some TranslatableExpression
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (first, second) = (try left.term(in: &self), try right.term(in: &self))
    return try arithmetic(first, operation, second)
  }

  fileprivate func arithmetic(
    _ left: PredicateTerm, _ operation: Arithmetic.Operation, _ right: PredicateTerm
  ) throws(QueryPredicateError) -> PredicateTerm {
    try left.mapped { (left) throws(QueryPredicateError) in
      try right.mapped { (right) throws(QueryPredicateError) in
        let (first, second) = (try operand(left), try operand(right))
        if case .value(let one) = first, case .value(let other) = second {
          return .constant(operation.result(one, other))
        }
        return .operand(.arithmetic(Arithmetic(first, operation, second)))
      }
    }
  }
}

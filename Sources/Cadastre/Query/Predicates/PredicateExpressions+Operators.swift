import CadastreModel
import CadastrePredicate
import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .condition(.all([try translation.condition(lhs), try translation.condition(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .condition(.any([try translation.condition(lhs), try translation.condition(rhs)]))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    .condition(try translation.condition(wrapped).negated)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let test = try translation.condition(test)
    return .cases([
      (test, try translation.term(trueBranch)), (test.negated, try translation.term(falseBranch)),
    ])
  }
}

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

extension PredicateExpressions.Arithmetic: TranslatableExpression {
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

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.arithmetic(lhs, .divide, rhs) }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.arithmetic(lhs, .divide, rhs) }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let operand = try translation.term(wrapped)
    return try translation.arithmetic(.constant(0), .subtract, operand)
  }
}

extension PredicateTranslation {
  fileprivate mutating func arithmetic(
    _ left: some PredicateExpression, _ operation: Arithmetic.Operation,
    _ right: some PredicateExpression
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (first, second) = (try term(left), try term(right))
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

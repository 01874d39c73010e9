import CadastreModel
import CadastrePredicate
import Foundation

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
    _ left: any PredicateExpression, _ operation: Arithmetic.Operation,
    _ right: any PredicateExpression
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

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
    .condition(.not(try translation.condition(wrapped)))
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let test = try translation.condition(test)
    return .cases([
      (test, try translation.term(trueBranch)), (.not(test), try translation.term(falseBranch)),
    ])
  }
}

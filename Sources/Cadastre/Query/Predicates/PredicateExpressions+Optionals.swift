import CadastreModel
import CadastrePredicate
import Foundation

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let wrapped = try translation.term(wrapped)
    let current = translation
    return try wrapped.mapped { (wrapped) throws(QueryPredicateError) in
      try transformed(wrapped, current)
    }
  }

  private func transformed(
    _ wrapped: PredicateTerm, _ translation: PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    if case .constant(nil) = wrapped { return wrapped }
    var translation = translation
    let inner = try translation.term(transform, with: variable.key, as: wrapped)
    // A path through null is null by itself.
    if case .way = inner { return inner }
    let isNull = try translation.isNull(wrapped)
    return .cases([(.not(isNull), inner), (isNull, .constant(nil))])
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (left, right) = (try translation.term(lhs), try translation.term(rhs))
    return try Self.coalesced(left, right, translation)
  }

  private static func coalesced(
    _ left: PredicateTerm, _ right: PredicateTerm, _ translation: PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    switch left {
    case .constant(nil): return right
    case .constant, .condition: return left
    case .cases:
      return try left.mapped { (term) throws(QueryPredicateError) in
        try coalesced(term, right, translation)
      }
    default:
      let isNull = try translation.isNull(left)
      return .cases([(.not(isNull), left), (isNull, right)])
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let current = translation
    return try translation.term(inner).mapped { (term) throws(QueryPredicateError) in
      switch term {
      case .constant(nil): .cases([])
      case .constant, .condition: term
      default: .cases([(.not(try current.isNull(term)), term)])
      }
    }
  }
}

import CadastreModel
import CadastrePredicate
import Foundation

extension PredicateExpressions.SequenceContains: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let (sequence, element) = (
      try sequence.term(in: &translation), try element.term(in: &translation)
    )
    if case .path(var path) = sequence {
      path.quantifier = .any
      return .condition(try translation.compare(.path(path), .equal, element))
    }
    if case .range(let lower, let upper, let isClosed) = sequence {
      return .condition(
        .all([
          try translation.compare(element, .greaterOrEqual, lower),
          try translation.compare(element, isClosed ? .lessOrEqual : .less, upper),
        ]))
    }
    return .condition(try translation.compare(element, .isIn, sequence))
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let objects = try translation.objects(sequence, LHS.Output.Element.self)
    guard let objects else {
      let path = try translation.values(sequence)
      return .condition(try translation.test(.any, of: path, test, with: variable.key))
    }
    let matching = try translation.test(test, with: variable.key)
    return .condition(try translation.count(objects, matching, .greater))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let objects = try translation.objects(sequence, LHS.Output.Element.self)
    guard let objects else {
      let path = try translation.values(sequence)
      return .condition(try translation.test(.all, of: path, test, with: variable.key))
    }
    let matching = try translation.test(test, with: variable.key)
    return .condition(try translation.count(objects, matching.negated, .equal))
  }
}

extension PredicateExpressions.Filter: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard let objects = try translation.objects(sequence, LHS.Output.Element.self) else {
      throw .unsupported("values are not filtered: use contains(where:) with one comparison")
    }
    let matching = try translation.test(filter, with: variable.key)
    return .filtered(objects.path, objects.joined(matching))
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression
where Elements: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.aggregate(.min, elements) }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression
where Elements: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm { try translation.aggregate(.max, elements) }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Index: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .path(let path) = try wrapped.term(in: &translation),
      case .constant(let index as Int) = try index.term(in: &translation), index >= 0
    else { throw .unsupported("only lists have an index, which is a constant from 0") }
    return .path(path.appending(.index(index)))
  }
}

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression
where Base: TranslatableExpression, Other: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard Base.Output.self == String.self else { throw .unsupported(self) }
    let (base, other) = (try base.term(in: &translation), try other.term(in: &translation))
    return .condition(try translation.compare(base, .contains, other))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression
where Base: TranslatableExpression, Prefix: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard Base.Output.self == String.self else { throw .unsupported(self) }
    let (base, prefix) = (try base.term(in: &translation), try prefix.term(in: &translation))
    return .condition(try translation.compare(base, .beginsWith, prefix))
  }
}

// MARK: Common to all collections

/// The objects of a collection, optionally filtered.
private struct PredicateObjects {
  let path: PredicatePath
  let filter: QueryPredicate?

  func joined(_ test: QueryPredicate) -> QueryPredicate { filter.map { .all([$0, test]) } ?? test }
}

extension PredicateTranslation {
  /// Returns the objects of a collection; nil for a collection of values.
  fileprivate mutating func objects(
    _ expression: some TranslatableExpression, _ element: Any.Type
  ) throws(QueryPredicateError) -> PredicateObjects? {
    guard element is ObjectBase.Type else { return nil }
    switch try expression.term(in: &self) {
    case .path(let path): return PredicateObjects(path: path, filter: nil)
    case .filtered(let path, let filter): return PredicateObjects(path: path, filter: filter)
    default: throw .unsupported("only the collections of stored objects are searched")
    }
  }

  /// Returns the path to a collection of values.
  fileprivate mutating func values(
    _ expression: some TranslatableExpression
  ) throws(QueryPredicateError) -> PredicatePath {
    guard case .path(let path) = try expression.term(in: &self) else {
      throw .unsupported("only the collections of stored objects are searched")
    }
    return path
  }

  /// Compares the number of matching objects with 0.
  fileprivate func count(
    _ objects: PredicateObjects, _ matching: QueryPredicate, _ operation: ComparisonOperator
  ) throws(QueryPredicateError) -> QueryPredicate {
    .compareCount(
      of: try propertyPath(of: objects.path), where: objects.joined(matching), operation, .int(0))
  }

  fileprivate mutating func aggregate(
    _ operation: Aggregate.Operation, _ elements: some TranslatableExpression
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .path(let path) = try elements.term(in: &self) else {
      throw .unsupported("only the values in a collection have a smallest and a largest")
    }
    return .operand(.aggregate(Aggregate(operation, of: try propertyPath(of: path))))
  }
}

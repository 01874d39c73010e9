import CadastreModel

/// Bound predicates by name, in the regular form that binding gave them.
///
/// Binding such a predicate again gives an equal one.
extension BoundPredicate {
  /// The predicate by name.
  ///
  /// - Complexity: O(n) for n nodes.
  package var named: QueryPredicate {
    folded { (leaf) throws(Never) in
      switch leaf {
      case .constant(let value): .constant(value)
      case .comparison(let comparison):
        .comparison(
          QueryPredicate.Comparison(
            comparison.left.named, comparison.operation, comparison.right.named,
            options: comparison.options))
      case .geoWithin(let within):
        .geoWithin(
          QueryPredicate.GeoWithin(
            within.path.path, within.shape.written, edges: within.edges,
            quantifier: within.quantifier))
      case .relation(let relation):
        .regular(
          QueryPredicate.GeometryRelation(
            .path(relation.left.path), relation.kind, relation.right.named, edges: relation.edges,
            quantifier: relation.quantifier))
      case .not, .and, .or: leaf.named
      }
    } node: {
      QueryPredicate($0)
    }
  }
}

extension BoundOperand {
  /// The operand by name.
  var named: QueryPredicate.Operand {
    switch self {
    case .property(let path): .property(path.path)
    case .elements(.any, let path) where path.needsNoQuantifier: .property(path.path)
    case .elements(let quantifier, let path): .elements(quantifier, path.path)
    case .value(let value): .value(value)
    case .list(let values): .list(values)
    case .constants(let quantifier, let values): .constants(quantifier, values)
    case .object(let reference): .object(reference)
    case .objects(let references): .objects(references)
    case .pattern(let pattern): .value(.string(pattern.text))
    case .aggregate(let aggregate):
      .aggregate(
        QueryPredicate.Aggregate(
          aggregate.operation, of: aggregate.collection.path, member: aggregate.member?.path))
    case .subquery(let subquery):
      .subquery(QueryPredicate.Subquery(subquery.collection.path, subquery.predicate.named))
    case .outer(let outer): .outer(QueryPredicate.Outer(outer.operand.named, level: outer.level))
    case .arithmetic(let arithmetic):
      .arithmetic(
        QueryPredicate.Arithmetic(
          arithmetic.left.named, arithmetic.operation, arithmetic.right.named))
    case .distance(let distance):
      .distance(
        QueryPredicate.MeasuredDistance(
          .path(distance.left.path), distance.right.named, edges: distance.edges,
          quantifier: distance.quantifier))
    }
  }
}

extension BoundRelation.Side {
  fileprivate var named: QueryPredicate.GeometryRelation.Side {
    switch self {
    case .path(let path): .path(path.path)
    case .region(let region): .region(region.written)
    case .geometry(let geometry): .geometry(geometry.written)
    case .objects(let objects):
      .objects(
        QueryPredicate.ObjectGeometries(
          of: objects.className, at: objects.path.path, where: objects.predicate.named))
    }
  }
}

package import CadastreGeometry

extension QueryPredicate {
  /// Returns the predicate with the given edge model for all regions, those in predicates on other objects included.
  package func withEdges(_ edges: EdgeModel) -> QueryPredicate {
    folded { (leaf) throws(Never) in
      switch leaf {
      case .geoWithin(var within):
        within.edges = edges
        return .geoWithin(within)
      case .relation(var relation):
        relation.edges = edges
        if case .objects(var objects) = relation.right {
          objects.predicate = objects.predicate.withEdges(edges)
          relation.right = .objects(objects)
        }
        return .relation(relation)
      case .comparison(var comparison):
        comparison.left = comparison.left.withEdges(edges)
        comparison.right = comparison.right.withEdges(edges)
        return .comparison(comparison)
      case .constant, .not, .and, .or: return leaf
      }
    } node: {
      QueryPredicate($0)
    }
  }
}

extension Operand {
  fileprivate func withEdges(_ edges: EdgeModel) -> Operand {
    switch self {
    case .subquery(var subquery):
      subquery.predicate = subquery.predicate.withEdges(edges)
      return .subquery(subquery)
    case .outer(var outer):
      outer.operand = outer.operand.withEdges(edges)
      return .outer(outer)
    case .arithmetic(var arithmetic):
      arithmetic.left = arithmetic.left.withEdges(edges)
      arithmetic.right = arithmetic.right.withEdges(edges)
      return .arithmetic(arithmetic)
    case .distance(var distance):
      distance.edges = edges
      return .distance(distance)
    default: return self
    }
  }
}

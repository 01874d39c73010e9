import CadastreModel

extension QueryPredicate {
  /// The objects that links are compared with, from left to right, those inside subqueries
  /// included.
  package var objectReferences: [ObjectReference] {
    var references: [ObjectReference] = []
    forEachLeaf { leaf in
      guard case .comparison(let comparison) = leaf else { return }
      references += comparison.left.objectReferences + comparison.right.objectReferences
    }
    return references
  }

  /// The levels of logic, subqueries and arithmetic inside each other, counted no further than a
  /// limit.
  func depth(limit: Int) -> Int {
    var deepest = 0
    var waiting = [(predicate: self, level: 1)]
    while let (predicate, level) = waiting.popLast(), deepest < limit {
      deepest = max(deepest, level)
      switch predicate {
      case .constant, .geoWithin: break
      case .not(let inner): waiting.append((inner, level + 1))
      case .and(let parts), .or(let parts): waiting += parts.map { ($0, level + 1) }
      case .comparison(let comparison):
        for operand in [comparison.left, comparison.right] {
          deepest = max(deepest, level + operand.depth(limit: limit - level))
        }
      }
    }
    return min(deepest, limit)
  }
}

extension Operand {
  fileprivate var objectReferences: [ObjectReference] {
    switch self {
    case .object(let reference): [reference]
    case .objects(let references): references
    case .subquery(let subquery): subquery.predicate.objectReferences
    case .arithmetic(let arithmetic):
      arithmetic.left.objectReferences + arithmetic.right.objectReferences
    case .property, .value, .list, .members, .elements, .constants, .aggregate: []
    }
  }

  /// The levels of subqueries and arithmetic inside each other, counted no further than a limit.
  func depth(limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    switch self {
    case .subquery(let subquery): return 1 + subquery.predicate.depth(limit: limit - 1)
    case .arithmetic(let arithmetic):
      return 1
        + max(arithmetic.left.depth(limit: limit - 1), arithmetic.right.depth(limit: limit - 1))
    default: return 0
    }
  }
}

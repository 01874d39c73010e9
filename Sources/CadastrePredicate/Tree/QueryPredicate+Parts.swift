import CadastreModel

extension QueryPredicate {
  /// Calls a closure with the objects that links are compared with, from left to right, those
  /// inside subqueries included.
  package func forEachObjectReference(_ body: (ObjectReference) -> Void) {
    forEachLeaf { leaf in
      guard case .comparison(let comparison) = leaf else { return }
      comparison.left.forEachObjectReference(body)
      comparison.right.forEachObjectReference(body)
    }
  }

  /// The levels of logic, subqueries and arithmetic inside each other, counted no further than a
  /// limit.
  func depth(limit: Int) -> Int {
    if case .comparison(let comparison) = self {
      return min(limit, 1 + comparison.depth(limit: limit - 1))
    }
    var deepest = 0
    var waiting = [(predicate: self, level: 1)]
    while let (predicate, level) = waiting.popLast(), deepest < limit {
      deepest = max(deepest, level)
      switch predicate {
      case .constant, .geoWithin, .relation: break
      case .not(let inner): waiting.append((inner, level + 1))
      case .and(let parts), .or(let parts): for part in parts { waiting.append((part, level + 1)) }
      case .comparison(let comparison):
        deepest = max(deepest, level + comparison.depth(limit: limit - level))
      }
    }
    return min(deepest, limit)
  }
}

extension Comparison {
  fileprivate func depth(limit: Int) -> Int {
    max(left.depth(limit: limit), right.depth(limit: limit))
  }
}

extension Operand {
  fileprivate func forEachObjectReference(_ body: (ObjectReference) -> Void) {
    switch self {
    case .object(let reference): body(reference)
    case .objects(let references): references.forEach(body)
    case .subquery(let subquery): subquery.predicate.forEachObjectReference(body)
    case .arithmetic(let arithmetic):
      arithmetic.left.forEachObjectReference(body)
      arithmetic.right.forEachObjectReference(body)
    case .property, .value, .list, .members, .elements, .constants, .aggregate: break
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

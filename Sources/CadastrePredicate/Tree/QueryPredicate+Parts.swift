package import CadastreModel

/// What a predicate speaks of.
extension QueryPredicate {
  /// The paths of all properties that are asked about, from left to right.
  ///
  /// Paths inside a subquery, and members inside an aggregate, begin with the path of its collection.
  package var paths: [PropertyPath] {
    var paths: [PropertyPath] = []
    visitOperands(
      { operand, prefix in
        switch operand {
        case .property(let path), .elements(_, let path): paths.append(prefix(path))
        case .aggregate(let aggregate):
          paths.append(prefix(aggregate.collection.appending(aggregate.member?.steps ?? [])))
        case .subquery(let subquery): paths.append(prefix(subquery.collection))
        default: break
        }
      }, within: { within, prefix in paths.append(prefix(within.path)) }, prefix: { $0 })
    return paths
  }

  /// The objects that links are compared with, from left to right.
  package var objectReferences: [ObjectReference] {
    var references: [ObjectReference] = []
    visitOperands(
      { operand, _ in
        switch operand {
        case .object(let reference): references.append(reference)
        case .objects(let several): references += several
        default: break
        }
      }, within: { _, _ in }, prefix: { $0 })
    return references
  }

  /// The levels of logic, subqueries and arithmetic inside each other, counted no further than a limit.
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

  private typealias Prefix = (PropertyPath) -> PropertyPath

  private func visitOperands(
    _ visit: (Operand, Prefix) -> Void, within: (GeoWithin, Prefix) -> Void,
    prefix: @escaping Prefix
  ) {
    var waiting = [self]
    while let predicate = waiting.popLast() {
      switch predicate {
      case .constant: break
      case .not(let inner): waiting.append(inner)
      case .and(let parts), .or(let parts): waiting += parts.reversed()
      case .comparison(let comparison):
        Self.visit(comparison.left, visit, within: within, prefix)
        Self.visit(comparison.right, visit, within: within, prefix)
      case .geoWithin(let geoWithin): within(geoWithin, prefix)
      }
    }
  }

  private static func visit(
    _ operand: Operand, _ visit: (Operand, Prefix) -> Void,
    within: (GeoWithin, Prefix) -> Void, _ prefix: @escaping Prefix
  ) {
    visit(operand, prefix)
    switch operand {
    case .subquery(let subquery):
      let start = prefix(subquery.collection)
      subquery.predicate.visitOperands(
        visit, within: within, prefix: { start.appending($0.steps) })
    case .arithmetic(let arithmetic):
      self.visit(arithmetic.left, visit, within: within, prefix)
      self.visit(arithmetic.right, visit, within: within, prefix)
    default: break
    }
  }
}

extension Operand {
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

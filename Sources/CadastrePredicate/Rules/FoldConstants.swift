/// Evaluates the parts that do not depend on an object.
///
///     a AND TRUEPREDICATE    →   a
///     a OR TRUEPREDICATE     →   TRUEPREDICATE
///     x IN {}                →   FALSEPREDICATE
///     NOT TRUEPREDICATE      →   FALSEPREDICATE
///
/// - Complexity: O(n) in the number of parts.
package struct FoldConstants: PredicateRule {
  package let name = "FoldConstants"

  package func rewrite(_ predicate: BoundPredicate) -> BoundPredicate? {
    switch predicate {
    case .and(let parts):
      if parts.contains(where: { $0.isConstant(false) }) { return .constant(false) }
      let open = parts.filter { !$0.isConstant(true) }
      return open.isEmpty ? .constant(true) : .all(open)
    case .or(let parts):
      if parts.contains(where: { $0.isConstant(true) }) { return .constant(true) }
      let open = parts.filter { !$0.isConstant(false) }
      return open.isEmpty ? .constant(false) : .any(open)
    case .not(.constant(let value)): return .constant(!value)
    case .comparison(let comparison):
      guard comparison.operation == .isIn, case .list(let values) = comparison.right,
        values.isEmpty
      else { return nil }
      return comparison.left.isFoundInNothing ? nil : .constant(false)
    case .not, .constant, .geoWithin, .relation: return nil
    }
  }
}

extension BoundOperand {
  /// Whether it may be IN an empty list, as all values of an empty collection are.
  fileprivate var isFoundInNothing: Bool {
    switch self {
    case .property, .elements(.any, _), .aggregate, .subquery: false
    case .outer(let outer): outer.operand.isFoundInNothing
    case .elements, .value, .list, .object, .objects, .constants, .pattern,
      .arithmetic, .distance:
      true
    }
  }
}

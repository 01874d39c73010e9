/// Flattens nested conjunctions and disjunctions, and removes double negation.
///
///     (a AND b) AND c   →   a AND b AND c
///     NOT NOT a         →   a
///
/// - Complexity: O(n) in the number of parts.
package struct FlattenLogic: PredicateRule {
  package let name = "FlattenLogic"

  package func rewrite(_ predicate: BoundPredicate) -> BoundPredicate? {
    switch predicate {
    case .and(let parts): .all(parts)
    case .or(let parts): .any(parts)
    case .not(.not(let inner)): inner
    case .not, .constant, .comparison, .geoWithin, .relation: nil
    }
  }
}

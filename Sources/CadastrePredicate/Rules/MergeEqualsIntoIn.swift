import CadastreModel

/// Merges a disjunction of equalities on one property into a single IN.
///
///     country == 'FR' OR country == 'BE' OR elevation > 900
///         →   country IN {'FR', 'BE'} OR elevation > 900
///
/// One IN is one index search and one hash look-up per row. Comparisons that ignore case are
/// unchanged. For a collection, equalities of ANY element may be merged.
///
/// - Complexity: O(n) in the number of parts.
package struct MergeEqualsIntoIn: PredicateRule {
  package let name = "MergeEqualsIntoIn"

  package func rewrite(_ predicate: BoundPredicate) -> BoundPredicate? {
    guard case .or(let parts) = predicate else { return nil }
    var merged: [(part: BoundPredicate, operand: BoundOperand?, values: [Value], isAlone: Bool)] =
      []
    var places: [BoundOperand: Int] = [:]
    for part in parts {
      guard let (operand, values) = Self.equality(part) else {
        merged.append((part, nil, [], true))
        continue
      }
      if let place = places[operand] {
        merged[place].values += values
        merged[place].isAlone = false
      } else {
        places[operand] = merged.count
        merged.append((part, operand, values, true))
      }
    }
    guard merged.count < parts.count else { return nil }
    return .any(
      merged.map { entry in
        guard let operand = entry.operand, !entry.isAlone else { return entry.part }
        return .comparison(BoundComparison(operand, .isIn, .list(entry.values)))
      })
  }

  /// The property and the values of an equality with constants.
  private static func equality(_ part: BoundPredicate) -> (BoundOperand, [Value])? {
    guard case .comparison(let comparison) = part, comparison.options.isEmpty else { return nil }
    switch comparison.left {
    case .property, .elements(.any, _): break
    default: return nil
    }
    switch (comparison.operation, comparison.right) {
    case (.equal, .value(let value)): return (comparison.left, [value])
    case (.isIn, .list(let values)): return (comparison.left, values)
    default: return nil
    }
  }
}

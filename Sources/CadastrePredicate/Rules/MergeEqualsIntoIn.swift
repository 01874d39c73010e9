import CadastreModel

/// Turns a disjunction of equalities on one property into a single IN.
///
///     country == 'FR' OR country == 'BE' OR elevation > 900
///         →   country IN {'FR', 'BE'} OR elevation > 900
///
/// One IN is one visit to an index and one hash look-up a row. Comparisons that ignore case are
/// left alone.
///
/// - Complexity: O(n) in the number of parts.
package struct MergeEqualsIntoIn: PredicateRule {
  package let name = "MergeEqualsIntoIn"

  package func rewrite(_ predicate: QueryPredicate) -> QueryPredicate? {
    guard case .or(let parts) = predicate else { return nil }
    var merged: [(part: QueryPredicate, path: PropertyPath?, values: [Value])] = []
    var places: [PropertyPath: Int] = [:]
    for part in parts {
      guard let (path, values) = Self.equality(part) else {
        merged.append((part, nil, []))
        continue
      }
      if let place = places[path] {
        merged[place].values += values
      } else {
        places[path] = merged.count
        merged.append((part, path, values))
      }
    }
    guard merged.count < parts.count else { return nil }
    return .any(
      merged.map { entry in
        guard let path = entry.path, entry.values.count > 1 else { return entry.part }
        return .comparison(Comparison(.property(path), .isIn, .list(entry.values)))
      })
  }

  /// The property and the values of an equality with constants.
  private static func equality(_ part: QueryPredicate) -> (PropertyPath, [Value])? {
    guard case .comparison(let comparison) = part, comparison.options.isEmpty,
      case .property(let path) = comparison.left
    else { return nil }
    switch (comparison.operation, comparison.right) {
    case (.equal, .value(let value)): return (path, [value])
    case (.isIn, .list(let values)): return (path, values)
    default: return nil
    }
  }
}

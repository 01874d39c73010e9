import CadastrePredicate

extension [Candidate] {
  /// How many of some objects must be looked at, in an order that has nothing to do with the terms, until
  /// enough match.
  ///
  /// That follows from the most selective of these ways; terms that no index can judge are taken to leave
  /// a third each.
  func rowsUntil(
    _ needed: Int, match terms: [BoundPredicate], of objects: Double
  ) -> Double {
    let fewest = self.min { $0.estimate.rows < $1.estimate.rows }
    let judged = fewest.map { $0.estimate.rows / Swift.max(1, objects) } ?? 1
    let unjudged = terms.count { $0 != .constant(true) } - (fewest?.decided.count ?? 0)
    let left = (0..<Swift.max(0, unjudged)).reduce(1.0) { share, _ in share / 3 }
    return Swift.min(objects, (Double(needed) + 1) / (Swift.max(1e-6, judged) * left))
  }
}

import CadastrePredicate

extension [Candidate] {
  /// The estimated number of rows to read, in an order independent of the terms, until enough
  /// match.
  ///
  /// The selectivity is that of the most selective candidate; each term that it does not decide is
  /// taken to keep a third of the rows.
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

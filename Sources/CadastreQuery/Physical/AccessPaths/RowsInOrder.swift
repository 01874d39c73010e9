/// The reading of rows in an order that an index yields.
package enum RowsInOrder {
  /// The number of rows up to which rows are read in order, of some number of objects; a scan follows then.
  ///
  /// A row fetched by key costs several times as much as a row of a scan.
  package static func most(of objects: Int) -> Int { max(1000, objects / 8) }
}

extension [Candidate] {
  /// The estimated number of rows to read, in an order independent of some terms, until enough
  /// match them.
  ///
  /// The selectivity is that of the most selective candidate for the terms; each term that it does
  /// not decide is taken to keep a third of the rows.
  func rowsUntil(_ needed: Double, match terms: Set<Int>, of objects: Double) -> Double {
    guard !terms.isEmpty else { return Swift.min(objects, needed) }
    let fewest = self.filter { $0.decided.isSubset(of: terms) }
      .min { $0.estimate.rows < $1.estimate.rows }
    let judged = fewest.map { $0.estimate.rows / Swift.max(1, objects) } ?? 1
    let unjudged = terms.count - (fewest?.decided.count ?? 0)
    let left = (0..<unjudged).reduce(1.0) { share, _ in share / 3 }
    return Swift.min(objects, (needed + 1) / (Swift.max(1e-6, judged) * left))
  }
}

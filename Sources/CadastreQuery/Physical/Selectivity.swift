import CadastrePredicate
import Foundation

/// The estimated shares of the objects of a class that match terms of a conjunction.
///
/// The candidates have estimates for the terms that they decide. Each other term is taken to keep a third of the rows,
/// unless a sample of the rows costs less than what depends on it.
final class Selectivity {
  private let className: String
  private let terms: [BoundPredicate]
  private let catalog: any Catalog
  /// The access paths for the terms.
  let candidates: [Candidate]
  /// The number of objects.
  let objects: Double
  /// The indexes of the terms that are not always true.
  let conditions: Set<Int>
  /// The cost above which a choice is worth a sample: several times its own.
  private let sampledCost: Double
  /// The samples so far, by the indexes of the terms.
  private var samples: [Set<Int>: RowSample?] = [:]

  /// Prepares to estimate shares of the objects of a class.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - terms: The terms of the conjunction.
  ///   - candidates: The access paths for the terms.
  ///   - catalog: The catalog.
  ///   - costs: The cost model.
  ///   - fetch: The cost of reading a row by its key.
  init(
    _ className: String, _ terms: [BoundPredicate], _ candidates: [Candidate],
    _ catalog: any Catalog, _ costs: CostModel, fetch: Double
  ) {
    self.className = className
    self.terms = terms
    self.candidates = candidates
    self.catalog = catalog
    objects = Double(catalog.objectCount(className))
    conditions = Set(terms.indices.filter { !terms[$0].isConstant(true) })
    sampledCost = 2 * (costs.scanStart + Double(RowSample.size) * fetch)
  }

  /// The estimated share of the objects that match some terms, from 0 to 1.
  ///
  /// - Parameters:
  ///   - places: The indexes of the terms.
  ///   - cost: The cost that depends on it, given an estimate.
  /// - Returns: The share.
  func share(of places: Set<Int>, deciding cost: (Double) -> Double) -> Double {
    let objects = objects
    let estimates = candidates.lazy.filter {
      !$0.decided.isEmpty && $0.decided.isSubset(of: places)
    }.map { ($0.estimate.rows / max(1, objects), open: places.count - $0.decided.count) }
    let best = estimates.map { (share: $0 * pow(3, -Double($1)), open: $1) }
      .min { $0.share < $1.share }
    // No more rows match all terms than any access path finds.
    let most =
      places.isSuperset(of: conditions)
      ? candidates.lazy.map { $0.estimate.rows / max(1, objects) }.min() ?? 1 : 1
    let estimate = min(1, most, best?.share ?? pow(3, -Double(places.count)))
    guard best?.open != 0, let sample = sample(of: places, deciding: cost(estimate)) else {
      return max(1e-6, estimate)
    }
    return sample.matching == 0 ? min(estimate, sample.least) : sample.share
  }

  /// A sample of the rows that match some terms; nil where it costs more than depends on it.
  private func sample(of places: Set<Int>, deciding cost: Double) -> RowSample? {
    guard !places.isEmpty, cost > sampledCost else { return nil }
    if let known = samples[places] { return known }
    let sample = catalog.sample(className, .all(places.sorted().map { terms[$0] }))
    samples[places] = .some(sample)
    return sample
  }

  /// The estimated number of rows to read, in an order independent of some terms, until enough match them.
  ///
  /// - Parameters:
  ///   - needed: The number of rows that must match.
  ///   - places: The indexes of the terms.
  ///   - cost: The cost that depends on it, given an estimate of the rows.
  /// - Returns: The number of rows.
  func rowsUntil(
    _ needed: Double, match places: Set<Int>, deciding cost: (Double) -> Double
  ) -> Double {
    guard !places.isEmpty else { return min(objects, needed) }
    func rows(_ share: Double) -> Double { min(objects, (needed + 1) / share) }
    return rows(share(of: places) { cost(rows($0)) })
  }

  /// The estimated number of rows to read in order of key until enough match some terms, where another access path
  /// costs so much.
  func rowsOfScan(_ needed: Double, match places: Set<Int>, insteadOf other: Double) -> Double {
    let rows = rowsUntil(needed, match: places) { _ in other }
    // The matching rows may be at the end, where the values ascend with the keys.
    guard let sample = sample(of: places, deciding: other),
      Double(sample.first) * Double(sample.matching) > 4 * Double(sample.count)
    else { return rows }
    return max(rows, objects * Double(sample.first) / Double(sample.count))
  }
}

/// The rows of a sample that match a predicate.
package struct RowSample {
  /// The number of rows that match.
  let matching: Int
  /// The number of rows before the first one that matches, in order of key.
  let first: Int
  /// The number of rows.
  let count: Int

  /// The number of rows that a sample has, at most.
  package static let size = 64

  /// Creates the result of a sample of at least one row.
  ///
  /// - Parameters:
  ///   - matching: The number of rows that match.
  ///   - first: The number of rows before the first one that matches, in order of key.
  ///   - count: The number of rows.
  package init(matching: Int, first: Int, of count: Int) {
    self.matching = matching
    self.first = first
    self.count = count
  }

  /// The share of the rows that match.
  var share: Double { Double(matching) / Double(count) }

  /// The share that is estimated where no row of the sample matches.
  var least: Double { 0.5 / Double(count) }
}

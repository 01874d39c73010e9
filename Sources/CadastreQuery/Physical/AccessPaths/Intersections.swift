import CadastrePredicate

/// Offers the intersection of several access paths where it costs less than a single one.
///
///     country == 'FR' AND place GEOWITHIN $0
///
/// Terms are taken to be independent: of 1,000 rows, 100 and 50 have 5 in common.
struct Intersections {
  let objects: Double
  let costs: CostModel
  /// The cost of reading a row by its key.
  let fetch: Double
  /// The terms of the conjunction.
  let terms: Int
  /// Whether rows must be read even if all terms are decided, to be put in order.
  let readsRows: Bool

  /// The best intersection of two or more of the offers; nil where one of them by itself is
  /// cheaper.
  func best(_ className: String, _ offers: [AccessPathOffer]) -> AccessPathOffer? {
    guard offers.count > 1 else { return nil }
    let candidates = offers.filter { $0.rows < objects }.sorted { $0.rows < $1.rows }
    guard let first = candidates.first, let single = offers.map(price).min() else { return nil }
    var taken = [first]
    var common = first
    common.cost += first.rows * costs.keyStep
    for offer in candidates.dropFirst() where offer.decided.isDisjoint(with: common.decided) {
      var both = common
      both.decided.formUnion(offer.decided)
      both.rows *= offer.rows / max(1, objects)
      both.cost += offer.cost + offer.rows * costs.keyStep
      guard price(both) < price(common) else { continue }
      taken.append(offer)
      common = both
    }
    guard taken.count > 1, price(common) < single else { return nil }
    common.access = .intersection(className: className, taken.map(\.access))
    return common
  }

  /// The cost of an offer, with the rows read to evaluate the terms that it leaves.
  private func price(_ offer: AccessPathOffer) -> Double {
    offer.cost + (readsRows || offer.decided.count < terms ? offer.rows * fetch : 0)
  }
}

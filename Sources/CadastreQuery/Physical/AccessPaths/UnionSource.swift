import CadastreModel
import CadastrePredicate

/// Offers the union of several access paths, where a term is a disjunction.
///
///     country == 'FR' OR place GEOWITHIN $0 OR id == 7
///
/// Every part needs an access path. Parts on the regions of the same point become one search.
struct UnionSource: AccessPathSource {
  let kind = AccessPath.Kind.union
  /// The access paths for a conjunction.
  let offers: (String, [BoundPredicate]) -> [AccessPathOffer]

  func mayServe(_ terms: [BoundPredicate], _ catalog: any Catalog) -> Bool {
    terms.contains { if case .or = $0 { true } else { false } }
  }

  func offers(
    _ className: String, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel
  ) -> [AccessPathOffer] {
    let objects = Double(catalog.objectCount(className))
    return terms.enumerated().compactMap { place, term in
      guard case .or(let parts) = term, term.pointPath == nil else { return nil }
      var union = AccessPathOffer(
        access: .union(className: className, []), decided: [place], rows: 0, cost: 0)
      var accesses: [AccessPath] = []
      let branches = Self.branches(parts)
      guard branches.count <= Self.maximumBranches else { return nil }
      for part in branches {
        let terms = part.conjuncts
        guard let best = best(offers(className, terms), terms.count, costs) else { return nil }
        accesses.append(best.access)
        if best.decided.count < terms.count { union.decided = [] }
        union.rows += best.rows
        union.cost += best.cost + best.rows * costs.keyStep
        // A union that costs more than a scan, which reads a column of each row, is not offered, so the rest need not
        // be planned.
        guard union.cost < costs.scanStart + objects * (costs.scanStep + costs.columnStep) else {
          return nil
        }
      }
      union.access = .union(className: className, accesses)
      union.rows = min(objects, union.rows)
      return union
    }
  }

  /// The cheapest offer, the reading of rows for undecided terms included.
  private func best(
    _ offers: [AccessPathOffer], _ terms: Int, _ costs: CostModel
  ) -> AccessPathOffer? {
    offers.min { first, second in
      let prices = [first, second].map { offer in
        offer.cost + (offer.decided.count < terms ? offer.rows * costs.rowRead : 0)
      }
      return prices[0] < prices[1]
    }
  }

  /// The largest number of parts; planning each takes some ten microseconds.
  private static let maximumBranches = 200

  /// The parts of a disjunction, those on the regions of the same point joined to one.
  private static func branches(_ parts: [BoundPredicate]) -> [BoundPredicate] {
    var branches: [[BoundPredicate]] = []
    var places: [BoundPath: Int] = [:]
    for part in parts {
      guard let path = part.pointPath, !part.matchesMissingPoint else {
        branches.append([part])
        continue
      }
      if let place = places[path] {
        branches[place].append(part)
      } else {
        places[path] = branches.count
        branches.append([part])
      }
    }
    return branches.map(BoundPredicate.any)
  }
}

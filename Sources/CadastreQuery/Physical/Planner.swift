import CadastreModel
package import CadastrePredicate

/// Chooses the cheapest plan for a query.
package struct Planner {
  /// Access paths and rules that are switched off, for tests and comparisons.
  package struct Options: Hashable, Sendable {
    /// The access paths that are not considered.
    package var disabledPaths: Set<AccessPath.Kind> = []
    /// The names of the rules that are not applied.
    package var disabledRules: Set<String> = []
    /// The cost model.
    package var costs = CostModel()
    /// Whether queries of one shape share what depends on the shape only.
    package var usesShapes = true
    /// Whether all candidates are estimated, as for `explain`, also where one is known to cost little.
    package var comparesAll = false

    /// Options with everything switched on.
    package init() {}

    /// Options with every access path but the scan switched off.
    package static var withoutIndexes: Options {
      var options = Options()
      options.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan])
      return options
    }
  }

  private let catalog: any Catalog
  private let options: Options
  private var costs: CostModel { options.costs }

  /// A planner for one version of a store.
  package init(_ catalog: any Catalog, options: Options = Options()) {
    self.catalog = catalog
    self.options = options
  }

  /// The cheapest plan for a query.
  package func plan(_ query: BoundQuery) -> Plan {
    var query = query
    // The order does not change the number.
    if query.output == .count { query.order = [] }
    // Other rules give other terms.
    guard options.usesShapes, options.disabledRules.isEmpty, let key = PlanShapeKey(query) else {
      return plan(simplified(query), AccessPath.Kind.allCases)
    }
    let shapes = catalog.shapes
    if let shape = shapes.shape(key) {
      if let plan = selectivePlan(query, shape) { return plan }
      let simple = shape.isRewritten ? simplified(query) : query
      var plan = plan(simple, shape.kinds)
      plan.reusesShape = true
      shape.selective.withLock { [plan] in $0 = selectiveTerm(of: plan) }
      return plan
    }
    let simple = simplified(query)
    let terms = simple.predicate.conjuncts
    let kinds = AccessPath.Kind.allCases.filter {
      source($0)?.mayServe(terms, catalog) == true
    }
    let shape = PlanShape(
      of: query, isRewritten: simple.predicate != query.predicate, kinds: kinds)
    shapes.insert(shape, key)
    return plan(simple, kinds)
  }

  /// The plan by the index that yielded a few rows for the last query of the shape; nil where there is
  /// none, or it yields more rows for this query.
  private func selectivePlan(_ query: BoundQuery, _ shape: PlanShape) -> Plan? {
    guard !options.comparesAll, !shape.isRewritten, query.limit != 0,
      let selective = shape.selective.withLock({ $0 }),
      !options.disabledPaths.contains(.indexSearch)
    else { return nil }
    let terms = query.predicate.conjuncts
    let offers = IndexSearchSource().offers(
      query.className, [terms[selective.term]], catalog, costs)
    guard offers.count == 1, offers[0].rows <= SelectiveTerm.mostRows, !offers[0].decided.isEmpty
    else { return nil }
    let price = OutputPrice(query, share: 0, catalog, costs)
    let output = price.access(
      offers[0].access, readsRows: !selective.filters.isEmpty || !query.order.isEmpty)
    let cost = offers[0].cost + offers[0].rows * costs.rowRead
    return Plan(
      query: query, access: offers[0].access, filters: selective.filters.map { terms[$0] },
      estimate: Estimate(
        rows: offers[0].rows, cost: cost + price.cost(of: offers[0].rows, output)),
      rejected: [], output: output, reusesShape: true)
  }

  /// The term that a plan decides by an index that yields a few rows; nil where it does not.
  private func selectiveTerm(of plan: Plan) -> SelectiveTerm? {
    let terms = plan.query.predicate.conjuncts
    guard case .indexSearch = plan.access, plan.estimate.rows <= SelectiveTerm.mostRows,
      plan.filters.count == terms.count - 1
    else { return nil }
    let filters = plan.filters.compactMap { terms.firstIndex(of: $0) }
    let open = terms.indices.filter { !filters.contains($0) }
    return open.count == 1 ? SelectiveTerm(term: open[0], filters: filters) : nil
  }

  private func simplified(_ query: BoundQuery) -> BoundQuery {
    var query = query
    query.predicate = PredicateRules.simplified(query.predicate, without: options.disabledRules)
    return query
  }

  /// The cheapest plan with access paths of some kinds, for a query that the rules have rewritten.
  private func plan(_ query: BoundQuery, _ kinds: [AccessPath.Kind]) -> Plan {
    let terms = query.predicate.conjuncts
    if query.predicate.isConstant(false) || query.limit == 0 {
      return Plan(
        query: query, access: .nothing(className: query.className), filters: [],
        estimate: Estimate(rows: 0, cost: 0), rejected: [])
    }
    var candidates = candidates(query, terms, kinds)
    if candidates.count > 1 { candidates = Self.cheapestFirst(candidates) }
    let best = candidates[0]
    let open = terms.indices.filter { !best.decided.contains($0) && !terms[$0].isConstant(true) }
    return Plan(
      query: query, access: best.access,
      filters: FilterOrder.cheapestFirst(open.map { terms[$0] }),
      estimate: best.estimate, rejected: Array(candidates.dropFirst()), output: best.output)
  }

  /// Returns candidates in order of cost; of those of equal cost, the first one remains the first one.
  private static func cheapestFirst(_ candidates: [Candidate]) -> [Candidate] {
    candidates.indices.sorted { first, second in
      (candidates[first].estimate.cost, first) < (candidates[second].estimate.cost, second)
    }.map { candidates[$0] }
  }

  /// The scan, and the candidates of every term that an index can serve.
  private func candidates(
    _ query: BoundQuery, _ terms: [BoundPredicate], _ kinds: [AccessPath.Kind]
  ) -> [Candidate] {
    let className = query.className
    let objects = Double(catalog.objectCount(className))
    let rank = FilterOrder.firstRank(terms)
    let share =
      rank == nil
      ? 0 : catalog.cachedShare(className, query.predicate.paths + query.order.map(\.path))
    let step = share * costs.memoryStep * Double(rank ?? 0) + (1 - share) * costs.scanStep
    let test = FilterOrder.beginsWithRelation(terms) ? costs.relationTest : 0
    let fetch = share * costs.memoryRead + (1 - share) * costs.rowRead
    let scan = Candidate(
      access: .scan(className: className), decided: [],
      estimate: Estimate(
        rows: objects,
        cost: costs.scanStart + objects * (step + test) + costs.sorting(objects, for: query)))
    var candidates = [scan]
    let price = OutputPrice(query, share: share, catalog, costs)
    let ordered =
      options.disabledPaths.contains(.orderedSearch)
      ? nil : OrderedSearchSource(query, terms, catalog, costs, fetch: fetch)
    if !options.comparesAll, let page = ordered?.page, page.estimate.cost < scan.estimate.cost {
      return withOutput([page, scan], query, terms, price)
    }
    for offer in offers(className, terms, kinds, readsRows: !query.order.isEmpty) {
      // With a limit and no sort, a scan stops at the first `limit` matches.
      if offer.access.kind == .complement, query.order.isEmpty, query.limit != nil { continue }
      // Residual filters and sort keys are read from rows fetched by key.
      let isOpen = offer.decided.count < terms.count || !query.order.isEmpty
      let fetches = isOpen ? offer.rows * fetch + costs.sorting(offer.rows, for: query) : 0
      candidates.append(
        Candidate(
          access: offer.access, decided: offer.decided,
          estimate: Estimate(rows: offer.rows, cost: offer.cost + fetches)))
    }
    if !query.order.isEmpty, !options.disabledPaths.contains(.nearestSearch) {
      let nearest = NearestSearchSource(catalog: catalog, costs: costs)
        .candidate(query, terms, others: candidates)
      if let nearest { candidates.append(nearest) }
    }
    // Of candidates of equal cost, the first one is chosen.
    if let ordered = ordered?.candidate(others: candidates) { candidates.insert(ordered, at: 0) }
    return withOutput(candidates, query, terms, price)
  }

  /// Returns candidates with the access to the columns that the query yields, and its cost.
  private func withOutput(
    _ candidates: [Candidate], _ query: BoundQuery, _ terms: [BoundPredicate], _ price: OutputPrice
  ) -> [Candidate] {
    guard query.yieldsColumns else { return candidates }
    let conditions = terms.indices.filter { !terms[$0].isConstant(true) }
    let rows = candidates.matchingRows(
      conditions.count, of: Double(catalog.objectCount(query.className)))
    return candidates.map { candidate in
      let isSorted = !query.order.isEmpty && !candidate.access.yields(query.order)
      var candidate = candidate
      candidate.output = price.access(
        candidate.access,
        readsRows: isSorted || !candidate.decided.isSuperset(of: conditions))
      candidate.estimate.cost += price.cost(
        of: min(rows, candidate.estimate.rows), candidate.output)
      return candidate
    }
  }

  /// The access paths for a conjunction, of those of some kinds that are switched on.
  ///
  /// With `readsRows` the rows are read even if no residual filter is left.
  private func offers(
    _ className: String, _ terms: [BoundPredicate],
    _ kinds: [AccessPath.Kind] = AccessPath.Kind.allCases, readsRows: Bool = false
  ) -> [AccessPathOffer] {
    var found: [AccessPathOffer] = []
    for kind in kinds where !options.disabledPaths.contains(kind) {
      guard let source = source(kind) else { continue }
      found += source.offers(className, terms, catalog, costs)
      // Nothing costs less than to look up one row, so nothing else is estimated.
      if kind == .keyLookup, let row = found.first(where: { $0.rows <= 1 }) { return [row] }
    }
    if !options.disabledPaths.contains(.intersection), found.count > 1 {
      let intersections = Intersections(
        objects: Double(catalog.objectCount(className)), costs: costs, terms: terms.count,
        readsRows: readsRows)
      if let common = intersections.best(className, found) { found.append(common) }
    }
    return found
  }

  /// The source of access paths of a kind for terms; nil for scans, combinations of other access
  /// paths, and those that an order calls for.
  private func source(_ kind: AccessPath.Kind) -> (any AccessPathSource)? {
    switch kind {
    case .keyLookup: KeyLookupSource()
    case .indexSearch: IndexSearchSource()
    case .spatialSearch: SpatialSearchSource()
    // The paths of a query for linked objects are new each time, so that it has no shape.
    case .linkSearch: LinkSearchSource { plan(simplified($0), AccessPath.Kind.allCases) }
    case .textSearch: TextSearchSource()
    case .complement: ComplementSource { offers($0, $1) }
    case .union: UnionSource { offers($0, $1) }
    case .scan, .nearestSearch, .orderedSearch, .intersection: nil
    }
  }
}

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
    /// Whether the plans of queries of the same shape are cached.
    package var cachesPlans = true
    /// Whether all candidates are estimated, as for `explain`, also where one is known to cost little.
    package var comparesAll = false

    /// Options with everything switched on.
    package init() {}

    /// Whether a plan for these options may be cached: other rules, access paths or costs give other plans.
    var usesCache: Bool {
      cachesPlans && disabledRules.isEmpty && disabledPaths.isEmpty && costs == CostModel()
    }

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
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - known: The cached plan for the shape of the query; nil where it was not looked up, or there is none.
  /// - Returns: The plan.
  package func plan(_ query: BoundQuery, known: CachedPlan? = nil) -> Plan {
    var query = query
    // The order does not change the number.
    if query.output == .count { query.order = [] }
    guard options.usesCache else { return uncached(query) }
    guard let cached = known ?? catalog.plans.plan(for: query) else {
      guard let shape = QueryShape(query) else { return uncached(query) }
      let simple = simplified(query)
      let terms = simple.predicate.conjuncts
      let kinds = AccessPath.Kind.allCases.filter {
        source($0)?.mayServe(terms, catalog) == true
      }
      let made = CachedPlan(
        shape, isRewritten: simple.predicate != query.predicate, kinds: kinds)
      return plan(simple, made, isNew: true)
    }
    var plan: Plan
    if !options.comparesAll, let chosen = chosen(by: cached, query) {
      plan = chosen
      if !cached.hasFewRows, Self.hasFewRows(chosen), cached.lookup != nil {
        catalog.plans.insert(cached.choosing(cached.choice, cached.lookup, hasFewRows: true))
      }
    } else {
      plan = self.plan(cached.isRewritten ? simplified(query) : query, cached)
    }
    plan.reusesShape = true
    return plan
  }

  /// The plan of a query without a shape, or for options that give other plans.
  private func uncached(_ query: BoundQuery) -> Plan {
    var plan = plan(simplified(query), AccessPath.Kind.allCases)
    plan.initPlans = initPlans(of: plan.query.predicate)
    return plan
  }

  /// The plans of the objects to whose geometries conditions relate; a query with any has no shape.
  private func initPlans(of predicate: BoundPredicate) -> [InitPlan] {
    var initPlans: [InitPlan] = []
    predicate.forEachLeaf { leaf in
      guard case .relation(let relation) = leaf, relation.quantifier == .any,
        case .objects(let objects) = relation.right
      else { return }
      var few = objects.query
      few.limit = InitPlan.mostConstants + 1
      initPlans.append(
        InitPlan(
          relation: relation, plan: plan(few), index: catalog.spatialIndex(relation.left)))
    }
    return initPlans
  }

  /// Makes the plan for a query, and caches what it has in common with those of other queries of the shape.
  private func plan(_ query: BoundQuery, _ cached: CachedPlan, isNew: Bool = false) -> Plan {
    let plan = plan(query, cached.kinds)
    let choice = cached.isRewritten ? nil : choice(of: plan)
    let lookup = choice.flatMap { catalog.lookup(plan, $0) }
    // The choice for few rows stays where a scan serves the arguments of one query.
    if isNew || choice != nil {
      catalog.plans.insert(
        cached.choosing(choice, lookup, hasFewRows: cached.hasFewRows || Self.hasFewRows(plan)))
    }
    return plan
  }

  /// Whether a plan may read so few rows that one statement reads them.
  private static func hasFewRows(_ plan: Plan) -> Bool {
    plan.estimate.rows <= Double(LookupProgram.mostRows)
  }

  /// The plan by the access path that was chosen for another query of the shape; nil where there is none, or it is
  /// not valid for this query.
  private func chosen(by cached: CachedPlan, _ query: BoundQuery) -> Plan? {
    guard let choice = cached.choice, query.limit != 0, let source = source(choice.kind) else {
      return nil
    }
    let terms = query.predicate.conjuncts
    let offers = source.offers(
      query.className, choice.decided.map { terms[$0] }, catalog, costs)
    // Several compound indexes may decide the same terms.
    let offer = offers.filter { $0.decided.count == choice.decided.count }
      .min { $0.cost < $1.cost }
    guard let offer, offer.rows <= choice.mostRows,
      choice.mostRows <= CachedPlan.fewRows || choice.state == state(for: query)
    else { return nil }
    let price = OutputPrice(query, share: 0, catalog, costs)
    let output = price.access(offer.access, isFiltered: !choice.filters.isEmpty)
    let cost = offer.cost + offer.rows * costs.rowRead
    return Plan(
      query: query, access: offer.access, filters: choice.filters.map { terms[$0] },
      estimate: Estimate(rows: offer.rows, cost: cost + price.cost(of: offer.rows, output)),
      rejected: [], output: output)
  }

  /// The choice of the access path of a plan; nil where one is chosen for each query: with an order that the access
  /// path yields, for combinations of access paths, and where all rows are read.
  private func choice(of plan: Plan) -> CachedPlan.Choice? {
    let terms = plan.query.predicate.conjuncts
    switch plan.access {
    case .keyLookup, .indexSearch, .spatialSearch, .relationSearch, .textSearch, .linkSearch,
      .linkedSearch:
      break
    case .nothing, .scan, .pointSearch, .distanceSearch, .nearestSearch, .orderedSearch,
      .intersection, .union, .complement:
      return nil
    }
    let filters = plan.filters.compactMap { terms.firstIndex(of: $0) }
    let decided = terms.indices.filter { !filters.contains($0) }
    guard !decided.isEmpty, Set(filters).count == plan.filters.count,
      !terms.contains(where: { $0.isConstant(true) })
    else { return nil }
    // Beyond so many rows a scan may cost less, or another index. For as many rows as now the path costs least, also
    // where it costs more to read them than to scan, because they are only counted.
    let rows = plan.estimate.rows
    let scan = plan.rejected.first { $0.access.kind == .scan }
    let mostRows = max(rows, min(4 * rows, (scan?.estimate.cost ?? 0) / costs.rowRead))
    return CachedPlan.Choice(
      kind: plan.access.kind, decided: decided, filters: filters,
      mostRows: max(CachedPlan.fewRows, mostRows), state: state(for: plan.query))
  }

  private func state(for query: BoundQuery) -> CachedPlan.State {
    CachedPlan.State(
      objects: catalog.objectCount(query.className),
      cachedShare: catalog.cachedShare(
        query.className, query.predicate.paths + query.order.map(\.path)))
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
    return Plan(query, by: candidates[0], rejected: Array(candidates.dropFirst()))
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
    let paths = query.predicate.paths + query.order.map(\.path)
    let share = FilterOrder.cost(terms) == nil ? 0 : catalog.cachedShare(className, paths)
    let scanning = ScanPrice(terms, paths, share: share, costs)
    let fetch = share * costs.memoryRead + (1 - share) * costs.rowRead
    let scan = Candidate(
      access: .scan(className: className), decided: [],
      estimate: Estimate(rows: objects, cost: scanning.cost(of: objects, matching: 0)))
    let price = OutputPrice(query, share: share, catalog, costs)
    func selectivity(_ candidates: [Candidate]) -> Selectivity {
      Selectivity(className, terms, candidates, catalog, costs, fetch: fetch)
    }
    let ordered =
      options.disabledPaths.contains(.orderedSearch)
      ? [] : OrderedSearchSource.all(query, terms, catalog, costs, fetch: fetch)
    let page = ordered.lazy.compactMap(\.page).min { $0.estimate.cost < $1.estimate.cost }
    if !options.comparesAll, let page, page.estimate.cost < scan.estimate.cost {
      return withOutput([page, scan], query, price, selectivity([page]))
    }
    var candidates = [scan]
    for offer in offers(className, terms, kinds, fetch: fetch, readsRows: !query.order.isEmpty) {
      // With a limit and no sort, a scan stops at the first `limit` matches.
      if offer.access.kind == .complement, query.order.isEmpty, query.limit != nil { continue }
      // Residual filters and sort keys are read from rows fetched by key.
      let isOpen = offer.decided.count < terms.count || !query.order.isEmpty
      let fetches = isOpen ? offer.rows * fetch : 0
      candidates.append(
        Candidate(
          access: offer.access, decided: offer.decided,
          estimate: Estimate(rows: offer.rows, cost: offer.cost + fetches)))
    }
    let known = selectivity(candidates)
    let matching = objects * known.share(of: known.conditions) { _ in 0 }
    candidates[0].estimate.cost = scanning.cost(of: objects, matching: matching)
    if query.order.isEmpty, let needed = query.rowsNeeded.map({ Double($0) }) {
      let other = candidates.dropFirst().map(\.estimate.cost).min() ?? 0
      let rows = known.rowsOfScan(needed, match: known.conditions, insteadOf: other)
      candidates[0].estimate = Estimate(
        rows: rows, cost: scanning.cost(of: rows, matching: min(matching, needed)))
    }
    var inOrder = ordered.compactMap { $0.candidate(known) }
    if !query.order.isEmpty, !options.disabledPaths.contains(.nearestSearch) {
      let nearest = NearestSearchSource(catalog: catalog, costs: costs, fetch: fetch)
        .candidate(query, known)
      if let nearest { inOrder.append(nearest) }
    }
    if !query.order.isEmpty, query.rowsNeeded != nil {
      func sorting(_ share: Double) -> Double { costs.sorting(share * objects, for: query) }
      let share = known.share(of: known.conditions) { inOrder.isEmpty ? 0 : sorting($0) }
      for index in candidates.indices {
        let rows = min(share * objects, candidates[index].estimate.rows)
        candidates[index].estimate.cost += costs.sorting(rows, for: query)
      }
    }
    // Of candidates of equal cost, the first one is chosen.
    return withOutput(inOrder + candidates, query, price, known)
  }

  /// Returns candidates with the access to the columns that the query yields, and its cost.
  private func withOutput(
    _ candidates: [Candidate], _ query: BoundQuery, _ price: OutputPrice, _ known: Selectivity
  ) -> [Candidate] {
    guard query.yieldsColumns else { return candidates }
    let rows =
      known.objects
      * known.share(of: known.conditions) {
        price.cost(of: $0 * known.objects, .keys(areCached: false))
      }
    return candidates.map { candidate in
      var candidate = candidate
      candidate.output = price.access(
        candidate.access, isFiltered: !candidate.decided.isSuperset(of: known.conditions))
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
    _ kinds: [AccessPath.Kind] = AccessPath.Kind.allCases, fetch: Double? = nil,
    readsRows: Bool = false
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
        objects: Double(catalog.objectCount(className)), costs: costs,
        fetch: fetch ?? costs.rowRead, terms: terms.count, readsRows: readsRows)
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

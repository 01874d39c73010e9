import CadastreModel
import CadastrePredicate

/// Offers an ordered index in its order where a limit needs only the first rows.
///
///     at >= 2024-01-01 ORDER at LIMIT 50
///     country == 'FR' AND at >= 2024-01-01 ORDER at, id LIMIT 50
///
/// The search begins at the bound, and ends when enough rows match. A compound index serves an order by the columns
/// after those whose values are given.
struct OrderedSearchSource {
  private let catalog: any Catalog
  private let costs: CostModel
  /// The cost of reading a row by its key.
  private let fetch: Double
  private let query: BoundQuery
  private let terms: [BoundPredicate]
  /// The index, from the property of the first criterion that its leading values leave open.
  private let index: IndexReference
  private let ranges: [EntryRange]
  private let access: AccessPath
  /// Whether the access path yields the rows in the order of the query.
  private let isInOrder: Bool
  /// The indexes of the terms that the ranges decide.
  private let decided: Set<Int>
  /// Whether the ranges decide some terms, except for a few values.
  private let hasNearlyDecided: Bool
  /// The number of rows that are needed.
  private let needed: Double
  /// The indexes of the terms that the ranges neither decide nor nearly decide.
  private let open: Set<Int>
  /// The number of entries that are read beside those of the rows that are needed.
  private let extra: Double

  /// Returns the searches that may serve a query: none without a limit, and without an order that an index has first.
  static func all(
    _ query: BoundQuery, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel,
    fetch: Double
  ) -> [OrderedSearchSource] {
    guard let key = query.order.first, query.rowsNeeded != nil else { return [] }
    var sources = catalog.compoundIndexes(query.className).compactMap { compound in
      OrderedSearchSource(query, terms, compound, catalog, costs, fetch: fetch)
    }
    if let index = catalog.valueIndex(key.path),
      let source = OrderedSearchSource(
        query, terms, key, index, GivenValues(), catalog, costs, fetch: fetch)
    {
      sources.append(source)
    }
    return sources
  }

  /// The values that terms require of the leading properties of a compound index.
  private struct GivenValues {
    var values: [Value] = []
    /// The indexes of the terms.
    var decided: Set<Int> = []
  }

  /// Prepares the search of a compound index; nil where terms do not give the values of its properties up to one of the
  /// order.
  private init?(
    _ query: BoundQuery, _ terms: [BoundPredicate], _ compound: CompoundIndex,
    _ catalog: any Catalog, _ costs: CostModel, fetch: Double
  ) {
    var given = GivenValues()
    for (column, property) in compound.properties.enumerated() {
      if Self.add(property, terms, to: &given) { continue }
      let leading = compound.properties.prefix(column)
      let key = query.order.first { !$0.isByValue(of: leading) }
      guard let key, key.path.path == property else { return nil }
      self.init(
        query, terms, key, IndexReference(key.path, in: compound, column: column), given, catalog,
        costs, fetch: fetch)
      return
    }
    return nil
  }

  /// Adds the value that terms require of a property; returns false where they require none.
  private static func add(
    _ property: PropertyPath, _ terms: [BoundPredicate], to given: inout GivenValues
  ) -> Bool {
    let path = terms.lazy.compactMap { $0.ownComparison?.path }.first { $0.path == property }
    guard let path else { return false }
    let allowed = OrderedRanges(path, terms)
    // A null may belong to a missing embedded object, which sorts elsewhere.
    guard allowed.ranges.count == 1, let value = allowed.ranges[0].single, !allowed.decided.isEmpty,
      path.hasOneStoredForm(value), !value.isNull || path.hops.count == 1
    else { return false }
    given.values.append(value)
    given.decided.formUnion(allowed.decided)
    return true
  }

  /// Prepares the search; nil where the query has no limit, is not ordered by the property, or where too many rows tie
  /// in it.
  private init?(
    _ query: BoundQuery, _ terms: [BoundPredicate], _ key: BoundSortKey, _ index: IndexReference,
    _ given: GivenValues, _ catalog: any Catalog, _ costs: CostModel, fetch: Double
  ) {
    guard key.isIndexOrder, let needed = query.rowsNeeded,
      case .value(let type) = key.path.end,
      Self.isOrderedAlike(type)
    else { return nil }
    let entered = OrderedRanges(key.path, terms)
    // An index has null for a missing embedded object, which sorts after all values.
    guard !entered.ranges.isEmpty,
      key.isAscending || key.path.hops.count == 1 || !entered.includesNull
    else { return nil }
    var entries = entered.ranges.map { EntryRange(leading: given.values, $0) }
    var nearlyDecided = entered.nearlyDecided
    func search() -> AccessPath {
      .orderedSearch(index, ranges: entries, isAscending: key.isAscending)
    }
    let isOrdered = search().yields(query.order)
    // The further criteria decide among rows with one value of the first one.
    guard isOrdered || key == query.order[0] else { return nil }
    if isOrdered, !nearlyDecided.isEmpty {
      let further = query.order.filter { !$0.isByValue(of: index.leading) }.dropFirst().map(\.path)
      let continued = entered.entries(
        key.path, followedBy: further[...], leading: given.values, terms)
      if let continued {
        entries = continued
        nearlyDecided = []
      }
    }
    decided = given.decided.union(
      nearlyDecided.isEmpty ? entered.decided.union(entered.nearlyDecided) : entered.decided)
    hasNearlyDecided = !nearlyDecided.isEmpty
    let isJudged = { [decided] place in decided.contains(place) || nearlyDecided.contains(place) }
    open = Set(terms.indices.filter { !isJudged($0) && !terms[$0].isConstant(true) })
    ranges = entries
    access = search()
    isInOrder = access.yields(query.order)
    // If other conditions decide, the last row is not known; its value is estimated by the first one.
    let position = open.isEmpty ? needed : 1
    let undecided =
      nearlyDecided.isEmpty
      ? [] : entered.undecidedValues.map { EntryRange(leading: given.values, $0) }
    let extra =
      isInOrder
      ? 0 : Self.ties(index, entries, isAscending: key.isAscending, catalog, at: position)
    guard let extra else { return nil }
    // A few values, which are no term of their own.
    let undecidedRows =
      undecided.isEmpty ? 0 : catalog.estimatedRows(index, undecided, where: .constant(true))
    self.extra = extra + undecidedRows
    self.query = query
    self.terms = terms
    self.index = index
    self.needed = Double(needed)
    self.catalog = catalog
    self.costs = costs
    self.fetch = fetch
  }

  /// The access path where the ranges decide all conditions; nil for other queries.
  ///
  /// No other index yields the rows that are needed from fewer entries, so that none need be estimated.
  var page: Candidate? {
    guard open.isEmpty, !hasNearlyDecided, ranges.contains(where: { $0.values.single == nil })
    else { return nil }
    return candidate(entries: needed + extra)
  }

  /// The access path.
  ///
  /// - Parameter selectivity: The selectivity of the conditions.
  /// - Returns: The access path with its estimate; nil where so many rows would be read that a scan would follow.
  func candidate(_ selectivity: Selectivity) -> Candidate? {
    let rows = selectivity.rowsUntil(needed, match: open) { $0 * (costs.indexStep + fetch) }
    return candidate(entries: min(rows + extra, inRanges(selectivity)))
  }

  private func candidate(entries: Double) -> Candidate? {
    let readsRows = !open.isEmpty || hasNearlyDecided || !isInOrder
    let most = RowsInOrder.most(of: catalog.objectCount(query.className))
    guard !readsRows || entries <= Double(most) else { return nil }
    var cost = Double(ranges.count) * costs.indexDescent
    cost += entries * (costs.indexStep + (readsRows ? fetch : 0))
    if !isInOrder { cost += costs.sorting(entries, for: query) }
    return Candidate(
      access: access, decided: decided, estimate: Estimate(rows: entries, cost: cost))
  }

  /// The number of entries in the ranges.
  private func inRanges(_ selectivity: Selectivity) -> Double {
    guard ranges != EntryRange.everything else { return selectivity.objects }
    let same = selectivity.candidates.first { $0.access == .indexSearch(index, ranges: ranges) }
    if let same { return same.estimate.rows }
    let inside = terms.indices.filter { !open.contains($0) }.map { terms[$0] }
    return catalog.estimatedRows(index, ranges, where: .all(inside))
  }

  /// The number of entries that are read because further criteria decide among the rows with the value of the last
  /// row that is needed; nil where they may be most entries.
  private static func ties(
    _ index: IndexReference, _ ranges: [EntryRange], isAscending: Bool, _ catalog: any Catalog,
    at position: Int
  ) -> Double? {
    if index.path.properties?.last?.property.isPrimaryKey == true { return 1 }
    return catalog.ties(index, ranges, isAscending: isAscending, at: position)
      .map { Double($0) + 1 }
  }

  /// Whether an ordered index has all values of a type in the order of `Value.ordering`.
  private static func isOrderedAlike(_ type: PropertyType) -> Bool {
    switch type {
    case .int, .bool, .date, .string, .float, .double, .objectId, .UUID: true
    case .data, .decimal128, .geometry, .any, .object, .linkingObjects: false
    }
  }
}

extension AccessPath {
  /// Whether the rows must be sorted to come in an order.
  func needsSort(by order: [BoundSortKey]) -> Bool { !order.isEmpty && !yields(order) }

  /// Whether the rows come in an order, ties in order of their keys.
  fileprivate func yields(_ order: [BoundSortKey]) -> Bool {
    guard case .orderedSearch(let index, let ranges, let isAscending) = self else { return false }
    // All rows have the same values of the leading properties.
    let keys = order.filter { !$0.isByValue(of: index.leading) }
    let further = index.further
    guard keys.count == 1 + further.count, keys[0].path == index.path,
      keys.allSatisfy({ $0.isIndexOrder && $0.isAscending == isAscending }),
      // A null in the index may belong to a missing embedded object, which sorts elsewhere.
      index.path.hops.count == 1 || !ranges.contains(where: \.values.isNull)
    else { return false }
    return zip(keys.dropFirst(), further).allSatisfy { key, property in
      key.path.path == property && key.path.hops.count == 1
    }
  }
}

extension BoundSortKey {
  /// Whether this criterion compares the values of one of some properties.
  fileprivate func isByValue(of properties: some Sequence<PropertyPath>) -> Bool {
    criterion == .value && properties.contains(path.path)
  }
}

extension EntryRange {
  /// The ranges of all entries of an index.
  static let everything = ValueRange.everything.map { EntryRange($0) }
}

/// The reading of rows in an order that an index yields.
package enum RowsInOrder {
  /// The number of rows up to which rows are read in order, of some number of objects; a scan follows then.
  ///
  /// A row fetched by key costs several times as much as a row of a scan.
  package static func most(of objects: Int) -> Int { max(1000, objects / 8) }
}

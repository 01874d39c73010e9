import CadastreModel
import CadastrePredicate

/// Offers an ordered index in its order where a limit needs only the first rows.
///
///     at >= 2024-01-01 ORDER at LIMIT 50
///
/// The search begins at the bound, and ends when enough rows match.
struct OrderedSearchSource {
  private let catalog: any Catalog
  private let costs: CostModel
  /// The cost of reading a row by its key.
  private let fetch: Double
  private let query: BoundQuery
  /// The index on the property of the first criterion of the order.
  private let index: IndexReference
  private let entered: OrderedRanges
  private let access: AccessPath
  /// The number of rows that are needed.
  private let needed: Double
  /// The indexes of the terms that the ranges neither decide nor nearly decide.
  private let open: Set<Int>
  /// The number of entries that are read beside those of the rows that are needed.
  private let extra: Double

  /// Prepares the search; nil where the query has no limit, is not ordered by an indexed property first, or where
  /// too many rows tie in that property.
  init?(
    _ query: BoundQuery, _ terms: [BoundPredicate], _ catalog: any Catalog, _ costs: CostModel,
    fetch: Double
  ) {
    guard let key = query.order.first, key.criterion == .value, let needed = query.rowsNeeded,
      case .value(let type) = key.path.end, Self.isOrderedAlike(type),
      let index = catalog.valueIndex(key.path)
    else { return nil }
    entered = OrderedRanges(key.path, terms)
    // An index has null for a missing embedded object, which sorts after all values.
    guard !entered.ranges.isEmpty,
      key.isAscending || key.path.hops.count == 1 || !entered.includesNull
    else { return nil }
    let isJudged = { [entered] place in
      entered.decided.contains(place) || entered.nearlyDecided.contains(place)
    }
    open = Set(terms.indices.filter { !isJudged($0) && !terms[$0].isConstant(true) })
    access = .orderedSearch(index, ranges: entered.ranges, isAscending: key.isAscending)
    // If other conditions decide, the last row is not known; its value is estimated by the first one.
    let position = open.isEmpty ? needed : 1
    guard let extra = Self.extra(access, query, entered, catalog, position) else { return nil }
    self.extra = extra
    self.query = query
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
    guard open.isEmpty, entered.nearlyDecided.isEmpty,
      entered.ranges.contains(where: { $0.single == nil })
    else { return nil }
    return candidate(entries: needed + extra)
  }

  /// The access path.
  ///
  /// - Parameter others: The other access paths, by which the selectivity of conditions is judged.
  /// - Returns: The access path with its estimate; nil where so many rows would be read that a scan would follow.
  func candidate(others: [Candidate]) -> Candidate? {
    let objects = Double(catalog.objectCount(query.className))
    let rows = others.rowsUntil(needed, match: open, of: objects)
    return candidate(entries: min(rows + extra, inRanges(objects, others)))
  }

  private func candidate(entries: Double) -> Candidate? {
    let isSorted = access.yields(query.order)
    let readsRows = !open.isEmpty || !entered.nearlyDecided.isEmpty || !isSorted
    let most = RowsInOrder.most(of: catalog.objectCount(query.className))
    guard !readsRows || entries <= Double(most) else { return nil }
    var cost = Double(entered.ranges.count) * costs.indexDescent
    cost += entries * (costs.indexStep + (readsRows ? fetch : 0))
    if !isSorted { cost += costs.sorting(entries, for: query) }
    return Candidate(
      access: access, decided: entered.decided, estimate: Estimate(rows: entries, cost: cost))
  }

  /// The number of entries in the ranges.
  private func inRanges(_ objects: Double, _ others: [Candidate]) -> Double {
    guard entered.ranges != ValueRange.everything else { return objects }
    let same = others.first { $0.access == .indexSearch(index, ranges: entered.ranges) }
    return same?.estimate.rows ?? catalog.estimatedRows(index, entered.ranges)
  }

  /// The number of entries that are read beside those of the rows that are needed; nil where they may be most
  /// entries.
  private static func extra(
    _ access: AccessPath, _ query: BoundQuery, _ entered: OrderedRanges, _ catalog: any Catalog,
    _ position: Int
  ) -> Double? {
    guard case .orderedSearch(let index, let ranges, let isAscending) = access else { return nil }
    let undecided =
      entered.undecidedValues.isEmpty
      ? 0 : catalog.estimatedRows(index, entered.undecidedValues)
    if access.yields(query.order) { return undecided }
    // Further criteria decide among the rows with the value of the last row that is needed.
    if index.path.properties?.last?.property.isPrimaryKey == true { return undecided + 1 }
    let ties = catalog.ties(index, ranges, isAscending: isAscending, at: position)
    return ties.map { undecided + Double($0) + 1 }
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
  /// Whether the rows come in an order, ties in order of their keys.
  func yields(_ order: [BoundSortKey]) -> Bool {
    guard case .orderedSearch(let index, let ranges, let isAscending) = self else { return false }
    guard let key = order.first else { return true }
    return order.count == 1 && key.criterion == .value && key.path == index.path
      && key.isAscending == isAscending
      // A null in the index may belong to a missing embedded object, which sorts elsewhere.
      && (index.path.hops.count == 1 || !ranges.contains(where: \.isNull))
  }
}

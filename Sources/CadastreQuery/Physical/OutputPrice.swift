import CadastreModel
import CadastrePredicate

/// The cost of reading the columns that a query yields, for each access path.
///
/// An index whose entries contain the columns costs nothing more; a scan reads them while it scans; rows whose
/// other columns are read have them too. Otherwise the rows of the result are read by key.
struct OutputPrice {
  private let query: BoundQuery
  private let costs: CostModel
  private let paths: [BoundPath]
  private let catalog: any Catalog
  /// The share of the rows whose columns in conditions and order are in memory.
  private let share: Double
  /// Whether the columns of the output are in memory, for most rows.
  private let areCached: Bool
  /// The cost of reading the columns of one row by its key.
  private let byKey: Double
  /// The cost of reading them while all rows are scanned.
  private let whole: Double

  /// The largest number of ordered rows whose columns are read before the order is known.
  private static let fewRows = 1024

  /// Prepares to price the output of a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - share: The share of the rows whose columns in conditions and order are in memory.
  ///   - catalog: The store.
  ///   - costs: The cost model.
  init(_ query: BoundQuery, share: Double, _ catalog: any Catalog, _ costs: CostModel) {
    self.query = query
    self.costs = costs
    self.share = share
    self.catalog = catalog
    paths = query.outputPaths
    let cached = paths.isEmpty ? 0 : catalog.cachedShare(query.className, query.outputPaths)
    areCached = cached >= 0.5
    whole = paths.isEmpty ? 0 : Double(catalog.objectCount(query.className)) * costs.scanStep
    byKey = paths.isEmpty ? 0 : cached * costs.memoryRead + (1 - cached) * costs.rowRead
  }

  /// Returns how a plan with an access path reads the columns.
  ///
  /// - Parameters:
  ///   - access: The access path.
  ///   - isFiltered: Whether conditions are evaluated for the rows that it yields.
  /// - Returns: The access to the columns.
  func access(_ access: AccessPath, isFiltered: Bool) -> OutputAccess {
    guard query.yieldsColumns else { return .nothing }
    let isSorted = access.needsSort(by: query.order)
    if case .scan = access, !isSorted { return .scan }
    guard isFiltered || isSorted else {
      return costs.entryRead <= byKey && catalog.covers(access, paths)
        ? .entries : .keys(areCached: areCached)
    }
    return mayReadEarly(access, isSorted: isSorted) && (share < 0.5 || areCached)
      ? .rows : .keys(areCached: areCached)
  }

  /// Whether the columns may be read before the order of the rows is known.
  ///
  /// Those of the rows that are sorted are kept in memory until then. Large values are read for the result only.
  private func mayReadEarly(_ access: AccessPath, isSorted: Bool) -> Bool {
    let isSmall = paths.allSatisfy { path in
      if case .value(let type) = path.end { type.isSmall } else { true }
    }
    guard isSorted || access.kind == .orderedSearch else { return isSmall }
    switch access {
    case .nearestSearch, .orderedSearch:
      return isSmall && (query.rowsNeeded ?? .max) <= Self.fewRows
    // The first rows of an order are few of those that match.
    default: return isSmall && query.rowsNeeded == nil
    }
  }

  /// Returns the cost of reading the columns.
  ///
  /// - Parameters:
  ///   - rows: The number of rows of the result.
  ///   - access: The access to the columns.
  /// - Returns: The cost in row reads.
  func cost(of rows: Double, _ access: OutputAccess) -> Double {
    let rows = min(rows, query.rowsNeeded.map { Double($0) } ?? rows)
    return switch access {
    case .nothing, .rows: 0
    case .entries: rows * costs.entryRead
    // While the conditions are in memory, only matching rows are read, many of them by segments.
    case .scan: min(rows * (share * byKey + (1 - share) * costs.columnStep), whole)
    case .keys: rows * byKey
    }
  }
}

extension PropertyType {
  /// Whether values of the type usually take a few bytes.
  var isSmall: Bool {
    switch self {
    case .data, .geometry, .any: false
    case .int, .bool, .float, .double, .date, .string, .objectId, .decimal128, .UUID, .object,
      .linkingObjects:
      true
    }
  }
}

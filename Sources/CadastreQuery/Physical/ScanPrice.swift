import CadastrePredicate

/// The cost of a scan: of stepping through the rows, and of evaluating the conditions.
struct ScanPrice {
  private let costs: CostModel
  /// The share of the rows whose columns in conditions and order are in memory.
  private let share: Double
  /// The cost of each row.
  private let step: Double
  /// The cost of reading the columns of a row from the file.
  private let columns: Double
  /// Whether SQLite tests a condition, so that it returns no other rows.
  private let isTested: Bool

  /// Prepares to price the scan of a class.
  ///
  /// - Parameters:
  ///   - terms: The conditions.
  ///   - paths: The paths in conditions and order.
  ///   - share: The share of the rows whose columns in conditions and order are in memory.
  ///   - costs: The cost model.
  init(_ terms: [BoundPredicate], _ paths: [BoundPath], share: Double, _ costs: CostModel) {
    self.costs = costs
    self.share = share
    let filters = FilterOrder.cost(terms) ?? 0
    let test = FilterOrder.beginsWithRelation(terms) ? costs.relationTest : 0
    step = share * costs.memoryStep * filters + (1 - share) * costs.scanStep + test
    columns = costs.columnStep * Double(Set(paths).reduce(0) { $0 + ($1.isPoint ? 2 : 1) })
    isTested = terms.contains(where: FilterOrder.isTestedInScan)
  }

  /// The cost of scanning a number of rows, given the number of those that match.
  func cost(of rows: Double, matching: Double) -> Double {
    costs.scanStart + rows * step + (1 - share) * columns * (isTested ? matching : rows)
  }
}

extension BoundPath {
  /// Whether the path leads to an object, as those of conditions on regions do.
  fileprivate var isPoint: Bool { if case .object = end { true } else { false } }
}

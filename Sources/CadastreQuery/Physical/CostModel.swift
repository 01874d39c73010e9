import CadastrePredicate

/// The cost of each step of a plan, in row reads.
///
/// One row read is fetching one row by its key from a warm page cache, about 1 µs. The figures are
/// the ratios that `Benchmarks/cost.sh` prints; measure again when the table layout, the batch
/// reader or SQLite changes.
package struct CostModel: Hashable, Sendable {
  /// Fetching one row by its key.
  package var rowRead = 1.0
  /// Starting a scan.
  package var scanStart = 4.0
  /// Stepping a scan to the next row and reading a column of it.
  package var scanStep = 0.15
  /// Stepping a scan to the next row and reading only its key.
  package var keyScanStep = 0.08
  /// Comparing a number of a row whose columns are in memory, in a scan; other filters cost a
  /// multiple.
  package var memoryStep = 0.003
  /// Evaluating a row whose columns are in memory, by its key.
  package var memoryRead = 0.01
  /// Descending an ordered index to the start of a range.
  package var indexDescent = 2.0
  /// Stepping an ordered index to the next entry.
  package var indexStep = 0.15
  /// Preparing a region and descending a spatial index.
  package var spatialDescent = 20.0
  /// Opening a search of a full-text index.
  package var textDescent = 20.0
  /// Yielding a point of a spatial index that its node decides.
  package var spatialStep = 0.05
  /// Fetching a geometry that a spatial index yields and testing its relation to a constant.
  package var relationTest = 4.0
  /// Keeping one row in order, where a limit needs the first rows of an order.
  package var sortStep = 0.3
  /// Sorting one key, to intersect or unite it with the keys of other access paths.
  package var keyStep = 0.02

  /// The usual costs.
  package init() {}
}

extension CostModel {
  /// The cost of keeping the first of some rows in the order of a query; an order without a limit costs the same
  /// with each access path.
  func sorting(_ rows: Double, for query: BoundQuery) -> Double {
    guard !query.order.isEmpty, let needed = query.rowsNeeded else { return 0 }
    return min(rows, Double(needed)) * sortStep
  }
}

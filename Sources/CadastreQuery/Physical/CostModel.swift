import CadastreModel
import CadastrePredicate
import Foundation

/// The cost of each step of a plan, in row reads.
///
/// One row read is fetching one row by its key from a warm page cache, about 1 µs or 3,500 instructions. The figures
/// are ratios of the instructions that `Benchmarks/plans` counts for whole queries; `Benchmarks/cost.sh` measures the
/// times of single steps. Measure again when the table layout, the batch reader or SQLite changes.
package struct CostModel: Hashable, Sendable {
  /// Fetching one row by its key.
  package var rowRead = 1.0
  /// Starting a scan.
  package var scanStart = 4.0
  /// Stepping a scan to the next row.
  package var scanStep = 0.15
  /// Reading a column of a row while scanning.
  package var columnStep = 0.3
  /// Stepping a scan to the next row and reading only its key.
  package var keyScanStep = 0.08
  /// Comparing a number of a row whose columns are in memory, in a scan; other filters cost a
  /// multiple.
  package var memoryStep = 0.002
  /// Evaluating a row whose columns are in memory, by its key.
  package var memoryRead = 0.01
  /// Finding the key of a row by its primary key.
  package var keyLookup = 1.5
  /// Descending an ordered index to the start of a range.
  package var indexDescent = 2.0
  /// Stepping an ordered index to the next entry.
  package var indexStep = 0.2
  /// Reading columns of an entry of an ordered index, and putting them in the order of the file.
  package var entryRead = 0.5
  /// Preparing a region and descending a spatial index.
  package var spatialDescent = 20.0
  /// Opening a search of a full-text index.
  package var textDescent = 20.0
  /// Yielding a point of a spatial index that its node decides.
  package var spatialStep = 0.05
  /// Yielding the next nearest point of a spatial index.
  package var nearestStep = 2.0
  /// Fetching a geometry that a spatial index yields and testing its relation to a constant.
  package var relationTest = 4.0
  /// Comparing one row with others, where a limit needs the first rows of an order.
  package var sortStep = 2.0
  /// Sorting one key, to intersect or unite it with the keys of other access paths.
  package var keyStep = 0.02

  /// The usual costs.
  package init() {}
}

extension BoundSortKey {
  /// Whether rows that sort after a value are skipped without being compared with other rows.
  fileprivate var isBounded: Bool {
    guard isIndexOrder, path.isPlain, case .value(let type) = path.end else { return false }
    switch type {
    case .int, .double, .date: return true
    default: return false
    }
  }
}

extension CostModel {
  /// The cost of keeping the first of some rows in the order of a query; an order without a limit costs the same
  /// with each access path.
  ///
  /// If the first criterion is a number, a row is compared only if it is among the first ones so far. In a random order of
  /// n rows, with k rows needed, k (1 + ln(n / k)) rows are compared.
  func sorting(_ rows: Double, for query: BoundQuery) -> Double {
    guard let key = query.order.first, let needed = query.rowsNeeded.map({ Double($0) }) else {
      return 0
    }
    guard rows > needed, key.isBounded else { return rows * sortStep }
    return needed * (1 + log(rows / max(1, needed))) * sortStep
  }
}

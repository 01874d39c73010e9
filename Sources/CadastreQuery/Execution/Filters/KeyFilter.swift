import CadastreModel
import CadastreStore

/// A filter for objects of a class by their keys.
struct KeyFilter {
  let layout: TableLayout
  let columns: [ColumnReference]
  let filter: any BatchFilter
  let rows: any RowProvider

  /// The objects that match.
  func matching(_ keys: Set<Int64>) throws -> Set<Int64> {
    guard !keys.isEmpty else { return [] }
    var found: Set<Int64> = []
    try rows.forEachBatch(layout, columns, of: KeySort.ascending(Array(keys))) { batch in
      for row in try filter.matching(batch) { found.insert(batch.key(row)) }
    }
    return found
  }
}

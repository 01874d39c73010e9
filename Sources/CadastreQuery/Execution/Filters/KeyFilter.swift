import CadastreModel
import CadastreStore

/// A filter for objects of a class by their keys.
struct KeyFilter {
  let layout: TableLayout
  let columns: [ColumnReference]
  let filter: any BatchFilter
  let reader: any StoreReader

  /// The objects that match.
  func matching(_ keys: Set<Int64>) throws -> Set<Int64> {
    guard !keys.isEmpty else { return [] }
    let batches = BatchReader(layout, columns, reader)
    var found: Set<Int64> = []
    try batches.forEachBatch(of: KeySort.ascending(Array(keys))) { batch in
      for row in try filter.matching(batch) { found.insert(batch.key(row)) }
    }
    return found
  }
}

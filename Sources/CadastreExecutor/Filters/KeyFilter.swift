import CadastreModel
import CadastreStore

/// Asks about objects of a class that are known by their keys.
struct KeyFilter {
  let layout: TableLayout
  let columns: [ColumnReference]
  let filter: any BatchFilter
  let reader: any StoreReader

  /// Those of the objects that match.
  func matching(_ keys: Set<Int64>) throws -> Set<Int64> {
    guard !keys.isEmpty else { return [] }
    let batches = BatchReader(layout, columns, reader)
    var batch = batches.makeBatch()
    let ascending = KeySort.ascending(Array(keys))
    var found: Set<Int64> = []
    for start in stride(from: 0, to: ascending.count, by: ColumnBatch.capacity) {
      let end = min(ascending.count, start + ColumnBatch.capacity)
      try batches.read(ascending[start..<end], into: &batch)
      let rows = try filter.matching(batch, among: Array(0..<Int32(batch.keys.count)))
      for row in rows { found.insert(batch.keys[Int(row)]) }
    }
    return found
  }
}

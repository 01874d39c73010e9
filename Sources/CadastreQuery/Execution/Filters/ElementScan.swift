import CadastreModel
import CadastreStore

/// Reads the elements of the collections of a batch's rows, with columns of the objects that they
/// link to.
struct ElementScan {
  let source: RowSource
  /// The slot with the key of the collection's owner; nil where the batch's rows are the owners.
  let owner: Int?
  /// The columns read of each element.
  let columns: [ColumnReference]
  /// The slots of the columns that are null where a link on the path from the element is null: such
  /// elements add nothing.
  let linkColumns: [Int]
  /// The key of the single entry that is read of each map; nil for all elements.
  var key: String?
  let rows: any RowProvider

  /// The key of the owner of a row's collection; nil behind a null link.
  func owner(_ batch: borrowing ColumnBatch, _ row: Int) -> Int64? {
    guard let owner else { return batch.key(row) }
    return batch.columns[owner].isNull(row) ? nil : batch.columns[owner].integer(row)
  }

  /// Calls a closure with the elements of some rows, and the row numbers of those that count.
  ///
  /// The batch may contain elements of other rows.
  func forEachBatch(
    _ batch: borrowing ColumnBatch, _ rows: RowSet,
    _ body: (borrowing ColumnBatch, RowSet) throws -> Void
  ) throws {
    var owners: [Int64] = []
    for row in rows { if let owner = owner(batch, row) { owners.append(owner) } }
    let ascending = KeySort.ascending(owners)
    try self.rows.forEachBatch(source, columns, entry: key, of: ascending) { elements in
      var rows = elements.allRows
      for column in linkColumns {
        elements.columns[column].keep(&rows, areNull: false)
      }
      try body(elements, rows)
    }
  }
}

import CadastreModel
import CadastreStore

/// Reads the elements of the collections of a batch's rows, with columns of the objects that they
/// lead to.
struct ElementScan {
  let source: RowSource
  /// The column with the key of the row that the collection belongs to; nil where that is the batch's
  /// own.
  let owner: Int?
  /// What is read of each element.
  let columns: [ColumnReference]
  /// Columns of the elements that are null where something on the way to the value is null: such
  /// elements add nothing.
  let way: [Int]
  /// The key of the only entry that is read of each map; nil for all elements.
  var key: String?
  let reader: any StoreReader

  /// The key of the row that the collection of a row belongs to; nil behind a null link.
  func owner(_ batch: borrowing ColumnBatch, _ row: Int32) -> Int64? {
    let index = Int(row)
    guard let owner else { return batch.key(index) }
    return batch.columns[owner].isNull[index] ? nil : batch.columns[owner].integers[index]
  }

  /// Gives the elements of some rows to a closure, with the numbers of those that add something.
  ///
  /// Elements of other rows may be among them.
  func forEachBatch(
    _ batch: borrowing ColumnBatch, _ rows: [Int32],
    _ body: (borrowing ColumnBatch, [Int32]) throws -> Void
  ) throws {
    var owners: [Int64] = []
    for row in rows { if let owner = owner(batch, row) { owners.append(owner) } }
    let elements = ElementReader(source, columns, key: key, reader)
    try elements.forEachBatch(of: KeySort.ascending(owners)) { elements in
      var rows = elements.allRows
      for column in way {
        rows = Selection.rows(rows, in: elements.columns[column], areNull: false)
      }
      try body(elements, rows)
    }
  }
}

import CadastreModel
import CadastreStore

/// Keeps the first row of each value of one column of numbers or bytes, without boxing a value for
/// each row.
///
/// Null is a value; rows behind a null link are left out.
struct DistinctColumn {
  private let column: Int
  /// The slots of the columns that are null where a link on the path is null.
  private let linkColumns: [Int]
  private var hasNull = false
  private var numbers: Set<UInt64> = []
  private var texts: Set<[UInt8]> = []

  /// Nil for types whose values need a comparison.
  init?(_ column: Int, of type: PropertyType, linkColumns: [Int]) {
    switch type {
    case .int, .bool, .double, .float, .string: break
    default: return nil
    }
    self.column = column
    self.linkColumns = linkColumns
  }

  /// Calls a closure with the key of each row of a batch whose value is new.
  mutating func take(_ batch: borrowing ColumnBatch, _ body: (Int64) -> Void) {
    let values = batch.columns[column]
    var rows = batch.allRows
    for column in linkColumns { batch.columns[column].keep(&rows, areNull: false) }
    if hasNull { values.keep(&rows, areNull: false) }
    if let dictionary = values.dictionary {
      var new = RowSet(below: dictionary.valueCount)
      new.keep { !texts.contains(Array(dictionary.value($0))) }
      values.keep(&rows, nulls: !hasNull) { dictionary.keep(&$0, values: new) }
    }
    for row in rows {
      if values.isNull(row) {
        if hasNull { continue }
        hasNull = true
      } else if !insert(values, row) {
        continue
      }
      body(batch.key(row))
    }
  }

  private mutating func insert(_ values: BatchColumn, _ row: Int) -> Bool {
    switch values.type {
    case .string: return texts.insert(Array(values.bytes(row))).inserted
    case .double, .float:
      // -0 equals 0, and NaN equals every NaN.
      let number = values.double(row)
      return numbers.insert(number.isNaN ? .max : (number + 0).bitPattern).inserted
    default: return numbers.insert(UInt64(bitPattern: values.integer(row))).inserted
    }
  }
}

import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose comparison with one of some values holds, value by value.
///
/// For types that are not stored contiguously in a batch, and for comparisons of decimals with
/// other numbers.
struct ValueFilter: BatchFilter {
  let column: Int
  let operation: ComparisonOperator
  let values: [Value]
  let options: StringOptions
  /// Whether null sorts before all strings; among values of any type it has no order.
  let isNullOrdered: Bool

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    rows.keep { row in
      let value = column.value(row)
      return values.contains {
        value.matches(operation, $0, options: options, isNullOrdered: isNullOrdered)
      }
    }
  }
}

import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose value stands to one of some values as an operator says, value by value.
///
/// For types whose values do not lie side by side in a batch, and for numbers of two kinds of which
/// one is decimal.
struct ValueFilter: BatchFilter {
  let column: Int
  let operation: ComparisonOperator
  let values: [Value]
  let options: StringOptions
  /// Whether null comes before all strings, as it does but among values of any type.
  let isNullOrdered: Bool

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    rows.filter { row in
      let value = batch.columns[column].value(Int(row))
      return values.contains {
        value.matches(operation, $0, options: options, isNullOrdered: isNullOrdered)
      }
    }
  }
}

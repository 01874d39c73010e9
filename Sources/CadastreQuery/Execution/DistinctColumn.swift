import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps the first row of each value of one column of numbers or texts, without boxing a value for
/// each row; null is a value.
struct DistinctColumn {
  private var hasNull = false
  private var numbers: Set<UInt64> = []
  private var texts: Set<[UInt8]> = []

  /// Nil for several paths, paths through links and embedded objects, and types whose values need a comparison.
  init?(at paths: [BoundPath]) {
    guard paths.count == 1, paths[0].hops.count == 1,
      case .property(let property) = paths[0].hops[0], property.property.collection == nil
    else { return nil }
    self.init(of: property.property.type)
  }

  /// Nil for types whose values need a comparison.
  init?(of type: PropertyType) {
    switch type {
    case .int, .bool, .double, .float, .string: break
    default: return nil
    }
  }

  /// Calls a closure with the key of each row whose value is new.
  mutating func take(
    _ batch: borrowing ColumnBatch, _ column: Int, _ rows: RowSet, _ body: (Int64) -> Void
  ) {
    let values = batch.columns[column]
    var rows = rows
    if hasNull { values.keep(&rows, areNull: false) }
    if let dictionary = values.dictionary {
      var new = RowSet(below: dictionary.valueCount)
      new.keep { !texts.contains(Array(dictionary.value($0))) }
      if new.isEmpty {
        if hasNull { return }
        values.keep(&rows, areNull: true)
      } else {
        values.keep(&rows, nulls: !hasNull) { dictionary.keep(&$0, values: new) }
      }
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

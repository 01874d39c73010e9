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
  /// The dictionary codes seen in the current column.
  private var seen: (codes: ValueCodes, flags: [Bool])?

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
    let vector = batch.columns[column]
    let isNull = vector.isNull
    if vector.codes !== seen?.codes {
      seen = vector.codes.map { ($0, [Bool](repeating: false, count: $0.firstRows.count)) }
    }
    for row in batch.allRows.lazy.map(Int.init) {
      if batch.isNull(row, inAnyOf: linkColumns) { continue }
      if isNull[row] {
        if hasNull { continue }
        hasNull = true
      } else if !insert(vector, row) {
        continue
      }
      body(batch.key(row))
    }
  }

  private mutating func insert(_ vector: borrowing ColumnVector, _ row: Int) -> Bool {
    switch vector.type {
    case .string:
      if let codes = seen?.codes {
        let code = Int(codes.codes[row])
        if seen?.flags[code] == true { return false }
        seen?.flags[code] = true
      }
      return texts.insert(Array(vector.bytes[vector.byteRange(row)])).inserted
    case .double, .float:
      // -0 equals 0, and NaN equals every NaN.
      let number = vector.doubles[row]
      return numbers.insert(number.isNaN ? .max : (number + 0).bitPattern).inserted
    default: return numbers.insert(UInt64(bitPattern: vector.integers[row])).inserted
    }
  }
}

package import CadastreModel

/// One column of a segment, for reading single values.
// A class, so that reading a value copies no references of the arrays.
package final class SegmentColumn {
  /// The key of the first slot.
  package let firstKey: Int64
  let rows: RowSet
  let values: EncodedColumn

  /// Whether the values are whole numbers, booleans, fractions of 64 bits, or keys of linked rows.
  package var hasNumbers: Bool {
    switch values.type {
    case .int, .bool, .double, .object: true
    default: false
    }
  }

  /// Takes the first column of an image.
  package init(_ image: SegmentImage) {
    firstKey = image.firstKey
    rows = image.rows
    values = image.columns[0]
  }

  /// Returns the value of the row with a key; nil where the segment has no such row.
  package func value(_ key: Int64) -> Value? {
    let (slot, overflow) = key.subtractingReportingOverflow(firstKey)
    guard !overflow, slot >= 0, slot < Segment.capacity, rows.contains(Int(slot)) else {
      return nil
    }
    return values.value(Int(slot))
  }
}

package import CadastreModel

/// One column of a segment, of which single values are read.
// A class, so that looking at a value copies none of the arrays' references.
package final class SegmentColumn {
  private let firstKey: Int64
  private let rows: SegmentRows
  private let values: ColumnVector

  /// The first column of an image.
  package init(_ image: SegmentImage) {
    firstKey = image.firstKey
    rows = image.rows
    values = image.columns[0]
  }

  /// The value of the row with a key; nil where that row is not in the segment.
  package func value(_ key: Int64) -> Value? {
    let (slot, overflow) = key.subtractingReportingOverflow(firstKey)
    guard !overflow, slot >= 0, slot < Segment.capacity, rows.contains(Int(slot)) else {
      return nil
    }
    return values.value(Int(slot))
  }
}

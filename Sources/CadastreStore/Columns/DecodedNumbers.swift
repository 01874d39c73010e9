import CadastreModel

/// The numbers of one column of a segment in memory of their own, so that reading one is a single load.
///
/// Whole numbers and the keys of linked rows are themselves, booleans 0 and 1, fractions the bits of a `Double`.
// Memory of its own, because objects read it through a pointer that they keep.
package final class DecodedNumbers {
  /// The numbers, by slot.
  package let numbers: UnsafeMutablePointer<Int64>
  /// One bit for each slot: whether it contains a row whose value is not null.
  package let present: UnsafeMutablePointer<UInt64>

  /// Reserves the memory of a segment.
  package init() {
    numbers = .allocate(capacity: Segment.capacity)
    numbers.initialize(repeating: 0, count: Segment.capacity)
    present = .allocate(capacity: Segment.capacity / 64)
    present.initialize(repeating: 0, count: Segment.capacity / 64)
  }

  deinit {
    numbers.deallocate()
    present.deallocate()
  }

  /// Decodes a column that has numbers.
  package func decode(_ column: SegmentColumn) {
    let values = column.values
    var rows = column.rows
    BatchColumn.encoded(values).keep(&rows, areNull: false)
    present.update(repeating: 0, count: Segment.capacity / 64)
    for (index, word) in rows.words.prefix(Segment.capacity / 64).enumerated() {
      present[index] = word
    }
    if values.type == .double {
      for row in rows { numbers[row] = Int64(bitPattern: values.double(row).bitPattern) }
    } else {
      for row in rows { numbers[row] = values.integer(row) }
    }
  }
}

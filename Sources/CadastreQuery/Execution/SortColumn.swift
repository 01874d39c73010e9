import CadastreModel
import CadastreStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The sort keys of rows in one column of numbers, timestamps or text, without boxing a value for each row.
///
/// Null sorts first, then NaN, then values; rows behind a null link sort last. Descending order is
/// the mirror image, except that ties keep their order.
struct SortColumn: Sendable {
  /// Where the values stand.
  let column: Int
  /// The slots of the columns that are null where a link on the path is null.
  let linkColumns: [Int]
  let isAscending: Bool
  let type: PropertyType

  /// The positions of rows without a value; the position of a row is the number of rows that were added before.
  private var nulls: [UInt32] = []
  private var nans: [UInt32] = []
  private var behindNull: [UInt32] = []
  /// The values, or the beginnings of them.
  private var heads = SortKeys()
  /// The parts of a second, which decide between timestamps of one second.
  private var subseconds = SortKeys()
  /// The bytes of text, end to end, and where each begins and the last one ends.
  private var bytes: [UInt8] = []
  private var offsets = [0]

  /// Nil for types whose values are compared one with the other.
  init?(_ column: Int, of type: PropertyType, linkColumns: [Int], isAscending: Bool) {
    switch type {
    case .int, .bool, .double, .float, .date, .string: break
    default: return nil
    }
    self.column = column
    self.linkColumns = linkColumns
    self.isAscending = isAscending
    self.type = type
  }

  /// Takes in the selected rows of a batch.
  mutating func add(_ batch: borrowing ColumnBatch, _ rows: RowSet) {
    var linked = rows
    for column in linkColumns { batch.columns[column].keep(&linked, areNull: false) }
    let values = batch.columns[column]
    var present = linked
    values.keep(&present, areNull: false)
    if present != rows { noteMissing(rows, linked, present) }
    switch values.type {
    case .double, .float:
      values.withDoubles { numbers in
        addHeads(rows, present) { numbers[$0].isNaN ? nil : Self.head(numbers[$0]) }
      }
    case .date:
      addHeads(rows, present) { RadixSort.sortKey(of: values.timestamp($0).seconds) }
      for row in rows {
        if present.contains(row) {
          subseconds.append(RadixSort.sortKey(of: values.timestamp(row).subsecond))
        } else {
          subseconds.appendMissing()
        }
      }
    case .string:
      addHeads(rows, present) { Self.head(values.bytes($0)) }
      for row in rows {
        if present.contains(row) { bytes += values.bytes(row) }
        offsets.append(bytes.count)
      }
    default:
      values.withIntegers { numbers in
        addHeads(rows, present) { RadixSort.sortKey(of: numbers[$0]) }
      }
    }
  }

  /// Returns the selected rows of a batch that belong to a partition; the column has no rows yet.
  func rows(of batch: borrowing ColumnBatch, _ rows: RowSet, in partition: SortPartition) -> RowSet
  {
    var values = self
    values.add(batch, rows)
    let lowest = RowSet((values.nulls + values.nans).map(Int.init).sorted())
    let highest = RowSet(values.behindNull.map(Int.init))
    var (belonging, next) = (rows, 0)
    belonging.keep { _ in
      let position = next
      next += 1
      if lowest.contains(position) { return partition.hasLowest }
      if highest.contains(position) { return partition.hasHighest }
      return partition.heads.contains(values.heads.numbers[position])
    }
    return belonging
  }

  /// Returns the beginnings of the values of the selected rows of a batch; the column has no rows yet.
  func heads(of batch: borrowing ColumnBatch, _ rows: RowSet) -> [UInt64] {
    var values = self
    values.add(batch, rows)
    let missing = RowSet((values.nulls + values.nans + values.behindNull).map(Int.init).sorted())
    return values.heads.numbers.indices.filter { !missing.contains($0) }
      .map { values.heads.numbers[$0] }
  }

  /// The memory of a row in bytes, without the bytes of texts.
  var bytesPerRow: Int {
    switch type {
    case .string, .date: 16
    default: 8
    }
  }

  /// Returns the sum of the sizes of the texts in the selected rows of a batch, in bytes.
  func textBytes(of batch: borrowing ColumnBatch, _ rows: RowSet) -> Int {
    guard type == .string else { return 0 }
    var present = rows
    batch.columns[column].keep(&present, areNull: false)
    return present.reduce(0) { $0 + batch.columns[column].bytes($1).count }
  }

  /// Reserves memory for the heads of a number of rows.
  mutating func reserve(_ count: Int) { heads.reserve(count) }

  /// Adds the rows of another list for the same column, which come after the rows of this one.
  mutating func add(_ other: SortColumn) {
    let first = UInt32(heads.numbers.count)
    nulls += other.nulls.map { $0 + first }
    nans += other.nans.map { $0 + first }
    behindNull += other.behindNull.map { $0 + first }
    heads.append(other.heads)
    subseconds.append(other.subseconds)
    let start = bytes.count
    bytes += other.bytes
    offsets += other.offsets.dropFirst().map { $0 + start }
  }

  /// Adds the positions of rows that are null or behind a null link.
  private mutating func noteMissing(_ rows: RowSet, _ linked: RowSet, _ present: RowSet) {
    for (position, row) in zip(UInt32(heads.numbers.count)..., rows) where !present.contains(row) {
      if linked.contains(row) { nulls.append(position) } else { behindNull.append(position) }
    }
  }

  /// Adds the heads of the values of some rows; nil is NaN.
  @inline(__always)
  private mutating func addHeads(
    _ rows: RowSet, _ present: RowSet, _ head: (Int) -> UInt64?
  ) {
    for row in rows {
      if !present.contains(row) {
        heads.appendMissing()
      } else if let head = head(row) {
        heads.append(head)
      } else {
        nans.append(UInt32(heads.numbers.count))
        heads.appendMissing()
      }
    }
  }

  private static func head(_ number: Double) -> UInt64 {
    // Adding 0 turns -0 into 0, which is equal to it; below 0 larger bits are smaller numbers.
    let bits = (number + 0).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static func head(_ text: ArraySlice<UInt8>) -> UInt64 {
    var head: UInt64 = 0
    var shift: UInt64 = 56
    for byte in text.prefix(8) {
      head |= UInt64(byte) << shift
      shift &-= 8
    }
    return head
  }

  /// Puts rows in the order of the column; rows with equal values keep their order.
  ///
  /// - Complexity: O(n), and O(m log m) comparisons for each m texts that begin with the same eight
  ///   bytes.
  func sort(_ rows: inout PositionSort) {
    rows.sort(by: subseconds, isAscending: isAscending)
    rows.sort(by: heads, isAscending: isAscending)
    if let ranks { rows.sort(by: ranks, isAscending: isAscending) }
    // Now no rows without a text are between those with equal heads.
    if offsets.count > 1 { sortTexts(&rows) }
  }

  /// The order of null, NaN, values and rows behind a null link; nil where all rows have values.
  private var ranks: SortKeys? {
    if nulls.isEmpty, nans.isEmpty, behindNull.isEmpty { return nil }
    var ranks = [Int64](repeating: 2, count: heads.numbers.count)
    for position in nulls { ranks[Int(position)] = 0 }
    for position in nans { ranks[Int(position)] = 1 }
    for position in behindNull { ranks[Int(position)] = 3 }
    return SortKeys(ranks)
  }

  /// Puts texts in order that begin with the same eight bytes.
  private func sortTexts(_ rows: inout PositionSort) {
    bytes.withUnsafeBytes { bytes in
      // Safe because no thread writes.
      nonisolated(unsafe) let bytes = bytes
      rows.sortTies(of: heads) { first, second in
        let order = compare(first, second, bytes)
        return isAscending ? order < 0 : order > 0
      }
    }
  }

  /// Negative where the first text sorts before the second, positive where it sorts after.
  private func compare(_ first: Int, _ second: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
    let (one, other) = (offsets[first]..<offsets[first + 1], offsets[second]..<offsets[second + 1])
    let common = min(one.count, other.count)
    if common > 0, let base = bytes.baseAddress {
      let order = memcmp(base + one.lowerBound, base + other.lowerBound, common)
      if order != 0 { return Int(order) }
    }
    return one.count - other.count
  }
}

import CadastreModel
import CadastreStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sorts rows by one column of numbers, timestamps or text, without boxing a value for each row.
///
/// Null sorts first, then NaN, then values; rows behind a null link sort last. Descending order is
/// the mirror image, except that ties keep their order.
struct ColumnSort {
  /// Where the values stand.
  let column: Int
  /// The slots of the columns that are null where a link on the path is null.
  let linkColumns: [Int]
  let isAscending: Bool
  /// Whether ties are in order of their keys, instead of the order in which they were added.
  let tiesByKey: Bool
  /// The number of rows that were added.
  private var added: Int64 = 0
  /// The position of each row of the current batch, at its row number; nil where the result has keys.
  private var positions: [Int64]?

  private var nulls: [Int64] = []
  private var nans: [Int64] = []
  private var behindNull: [Int64] = []
  /// The rows with values.
  private var rows: [Int64] = []
  /// Their values, or the beginnings of them, in numbers of the same order.
  private var heads: [UInt64] = []
  /// The parts of a second, which decide between timestamps of one second.
  private var subseconds: [Int64] = []
  /// The bytes of text, end to end, and where each begins and the last one ends.
  private var bytes: [UInt8] = []
  private var offsets = [0]

  /// Nil for types whose values are compared one with the other.
  init?(
    _ column: Int, of type: PropertyType, linkColumns: [Int], isAscending: Bool, tiesByKey: Bool,
    results: RowOrder.Results
  ) {
    switch type {
    case .int, .bool, .double, .float, .date, .string: break
    default: return nil
    }
    self.column = column
    self.linkColumns = linkColumns
    self.isAscending = isAscending
    self.tiesByKey = tiesByKey
    positions = results == .keys ? nil : []
  }

  /// Takes in the selected rows of a batch.
  mutating func add(_ batch: borrowing ColumnBatch, _ selected: RowSet) {
    number(selected)
    let values = batch.columns[column]
    var present = selected
    for column in linkColumns { batch.columns[column].keep(&present, areNull: false) }
    var missing = selected
    missing.subtract(present)
    Self.append(missing, batch, positions, to: &behindNull)
    missing = present
    values.keep(&missing, areNull: true)
    Self.append(missing, batch, positions, to: &nulls)
    values.keep(&present, areNull: false)
    add(values, present, batch)
  }

  /// Takes in rows with values.
  private mutating func add(
    _ values: BatchColumn, _ present: RowSet, _ batch: borrowing ColumnBatch
  ) {
    var present = present
    switch values.type {
    case .double, .float:
      values.withDoubles { numbers in
        var nan = RowSet()
        for row in present {
          if numbers[row].isNaN { nan.insert(row) } else { heads.append(Self.head(numbers[row])) }
        }
        present.subtract(nan)
        Self.append(nan, batch, positions, to: &nans)
      }
    case .date:
      for row in present {
        let moment = values.timestamp(row)
        heads.append(RadixSort.sortKey(of: moment.seconds))
        subseconds.append(moment.subsecond)
      }
    case .string:
      for row in present {
        let text = values.bytes(row)
        heads.append(Self.head(text))
        bytes += text
        offsets.append(bytes.count)
      }
    default:
      values.withIntegers { for row in present { heads.append(RadixSort.sortKey(of: $0[row])) } }
    }
    Self.append(present, batch, positions, to: &rows)
  }

  /// Assigns positions to the rows of a batch, where the result has positions.
  private mutating func number(_ selected: RowSet) {
    guard var positions else { return }
    self.positions = nil
    let count = (selected.last ?? -1) + 1
    if positions.count < count {
      positions.append(contentsOf: repeatElement(0, count: count - positions.count))
    }
    for row in selected {
      positions[row] = added
      added += 1
    }
    self.positions = positions
  }

  /// Appends the keys of some rows of a batch to a list, or their positions.
  private static func append(
    _ selected: RowSet, _ batch: borrowing ColumnBatch, _ positions: [Int64]?,
    to list: inout [Int64]
  ) {
    guard let positions else { return batch.appendKeys(of: selected, to: &list) }
    for row in selected { list.append(positions[row]) }
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

  /// The rows in order.
  ///
  /// - Complexity: O(n), and O(m log m) comparisons for each m texts that begin with the same eight
  ///   bytes.
  func inOrder() -> [Int64] {
    let parts = [inRank(nulls), inRank(nans), values(), inRank(behindNull)]
    return Array((isAscending ? parts : parts.reversed()).joined())
  }

  private func inRank(_ keys: [Int64]) -> [Int64] {
    tiesByKey && !KeySort.isAscending(keys) ? RadixSort.ascending(keys) : keys
  }

  private func values() -> [Int64] {
    var entries = rows.indices.map { RadixSort.Entry(sortKey: 0, index: UInt32($0)) }
    if tiesByKey, !KeySort.isAscending(rows) { sort(&entries) { RadixSort.sortKey(of: rows[$0]) } }
    if !subseconds.isEmpty { sort(&entries) { directed(RadixSort.sortKey(of: subseconds[$0])) } }
    sort(&entries) { directed(heads[$0]) }
    if offsets.count > 1 { settleTexts(&entries) }
    return entries.map { rows[Int($0.index)] }
  }

  private func directed(_ head: UInt64) -> UInt64 { isAscending ? head : ~head }

  private func sort(_ entries: inout [RadixSort.Entry], by head: (Int) -> UInt64) {
    for index in entries.indices { entries[index].sortKey = head(Int(entries[index].index)) }
    RadixSort.sort(&entries)
  }

  /// Puts texts in order that begin with the same eight bytes.
  private func settleTexts(_ entries: inout [RadixSort.Entry]) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < entries.count {
        var end = start + 1
        while end < entries.count, entries[end].sortKey == entries[start].sortKey { end += 1 }
        if end - start > 1 {
          entries[start..<end].sort { first, second in
            let order = compare(Int(first.index), Int(second.index), bytes)
            return isAscending ? order < 0 : order > 0
          }
        }
        start = end
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

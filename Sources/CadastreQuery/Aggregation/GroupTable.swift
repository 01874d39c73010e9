package import CadastreModel
package import CadastreStore

/// The groups of objects whose values in some columns are the same, see `ValueKey`.
///
/// Groups are numbered from 0 in the order of their first objects.
package struct GroupTable {
  /// The values of one column of a batch.
  package enum Source {
    case column(BatchColumn)
    /// Returns the value of a row.
    case values((Int) -> Value)
  }

  private var columns: [ValueNumbers]
  /// The numbers of combinations: of the first two columns, then of each combination and the next column.
  private var pairs: [KeyNumbers]
  /// The group plus one of each combination of all columns; 0 for combinations that no object has.
  private var groups: [Int32] = []
  /// The numbers of the values of one column of a batch.
  private var numbers: [Int32] = []
  /// The number of groups.
  package private(set) var count = 0

  /// Creates a table without groups.
  ///
  /// - Parameter dateParts: For each column the part of its dates that is grouped; nil for the values.
  package init(_ dateParts: [ValueNumbers.DatePart?]) {
    columns = dateParts.map { ValueNumbers(datePart: $0) }
    pairs = Array(repeating: KeyNumbers(), count: max(0, columns.count - 1))
  }

  /// Writes the groups of the rows of a batch.
  ///
  /// - Parameters:
  ///   - sources: The values of each column.
  ///   - rows: The rows.
  ///   - result: Receives the group of each row at the row number; it is extended if necessary.
  ///   - added: Called with the first row of each new group.
  /// - Complexity: O(n), without boxing a value for each row of numbers, texts and dates.
  package mutating func write(
    _ sources: [Source], _ rows: RowSet, to result: inout [Int32], added: (Int) -> Void
  ) {
    guard let last = rows.last else { return }
    result.extend(to: last + 1)
    if sources.isEmpty { for row in rows { result[row] = 0 } }
    for (index, source) in sources.enumerated() {
      if index == 0 {
        write(source, of: index, rows, to: &result)
        continue
      }
      var numbers: [Int32] = []
      swap(&numbers, &self.numbers)
      write(source, of: index, rows, to: &numbers)
      for row in rows {
        result[row] = pairs[index - 1].number(of: KeyNumbers.pair(result[row], numbers[row]))
      }
      swap(&numbers, &self.numbers)
    }
    for row in rows {
      let (group, isNew) = group(of: result[row])
      result[row] = group
      if isNew { added(row) }
    }
  }

  private mutating func write(
    _ source: Source, of index: Int, _ rows: RowSet, to numbers: inout [Int32]
  ) {
    switch source {
    case .column(let column): columns[index].write(column, rows, to: &numbers)
    case .values(let value):
      numbers.extend(to: (rows.last ?? 0) + 1)
      for row in rows { numbers[row] = columns[index].number(of: value(row)) }
    }
  }

  /// Returns the group of an object, and whether it is new.
  ///
  /// - Parameter values: The value of each column; parts of dates are grouped as they are.
  /// - Returns: The group, and whether the object is its first one.
  package mutating func group(of values: [Value]) -> (group: Int32, isNew: Bool) {
    var combination: Int32 = 0
    for (index, value) in values.enumerated() {
      let number = columns[index].number(of: value)
      combination =
        index == 0 ? number : pairs[index - 1].number(of: KeyNumbers.pair(combination, number))
    }
    return group(of: combination)
  }

  private mutating func group(of combination: Int32) -> (group: Int32, isNew: Bool) {
    groups.extend(to: Int(combination) + 1)
    let group = groups[Int(combination)]
    if group > 0 { return (group - 1, false) }
    count += 1
    groups[Int(combination)] = Int32(count)
    return (Int32(count) - 1, true)
  }
}

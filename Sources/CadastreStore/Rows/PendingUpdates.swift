import CadastreModel
import CadastreSQLite

/// Changes of stored rows of one class that are not in the file yet.
///
/// A loop over objects sets the same columns of one row after the other. Its changes are written with a
/// statement for many rows, which takes a third of the time of a statement for each.
final class PendingUpdates {
  /// The columns that are set in each row, in the order of the changes.
  @exclusivity(unchecked) private var columns: [Int] = []
  /// The keys of the rows, ascending.
  @exclusivity(unchecked) private var keys: [Int64] = []
  /// The values, row by row; the last row may lack some.
  @exclusivity(unchecked) private var values: [Value] = []
  /// The bytes of the texts and the data, those that were replaced included.
  @exclusivity(unchecked) private var byteCount = 0

  /// The number of rows that may wait.
  private static let mostRows = 1024
  /// The number of bytes that may wait.
  private static let mostBytes = 1 << 20
  /// The number of rows from which on they are written together.
  private static let leastRows = 4

  /// Whether nothing waits.
  var isEmpty: Bool { keys.isEmpty }

  /// Adds the change of a column.
  ///
  /// - Returns: Whether it fits to those that wait; otherwise they must be written before it.
  func add(_ key: Int64, _ column: Int, _ value: Value) -> Bool {
    guard byteCount < Self.mostBytes else { return false }
    if key == keys.last {
      let first = (keys.count - 1) * columns.count
      if let place = columns.firstIndex(of: column), first + place <= values.count {
        if first + place == values.count {
          values.append(value)
        } else {
          values[first + place] = value
        }
      } else {
        guard keys.count == 1, !columns.contains(column) else { return false }
        columns.append(column)
        values.append(value)
      }
    } else {
      if let last = keys.last {
        guard key > last, column == columns[0], hasRoom,
          values.count == keys.count * columns.count
        else { return false }
      } else {
        columns = [column]
      }
      keys.append(key)
      values.append(value)
    }
    byteCount += value.byteCount ?? 0
    return true
  }

  /// Adds changes of several columns of a row.
  ///
  /// - Returns: Whether they fit to those that wait; otherwise those must be written before them.
  func add(_ key: Int64, _ changes: [(column: Int, value: Value)]) -> Bool {
    if let last = keys.last {
      guard key > last, changes.map(\.column) == columns, hasRoom,
        values.count == keys.count * columns.count
      else { return false }
    } else {
      columns = changes.map(\.column)
    }
    keys.append(key)
    for change in changes {
      values.append(change.value)
      byteCount += change.value.byteCount ?? 0
    }
    return true
  }

  /// Whether another row may wait.
  private var hasRoom: Bool { keys.count < Self.mostRows && byteCount < Self.mostBytes }

  /// Whether changes of a row wait.
  ///
  /// - Complexity: O(log n).
  func contains(_ key: Int64) -> Bool {
    keys.ascendingIndex(of: key) != nil
  }

  /// The value that a column of a row will have; nil where none waits.
  func value(_ key: Int64, _ column: Int) -> Value? {
    guard let row = keys.ascendingIndex(of: key), let place = columns.firstIndex(of: column) else {
      return nil
    }
    let index = row * columns.count + place
    return index < values.count ? values[index] : nil
  }

  /// Writes the changes.
  ///
  /// - Throws: ``StoreError``, `corrupt` where a row is missing.
  func write(_ writer: TableWriter) throws(StoreError) {
    // The last row may lack columns that the others have.
    let isComplete = values.count == keys.count * columns.count
    let complete = isComplete ? keys.count : keys.count - 1
    if complete < Self.leastRows {
      for row in 0..<complete { try writeRow(row, writer) }
    } else {
      try writer.update(Array(keys[..<complete]), columns, to: self)
    }
    if !isComplete { try writeRow(complete, writer) }
  }

  private func writeRow(_ row: Int, _ writer: TableWriter) throws(StoreError) {
    let key = ObjectKey(keys[row])
    let found: Bool
    if columns.count == 1 {
      found = try writer.update(key, columns[0], values[row])
    } else {
      let values = values[(row * columns.count)...].prefix(columns.count)
      found = try writer.update(key, zip(columns, values).map { (column: $0, value: $1) })
    }
    guard found else { throw writer.missingRows }
  }

  func removeAll() {
    keys.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    byteCount = 0
  }
}

extension PendingUpdates: RowValues {
  func store(_ place: Int, of key: Int64, in result: FunctionResult) {
    guard let row = keys.ascendingIndex(of: key) else { return }
    // The result of a function takes every value.
    try? values[row * columns.count + place].store(in: result)
  }
}

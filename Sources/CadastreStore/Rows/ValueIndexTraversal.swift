package import CadastreModel
package import CadastreSQLite

/// Traverses an ordered index from one end; null is the smallest value.
package final class ValueIndexTraversal {
  private let statement: Statement
  private let type: PropertyType
  private let isAscending: Bool
  private var isAtEnd = false
  /// The entries whose values SQLite orders elsewhere, in reverse order: dates that are stored as bytes.
  private var outOfOrder: [(key: Int64, value: Value)] = []
  /// Whether the statement is at an entry that sorts after the current one.
  private var isAhead = false
  /// The current entry if it is one of `outOfOrder`.
  private var current: (key: Int64, value: Value)?
  /// The value of the last returned entry.
  package private(set) var lastValue = Value.null

  /// Starts at one end of an index of a class.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, isAscending: Bool,
    _ reader: any StoreReader
  ) throws(StoreError) {
    type = layout.columns[index.column].type
    self.isAscending = isAscending
    statement = try reader.connection.statement(
      isAscending ? index.sql.ascending : index.sql.descending)
    guard type == .date else { return }
    let bytes = try reader.connection.statement(index.sql.bytes)
    while try bytes.step() { outOfOrder.append((bytes.integer(0), bytes.value(1, as: type))) }
    outOfOrder.sort { first, second in
      let order = first.value.ordering(second.value)
      let isBefore = order == .same ? first.key < second.key : order == .ascending
      return isBefore != isAscending
    }
  }

  deinit { statement.reset() }

  /// Returns the next entry; nil at the end.
  ///
  /// - Complexity: O(log n) for the first entry, O(1) for each further one.
  package func next() throws(StoreError) -> (key: Int64, value: Value)? {
    guard try step() else { return nil }
    return current ?? (statement.integer(0), statement.value(1, as: type))
  }

  /// Returns the keys of the next entries; none at the end.
  ///
  /// - Complexity: O(log n) for the first entry, O(1) for each further one.
  package func next(_ count: Int) throws(StoreError) -> [Int64] {
    var keys: [Int64] = []
    while keys.count < count, try step() {
      keys.append(current?.key ?? statement.integer(0))
      // Only the last entry's value is needed.
      if keys.count == count { lastValue = current?.value ?? statement.value(1, as: type) }
    }
    return keys
  }

  /// Moves to the next entry and returns whether there is one.
  private func step() throws(StoreError) -> Bool {
    if !isAhead { try stepStatement() }
    (isAhead, current) = (false, nil)
    guard let next = outOfOrder.last else { return !isAtEnd }
    if !isAtEnd {
      let order = next.value.ordering(statement.value(1, as: type))
      guard order == (isAscending ? .ascending : .descending) else { return true }
      isAhead = true
    }
    current = outOfOrder.removeLast()
    return true
  }

  /// Moves the statement to its next entry in order; stepping again at the end would restart it.
  private func stepStatement() throws(StoreError) {
    repeat {
      if !isAtEnd { isAtEnd = try !statement.step() }
    } while !isAtEnd && type == .date && statement.storage(1) == .blob
  }
}

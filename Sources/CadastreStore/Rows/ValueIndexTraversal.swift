package import CadastreModel
package import CadastreSQLite

/// Traverses an ordered index from one end; null is the smallest value.
package final class ValueIndexTraversal {
  private let statement: Statement
  private let type: PropertyType
  private var isAtEnd = false
  /// The value of the last returned entry.
  package private(set) var lastValue = Value.null

  /// Starts at one end of an index of a class.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, isAscending: Bool,
    _ reader: any StoreReader
  ) throws(StoreError) {
    type = layout.columns[index.column].type
    statement = try reader.connection.statement(
      isAscending ? index.sql.ascending : index.sql.descending)
  }

  deinit { statement.reset() }

  /// Returns the next entry; nil at the end.
  ///
  /// - Complexity: O(log n) for the first entry, O(1) for each further one.
  package func next() throws(StoreError) -> (key: Int64, value: Value)? {
    try step() ? (statement.integer(0), statement.value(1, as: type)) : nil
  }

  /// Returns the keys of the next entries; none at the end.
  ///
  /// - Complexity: O(log n) for the first entry, O(1) for each further one.
  package func next(_ count: Int) throws(StoreError) -> [Int64] {
    var keys: [Int64] = []
    while keys.count < count, try step() {
      keys.append(statement.integer(0))
      // Only the last entry's value is needed.
      if keys.count == count { lastValue = statement.value(1, as: type) }
    }
    return keys
  }

  /// Moves to the next entry and returns whether there is one; stepping again at the end would restart the
  /// statement.
  private func step() throws(StoreError) -> Bool {
    if !isAtEnd { isAtEnd = try !statement.step() }
    return !isAtEnd
  }
}

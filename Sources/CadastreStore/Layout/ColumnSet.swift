/// A set of columns of a table.
// Columns below 64 are bits of a word, so that the sets of most tables allocate no memory.
package struct ColumnSet: Hashable, Sendable {
  private var bits: UInt64 = 0
  /// The columns from 64 on.
  private var others: Set<Int> = []

  /// Creates an empty set.
  package init() {}

  /// Whether the set has no columns.
  package var isEmpty: Bool { bits == 0 && others.isEmpty }

  /// Returns whether the set has a column.
  package func contains(_ column: Int) -> Bool {
    column < UInt64.bitWidth ? bits >> UInt64(column) & 1 != 0 : others.contains(column)
  }

  /// Adds a column.
  package mutating func insert(_ column: Int) {
    if column < UInt64.bitWidth { bits |= 1 << UInt64(column) } else { others.insert(column) }
  }

  /// Removes a column.
  package mutating func remove(_ column: Int) {
    if column < UInt64.bitWidth { bits &= ~(1 << UInt64(column)) } else { others.remove(column) }
  }
}

extension ColumnSet: ExpressibleByArrayLiteral {
  /// Creates a set of some columns.
  package init(arrayLiteral columns: Int...) {
    for column in columns { insert(column) }
  }
}

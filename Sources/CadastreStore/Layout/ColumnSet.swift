/// A set of columns of a table.
// Columns below 64 are bits of a word, so that the sets of most tables allocate no memory.
package struct ColumnSet: Hashable, Sendable {
  private var bits: UInt64 = 0
  /// The columns from 64 on.
  private var others: Set<Int> = []

  /// Creates an empty set.
  package init() {}

  /// Creates a set of the columns of a sequence.
  package init(_ columns: some Sequence<Int>) {
    for column in columns { insert(column) }
  }

  /// Whether the set has no columns.
  package var isEmpty: Bool { bits == 0 && others.isEmpty }

  /// Returns whether the set has a column.
  package func contains(_ column: Int) -> Bool {
    column < UInt64.bitWidth ? bits >> UInt64(column) & 1 != 0 : others.contains(column)
  }

  /// Returns whether the sets have no column in common.
  package func isDisjoint(with other: Self) -> Bool {
    bits & other.bits == 0
      && (others.isEmpty || other.others.isEmpty || others.isDisjoint(with: other.others))
  }

  /// Adds the columns of another set.
  package mutating func formUnion(_ other: Self) {
    bits |= other.bits
    if !other.others.isEmpty { others.formUnion(other.others) }
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
  package init(arrayLiteral columns: Int...) { self.init(columns) }
}

extension ColumnSet: Sequence {
  /// Returns the columns one after the other; those below 64 come first, ascending.
  package func makeIterator() -> Iterator { Iterator(bits: bits, others: others.makeIterator()) }

  /// An iterator over the columns.
  package struct Iterator: IteratorProtocol {
    fileprivate var bits: UInt64
    fileprivate var others: Set<Int>.Iterator

    /// Returns the next column, or nil at the end.
    package mutating func next() -> Int? {
      guard bits != 0 else { return others.next() }
      defer { bits &= bits - 1 }
      return bits.trailingZeroBitCount
    }
  }
}

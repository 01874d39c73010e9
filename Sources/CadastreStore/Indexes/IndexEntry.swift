import CadastreSQLite

/// An entry of an ordered index.
package struct IndexEntry: Hashable, Sendable {
  /// The key of the row.
  package let key: Int64
  /// The integer that a traversal reads with the key; nil for null, and where it reads none.
  package let integer: Int64?

  /// Creates an entry.
  package init(key: Int64, integer: Int64? = nil) {
    self.key = key
    self.integer = integer
  }
}

extension ValueIndexSQL {
  /// Returns the entry in the current row of one of the queries for keys.
  @inline(__always)
  func entry(_ row: Statement) -> IndexEntry {
    let hasInteger = valuePosition > 1 && row.storage(1) == .integer
    return IndexEntry(key: row.integer(0), integer: hasInteger ? row.integer(1) : nil)
  }
}

package import CadastreModel

/// A column of a class, or of a class at the end of a chain of links.
package struct ColumnReference: Hashable, Sendable {
  /// One link of the chain: the column of its key, and its target class.
  package struct Hop: Hashable, Sendable {
    /// The column in the table of the linking class.
    package let column: Int
    /// The linked class.
    package let target: String

    /// Creates a link by a column to a class.
    package init(column: Int, target: String) {
      self.column = column
      self.target = target
    }
  }

  /// The chain of links; empty for the class itself.
  package let hops: [Hop]
  /// The column in the last class's table.
  package let column: Int
  /// The type of its values.
  package let type: PropertyType

  /// Creates a reference to a column behind some links.
  package init(hops: [Hop], column: Int, type: PropertyType) {
    self.hops = hops
    self.column = column
    self.type = type
  }
}

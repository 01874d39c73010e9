package import CadastreModel

/// A column of a class, or of a class that links lead to from there.
package struct ColumnReference: Hashable, Sendable {
  /// A link that is followed: the column of its key, and the class that it leads to.
  package struct Hop: Hashable, Sendable {
    /// The column in the table of the class before.
    package let column: Int
    /// The class after.
    package let target: String

    /// Follows a link column to a class.
    package init(column: Int, target: String) {
      self.column = column
      self.target = target
    }
  }

  /// The links on the way.
  package let hops: [Hop]
  /// The column in the last class's table.
  package let column: Int
  /// The type of its values.
  package let type: PropertyType

  /// Refers to a column behind some links.
  package init(hops: [Hop], column: Int, type: PropertyType) {
    self.hops = hops
    self.column = column
    self.type = type
  }
}

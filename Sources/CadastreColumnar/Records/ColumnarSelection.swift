package import CadastreModel

/// A box of coordinates, border included; a box whose west is greater than its east crosses ±180°.
package struct ColumnarBox: Hashable, Sendable {
  package var west: Double
  package var south: Double
  package var east: Double
  package var north: Double

  /// Creates a box of degrees.
  package init(west: Double, south: Double, east: Double, north: Double) {
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Returns whether the box shares a point with the box between two corners.
  ///
  /// A corner that is not a number does not exclude anything.
  func touches(xMin: Double, yMin: Double, xMax: Double, yMax: Double) -> Bool {
    if yMax < south || yMin > north { return false }
    return west <= east ? !(xMax < west || xMin > east) : !(xMax < west && xMin > east)
  }
}

/// An interval of the values of a column, bounds included; nil is no bound.
package struct ColumnarInterval: Hashable, Sendable {
  package var column: String
  package var lower: Value?
  package var upper: Value?

  /// Creates an interval.
  package init(column: String, lower: Value?, upper: Value?) {
    (self.column, self.lower, self.upper) = (column, lower, upper)
  }
}

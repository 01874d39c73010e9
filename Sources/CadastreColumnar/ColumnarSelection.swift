package import CadastreModel

/// A bounding box, border included, which crosses ±180° if `west` is greater than `east`.
package struct ColumnarBox: Hashable, Sendable {
  package var west: Double
  package var south: Double
  package var east: Double
  package var north: Double

  /// Creates a box of degrees.
  package init(west: Double, south: Double, east: Double, north: Double) {
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Returns whether the box intersects another box.
  ///
  /// A NaN bound of the other box excludes nothing.
  func touches(xMin: Double, yMin: Double, xMax: Double, yMax: Double) -> Bool {
    if yMax < south || yMin > north { return false }
    return west <= east ? !(xMax < west || xMin > east) : !(xMax < west && xMin > east)
  }
}

/// The bounds of a GeoParquet covering column, which has the bounding box of each geometry.
struct CoveringBounds {
  /// The range of the western sides.
  var west: ClosedRange<Double>
  /// The minimum of the southern sides.
  var south: Double
  /// The range of the eastern sides.
  var east: ClosedRange<Double>
  /// The maximum of the northern sides.
  var north: Double

  /// Returns whether a bounding box of the column may intersect a box.
  ///
  /// A bounding box whose west is greater than its east crosses ±180°. It is assumed to be narrower than 180°; otherwise the
  /// bounds of boxes near both edges of a map would look like those of a crossing box.
  func mayTouch(_ box: ColumnarBox) -> Bool {
    if box.touches(xMin: west.lowerBound, yMin: south, xMax: east.upperBound, yMax: north) {
      return true
    }
    guard north >= box.south, south <= box.north, mayCross else { return false }
    return box.west > box.east || box.east >= east.lowerBound + Self.halfTurn
      || box.west <= west.upperBound - Self.halfTurn
  }

  /// Whether a bounding box of the column may cross ±180°.
  var mayCross: Bool { west.upperBound - east.lowerBound > Self.halfTurn }

  private static let halfTurn = 180.0
}

/// A closed interval of the values of a column; it is unbounded where a bound is nil.
package struct ColumnarInterval: Hashable, Sendable {
  package var column: String
  package var lower: Value?
  package var upper: Value?

  /// Creates an interval.
  package init(column: String, lower: Value?, upper: Value?) {
    (self.column, self.lower, self.upper) = (column, lower, upper)
  }
}

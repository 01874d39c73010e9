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

/// The bounds of the covering boxes of some geometries.
struct CoveringBounds {
  /// The least and the greatest western side.
  var west: ClosedRange<Double>
  /// The least and the greatest eastern side.
  var east: ClosedRange<Double>
  /// The least southern side.
  var south: Double
  /// The greatest northern side.
  var north: Double

  /// Returns false if no covering box can share a point with a box.
  ///
  /// A covering box whose west is greater than its east crosses ±180°; it is taken to be narrower than 180°, so that boxes
  /// on both sides of a map do not count as one that crosses.
  func mayTouch(_ box: ColumnarBox) -> Bool {
    if box.touches(xMin: west.lowerBound, yMin: south, xMax: east.upperBound, yMax: north) {
      return true
    }
    guard north >= box.south, south <= box.north, mayCross else { return false }
    return box.west > box.east || box.east >= east.lowerBound + Self.halfTurn
      || box.west <= west.upperBound - Self.halfTurn
  }

  /// Whether some box may cross ±180°.
  var mayCross: Bool { west.upperBound - east.lowerBound > Self.halfTurn }

  private static let halfTurn = 180.0
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

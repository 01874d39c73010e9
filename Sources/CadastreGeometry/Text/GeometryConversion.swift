/// The conversion of the positions and the rings of a file or a text to those of a geometry.
package struct GeometryConversion {
  /// Returns the longitude and the latitude in degrees of a position, nil if it has none; nil for degrees.
  package var degrees: ((Double, Double) -> (longitude: Double, latitude: Double)?)?
  /// A change of a geometry that the model cannot have as it is.
  package enum Change: Hashable, Sendable {
    /// Open rings of a polygon are closed.
    case openRing
    /// Curves become lines, and patches of surfaces become polygons.
    case curve
  }

  /// Called for each changed geometry; nil to refuse geometries that must be changed.
  package var onChange: ((Change) -> Void)?
  /// Whether records are read without their geometries.
  package var ignoresGeometries = false

  /// Creates a conversion.
  package init(
    degrees: ((Double, Double) -> (longitude: Double, latitude: Double)?)? = nil,
    onChange: ((Change) -> Void)? = nil
  ) {
    self.degrees = degrees
    self.onChange = onChange
  }
}

extension GeoPosition {
  /// Creates a position from coordinates, converted if there is a conversion; nil if the result is
  /// out of range.
  package init?(_ x: Double, _ y: Double, altitude: Double?, _ conversion: GeometryConversion?) {
    guard let degrees = conversion?.degrees else {
      self.init(longitude: x, latitude: y, altitude: altitude)
      return
    }
    guard let (longitude, latitude) = degrees(x, y) else { return nil }
    self.init(longitude: longitude, latitude: latitude, altitude: altitude)
  }
}

extension Geometry {
  /// Creates a geometry from a shape, and closes open rings if the conversion does.
  ///
  /// - Throws: ``GeometryError`` as ``init(_:)``.
  /// - Complexity: O(n) in the number of positions.
  package init(_ shape: Shape, _ conversion: GeometryConversion?) throws(GeometryError) {
    do throws(GeometryError) {
      try self.init(shape)
    } catch {
      guard let onChange = conversion?.onChange, let closed = shape.withClosedRings else {
        throw error
      }
      try self.init(closed)
      onChange(.openRing)
    }
  }
}

extension Geometry.Shape {
  /// The shape with each open ring closed by its first position; nil if no ring is open.
  fileprivate var withClosedRings: Geometry.Shape? {
    var isChanged = false
    func closed(_ rings: [[GeoPosition]]) -> [[GeoPosition]] {
      rings.map { ring in
        guard ring.count >= 3, let first = ring.first, ring.last != first else { return ring }
        isChanged = true
        return ring + [first]
      }
    }
    let shape: Geometry.Shape =
      switch self {
      case .polygon(let rings): .polygon(closed(rings))
      case .multiPolygon(let polygons): .multiPolygon(polygons.map(closed))
      default: self
      }
    return isChanged ? shape : nil
  }
}

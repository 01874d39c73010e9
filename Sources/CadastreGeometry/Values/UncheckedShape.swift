/// A shape whose numbers and rings have not been validated.
///
/// The parser of predicates produces unchecked shapes, because `geoCircle([200, 0], 1)` is correct syntax.
/// `checked()` converts it into a `GeoShape` or throws the violated rule.
package enum UncheckedShape: Hashable, Sendable {
  /// A position: longitude and latitude in degrees, altitude in metres.
  package struct Position: Hashable, Sendable, CustomStringConvertible {
    package var longitude: Double
    package var latitude: Double
    package var altitude: Double

    /// Creates a position from any numbers.
    package init(longitude: Double, latitude: Double, altitude: Double = 0) {
      self.longitude = longitude
      self.latitude = latitude
      self.altitude = altitude
    }

    /// The position in the syntax of predicates.
    package var description: String {
      altitude == 0 ? "[\(longitude), \(latitude)]" : "[\(longitude), \(latitude), \(altitude)]"
    }
  }

  /// Two corners.
  case box(Position, Position)
  /// A centre and a radius in radians.
  case circle(Position, radiusInRadians: Double)
  /// An exterior ring, then holes.
  case polygon([[Position]])
  /// Several polygons, each an exterior ring and holes.
  case multiPolygon([[[Position]]])

  /// Returns the validated shape.
  ///
  /// - Throws: ``RegionError`` for the first number out of range or ring not closed, in the order
  ///   of the text.
  /// - Complexity: O(n) in the number of positions.
  package func checked() throws(RegionError) -> GeoShape {
    do throws(RegionError.Reason) {
      switch self {
      case .box(let first, let second):
        return .box(GeoBox(bottomLeft: try point(first), topRight: try point(second)))
      case .circle(let center, let radius):
        guard let circle = GeoCircle(center: try point(center), radiusInRadians: radius)
        else { throw .invalidRadius(radius) }
        return .circle(circle)
      case .polygon(let rings):
        return .polygon(try polygon(rings))
      case .multiPolygon(let polygons):
        var checked: [GeoPolygon] = []
        for rings in polygons { checked.append(try polygon(rings)) }
        return .multiPolygon(checked)
      }
    } catch {
      throw RegionError(shape: description, reason: error)
    }
  }

  private func point(_ position: Position) throws(RegionError.Reason) -> GeoPoint {
    guard CoordinateRange.longitude.contains(position.longitude)
    else { throw .longitudeOutOfRange(position.longitude) }
    guard CoordinateRange.latitude.contains(position.latitude)
    else { throw .latitudeOutOfRange(position.latitude) }
    guard
      let point = GeoPoint(
        latitude: position.latitude, longitude: position.longitude, altitude: position.altitude)
    else { throw .altitudeOutOfRange(position.altitude) }
    return point
  }

  private func polygon(_ rings: [[Position]]) throws(RegionError.Reason) -> GeoPolygon {
    var checked: [[GeoPoint]] = []
    for (index, ring) in rings.enumerated() {
      var points: [GeoPoint] = []
      for position in ring { points.append(try point(position)) }
      guard let first = points.first else { throw .tooFewVertices(ring: index) }
      guard points.last == first else { throw .ringNotClosed(ring: index) }
      guard points.count >= 4 else { throw .tooFewVertices(ring: index) }
      checked.append(points)
    }
    guard let exterior = checked.first,
      let polygon = GeoPolygon(outerRing: exterior, holes: Array(checked.dropFirst()))
    else { throw .empty }
    return polygon
  }
}

extension UncheckedShape: CustomStringConvertible {
  /// The shape in the syntax of predicates.
  package var description: String {
    switch self {
    case .box(let first, let second): "geoBox(\(first), \(second))"
    case .circle(let center, let radius): "geoCircle(\(center), \(radius))"
    case .polygon(let rings): GeoPolygon.text(rings)
    case .multiPolygon(let polygons):
      "geoMultiPolygon(" + polygons.map { GeoPolygon.text($0) }.joined(separator: ", ") + ")"
    }
  }
}

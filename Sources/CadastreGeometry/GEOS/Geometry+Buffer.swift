import CGEOS

extension Geometry {
  /// The greatest angle in degrees between the middle of a geometry and the border of its buffer.
  private static let maximumReach = 30.0

  /// Returns the points within a distance of the geometry, as polygons of great-circle edges.
  ///
  /// The geometry is projected to a plane in which distances from its middle are exact. At an angle c
  /// from the middle other distances are too long by up to a factor of c / sin c: 0.13 % at 5°, 0.5 %
  /// at 10°, 4.7 % at 30°. Edges are straight in the plane. A quarter of a circle has 16 edges, which
  /// are up to 0.12 % of the distance inside of it. Use ``isWithin(_:of:edges:)`` for exact tests.
  ///
  /// - Parameter distance: The distance.
  /// - Returns: A polygon or a multi-polygon, without altitudes; empty if the geometry is.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if the result is farther than 30° from the middle,
  ///   if an edge is a whole parallel, or if GEOS fails.
  public func buffered(by distance: Distance) throws(GeometryError) -> Geometry {
    let parts = parts
    guard
      (parts.lines + parts.polygons.joined()).allSatisfy({
        $0.map(\.vertex).wholeParallels.isEmpty
      })
    else { throw .geometryLibrary("an edge of 360° of longitude has no buffer") }
    guard let middle else { return Geometry() }
    let projection = AzimuthalProjection(center: middle)
    var reach = 0.0
    let plane = mapPositions { position in
      let image = projection.project(position)
      reach = max(reach, (image.x * image.x + image.y * image.y).squareRoot())
      return GeoPosition(uncheckedLongitude: image.x, latitude: image.y)
    }
    let width = distance.radians / radiansPerDegree
    guard reach + width <= Self.maximumReach else {
      throw .geometryLibrary(
        "a buffer reaches at most \(Self.maximumReach)° from the middle, found \(reach + width)°")
    }
    return try plane.transformed { GEOSBuffer_r($0, $1, width, 16) }.mapPositions {
      projection.position(of: PlanePoint(x: $0.longitude, y: $0.latitude))
    }
  }

  /// The direction of the mean of all positions; nil without one.
  private var middle: UnitVector? {
    var sum = UnitVector(x: 0, y: 0, z: 0)
    _ = mapPositions { position in
      sum = sum + UnitVector(longitude: position.longitude, latitude: position.latitude)
      return position
    }
    return sum.normalized
  }

  /// Returns the geometry with other positions.
  func mapPositions(_ map: (GeoPosition) -> GeoPosition) -> Geometry {
    let shape: Shape =
      switch shape {
      case .point(let position): .point(position.map(map))
      case .lineString(let line): .lineString(line.map(map))
      case .polygon(let rings): .polygon(rings.map { $0.map(map) })
      case .multiPoint(let positions): .multiPoint(positions.map(map))
      case .multiLineString(let lines): .multiLineString(lines.map { $0.map(map) })
      case .multiPolygon(let polygons):
        .multiPolygon(polygons.map { $0.map { $0.map(map) } })
      case .collection(let parts): .collection(parts.map { $0.mapPositions(map) })
      }
    return Geometry(unchecked: shape)
  }
}

/// An azimuthal equidistant projection to a plane of degrees.
///
/// Distances from the centre are exact.
private struct AzimuthalProjection {
  private let center: UnitVector
  private let east: UnitVector
  private let north: UnitVector

  init(center: UnitVector) {
    self.center = center
    let angle = center.longitude * radiansPerDegree
    east = UnitVector(x: -sine(angle), y: cosine(angle), z: 0)
    north = center.cross(east)
  }

  /// Returns the image of a position.
  func project(_ position: GeoPosition) -> PlanePoint {
    let direction = UnitVector(longitude: position.longitude, latitude: position.latitude)
    let (x, y) = (direction.dot(east), direction.dot(north))
    let radius = (x * x + y * y).squareRoot()
    guard radius > 0 else { return PlanePoint(x: 0, y: 0) }
    let scale = arcTangent(y: radius, x: direction.dot(center)) / radiansPerDegree / radius
    return PlanePoint(x: x * scale, y: y * scale)
  }

  /// Returns the position whose image is a point.
  func position(of point: PlanePoint) -> GeoPosition {
    let radius = (point.x * point.x + point.y * point.y).squareRoot()
    let angle = radius * radiansPerDegree
    let scale = radius > 0 ? sine(angle) / radius : 0
    let depth = cosine(angle)
    let direction = UnitVector(
      x: center.x * depth + (east.x * point.x + north.x * point.y) * scale,
      y: center.y * depth + (east.y * point.x + north.y * point.y) * scale,
      z: center.z * depth + (east.z * point.x + north.z * point.y) * scale)
    return GeoPosition(
      uncheckedLongitude: direction.longitude, latitude: direction.latitude)
  }
}

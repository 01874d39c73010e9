package import CadastreGeometry

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Conversion of a query region into rings for drawing.
package enum RegionOutline {
  /// Returns the closed rings of a region's border; long edges are divided to show their curvature.
  ///
  /// - Parameters:
  ///   - shape: The region.
  ///   - edges: Whether edges are great-circle arcs or straight lines in degrees.
  /// - Returns: One ring for each ring of the shape, holes included.
  /// - Complexity: O(n) in the number of corners.
  package static func rings(of shape: GeoShape, edges: EdgeModel = .spherical) -> [[MapPoint]] {
    switch shape {
    case .circle(let circle): [ring(circle)]
    case .box(let box): box.parts(edges: edges).map { course(corners($0), edges) }
    case .polygon(let polygon): polygonRings(polygon, edges)
    case .multiPolygon(let polygons): polygons.flatMap { polygonRings($0, edges) }
    }
  }

  private static func polygonRings(_ polygon: GeoPolygon, _ edges: EdgeModel) -> [[MapPoint]] {
    polygon.rings.map { course($0.map(MapPoint.init), edges) }
  }

  private static func corners(_ box: GeoBox) -> [MapPoint] {
    let (first, second) = (MapPoint(box.bottomLeft), MapPoint(box.topRight))
    return [
      first, MapPoint(longitude: second.longitude, latitude: first.latitude), second,
      MapPoint(longitude: first.longitude, latitude: second.latitude), first,
    ]
  }

  // MARK: Arcs

  /// Returns points on the border of a circle, one every three degrees of bearing.
  ///
  /// Source: Ed Williams, "Aviation Formulary", "Lat/lon given radial and distance".
  private static func ring(_ circle: GeoCircle) -> [MapPoint] {
    let latitude = circle.center.latitude * .pi / 180
    let radius = min(circle.radiusInRadians, .pi)
    return stride(from: 0, through: 360, by: 3).map { direction in
      let bearing = Double(direction) * .pi / 180
      let sine = sin(latitude) * cos(radius) + cos(latitude) * sin(radius) * cos(bearing)
      let eastward = atan2(
        sin(bearing) * sin(radius) * cos(latitude), cos(radius) - sin(latitude) * sine)
      let longitude = circle.center.longitude + eastward * 180 / .pi
      return MapPoint(
        longitude: longitude - (longitude > 180 ? 360 : longitude < -180 ? -360 : 0),
        latitude: asin(max(-1, min(1, sine))) * 180 / .pi)
    }
  }

  /// Returns the positions of a line with long edges divided.
  static func course(_ corners: [MapPoint], _ edges: EdgeModel) -> [MapPoint] {
    guard edges == .spherical, let last = corners.last else { return corners }
    return zip(corners, corners.dropFirst()).flatMap { arc($0, $1) } + [last]
  }

  /// Returns points on the edge from one point to another, without the second one: on the great circle,
  /// or on the whole parallel between longitudes that differ by 360°.
  private static func arc(_ first: MapPoint, _ second: MapPoint) -> [MapPoint] {
    let turn = second.longitude - first.longitude
    if abs(turn) == 360, first.latitude == second.latitude {
      return (0..<12).map {
        MapPoint(
          longitude: first.longitude + turn * Double($0) / 12, latitude: first.latitude)
      }
    }
    let (start, end) = (vector(first), vector(second))
    let angle = acos(max(-1, min(1, start.x * end.x + start.y * end.y + start.z * end.z)))
    let steps = Int((angle / 0.03).rounded(.up))
    guard steps > 1, sin(angle) > 1e-9 else { return [first] }
    return (0..<steps).map { step in
      let fraction = Double(step) / Double(steps)
      let near = sin((1 - fraction) * angle) / sin(angle)
      let far = sin(fraction * angle) / sin(angle)
      let x = start.x * near + end.x * far
      let y = start.y * near + end.y * far
      let z = start.z * near + end.z * far
      return MapPoint(
        longitude: atan2(y, x) * 180 / .pi, latitude: atan2(z, hypot(x, y)) * 180 / .pi)
    }
  }

  private static func vector(_ point: MapPoint) -> (x: Double, y: Double, z: Double) {
    let (longitude, latitude) = (point.longitude * .pi / 180, point.latitude * .pi / 180)
    return (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }
}

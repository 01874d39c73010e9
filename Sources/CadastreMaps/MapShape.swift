package import CadastreGeometry
import Foundation

/// The lines and polygons of an object on a map.
package struct MapShape: Hashable, Sendable {
  /// Open lines.
  package var lines: [[MapPoint]]
  /// The rings of polygons, holes included.
  package var rings: [[MapPoint]]

  /// Creates the lines and polygons of a geometry without its points; nil if it has neither.
  ///
  /// Long edges are divided to show the curvature of great circles.
  ///
  /// - Parameters:
  ///   - geometry: The geometry.
  ///   - edges: Whether edges are great-circle arcs or straight lines in degrees.
  /// - Complexity: O(n) in the number of positions.
  package init?(_ geometry: Geometry, edges: EdgeModel = .spherical) {
    let parts = geometry.parts
    func course(_ positions: [GeoPosition]) -> [MapPoint] {
      Self.course(positions.map { MapPoint($0.point) }, edges)
    }
    lines = parts.lines.map(course)
    rings = parts.polygons.joined().map(course)
    if lines.isEmpty, rings.isEmpty { return nil }
  }

  /// All lines as closed rings; an open line is traversed in both directions.
  var closedLines: [[MapPoint]] { rings + lines.map { $0 + $0.reversed() } }
}

/// Lines and rings with the curvature of great circles.
extension MapShape {
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
  private static func course(_ corners: [MapPoint], _ edges: EdgeModel) -> [MapPoint] {
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
    return greatCirclePoints(
      fromLongitude: first.longitude, latitude: first.latitude,
      toLongitude: second.longitude, latitude: second.latitude, spacing: 0.03
    ).map { MapPoint(longitude: $0.longitude, latitude: $0.latitude) }
  }
}

/// Lines and polygons in the coordinates of a drawing.
extension MapSVG {
  /// Returns the polygons of shapes, half transparent, and their lines.
  ///
  /// Positions within half a pixel of the preceding one are omitted, so the size of the drawing bounds the
  /// size of the text.
  ///
  /// - Parameters:
  ///   - shapes: The shapes, the last one on top.
  ///   - frame: The extent of the map.
  ///   - colour: The colour in CSS.
  /// - Returns: SVG; empty if no shape is in the frame.
  func drawing(_ shapes: [MapShape], _ frame: MapFrame, _ colour: String = "#c0322b") -> String {
    var (areas, lines) = ("", SVGPath())
    for shape in shapes {
      var area = SVGPath()
      add(shape, frame, areas: &area, lines: &lines)
      if !area.data.isEmpty { areas += "<path d=\"\(area.data)\"/>\n" }
    }
    var svg = ""
    if !areas.isEmpty {
      svg += """
        <g transform="scale(.1)" fill="\(colour)" fill-opacity=".3" fill-rule="evenodd" \
        stroke="\(colour)" stroke-width="10" stroke-linejoin="round">
        \(areas)</g>

        """
    }
    if !lines.data.isEmpty {
      svg += """
        <path transform="scale(.1)" d="\(lines.data)" fill="none" stroke="\(colour)" \
        stroke-width="14" stroke-linejoin="round" stroke-linecap="round"/>

        """
    }
    return svg
  }

  /// Returns the lines and polygons of the background, thin and pale.
  func background(_ frame: MapFrame) -> String {
    var (areas, lines) = (SVGPath(), SVGPath())
    for shape in background { add(shape, frame, areas: &areas, lines: &lines) }
    var svg = ""
    if !areas.data.isEmpty {
      svg += """
        <path transform="scale(.1)" d="\(areas.data)" fill="#a9c6dd" fill-opacity=".5" \
        fill-rule="evenodd" stroke="#8fb1cc" stroke-width="5" stroke-linejoin="round"/>

        """
    }
    if !lines.data.isEmpty {
      svg += """
        <path transform="scale(.1)" d="\(lines.data)" fill="none" stroke="#7ea5c4" \
        stroke-width="11" stroke-linejoin="round" stroke-linecap="round"/>

        """
    }
    return svg
  }

  private func add(
    _ shape: MapShape, _ frame: MapFrame, areas: inout SVGPath, lines: inout SVGPath
  ) {
    for ring in shape.rings {
      add(MapRing(withShortEdges: ring), frame, isClosed: true, to: &areas)
    }
    for line in shape.lines { add(MapRing(unrolled: line), frame, isClosed: false, to: &lines) }
  }

  private func add(
    _ ring: MapRing?, _ frame: MapFrame, isClosed: Bool, to path: inout SVGPath
  ) {
    guard let ring else { return }
    for corners in frame.corners(of: ring, isClosed: isClosed) {
      path.line(Self.simplified(SVGPath.tenths(corners)), isClosed: isClosed)
    }
  }

  /// Returns the positions farther than half a pixel from the preceding one, and the last one.
  private static func simplified(_ positions: [(x: Int, y: Int)]) -> [(x: Int, y: Int)] {
    var result: [(x: Int, y: Int)] = []
    for (index, position) in positions.enumerated() {
      if let last = result.last, index < positions.count - 1,
        abs(position.x - last.x) < 5, abs(position.y - last.y) < 5
      {
        continue
      }
      result.append(position)
    }
    return result
  }
}

package import CadastreGeometry

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
      RegionOutline.course(
        positions.map { MapPoint(longitude: $0.longitude, latitude: $0.latitude) }, edges)
    }
    lines = parts.lines.map(course)
    rings = parts.polygons.joined().map(course)
    if lines.isEmpty, rings.isEmpty { return nil }
  }

  /// All lines as closed rings, an open line there and back.
  var closedLines: [[MapPoint]] { rings + lines.map { $0 + $0.reversed() } }
}

/// Lines and polygons in the coordinates of a drawing.
extension MapSVG {
  /// Returns the polygons of shapes, half transparent, and their lines.
  ///
  /// Positions within half a pixel of the one before are left out, so the size of the drawing bounds
  /// that of a shape.
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
      for ring in shape.rings {
        add(MapRing(withShortEdges: ring), frame, isClosed: true, to: &area)
      }
      if !area.data.isEmpty { areas += "<path d=\"\(area.data)\"/>\n" }
      for line in shape.lines { add(MapRing(unrolled: line), frame, isClosed: false, to: &lines) }
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
    for shape in background {
      for ring in shape.rings {
        add(MapRing(withShortEdges: ring), frame, isClosed: true, to: &areas)
      }
      for line in shape.lines { add(MapRing(unrolled: line), frame, isClosed: false, to: &lines) }
    }
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
    _ ring: MapRing?, _ frame: MapFrame, isClosed: Bool, to path: inout SVGPath
  ) {
    guard let ring else { return }
    for shift in frame.shifts(of: ring) {
      let positions = ring.corners.map {
        (x: SVGPath.tenths(frame.x($0.longitude + shift)), y: SVGPath.tenths(frame.y($0.latitude)))
      }
      path.line(Self.simplified(positions), isClosed: isClosed)
    }
  }

  /// The positions without those within half a pixel of the one before; the last one is kept.
  private static func simplified(_ positions: [(x: Int, y: Int)]) -> [(x: Int, y: Int)] {
    var kept: [(x: Int, y: Int)] = []
    for (index, position) in positions.enumerated() {
      if let last = kept.last, index < positions.count - 1,
        abs(position.x - last.x) < 5, abs(position.y - last.y) < 5
      {
        continue
      }
      kept.append(position)
    }
    return kept
  }
}

extension MapRing {
  /// Creates an open line whose edges span at most 180 degrees of longitude, if need be across ±180°;
  /// nil if no position is finite.
  init?(unrolled points: [MapPoint]) {
    var corners: [MapPoint] = []
    for point in points where point.longitude.isFinite && point.latitude.isFinite {
      corners.append(corners.last.map { point.shifted(near: $0) } ?? point)
    }
    self.init(corners)
  }
}

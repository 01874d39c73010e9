import CadastreFormatting

/// A map of points, lines and polygons over country outlines, drawn in the characters of a terminal.
///
/// With colour, points are red Braille dots, eight to a character. Without colour, a character with
/// points is `•`, or `●` for ten points or more.
package struct TerminalMap {
  /// The country borders in the background.
  package var outlines: CountryOutlines
  /// The region of the query: closed rings, holes included.
  package var regionRings: [[MapPoint]] = []
  /// The lines and polygons, drawn like the region.
  package var shapes: [MapShape] = []
  /// The number of objects on the map; nil for the number of points.
  package var objectCount: Int?
  /// The noun for one point; the plural adds an s.
  package var noun = "object"
  /// Whether the terminal shows colours.
  package var isColoured = false

  /// Creates a map.
  package init(outlines: CountryOutlines) {
    self.outlines = outlines
  }

  /// The largest width in characters; wider maps would be higher than a screen.
  private static let maximumColumns = 120
  /// The number of points in a character from which it is drawn as `●`.
  private static let many = 10

  /// Returns the map of points as text; points with invalid coordinates are omitted.
  ///
  /// - Parameters:
  ///   - points: The points.
  ///   - width: The columns of the terminal; at least 20 and at most 120 are used.
  /// - Returns: Lines, each ended by a line feed; the last one is the legend.
  /// - Complexity: O(n log n) in the number of points.
  package func text(_ points: [MapPoint], width: Int) -> String {
    let valid = points.filter { $0.longitude.isFinite && abs($0.latitude) <= 90 }
    let closedLines = regionRings + shapes.flatMap(\.closedLines)
    let rings = closedLines.compactMap { MapRing(withShortEdges: $0) }
    let columns = max(20, min(width, Self.maximumColumns))
    let frame = MapFrame(points: valid, rings: rings, width: Double(columns * 2))
    let rows = Int((frame.height / 4).rounded(.up))
    var land = BrailleCanvas(columns: columns, rows: rows)
    for ring in outlines.rings { draw(ring, frame, on: &land) }
    var region = BrailleCanvas(columns: columns, rows: rows)
    for ring in rings { draw(ring, frame, on: &region) }
    var dots = BrailleCanvas(columns: columns, rows: rows)
    var counts = [Int](repeating: 0, count: columns * rows)
    for point in valid {
      guard let longitude = frame.unwrapped(point.longitude),
        frame.south...frame.north ~= point.latitude
      else { continue }
      // A point on the east or south edge would be one dot outside.
      let x = min(Int(frame.x(longitude)), columns * 2 - 1)
      let y = min(Int(frame.y(point.latitude)), rows * 4 - 1)
      dots.set(x, y)
      counts[y / 4 * columns + x / 2] += 1
    }
    var text = ""
    for row in 0..<rows {
      var line = ""
      for column in 0..<columns {
        line += cell(
          land.dots(column, row), region.dots(column, row), dots.dots(column, row),
          counts[row * columns + column])
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text + legend(objectCount ?? valid.count, frame, columns) + "\n"
  }

  private func draw(_ ring: MapRing, _ frame: MapFrame, on canvas: inout BrailleCanvas) {
    for shift in frame.shifts(of: ring) {
      let corners = ring.corners.map { (x: frame.x($0.longitude + shift), y: frame.y($0.latitude)) }
      for (first, second) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
        canvas.line(first, second)
      }
    }
  }

  private func cell(_ land: UInt8, _ region: UInt8, _ dots: UInt8, _ count: Int) -> String {
    guard isColoured else {
      if count > 0 { return count < Self.many ? "•" : "●" }
      return String(BrailleCanvas.character(land | region))
    }
    if count > 0 { return coloured(dots, "31;1") }
    if region != 0 { return coloured(region | land, "34") }
    return land == 0 ? " " : coloured(land, "2")
  }

  private func coloured(_ dots: UInt8, _ style: String) -> String {
    "\u{1B}[\(style)m\(BrailleCanvas.character(dots))\u{1B}[0m"
  }

  /// Returns the legend: number of points, symbols and scale bar.
  private func legend(_ count: Int, _ frame: MapFrame, _ columns: Int) -> String {
    var words = "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    if !isColoured, count > 0 { words += "  • 1 to \(Self.many - 1) in a cell, ● more" }
    if let bar = ScaleBar(frame, atMost: Double(columns) / 2) {
      let length = max(Int((bar.pixels / 2).rounded()) - 2, 0)
      words += "  ├\(String(repeating: "─", count: length))┤ \(bar.label)"
    }
    return DisplayWidth.truncated(words, to: columns)
  }
}

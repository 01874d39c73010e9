/// Draws points over country outlines in the characters of a terminal.
///
/// With colour, points are red dots of Braille, four times as fine as characters; without, each character with
/// points is `•`, or `●` where there are ten or more.
package struct TerminalMap {
  /// The base of the map.
  package var outlines: CountryOutlines
  /// The region asked for: closed rings, holes included.
  package var regionRings: [[MapPoint]] = []
  /// What one point is called; an s makes the plural.
  package var noun = "object"
  /// Whether the terminal shows colours.
  package var isColoured = false

  /// Describes a map.
  package init(outlines: CountryOutlines) {
    self.outlines = outlines
  }

  /// Wider maps would be higher than a screen.
  private static let mostColumns = 120
  private static let many = 10

  /// Draws the map; points without finite coordinates are left out.
  ///
  /// - Parameters:
  ///   - points: The places.
  ///   - width: The columns of the terminal.
  /// - Returns: Lines that are no wider, each ended by a line feed; the last one is the legend.
  package func text(_ points: [MapPoint], width: Int) -> String {
    let places = points.filter { $0.longitude.isFinite && abs($0.latitude) <= 90 }
    let rings = regionRings.compactMap { MapRing(joiningTheShortWay: $0) }
    let columns = max(20, min(width, Self.mostColumns))
    let frame = MapFrame(points: places, rings: rings, width: Double(columns * 2))
    let rows = Int((frame.height / 4).rounded(.up))
    var land = BrailleCanvas(columns: columns, rows: rows)
    for ring in outlines.countries.joined() { draw(ring, frame, on: &land) }
    var region = BrailleCanvas(columns: columns, rows: rows)
    for ring in rings { draw(ring, frame, on: &region) }
    var dots = BrailleCanvas(columns: columns, rows: rows)
    var counts = [Int](repeating: 0, count: columns * rows)
    for place in places {
      guard let longitude = frame.unwrapped(place.longitude),
        frame.south...frame.north ~= place.latitude
      else { continue }
      // The outermost places lie on the edge itself.
      let x = min(Int(frame.x(longitude)), columns * 2 - 1)
      let y = min(Int(frame.y(place.latitude)), rows * 4 - 1)
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
    return text + legend(places.count, frame, columns) + "\n"
  }

  private func draw(_ ring: MapRing, _ frame: MapFrame, on canvas: inout BrailleCanvas) {
    for turn in frame.turns(of: ring) {
      let places = ring.corners.map { (x: frame.x($0.longitude + turn), y: frame.y($0.latitude)) }
      for (first, second) in zip(places, places.dropFirst() + places.prefix(1)) {
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

  /// What is shown, and how far a round length goes.
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

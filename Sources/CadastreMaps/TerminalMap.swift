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
    let valid = points.filter(\.isValid)
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
      guard let position = frame.position(point) else { continue }
      // A point on the east or south edge would be one dot outside.
      let x = min(Int(position.x), columns * 2 - 1)
      let y = min(Int(position.y), rows * 4 - 1)
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
    for corners in frame.corners(of: ring) {
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

/// A raster of dots drawn as Braille characters: two columns and four rows of dots per character.
///
/// Source: Unicode Standard, "Braille Patterns", U+2800 to U+28FF.
struct BrailleCanvas {
  /// The width in characters.
  let columns: Int
  /// The height in characters.
  let rows: Int
  private var cells: [UInt8]

  /// The bits of a character's dots, row by row.
  private static let bits: [UInt8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

  /// Creates an empty canvas; the size is in characters.
  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = [UInt8](repeating: 0, count: columns * rows)
  }

  /// Sets a dot, counted from the upper left corner; dots outside the canvas are ignored.
  mutating func set(_ x: Int, _ y: Int) {
    guard (0..<columns * 2).contains(x), (0..<rows * 4).contains(y) else { return }
    cells[y / 4 * columns + x / 2] |= Self.bits[y % 4 * 2 + x % 2]
  }

  /// Sets the dots of a line segment; segments of 100,000 dots or more are ignored.
  mutating func line(_ first: (x: Double, y: Double), _ second: (x: Double, y: Double)) {
    let steps = max(abs(second.x - first.x), abs(second.y - first.y)).rounded(.up)
    guard steps < 1e5 else { return }
    for step in 0...Int(max(steps, 1)) {
      let fraction = Double(step) / max(steps, 1)
      set(
        Int((first.x + (second.x - first.x) * fraction).rounded(.down)),
        Int((first.y + (second.y - first.y) * fraction).rounded(.down)))
    }
  }

  /// Returns the dots of a character as bits; 0 if none is set.
  func dots(_ column: Int, _ row: Int) -> UInt8 { cells[row * columns + column] }

  /// Returns the Braille character for dots; a blank for 0.
  static func character(_ dots: UInt8) -> Character {
    dots == 0 ? " " : Character(Unicode.Scalar(0x2800 + UInt32(dots)) ?? " ")
  }
}

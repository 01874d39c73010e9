import CadastreFormatting

/// The legend below a map.
extension MapSVG {
  /// The height of a line of the legend, in pixels.
  private static let lineHeight = 22.0

  /// The lines of the legend as SVG, and their height in pixels.
  struct Legend {
    var lines: [String] = []
    var height: Double { MapSVG.lineHeight * Double(lines.count) }
  }

  /// Returns the legend: symbols, number of points, region, scale bar and query.
  ///
  /// - Parameters:
  ///   - count: The number of points.
  ///   - grid: The density grid; nil if the map shows single points.
  ///   - sizes: The sizes of the dots; nil for one size.
  ///   - frame: The extent of the map.
  ///   - dotRadius: The radius of a dot, in pixels.
  /// - Returns: SVG, to be drawn with its origin at the left end of the first line.
  func legend(
    count: Int, _ grid: DensityGrid?, _ sizes: DotSizes?, _ frame: MapFrame, dotRadius: Double
  ) -> Legend {
    var legend = Legend()
    var (line, x) = ("", 0.0)
    func note(_ mark: String, _ words: String) {
      line += mark + text(words, x: x + 20)
      // Characters of this font size are about seven pixels wide.
      x += 20 + 7.2 * Double(words.count) + 26
    }
    let noun = "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    if let grid {
      let words = "\(noun); number in each hexagon:"
      line += text(words, x: 0)
      x = 7.5 * Double(words.count) + 14
      for index in grid.classes.indices {
        note(
          swatch(x, fill: Self.colour(ofClass: index, of: grid.classes.count)),
          grid.label(ofClass: index))
      }
    } else if isHeatMap {
      line += text(noun + "; density from low to high:", x: 0)
      x = 6.8 * Double(noun.count + 28)
      for colour in HeatMap.colours {
        line += swatch(x, fill: colour)
        x += 14
      }
      x += 26
    } else if groups.isEmpty {
      note(
        !shapes.isEmpty
          ? swatch(x, fill: "#c0322b")
          : "<circle cx=\"\(number(x + 7))\" cy=\"-5\" r=\"\(number(max(dotRadius, 2.5)))\" fill=\"#c0322b\"/>",
        noun)
    } else {
      line += text(noun, x: 0)
      x = 7.5 * Double(noun.count) + 26
    }
    if !regionRings.isEmpty {
      note(
        "<rect x=\"\(number(x))\" y=\"-11\" width=\"14\" height=\"12\" fill=\"#2f6fb5\" fill-opacity=\".12\" "
          + "stroke=\"#2f6fb5\" stroke-width=\"1.8\"/>", "query region")
    }
    if let bar = ScaleBar(frame, atMost: 150) { line += scale(bar, rightEdge: frame.width) }
    legend.lines.append(line)
    if !isHeatMap { legend.lines += groupLines(width: frame.width) }
    if let sizes { legend.lines += sizeLines(sizes) }
    for part in queryLines {
      legend.lines.append(
        "<text font-size=\"13\" fill=\"#4a5865\" font-family=\"Menlo, 'DejaVu Sans Mono', monospace\" "
          + "xml:space=\"preserve\">\(escaped(part))</text>")
    }
    return legend
  }

  /// Returns lines with the colours and labels of the groups.
  private func groupLines(width: Double) -> [String] {
    let groups = groups.filter { !$0.label.isEmpty }
    guard !groups.isEmpty else { return [] }
    var lines = [text(groupTitle, x: 0)]
    var x = 7.5 * Double(groupTitle.count) + 14
    for group in groups {
      let length = 20 + 7.2 * Double(group.label.count) + 26
      if x > 0, x + length > width {
        lines.append("")
        x = 0
      }
      lines[lines.count - 1] += swatch(x, fill: group.colour) + text(group.label, x: x + 20)
      x += length
    }
    return lines
  }

  /// Returns a line of circles with their values between two empty lines, because circles are higher than a line.
  private func sizeLines(_ sizes: DotSizes) -> [String] {
    var line = text(sizeTitle, x: 0)
    var x = 7.5 * Double(sizeTitle.count) + 14
    for value in sizes.examples {
      let radius = sizes.radius(value)
      let label = DotSizes.label(value)
      line +=
        "<circle cx=\"\(number(x + radius))\" cy=\"-5\" r=\"\(number(radius))\" fill=\"none\" "
        + "stroke=\"#4a5865\"/>" + text(label, x: x + 2 * radius + 6)
      x += 2 * radius + 6 + 7.2 * Double(label.count) + 26
    }
    return ["", line, ""]
  }

  /// Returns the lines of the legend, one below the other.
  func legendText(_ legend: Legend, x: Double, y: Double) -> String {
    legend.lines.enumerated().map { index, line in
      let top = y + Self.lineHeight * Double(index)
      return "<g transform=\"translate(\(number(x)) \(number(top)))\">\(line)</g>\n"
    }.joined()
  }

  private func text(_ words: String, x: Double) -> String {
    "<text x=\"\(number(x))\" font-size=\"14\" fill=\"#1c2733\">\(escaped(words))</text>"
  }

  private func swatch(_ x: Double, fill: String) -> String {
    "<rect x=\"\(number(x))\" y=\"-11\" width=\"14\" height=\"12\" fill=\"\(fill)\" fill-opacity=\".9\"/>"
  }

  private func scale(_ bar: ScaleBar, rightEdge: Double) -> String {
    let left = rightEdge - bar.pixels
    return """
      <path d="M\(number(left)) -8v6H\(number(rightEdge))v-6" fill="none" stroke="#1c2733" \
      stroke-width="1.5"/><text x="\(number(left - 8))" font-size="13" fill="#1c2733" \
      text-anchor="end">\(bar.label)</text>
      """
  }

  /// The query, broken into at most four lines.
  private var queryLines: [String] {
    let width = max(30, (widthPixels - 120) / 8)
    var rest = Substring(printable(query))
    var lines: [String] = []
    while !rest.isEmpty, lines.count < 4 {
      var part = rest.prefix(width)
      if part.endIndex < rest.endIndex, let blank = part.lastIndex(of: " "),
        blank > part.startIndex
      {
        part = rest[...blank]
      }
      rest = rest[part.endIndex...]
      lines.append(String(part) + (lines.count == 3 && !rest.isEmpty ? "…" : ""))
    }
    return lines
  }
}

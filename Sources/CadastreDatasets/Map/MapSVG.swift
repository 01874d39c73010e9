import Foundation

/// Draws points over country outlines, as SVG for a report.
///
///     let map = MapSVG(title: "Airports of France", query: "country == 'FR'", outlines: outlines)
///     try map.text(points).write(to: file, …)
///
/// The map fits itself to the points and the region, or shows the world where they are spread
/// widely. Places are rounded to a tenth of a pixel and drawn once, so the size of the file is
/// bounded by the sheet more than by the number of points.
package struct MapSVG: Sendable {
  /// What stands above the map.
  package var title: String
  /// The question that the points answer, shown below the map; may be empty.
  package var query: String
  /// What one point is called; an s makes the plural.
  package var noun = "place"
  /// The base of the map.
  package var outlines: CountryOutlines
  /// The region asked for: closed rings, holes included, joined the short way around the globe.
  package var regionRings: [[MapPoint]] = []
  /// The width of the whole sheet in pixels.
  package var widthPixels = 1_200

  /// Describes a map.
  package init(title: String, query: String = "", outlines: CountryOutlines = .none) {
    self.title = title
    self.query = query
    self.outlines = outlines
  }

  /// Draws the map; points without finite coordinates are left out.
  ///
  /// - Complexity: O(n log n) in the number of points.
  package func text(_ points: [MapPoint]) -> String {
    let places = points.filter { $0.longitude.isFinite && abs($0.latitude) <= 90 }
    let rings = regionRings.compactMap { MapRing(joiningTheShortWay: $0) }
    let (side, rightMargin) = (52.0, 24.0)
    let frame = MapFrame(
      points: places, rings: rings, width: Double(widthPixels) - side - rightMargin)
    let top = 68.0
    let legend = legendLines(count: places.count)
    let height = top + frame.height + 34 + 20 * Double(legend.count) + 12
    let graticule = Graticule(frame)

    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(widthPixels)" height="\(number(height))" \
      viewBox="0 0 \(widthPixels) \(number(height))" \
      font-family="'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif">
      <title>\(escaped(title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="\(number(side))" y="42" font-size="24" font-weight="600" fill="#1c2733">\
      \(escaped(shortened(title, to: Int(frame.width / 13))))</text>
      <defs><clipPath id="map"><rect width="\(number(frame.width))" \
      height="\(number(frame.height))"/></clipPath></defs>
      <g transform="translate(\(number(side)) \(number(top)))">
      <g clip-path="url(#map)">
      <rect width="\(number(frame.width))" height="\(number(frame.height))" fill="#e6eef4"/>

      """
    svg += land(frame)
    svg += lines(graticule, frame)
    svg += region(rings, frame)
    svg += dots(places, frame)
    svg += """
      </g>
      <rect width="\(number(frame.width))" height="\(number(frame.height))" fill="none" \
      stroke="#8a97a3"/>

      """
    svg += labels(graticule, frame)
    svg += "</g>\n"
    svg += legendText(legend, x: side, y: top + frame.height + 46, dotRadius: 5)
    return svg + "</svg>\n"
  }

  // MARK: - Layers, from the bottom up

  private func land(_ frame: MapFrame) -> String {
    var path = SVGPath()
    for ring in outlines.countries.joined() { add(ring, frame, to: &path) }
    return """
      <path transform="scale(.1)" d="\(path.data)" fill="#f8f5ee" fill-rule="evenodd" \
      stroke="#b3ac9b" stroke-width="\(frame.isWorld ? 7 : 11)" stroke-linejoin="round"/>

      """
  }

  private func lines(_ graticule: Graticule, _ frame: MapFrame) -> String {
    let meridians = graticule.longitudes.map {
      "M\(number(frame.x($0))) 0V\(number(frame.height))"
    }
    let parallels = graticule.latitudes.map { "M0 \(number(frame.y($0)))H\(number(frame.width))" }
    return """
      <path d="\((meridians + parallels).joined())" fill="none" stroke="#5c7a94" \
      stroke-opacity=".22" stroke-width=".8"/>

      """
  }

  private func region(_ rings: [MapRing], _ frame: MapFrame) -> String {
    guard !rings.isEmpty else { return "" }
    var path = SVGPath()
    for ring in rings { add(ring, frame, to: &path) }
    return """
      <path transform="scale(.1)" d="\(path.data)" fill="#2f6fb5" fill-opacity=".12" \
      fill-rule="evenodd" stroke="#2f6fb5" stroke-width="18" stroke-linejoin="round"/>

      """
  }

  /// How many sheets the dots are dealt out to; where sheets overlap the colour deepens.
  private static let sheets = 6
  /// From this many dots on, halos would hide more than they part.
  private static let manyDots = 1_500

  private func dots(_ points: [MapPoint], _ frame: MapFrame) -> String {
    let places = visiblePlaces(points, frame)
    // Fewer dots are larger: 5 px for one, 1.8 for a thousand, never less than 0.8.
    let radius = max(0.8, min(5, 7 / pow(Double(max(points.count, 1)), 0.2)))
    let isDense = places.count >= Self.manyDots
    let sheetCount = isDense ? Self.sheets : 1
    var sheets = [SVGPath](repeating: SVGPath(), count: sheetCount)
    for (index, place) in places.enumerated() {
      sheets[index % sheetCount].dot(place.x, place.y)
    }
    var svg = """
      <g transform="scale(.1)" fill="none" stroke-linecap="round" stroke="#c0322b" \
      stroke-width="\(number(radius * 20))"\(isDense ? " stroke-opacity=\".45\"" : "")>

      """
    for sheet in sheets where !sheet.data.isEmpty {
      if !isDense {
        svg += """
          <path d="\(sheet.data)" stroke="#ffffff" stroke-width="\(number(radius * 20 + 16))"/>

          """
      }
      svg += "<path d=\"\(sheet.data)\"/>\n"
    }
    return svg + "</g>\n"
  }

  /// The places inside the frame in tenths of a pixel, each once, row by row.
  private func visiblePlaces(_ points: [MapPoint], _ frame: MapFrame) -> [(x: Int, y: Int)] {
    let keys = points.compactMap { point -> Int? in
      guard let longitude = frame.unwrapped(point.longitude),
        frame.south...frame.north ~= point.latitude
      else { return nil }
      let (x, y) = (SVGPath.tenths(frame.x(longitude)), SVGPath.tenths(frame.y(point.latitude)))
      return y << 32 | x
    }
    var places: [(x: Int, y: Int)] = []
    var last: Int?
    for key in keys.sorted() where key != last {
      places.append((key & 0xFFFF_FFFF, key >> 32))
      last = key
    }
    return places
  }

  private func labels(_ graticule: Graticule, _ frame: MapFrame) -> String {
    var svg = "<g font-size=\"11\" fill=\"#6b7884\">\n"
    // Labels of longitude need some 46 pixels each; too many are thinned out.
    let every = max(1, Int((46 * Double(graticule.longitudes.count) / frame.width).rounded(.up)))
    for (index, longitude) in graticule.longitudes.enumerated() where index % every == 0 {
      svg += """
        <text x="\(number(frame.x(longitude)))" y="\(number(frame.height + 15))" \
        text-anchor="middle">\(graticule.longitudeLabel(longitude))</text>

        """
    }
    for latitude in graticule.latitudes {
      svg += """
        <text x="-5" y="\(number(frame.y(latitude) + 4))" text-anchor="end">\
        \(graticule.latitudeLabel(latitude))</text>

        """
    }
    return svg + "</g>\n"
  }

  // MARK: - Legend

  /// The count, then the question in as many lines as it needs, at most four.
  private func legendLines(count: Int) -> [String] {
    let line = "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    guard !query.isEmpty else { return [line] }
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
    return [line] + lines
  }

  private func legendText(_ lines: [String], x: Double, y: Double, dotRadius: Double) -> String {
    var svg = """
      <circle cx="\(number(x + dotRadius))" cy="\(number(y - 5))" r="\(number(dotRadius))" \
      fill="#c0322b"/>

      """
    for (index, line) in lines.enumerated() {
      let style =
        index == 0
        ? "font-size=\"15\" fill=\"#1c2733\""
        : "font-size=\"13\" fill=\"#4a5865\" font-family=\"Menlo, 'DejaVu Sans Mono', monospace\""
      svg += """
        <text x="\(number(x + 18))" y="\(number(y + 20 * Double(index)))" \(style) \
        xml:space="preserve">\(escaped(line))</text>

        """
    }
    return svg
  }

  // MARK: - Small steps

  private func add(_ ring: MapRing, _ frame: MapFrame, to path: inout SVGPath) {
    for turn in frame.turns(of: ring) {
      path.ring(
        ring.corners.map {
          (SVGPath.tenths(frame.x($0.longitude + turn)), SVGPath.tenths(frame.y($0.latitude)))
        })
    }
  }

  /// A length in pixels, to a tenth.
  private func number(_ pixels: Double) -> String {
    let tenths = SVGPath.tenths(pixels)
    guard tenths % 10 != 0 else { return "\(tenths / 10)" }
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private func shortened(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(max(count - 1, 1)) + "…"
  }

  /// Text as XML may hold it: markup escaped, control characters made visible.
  private func escaped(_ text: String) -> String {
    var result = ""
    for character in printable(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // XML 1.0 has no place for these two.
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.append(character)
      }
    }
    return result
  }
}

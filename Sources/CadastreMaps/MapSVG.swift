import CadastreFormatting
import Foundation

/// A map of points, lines and polygons over country outlines, drawn as SVG.
///
///     let map = MapSVG(title: "Airports of France", query: "country == 'FR'", outlines: outlines)
///     try map.text(points).write(to: file, …)
///
/// The map shows the extent of the points and the region, or the world if they are spread widely.
/// Few points are drawn as dots, rounded to a tenth of a pixel. Points that would hide each other
/// are counted in hexagons, so the size of the drawing bounds the size of the file.
package struct MapSVG: Sendable {
  /// The heading above the map.
  package var title: String
  /// The text of the query, shown below the map; may be empty.
  package var query: String
  /// The noun for one point; the plural adds an s.
  package var noun = "point"
  /// The country borders in the background.
  package var outlines: CountryOutlines
  /// The region of the query: closed rings, holes included; edges span at most 180 degrees of
  /// longitude.
  package var regionRings: [[MapPoint]] = []
  /// The lines and polygons outside of groups.
  package var shapes: [MapShape] = []
  /// The number of objects on the map; nil for the number of points.
  package var objectCount: Int?
  /// The objects by colour; empty for one colour.
  package var groups: [MapGroup] = []
  /// The names of objects, in descending importance; names without room are omitted.
  package var labels: [MapLabel] = []
  /// The text before the colours in the legend.
  package var groupTitle = ""
  /// The text before the sizes in the legend.
  package var sizeTitle = ""
  /// Whether points are shown by their density in place of dots.
  package var isHeatMap = false
  /// Lines and polygons between the countries and the objects, such as rivers.
  package var background: [MapShape] = []
  /// Whether names of countries are shown where there is room.
  package var showsCountryNames = true
  /// The width of the drawing, margins included, in pixels.
  package var widthPixels = 1_200

  /// Creates a map.
  package init(title: String, query: String = "", outlines: CountryOutlines = .none) {
    self.title = title
    self.query = query
    self.outlines = outlines
  }

  /// The colour of objects outside of groups, in CSS.
  package static let mainColour = "#c0322b"
  private static let signature = "<!-- Generator: cadastre -->"

  /// Returns whether the first bytes of a file identify a map.
  package static func isMap(_ first: [UInt8]) -> Bool {
    let head = String(decoding: first.prefix(1024), as: UTF8.self)
    return head.hasPrefix("<svg ") && head.contains(signature)
  }

  /// Returns the map of points as SVG; points with invalid coordinates are omitted.
  ///
  /// - Complexity: O(n log n) in the number of points.
  package func text(_ points: [MapPoint]) -> String {
    let valid = points.filter(\.isValid)
    let rings = regionRings.compactMap { MapRing(withShortEdges: $0) }
    let (side, top) = (Self.side, Self.top)
    let frame = frame(points)
    // The radius shrinks with the number of dots: 5 px for one, 1.8 for a thousand, at least 0.8.
    let radius = max(0.8, min(5, 7 / pow(Double(max(valid.count, 1)), 0.2)))
    let grid =
      groups.isEmpty && !isHeatMap ? density(valid, frame, dotRadius: radius) : nil
    let sizes = isHeatMap ? nil : DotSizes(groups.lazy.flatMap(\.sizes))
    let legend = legend(
      count: objectCount ?? valid.count, grid, sizes, frame, dotRadius: radius)
    var layout = LabelLayout(frame, dotRadius: radius)
    let names = labels(&layout)
    let countryNames = countryNames(frame, &layout)
    let height = top + frame.height + 34 + legend.height + 12
    let graticule = Graticule(frame)

    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" \
      xmlns:xlink="http://www.w3.org/1999/xlink" width="\(widthPixels)" height="\(number(height))" \
      viewBox="0 0 \(widthPixels) \(number(height))" \
      font-family="'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif">
      \(Self.signature)
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
    svg += background(frame)
    svg += lines(graticule, frame)
    let region = regionPath(rings, frame)
    if let region {
      svg += path(region, "fill=\"#2f6fb5\" fill-opacity=\".12\" fill-rule=\"evenodd\"")
    }
    // Names above hexagons are hard to read.
    if let grid { svg += countryNames + hexagons(grid) + borders(frame) }
    if isHeatMap { svg += heatMap(valid, frame).svg + borders(frame) }
    if let region {
      svg += path(
        region, "fill=\"none\" stroke=\"#2f6fb5\" stroke-width=\"18\" stroke-linejoin=\"round\"")
    }
    svg += drawing(shapes, frame)
    for group in groups { svg += drawing(group.shapes, frame, group.colour) }
    if grid == nil { svg += countryNames }
    if let sizes {
      svg += sizedDots(sizes, frame)
    } else if groups.isEmpty, grid == nil, !isHeatMap {
      svg += dots(valid, frame, radius)
    } else if !isHeatMap {
      for group in groups { svg += dots(group.points, frame, radius, group.colour) }
    }
    svg += names
    svg += """
      </g>
      <rect width="\(number(frame.width))" height="\(number(frame.height))" fill="none" \
      stroke="#8a97a3"/>

      """
    svg += labels(graticule, frame)
    svg += "</g>\n"
    svg += legendText(legend, x: side, y: top + frame.height + 48)
    return svg + "</svg>\n"
  }

  /// The margins left of the map and above it, in pixels.
  static let (side, top) = (52.0, 68.0)
  private static let rightMargin = 24.0

  /// Returns the extent of the map.
  func frame(_ points: [MapPoint]) -> MapFrame {
    let lines =
      regionRings + (shapes + groups.flatMap(\.shapes)).flatMap(\.closedLines)
    return MapFrame(
      points: points.filter(\.isValid), rings: lines.compactMap { MapRing(withShortEdges: $0) },
      width: Double(widthPixels) - Self.side - Self.rightMargin)
  }

  // MARK: - Layers, from bottom to top

  private func land(_ frame: MapFrame) -> String {
    var path = SVGPath()
    for ring in outlines.rings { add(ring, frame, to: &path) }
    return """
      <defs><path id="land" transform="scale(.1)" d="\(path.data)"/></defs>
      <use xlink:href="#land" fill="#f8f5ee" fill-rule="evenodd" stroke="#b3ac9b" \
      stroke-width="\(borderWidth(frame))" stroke-linejoin="round"/>

      """
  }

  /// Returns the borders again, to be drawn over the hexagons.
  private func borders(_ frame: MapFrame) -> String {
    """
    <use xlink:href="#land" fill="none" stroke="#3b3a36" stroke-opacity=".45" \
    stroke-width="\(borderWidth(frame))" stroke-linejoin="round"/>

    """
  }

  private func borderWidth(_ frame: MapFrame) -> Int { frame.isWorld ? 7 : 11 }

  private func regionPath(_ rings: [MapRing], _ frame: MapFrame) -> SVGPath? {
    guard !rings.isEmpty else { return nil }
    var path = SVGPath()
    for ring in rings { add(ring, frame, to: &path) }
    return path
  }

  private func path(_ path: SVGPath, _ style: String) -> String {
    "<path transform=\"scale(.1)\" d=\"\(path.data)\" \(style)/>\n"
  }

  private func dots(
    _ points: [MapPoint], _ frame: MapFrame, _ radius: Double, _ colour: String = MapSVG.mainColour
  ) -> String {
    var path = SVGPath()
    for pixel in visiblePixels(points, frame) { path.dot(pixel.x, pixel.y) }
    guard !path.data.isEmpty else { return "" }
    return """
      <g transform="scale(.1)" fill="none" stroke-linecap="round">
      <path d="\(path.data)" stroke="#ffffff" stroke-width="\(number(radius * 20 + 16))"/>
      <path d="\(path.data)" stroke="\(colour)" stroke-width="\(number(radius * 20))"/>
      </g>

      """
  }

  /// Returns the positions of points inside the frame in tenths of a pixel, distinct, row by row.
  private func visiblePixels(_ points: [MapPoint], _ frame: MapFrame) -> [(x: Int, y: Int)] {
    let keys = points.compactMap { point -> Int? in
      guard let position = frame.position(point) else { return nil }
      let (x, y) = (SVGPath.tenths(position.x), SVGPath.tenths(position.y))
      return y << 32 | x
    }
    var pixels: [(x: Int, y: Int)] = []
    var last: Int?
    for key in keys.sorted() where key != last {
      pixels.append((key & 0xFFFF_FFFF, key >> 32))
      last = key
    }
    return pixels
  }

  // MARK: - Primitives

  private func add(_ ring: MapRing, _ frame: MapFrame, to path: inout SVGPath) {
    for corners in frame.corners(of: ring) { path.ring(SVGPath.tenths(corners)) }
  }

  /// Returns a length in pixels, rounded to a tenth.
  func number(_ pixels: Double) -> String {
    let tenths = SVGPath.tenths(pixels)
    guard tenths % 10 != 0 else { return "\(tenths / 10)" }
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private func shortened(_ text: String, to count: Int) -> String {
    text.count <= count ? text : text.prefix(max(count - 1, 1)) + "…"
  }

  /// Returns a text as XML character data: markup escaped, control characters made visible.
  func escaped(_ text: String) -> String {
    var result = ""
    for character in printable(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // XML 1.0 does not allow these two.
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.append(character)
      }
    }
    return result
  }
}

/// Objects of a map in one colour, with a label in the legend.
package struct MapGroup: Sendable {
  /// The text in the legend; empty for none.
  package var label: String
  /// The colour in CSS: `#0072b2`.
  package var colour: String
  /// The points.
  package var points: [MapPoint]
  /// The lines and polygons.
  package var shapes: [MapShape]
  /// The values that decide the sizes of the points, one for each; empty for one size.
  package var sizes: [Double] = []

  /// Creates a group.
  package init(label: String, colour: String, points: [MapPoint], shapes: [MapShape] = []) {
    self.label = label
    self.colour = colour
    self.points = points
    self.shapes = shapes
  }
}

/// Colours of groups that people with colour blindness can tell apart.
package enum MapPalette {
  /// Colours for categories without an order.
  ///
  /// Source: M. Okabe, K. Ito, "Color Universal Design", 2008.
  package static let categories = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
  ]
  /// The colour of all other categories.
  package static let other = "#9a9a9a"
  /// Colours for classes of numbers, from the least to the greatest: steps of viridis.
  ///
  /// Source: S. van der Walt, N. Smith, "A Better Default Colormap for Matplotlib", 2015.
  package static let classes = ["#440154", "#3b528b", "#21918c", "#5ec962", "#e8c51d"]
}

import Foundation

/// The name of an object on a map.
package struct MapLabel: Sendable {
  /// The position of the object.
  package var point: MapPoint
  /// The name.
  package var text: String
  /// Whether the name belongs to an area; it is drawn in the middle of the area if it fits.
  package var isOfArea: Bool

  /// Creates a label.
  package init(_ text: String, at point: MapPoint, isOfArea: Bool = false) {
    self.text = text
    self.point = point
    self.isOfArea = isOfArea
  }
}

/// Labels beside points, as many as fit without overlap.
struct LabelLayout {
  /// A label with its position on the map.
  struct Placed {
    let text: String
    /// The position of the object.
    let x: Double
    let y: Double
    /// The offset of the label from the object.
    let dx: Double
    let dy: Double
    /// The value of `text-anchor`.
    let anchor: String
  }

  private struct Box {
    var x: ClosedRange<Double>
    var y: ClosedRange<Double>

    func overlaps(_ other: Box) -> Bool { x.overlaps(other.x) && y.overlaps(other.y) }
  }

  private let frame: MapFrame
  private let distance: Double
  /// The reserved boxes, by cells of the map.
  private var reserved: [SIMD2<Int>: [Box]] = [:]

  /// The height of a label and the mean width of a character, in pixels.
  private static let (height, characterWidth) = (13.0, 6.2)
  /// The width and height of a cell, in pixels.
  private static let cell = 64.0
  /// The greatest number of characters of a label.
  private static let maximumCharacters = 40

  /// Begins a layout.
  ///
  /// - Parameters:
  ///   - frame: The extent of the map.
  ///   - dotRadius: The radius of a dot, in pixels.
  init(_ frame: MapFrame, dotRadius: Double) {
    self.frame = frame
    distance = dotRadius + 3
  }

  /// Returns a label with a position right, left, above or below its point, or in the middle of its area,
  /// and reserves its box; nil if no box is free.
  ///
  /// - Complexity: O(1) in the number of labels.
  mutating func place(_ label: MapLabel) -> Placed? {
    guard let (x, y) = frame.position(label.point), !label.text.isEmpty else { return nil }
    let text =
      label.text.count <= Self.maximumCharacters
      ? label.text : label.text.prefix(Self.maximumCharacters - 1) + "…"
    let width = Double(text.count) * Self.characterWidth
    let (half, up) = (width / 2, Self.height)
    var candidates: [(x: Double, y: Double, anchor: String, left: Double)] = [
      (x + distance, y + up / 3, "start", x + distance),
      (x - distance, y + up / 3, "end", x - distance - width),
      (x, y - distance, "middle", x - half),
      (x, y + distance + up * 0.75, "middle", x - half),
    ]
    if label.isOfArea { candidates.insert((x, y + up / 3, "middle", x - half), at: 0) }
    for candidate in candidates {
      let box = Box(
        x: candidate.left...(candidate.left + width),
        y: (candidate.y - up * 0.8)...(candidate.y + up * 0.2))
      guard box.x.lowerBound >= 0, box.x.upperBound <= frame.width, box.y.lowerBound >= 0,
        box.y.upperBound <= frame.height, reserveIfFree(box)
      else { continue }
      return Placed(
        text: text, x: x, y: y, dx: candidate.x - x, dy: candidate.y - y,
        anchor: candidate.anchor)
    }
    return nil
  }

  /// Reserves a box around a position if the box is free; returns whether it was.
  mutating func reserveIfFree(
    center: SIMD2<Double>, width: Double, height: Double
  ) -> Bool {
    reserveIfFree(
      Box(
        x: (center.x - width / 2)...(center.x + width / 2),
        y: (center.y - height / 2)...(center.y + height / 2)))
  }

  /// Reserves the box of a dot, so that no label covers the dot.
  mutating func reserve(_ point: MapPoint) {
    guard let (x, y) = frame.position(point) else { return }
    let reach = distance - 2
    let box = Box(x: (x - reach)...(x + reach), y: (y - reach)...(y + reach))
    for cell in Self.cells(of: box) { reserved[cell, default: []].append(box) }
  }

  private static func cells(of box: Box) -> [SIMD2<Int>] {
    var cells: [SIMD2<Int>] = []
    for x in Int(box.x.lowerBound / cell)...Int(box.x.upperBound / cell) {
      for y in Int(box.y.lowerBound / cell)...Int(box.y.upperBound / cell) {
        cells.append(SIMD2(x, y))
      }
    }
    return cells
  }

  /// Reserves a box if it is free; returns whether it was.
  private mutating func reserveIfFree(_ box: Box) -> Bool {
    let cells = Self.cells(of: box)
    guard !cells.contains(where: { reserved[$0, default: []].contains(where: box.overlaps) }) else {
      return false
    }
    for cell in cells { reserved[cell, default: []].append(box) }
    return true
  }
}

extension MapSVG {
  /// Returns the names of objects; names without room are omitted.
  ///
  /// - Parameter layout: The layout of the map, in which the names are placed.
  /// - Returns: SVG; empty without names.
  /// - Complexity: O(n) in the number of labels.
  func labels(_ layout: inout LabelLayout) -> String {
    guard !labels.isEmpty else { return "" }
    // Names may cover dots only if the dots are many.
    if labels.count <= Self.coveredDots {
      for label in labels where !label.isOfArea { layout.reserve(label.point) }
    }
    var texts = ""
    for label in labels {
      guard let placed = layout.place(label) else { continue }
      texts += """
        <text x="\(number(placed.x))" y="\(number(placed.y))" dx="\(number(placed.dx))" \
        dy="\(number(placed.dy))" text-anchor="\(placed.anchor)">\(escaped(placed.text))</text>

        """
    }
    return """
      <defs><g id="names" font-size="11">
      \(texts)</g></defs>
      <use xlink:href="#names" fill="#ffffff" stroke="#ffffff" stroke-width="2.5" \
      stroke-opacity=".85" stroke-linejoin="round"/>
      <use xlink:href="#names" fill="#1c2733"/>

      """
  }

  /// The number of dots from which names may cover dots.
  private static let coveredDots = 1_000
}

/// The positions of the names of countries inside their areas on the map.
enum CountryNames {
  /// A country in pixels.
  private struct Area {
    let rings: [[SIMD2<Double>]]

    /// Returns whether a position is inside, by the even-odd rule.
    func contains(_ position: SIMD2<Double>) -> Bool {
      var isInside = false
      for ring in rings {
        var previous = ring[ring.count - 1]
        for corner in ring {
          if (corner.y > position.y) != (previous.y > position.y),
            position.x
              < (previous.x - corner.x) * (position.y - corner.y) / (previous.y - corner.y)
              + corner.x
          {
            isInside.toggle()
          }
          previous = corner
        }
      }
      return isInside
    }

    /// The number of corners.
    var count: Int { rings.reduce(0) { $0 + $1.count } }

    /// Returns the square of the distance to the nearest edge.
    func distanceSquared(_ position: SIMD2<Double>) -> Double {
      var nearest = Double.infinity
      for ring in rings {
        var previous = ring[ring.count - 1]
        for corner in ring {
          let edge = corner - previous
          let length = (edge * edge).sum()
          let along = length > 0 ? ((position - previous) * edge).sum() / length : 0
          let difference = position - previous - edge * min(max(along, 0), 1)
          nearest = min(nearest, (difference * difference).sum())
          previous = corner
        }
      }
      return nearest
    }
  }

  /// The number of candidates for the position of a name along each axis.
  private static let candidates = 14
  /// The number of corners of a ring up to which all are used; of a larger ring every n-th corner is used.
  private static let maximumCorners = 1_500
  /// The height of a name and the mean width of a character, in pixels.
  static let (height, characterWidth) = (13.0, 7.4)
  /// The least distance of a name from the border of the map, in pixels.
  private static let margin = 4.0

  /// Returns the centre of a country's name; nil if the name does not fit.
  ///
  /// The centre is the candidate with the greatest distance from the borders of the country and of the
  /// map. Both ends of the name are inside the country.
  ///
  /// - Parameters:
  ///   - country: The country.
  ///   - frame: The extent of the map.
  /// - Returns: The centre, in pixels.
  /// - Complexity: O(n) in the number of corners.
  static func center(
    _ country: CountryOutlines.Country, _ frame: MapFrame
  ) -> SIMD2<Double>? {
    let half = SIMD2(Double(country.name.count) * characterWidth / 2, height / 2)
    let inset = half + margin
    let area = Area(
      rings: country.rings.flatMap { ring in
        frame.corners(of: ring).map { corners in
          let step = max(1, corners.count / maximumCorners)
          return corners.indices.filter { $0 % step == 0 }.map {
            SIMD2(corners[$0].x, corners[$0].y)
          }
        }
      })
    guard area.count > 2 else { return nil }
    let corners = area.rings.joined()
    let west = max(corners.map(\.x).min() ?? 0, 0) + inset.x
    let east = min(corners.map(\.x).max() ?? 0, frame.width) - inset.x
    let north = max(corners.map(\.y).min() ?? 0, 0) + inset.y
    let south = min(corners.map(\.y).max() ?? 0, frame.height) - inset.y
    guard west <= east, north <= south else { return nil }
    var best: (center: SIMD2<Double>, distance: Double)?
    for column in 0..<candidates {
      for row in 0..<candidates {
        let fraction = SIMD2(Double(column), Double(row)) / Double(candidates - 1)
        let center = SIMD2(west, north) + SIMD2(east - west, south - north) * fraction
        guard area.contains(center), area.contains(center - SIMD2(half.x, 0)),
          area.contains(center + SIMD2(half.x, 0))
        else { continue }
        let border = min(center.x, frame.width - center.x, center.y, frame.height - center.y)
        let distance = min(area.distanceSquared(center), border * border)
        if distance > best?.distance ?? 0 { best = (center, distance) }
      }
    }
    guard let best, best.distance >= half.y * half.y else { return nil }
    return best.center
  }
}

extension MapSVG {
  /// Returns the names of countries where there is room between the names of objects.
  ///
  /// - Parameters:
  ///   - frame: The extent of the map.
  ///   - layout: The layout with the names of objects.
  /// - Returns: SVG; empty if no name has room.
  func countryNames(_ frame: MapFrame, _ layout: inout LabelLayout) -> String {
    guard showsCountryNames else { return "" }
    var texts = ""
    for country in outlines.countries where !country.name.isEmpty {
      guard let center = CountryNames.center(country, frame),
        layout.reserveIfFree(
          center: center,
          width: Double(country.name.count) * CountryNames.characterWidth,
          height: CountryNames.height)
      else { continue }
      texts += """
        <text x="\(number(center.x))" y="\(number(center.y))" dy="4" text-anchor="middle">\
        \(escaped(country.name))</text>

        """
    }
    guard !texts.isEmpty else { return "" }
    return """
      <defs><g id="countries" font-size="12" letter-spacing=".8">
      \(texts)</g></defs>
      <use xlink:href="#countries" fill="#ffffff" stroke="#f8f5ee" stroke-width="2.5" \
      stroke-opacity=".7" stroke-linejoin="round"/>
      <use xlink:href="#countries" fill="#7b7566"/>

      """
  }
}

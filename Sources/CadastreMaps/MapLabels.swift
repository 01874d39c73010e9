import Foundation

/// The name of an object on a map.
package struct MapLabel: Sendable {
  /// The position of the object.
  package var point: MapPoint
  /// The name.
  package var text: String
  /// Whether the name is of an area, in whose middle it stands if there is room.
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
  /// A label with its place on the map.
  struct Placed {
    let text: String
    /// The position of the object.
    let x: Double
    let y: Double
    /// The distance of the label from it.
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
  /// The boxes that are taken, by cells of the map.
  private var taken: [SIMD2<Int>: [Box]] = [:]

  /// The height of a label and the mean width of a character, in pixels.
  private static let (height, characterWidth) = (13.0, 6.2)
  /// The width and height of a cell, in pixels.
  private static let cell = 64.0
  /// The greatest number of characters of a label.
  private static let mostCharacters = 40

  /// Begins a layout.
  ///
  /// - Parameters:
  ///   - frame: The extent of the map.
  ///   - dotRadius: The radius of a dot, in pixels.
  init(_ frame: MapFrame, dotRadius: Double) {
    self.frame = frame
    distance = dotRadius + 3
  }

  /// Places a label right, left, above or below its point, or in the middle of its area; nil if no
  /// place is free.
  ///
  /// - Complexity: O(1) in the number of labels placed before.
  mutating func place(_ label: MapLabel) -> Placed? {
    guard let (x, y) = frame.position(label.point), !label.text.isEmpty else { return nil }
    let text =
      label.text.count <= Self.mostCharacters
      ? label.text : label.text.prefix(Self.mostCharacters - 1) + "…"
    let width = Double(text.count) * Self.characterWidth
    let (half, up) = (width / 2, Self.height)
    var places: [(x: Double, y: Double, anchor: String, left: Double)] = [
      (x + distance, y + up / 3, "start", x + distance),
      (x - distance, y + up / 3, "end", x - distance - width),
      (x, y - distance, "middle", x - half),
      (x, y + distance + up * 0.75, "middle", x - half),
    ]
    if label.isOfArea { places.insert((x, y + up / 3, "middle", x - half), at: 0) }
    for place in places {
      let box = Box(
        x: place.left...(place.left + width), y: (place.y - up * 0.8)...(place.y + up * 0.2))
      guard box.x.lowerBound >= 0, box.x.upperBound <= frame.width, box.y.lowerBound >= 0,
        box.y.upperBound <= frame.height, take(box)
      else { continue }
      return Placed(
        text: text, x: x, y: y, dx: place.x - x, dy: place.y - y, anchor: place.anchor)
    }
    return nil
  }

  /// Takes a place around a position if it is free.
  mutating func take(middle: SIMD2<Double>, width: Double, height: Double) -> Bool {
    take(
      Box(
        x: (middle.x - width / 2)...(middle.x + width / 2),
        y: (middle.y - height / 2)...(middle.y + height / 2)))
  }

  /// Keeps the place of a dot free of labels.
  mutating func reserve(_ point: MapPoint) {
    guard let (x, y) = frame.position(point) else { return }
    let reach = distance - 2
    let box = Box(x: (x - reach)...(x + reach), y: (y - reach)...(y + reach))
    for cell in Self.cells(of: box) { taken[cell, default: []].append(box) }
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

  /// Takes a box if it is free.
  private mutating func take(_ box: Box) -> Bool {
    let cells = Self.cells(of: box)
    guard !cells.contains(where: { taken[$0, default: []].contains(where: box.overlaps) }) else {
      return false
    }
    for cell in cells { taken[cell, default: []].append(box) }
    return true
  }
}

extension MapSVG {
  /// Returns the names of objects, the first ones where there is no room for all.
  ///
  /// - Parameter layout: The layout of the map, in which the names are placed.
  /// - Returns: SVG; empty without names.
  /// - Complexity: O(n) in the number of labels.
  func labels(_ layout: inout LabelLayout) -> String {
    guard !labels.isEmpty else { return "" }
    // Names cover no dot, as long as the dots are few.
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

/// The places of the names of countries: inside their areas on the map, where there is room.
struct CountryNames {
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

  /// The candidates for the place of a name along each axis.
  private static let candidates = 14
  /// The corners of an area that are used; of larger ones every n-th.
  private static let mostCorners = 1_500
  /// The height of a name and the mean width of a character, in pixels.
  static let (height, characterWidth) = (13.0, 7.4)
  /// The least distance of a name from the border of the map, in pixels.
  private static let margin = 4.0

  /// Returns the middle of the place of a country's name; nil if the name has no room.
  ///
  /// The place is that of some candidates with the greatest distance from the border. The name must
  /// be inside the country at both ends.
  ///
  /// - Parameters:
  ///   - country: The country.
  ///   - frame: The extent of the map.
  /// - Returns: The middle, in pixels.
  /// - Complexity: O(n) in the number of corners.
  static func place(_ country: CountryOutlines.Country, _ frame: MapFrame) -> SIMD2<Double>? {
    let half = SIMD2(Double(country.name.count) * characterWidth / 2, height / 2)
    let inset = half + margin
    let area = Area(
      rings: country.rings.flatMap { ring in
        let step = max(1, ring.corners.count / mostCorners)
        return frame.corners(of: ring).map { corners in
          corners.indices.filter { $0 % step == 0 }.map { SIMD2(corners[$0].x, corners[$0].y) }
        }
      })
    guard area.count > 2 else { return nil }
    let corners = area.rings.joined()
    let west = max(corners.map(\.x).min() ?? 0, 0) + inset.x
    let east = min(corners.map(\.x).max() ?? 0, frame.width) - inset.x
    let north = max(corners.map(\.y).min() ?? 0, 0) + inset.y
    let south = min(corners.map(\.y).max() ?? 0, frame.height) - inset.y
    guard west <= east, north <= south else { return nil }
    var best: (place: SIMD2<Double>, distance: Double)?
    for column in 0..<candidates {
      for row in 0..<candidates {
        let fraction = SIMD2(Double(column), Double(row)) / Double(candidates - 1)
        let place = SIMD2(west, north) + SIMD2(east - west, south - north) * fraction
        guard area.contains(place), area.contains(place - SIMD2(half.x, 0)),
          area.contains(place + SIMD2(half.x, 0))
        else { continue }
        let border = min(place.x, frame.width - place.x, place.y, frame.height - place.y)
        let distance = min(area.distanceSquared(place), border * border)
        if distance > best?.distance ?? 0 { best = (place, distance) }
      }
    }
    guard let best, best.distance >= half.y * half.y else { return nil }
    return best.place
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
      guard let place = CountryNames.place(country, frame),
        layout.take(
          middle: place,
          width: Double(country.name.count) * CountryNames.characterWidth,
          height: CountryNames.height)
      else { continue }
      texts += """
        <text x="\(number(place.x))" y="\(number(place.y))" dy="4" text-anchor="middle">\
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

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

  /// Returns the position of a point on the map; nil if it is outside.
  func position(_ point: MapPoint) -> (x: Double, y: Double)? {
    guard let longitude = frame.unwrapped(point.longitude),
      frame.south...frame.north ~= point.latitude
    else { return nil }
    return (frame.x(longitude), frame.y(point.latitude))
  }

  /// Places a label right, left, above or below its point, or in the middle of its area; nil if no
  /// place is free.
  ///
  /// - Complexity: O(1) in the number of labels placed before.
  mutating func place(_ label: MapLabel) -> Placed? {
    guard let (x, y) = position(label.point), !label.text.isEmpty else { return nil }
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
    guard let (x, y) = position(point) else { return }
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

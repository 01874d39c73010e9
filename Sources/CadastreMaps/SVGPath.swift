/// The data of an SVG path in tenths of a pixel, written as whole steps from place to place.
///
/// Whole numbers relative to the last place take a third of the bytes of absolute decimals; the
/// element that uses the path is drawn at a tenth of its size.
struct SVGPath {
  private(set) var data = ""
  private var last = (x: 0, y: 0)

  /// A place in tenths of a pixel.
  static func tenths(_ pixels: Double) -> Int {
    Int(max(-1e7, min(1e7, (pixels * 10).rounded())))
  }

  /// Draws a place as a line of no length, which a round cap makes a dot.
  mutating func dot(_ x: Int, _ y: Int) {
    move(x, y)
    data += "h0"
  }

  /// Draws a closed line through places; nothing if they fall on fewer than two.
  mutating func ring(_ places: [(x: Int, y: Int)]) {
    var kept: [(x: Int, y: Int)] = []
    for place in places where kept.last.map({ $0 != place }) ?? true { kept.append(place) }
    guard kept.count > 1 else { return }
    move(kept[0].x, kept[0].y)
    data += "l"
    for (index, place) in kept.dropFirst().enumerated() {
      step(to: place, isFirst: index == 0)
    }
    data += "z"
    // A closed line ends where it began.
    last = kept[0]
  }

  private mutating func move(_ x: Int, _ y: Int) {
    data += "m"
    step(to: (x, y), isFirst: true)
  }

  private mutating func step(to place: (x: Int, y: Int), isFirst: Bool) {
    let (dx, dy) = (place.x - last.x, place.y - last.y)
    if !isFirst, dx >= 0 { data += " " }
    data += "\(dx)"
    if dy >= 0 { data += " " }
    data += "\(dy)"
    last = place
  }
}

/// The data of an SVG path in tenths of a pixel, with relative integer coordinates.
///
/// Relative integers take a third of the bytes of absolute decimals; the element that uses the path
/// is scaled to a tenth.
struct SVGPath {
  /// The value of the `d` attribute.
  private(set) var data = ""
  private var last = (x: 0, y: 0)

  /// Returns a length in pixels as an integer number of tenths, limited to ±10,000,000.
  static func tenths(_ pixels: Double) -> Int {
    Int(max(-1e7, min(1e7, (pixels * 10).rounded())))
  }

  /// Returns positions in pixels as tenths.
  static func tenths(_ positions: [(x: Double, y: Double)]) -> [(x: Int, y: Int)] {
    positions.map { (tenths($0.x), tenths($0.y)) }
  }

  /// Adds a line of zero length, which a round line cap draws as a dot.
  mutating func dot(_ x: Int, _ y: Int) {
    move(x, y)
    data += "h0"
  }

  /// Adds a closed line; nothing if fewer than two positions remain after removing repetitions.
  mutating func ring(_ positions: [(x: Int, y: Int)]) { line(positions, isClosed: true) }

  /// Adds a line; nothing if fewer than two positions remain after removing repetitions.
  ///
  /// - Parameters:
  ///   - positions: The positions, in tenths of a pixel.
  ///   - isClosed: Whether the last position is joined to the first.
  mutating func line(_ positions: [(x: Int, y: Int)], isClosed: Bool) {
    var distinct: [(x: Int, y: Int)] = []
    for position in positions where distinct.last.map({ $0 != position }) ?? true {
      distinct.append(position)
    }
    guard distinct.count > 1 else { return }
    move(distinct[0].x, distinct[0].y)
    data += "l"
    for (index, position) in distinct.dropFirst().enumerated() {
      step(to: position, isFirst: index == 0)
    }
    guard isClosed else { return }
    data += "z"
    // `z` returns to the first position.
    last = distinct[0]
  }

  private mutating func move(_ x: Int, _ y: Int) {
    data += "m"
    step(to: (x, y), isFirst: true)
  }

  private mutating func step(to position: (x: Int, y: Int), isFirst: Bool) {
    let (dx, dy) = (position.x - last.x, position.y - last.y)
    if !isFirst, dx >= 0 { data += " " }
    data += "\(dx)"
    if dy >= 0 { data += " " }
    data += "\(dy)"
    last = position
  }
}

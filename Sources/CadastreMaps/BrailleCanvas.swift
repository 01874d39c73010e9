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

/// A sheet of dots, two across and four down to each character of a terminal.
///
/// Source: Unicode Standard, "Braille Patterns", U+2800 to U+28FF.
struct BrailleCanvas {
  let columns: Int
  let rows: Int
  private var cells: [UInt8]

  /// The bits of a character's dots, row by row.
  private static let bits: [UInt8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

  /// An empty sheet of so many characters.
  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = [UInt8](repeating: 0, count: columns * rows)
  }

  /// Sets a dot, counted from the upper left; outside of the sheet there is none.
  mutating func set(_ x: Int, _ y: Int) {
    guard (0..<columns * 2).contains(x), (0..<rows * 4).contains(y) else { return }
    cells[y / 4 * columns + x / 2] |= Self.bits[y % 4 * 2 + x % 2]
  }

  /// Sets the dots of a line; a line that is longer than the sheet many times over is left out.
  mutating func line(_ first: (x: Double, y: Double), _ second: (x: Double, y: Double)) {
    let steps = max(abs(second.x - first.x), abs(second.y - first.y)).rounded(.up)
    guard steps < 1e5 else { return }
    for step in 0...Int(max(steps, 1)) {
      let share = Double(step) / max(steps, 1)
      set(
        Int((first.x + (second.x - first.x) * share).rounded(.down)),
        Int((first.y + (second.y - first.y) * share).rounded(.down)))
    }
  }

  /// The dots of a character; 0 where there is none.
  func dots(_ column: Int, _ row: Int) -> UInt8 { cells[row * columns + column] }

  /// The character for some dots; a blank for none.
  static func character(_ dots: UInt8) -> Character {
    dots == 0 ? " " : Character(Unicode.Scalar(0x2800 + UInt32(dots)) ?? " ")
  }
}

/// The Hilbert curve through a square of 65,536 × 65,536 cells.
package enum HilbertCurve {
  /// The binary logarithm of the number of cells along each side.
  static let order = 16

  /// Returns the position on the curve of the cell at a longitude and latitude in degrees.
  package static func position(longitude: Double, latitude: Double) -> UInt32 {
    let side = Double(1 << order)
    // With zero as the first argument, NaN becomes zero.
    let column = min(max(0, (longitude + 180) / 360 * side), side - 1)
    let row = min(max(0, (latitude + 90) / 180 * side), side - 1)
    return position(UInt32(column), UInt32(row))
  }

  /// Returns the position on the curve of a cell.
  ///
  /// Source: John Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
  package static func position(_ column: UInt32, _ row: UInt32) -> UInt32 {
    var (x, y) = (column, row)
    // Without branches, which processors would predict wrongly for every second bit.
    for level in stride(from: order - 1, to: 0, by: -1) {
      let mask = UInt32(1) << level - 1
      x ^= mask & Self.repeated(x >> level)
      let isUpper = Self.repeated(y >> level)
      let exchanged = (x ^ y) & mask & ~isUpper
      x ^= exchanged | mask & isUpper
      y ^= exchanged
    }
    y ^= x
    // Each bit is the parity of the bits above it.
    var flipped = y >> 1
    flipped ^= flipped >> 1
    flipped ^= flipped >> 2
    flipped ^= flipped >> 4
    flipped ^= flipped >> 8
    x ^= flipped
    y ^= flipped
    return interleaved(x) << 1 | interleaved(y)
  }

  /// Returns 32 copies of the lowest bit of a word.
  @inline(__always)
  private static func repeated(_ word: UInt32) -> UInt32 { 0 &- (word & 1) }

  /// Returns the sixteen low bits with a zero before each, for a position on this curve or on the Morton curve.
  package static func interleaved(_ value: UInt32) -> UInt32 {
    var bits = value & 0xFFFF
    bits = (bits | bits << 8) & 0x00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333
    return (bits | bits << 1) & 0x5555_5555
  }
}

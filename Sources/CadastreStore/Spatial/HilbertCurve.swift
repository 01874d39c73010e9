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
    var bit = UInt32(1) << (order - 1)
    while bit > 1 {
      let mask = bit - 1
      if x & bit != 0 { x ^= mask }
      if y & bit != 0 {
        x ^= mask
      } else {
        let exchanged = (x ^ y) & mask
        x ^= exchanged
        y ^= exchanged
      }
      bit >>= 1
    }
    y ^= x
    var flipped: UInt32 = 0
    bit = UInt32(1) << (order - 1)
    while bit > 1 {
      if y & bit != 0 { flipped ^= bit - 1 }
      bit >>= 1
    }
    x ^= flipped
    y ^= flipped
    return interleaved(x) << 1 | interleaved(y)
  }

  /// Returns the sixteen low bits with a zero before each, for a position on this curve or on the Morton curve.
  package static func interleaved(_ value: UInt32) -> UInt32 {
    var bits = value & 0xFFFF
    bits = (bits | bits << 8) & 0x00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333
    return (bits | bits << 1) & 0x5555_5555
  }
}

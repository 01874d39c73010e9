import CadastreGeometry
import CadastreStore

/// A square of cells of the map in which points are aggregated.
///
/// A cell is known by its Morton code: the bits of its column and its row in turn. So the cells of a tile are next
/// to each other in the order of the codes, and the code of the cell around it one zoom level lower lacks two bits.
///
/// Source: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing", IBM, 1966.
struct CellGrid {
  /// The zoom level of the tiles.
  let zoom: Int
  /// The first column and row of the map's cells.
  private let column: Int
  private let row: Int
  /// The number of columns and of rows.
  private let width: Int

  /// The binary logarithm of the number of cells along a side of a tile.
  private static let tileBits = 7
  /// The cells of the buffer at each side of a tile.
  private static let bufferCells = Int(
    TileAddress.buffer / TileAddress.side * Double(1 << tileBits))
  /// The greatest zoom level of a grid of all cells, whose columns and rows have 16 bits.
  static let mostZoom = 16 - tileBits

  /// A grid of all cells of the map, up to zoom level ``mostZoom``.
  init(zoom: Int) {
    (self.zoom, column, row, width) = (zoom, 0, 0, 1 << (zoom + Self.tileBits))
  }

  /// A grid of the cells of a tile and its buffer.
  init(around tile: TileAddress) {
    zoom = tile.zoom
    column = tile.column << Self.tileBits - Self.bufferCells
    row = tile.row << Self.tileBits - Self.bufferCells
    width = 1 << Self.tileBits + 2 * Self.bufferCells
  }

  /// Returns the code of the cell at a position; nil outside of the grid, or for NaN.
  @inline(__always)
  func code(x: Double, y: Double) -> UInt32? {
    guard x >= 0, y >= 0 else { return nil }
    let side = Double(1 << (zoom + Self.tileBits))
    let (column, row) = (Int(x * side) - self.column, Int(y * side) - self.row)
    guard (0..<width).contains(column), (0..<width).contains(row) else { return nil }
    return Self.code(column: column, row: row)
  }

  private static func code(column: Int, row: Int) -> UInt32 {
    HilbertCurve.interleaved(UInt32(column)) | HilbertCurve.interleaved(UInt32(row)) << 1
  }

  /// Returns the number of a cell's tile in the order of the codes, in a grid of all cells.
  static func tile(of code: UInt32) -> UInt32 { code >> UInt32(2 * tileBits) }

  /// Returns the indexes of the cells of a tile and its buffer, in ascending codes of a grid of all cells.
  static func cells(of tile: TileAddress, in codes: [UInt32]) -> [Int] {
    let tiles = 0..<1 << tile.zoom
    var found: [Int] = []
    for (rowStep, columnStep) in [
      (0, 0), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1),
    ] {
      let (column, row) = (tile.column + columnStep, tile.row + rowStep)
      guard tiles.contains(column), tiles.contains(row) else { continue }
      let number = code(column: column, row: row)
      let first = codes.partitioningIndex { Self.tile(of: $0) >= number }
      let end = codes.partitioningIndex { Self.tile(of: $0) > number }
      guard (columnStep, rowStep) != (0, 0) else {
        found.append(contentsOf: first..<end)
        continue
      }
      let isNear = { (place: Int, step: Int) in
        step == 0 || (step < 0 ? place >= 1 << tileBits - bufferCells : place < bufferCells)
      }
      for index in first..<end
      where isNear(Self.column(codes[index]), columnStep)
        && isNear(Self.column(codes[index] >> 1), rowStep)
      {
        found.append(index)
      }
    }
    return found
  }

  /// The column of a cell in its tile, from the even bits of its code.
  private static func column(_ code: UInt32) -> Int {
    (0..<tileBits).reduce(0) { $0 | Int(code >> UInt32(2 * $1) & 1) << $1 }
  }
}

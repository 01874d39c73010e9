import CadastreGeometry
import CadastreStore

/// Points aggregated by cells at several zoom levels; each level is computed from the finer one.
struct CellPyramid: Sendable {
  /// The keys of the objects, by row.
  let keys: [Int64]
  /// The index of the finest cell by row; ``none`` for a row outside of the grid.
  let cellOfRow: [UInt32]
  /// The levels with their zoom levels, in descending order of zoom.
  let levels: [(zoom: Int, cells: CellLevel)]
  /// The index of the parent cell in the next level, for the cells of each level except the last one.
  let parents: [[UInt32]]

  /// The cell index of a row outside of the grid.
  static let none = UInt32.max

  /// Aggregates points in a single level.
  init(_ keys: [Int64], _ positions: MapPositions, _ grid: AggregationGrid) {
    let (cells, cellOfRow) = Self.finest(positions, grid)
    (self.keys, self.cellOfRow) = (keys, cellOfRow)
    levels = [(grid.zoom, cells)]
    parents = []
  }

  /// The maximum zoom level of a pyramid of the whole map.
  static let mostZoom = 5
  /// The maximum number of cells of the finest level.
  private static let mostCells = 1 << 20

  /// Aggregates points of the whole map, at the zoom levels up to ``mostZoom`` with dense tiles.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - positions: Their positions.
  ///   - mostPoints: The maximum number of points of a tile without aggregation.
  init(_ keys: [Int64], _ positions: MapPositions, beyond mostPoints: Int) {
    var (cells, cellOfRow) = Self.finest(positions, AggregationGrid(zoom: Self.mostZoom))
    var levels: [(zoom: Int, cells: CellLevel)] = []
    var parents: [[UInt32]] = []
    for zoom in stride(from: Self.mostZoom, through: 0, by: -1) {
      let isWanted =
        !levels.isEmpty
        || cells.codes.count <= Self.mostCells && cells.mostPointsOfTile > mostPoints
      if isWanted { levels.append((zoom, cells)) }
      guard zoom > 0 else { break }
      let coarser = cells.coarser()
      if isWanted {
        parents.append(coarser.parents)
      } else {
        for (row, cell) in cellOfRow.enumerated() where cell != Self.none {
          cellOfRow[row] = coarser.parents[Int(cell)]
        }
      }
      cells = coarser.level
    }
    self.keys = levels.isEmpty ? [] : keys
    self.cellOfRow = levels.isEmpty ? [] : cellOfRow
    (self.levels, self.parents) = (levels, parents)
  }

  private static func finest(
    _ positions: MapPositions, _ grid: AggregationGrid
  ) -> (cells: CellLevel, cellOfRow: [UInt32]) {
    var entries: [RadixSort.Entry] = []
    entries.reserveCapacity(positions.x.count)
    for row in positions.x.indices {
      guard let code = grid.code(x: positions.x[row], y: positions.y[row]) else { continue }
      entries.append(RadixSort.Entry(sortKey: UInt64(code), index: UInt32(row)))
    }
    RadixSort.sort(&entries)
    var cells = CellLevel()
    var cellOfRow = [UInt32](repeating: none, count: positions.x.count)
    for entry in entries {
      let row = Int(entry.index)
      cells.add(
        UInt32(entry.sortKey), count: 1, x: positions.x[row], y: positions.y[row],
        firstRow: entry.index)
      cellOfRow[row] = UInt32(cells.codes.count - 1)
    }
    return (cells, cellOfRow)
  }

  /// The estimated memory in bytes.
  var byteCount: Int {
    keys.count * MemoryLayout<Int64>.stride
      + (cellOfRow.count + parents.reduce(0) { $0 + $1.count }) * MemoryLayout<UInt32>.stride
      + levels.reduce(0) { $0 + $1.cells.codes.count } * CellLevel.bytesPerCell
  }
}

/// The non-empty cells of one zoom level, in ascending order of their codes.
struct CellLevel: Sendable {
  private(set) var codes: [UInt32] = []
  /// The number of points of each cell.
  private(set) var counts: [UInt32] = []
  /// The sums of the coordinates of the points of each cell.
  private(set) var x: [Double] = []
  private(set) var y: [Double] = []
  /// The first row of each cell.
  private(set) var firstRows: [UInt32] = []

  init() {}

  /// Adds points to the last cell, or to a new cell with a greater code.
  mutating func add(
    _ code: UInt32, count: UInt32, x: Double, y: Double, firstRow: UInt32
  ) {
    guard codes.last == code else {
      codes.append(code)
      counts.append(count)
      self.x.append(x)
      self.y.append(y)
      firstRows.append(firstRow)
      return
    }
    let last = codes.count - 1
    counts[last] += count
    self.x[last] += x
    self.y[last] += y
    firstRows[last] = min(firstRows[last], firstRow)
  }

  /// Returns the cells of the next lower zoom level, and the index of the parent of each cell.
  func coarser() -> (level: CellLevel, parents: [UInt32]) {
    var level = CellLevel()
    var parents: [UInt32] = []
    parents.reserveCapacity(codes.count)
    for index in codes.indices {
      level.add(
        codes[index] >> 2, count: counts[index], x: x[index], y: y[index],
        firstRow: firstRows[index])
      parents.append(UInt32(level.codes.count - 1))
    }
    return (level, parents)
  }

  /// The maximum number of points of a tile, in a grid of the whole map.
  var mostPointsOfTile: Int {
    var (most, count, tile) = (0, 0, UInt32.max)
    for (code, points) in zip(codes, counts) {
      if AggregationGrid.tile(of: code) != tile {
        (tile, count) = (AggregationGrid.tile(of: code), 0)
      }
      count += Int(points)
      most = max(most, count)
    }
    return most
  }

  /// The memory of a cell in bytes.
  static let bytesPerCell = 3 * MemoryLayout<UInt32>.stride + 2 * MemoryLayout<Double>.stride
}

/// A square grid of cells of the map in which points are aggregated.
///
/// The Morton code of a cell interleaves the bits of its column and its row. The cells of a tile are contiguous in the
/// order of the codes, and the code of the parent cell at the next lower zoom level lacks the last two bits.
///
/// Source: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing", IBM, 1966.
struct AggregationGrid {
  /// The zoom level of the tiles.
  let zoom: Int
  /// The column and the row of the first cell, among the cells of the map.
  private let column: Int
  private let row: Int
  /// The number of columns and of rows.
  private let width: Int

  /// The binary logarithm of the number of cells per side of a tile.
  private static let tileBits = 7
  /// The width of the buffer of a tile in cells.
  private static let bufferCells = Int(
    TileAddress.buffer / TileAddress.side * Double(1 << tileBits))
  /// The maximum zoom level of a grid of the whole map, whose columns and rows have 16 bits.
  static let mostZoom = 16 - tileBits

  /// Creates a grid of the whole map, up to zoom level ``mostZoom``.
  init(zoom: Int) {
    (self.zoom, column, row, width) = (zoom, 0, 0, 1 << (zoom + Self.tileBits))
  }

  /// Creates a grid of a tile and its buffer.
  init(around tile: TileAddress) {
    zoom = tile.zoom
    column = tile.column << Self.tileBits - Self.bufferCells
    row = tile.row << Self.tileBits - Self.bufferCells
    width = 1 << Self.tileBits + 2 * Self.bufferCells
  }

  /// Returns the code of the cell at a position; nil outside of the grid and for NaN.
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

  /// Returns the code of the tile of a cell, in a grid of the whole map.
  static func tile(of code: UInt32) -> UInt32 { code >> UInt32(2 * tileBits) }

  /// Returns the indexes of the cells of a tile and its buffer in the ascending codes of a grid of the whole map.
  static func cells(of tile: TileAddress, in codes: [UInt32]) -> [Int] {
    let tiles = 0..<1 << tile.zoom
    var indexes: [Int] = []
    for (rowStep, columnStep) in [
      (0, 0), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1),
    ] {
      let (column, row) = (tile.column + columnStep, tile.row + rowStep)
      guard tiles.contains(column), tiles.contains(row) else { continue }
      let number = code(column: column, row: row)
      let first = codes.partitioningIndex { Self.tile(of: $0) >= number }
      let end = codes.partitioningIndex { Self.tile(of: $0) > number }
      guard (columnStep, rowStep) != (0, 0) else {
        indexes.append(contentsOf: first..<end)
        continue
      }
      let isNear = { (offset: Int, step: Int) in
        step == 0 || (step < 0 ? offset >= 1 << tileBits - bufferCells : offset < bufferCells)
      }
      for index in first..<end
      where isNear(Self.column(codes[index]), columnStep)
        && isNear(Self.column(codes[index] >> 1), rowStep)
      {
        indexes.append(index)
      }
    }
    return indexes
  }

  /// Returns the column of a cell in its tile, from the even bits of its code.
  private static func column(_ code: UInt32) -> Int {
    (0..<tileBits).reduce(0) { $0 | Int(code >> UInt32(2 * $1) & 1) << $1 }
  }
}

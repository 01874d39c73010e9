import CadastreStore

/// Points aggregated by cells at some zoom levels, each level from the finer one by addition.
struct CellPyramid: Sendable {
  /// The keys of the objects, by row.
  let keys: [Int64]
  /// The index among the finest cells by row; the greatest number for a row outside of the grid.
  let cellOfRow: [UInt32]
  /// The levels, from the finest one on, with the zoom level of each.
  let levels: [(zoom: Int, cells: CellLevel)]
  /// The indexes of the cells of the next level, for the cells of each level but the last one.
  let parents: [[UInt32]]

  /// The index of a row outside of all cells.
  static let none = UInt32.max

  /// Aggregates points in one grid.
  init(_ keys: [Int64], _ positions: MapPositions, _ grid: CellGrid) {
    let (cells, cellOfRow) = Self.finest(positions, grid)
    (self.keys, self.cellOfRow) = (keys, cellOfRow)
    levels = [(grid.zoom, cells)]
    parents = []
  }

  /// The finest zoom level of a pyramid of the whole map.
  static let mostZoom = 5
  /// The number of cells beyond which a level is left out, with the finer ones.
  private static let mostCells = 1 << 20

  /// Aggregates points of the whole map at the zoom levels up to ``mostZoom`` at which a tile has many points.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - positions: Their positions.
  ///   - mostPoints: The number of points of a tile up to which its cells are not wanted.
  init(_ keys: [Int64], _ positions: MapPositions, beyond mostPoints: Int) {
    var (cells, cellOfRow) = Self.finest(positions, CellGrid(zoom: Self.mostZoom))
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
    _ positions: MapPositions, _ grid: CellGrid
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

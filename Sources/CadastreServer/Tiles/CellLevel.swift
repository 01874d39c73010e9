/// The cells of one zoom level that contain points, in ascending order of their codes.
struct CellLevel: Sendable {
  private(set) var codes: [UInt32] = []
  /// The number of points.
  private(set) var counts: [UInt32] = []
  /// The sums of the coordinates of the points.
  private(set) var x: [Double] = []
  private(set) var y: [Double] = []
  /// The first row whose point is in the cell.
  private(set) var firstRows: [UInt32] = []

  init() {}

  /// Adds points to the last cell, or to a new one with a greater code.
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

  /// Returns the cells one zoom level lower, and the index among them of the cell around each cell.
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

  /// The greatest number of points of a tile, in a grid of all cells.
  var mostPointsOfTile: Int {
    var (most, count, tile) = (0, 0, UInt32.max)
    for (code, points) in zip(codes, counts) {
      if CellGrid.tile(of: code) != tile { (tile, count) = (CellGrid.tile(of: code), 0) }
      count += Int(points)
      most = max(most, count)
    }
    return most
  }

  /// The memory of a cell in bytes.
  static let bytesPerCell = 3 * MemoryLayout<UInt32>.stride + 2 * MemoryLayout<Double>.stride
}

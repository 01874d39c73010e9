/// A grid of cells over all longitudes and latitudes, for grouping points.
public struct GeoGrid: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case tile, geohash }

  let kind: Kind
  /// The zoom of tiles, or the number of characters of geohashes.
  public let level: Int

  /// The tiles of web maps: square in the Mercator projection, 2^zoom columns and rows.
  ///
  /// Points beyond 85.051° of latitude are in the outermost rows.
  ///
  /// - Parameter zoom: From 0, one tile, to 30; other numbers are clamped to this range.
  /// - Returns: The grid.
  public static func tile(zoom: Int) -> GeoGrid {
    GeoGrid(kind: .tile, level: min(max(zoom, 0), 30))
  }

  /// The cells of geohashes, in which each character divides a cell into 32.
  ///
  /// - Parameter length: The number of characters, from 1, a cell of 45° by 45°, to 12; other numbers
  ///   are clamped to this range.
  /// - Returns: The grid.
  public static func geohash(length: Int) -> GeoGrid {
    GeoGrid(kind: .geohash, level: min(max(length, 1), 12))
  }

  /// The number of columns and rows as powers of two.
  var bits: (columns: Int, rows: Int) {
    switch kind {
    case .tile: (level, level)
    case .geohash: ((5 * level + 1) / 2, 5 * level / 2)
    }
  }
}

/// A cell of a grid.
///
///     let cell = GridCell(containing: paris, in: .geohash(length: 5))
///     print(cell, cell.center)  // u09tv …
///
/// Cells are ordered by rows from the north, or by geohash.
public struct GridCell: Hashable, Sendable {
  /// The grid.
  public let grid: GeoGrid
  /// The number of the column, counted from longitude -180°.
  public let column: Int
  /// The number of the row, counted from the north in a grid of tiles, from the south in a grid of
  /// geohashes.
  public let row: Int

  private init(grid: GeoGrid, column: Int, row: Int) {
    self.grid = grid
    self.column = column
    self.row = row
  }

  /// Creates the cell that contains a point; on a border, the eastern cell and the cell of the greater row.
  ///
  /// - Parameters:
  ///   - point: The point.
  ///   - grid: The grid.
  public init(containing point: GeoPoint, in grid: GeoGrid) {
    let bits = grid.bits
    let column = Self.number((point.longitude + 180) / 360, bits.columns)
    let row =
      switch grid.kind {
      case .tile: Self.number(Self.fraction(northing: point.latitude), bits.rows)
      case .geohash: Self.number((point.latitude + 90) / 180, bits.rows)
      }
    self.init(grid: grid, column: column, row: row)
  }

  private static func number(_ fraction: Double, _ bits: Int) -> Int {
    let count = 1 << bits
    return min(max(Int((fraction * Double(count)).rounded(.down)), 0), count - 1)
  }

  /// Returns the position of a latitude in the Mercator projection, from 0 at 85.051° to 1 at -85.051°.
  private static func fraction(northing latitude: Double) -> Double {
    let limited = min(max(latitude, -greatestLatitude), greatestLatitude)
    return 0.5 - inverseHyperbolicTangent(sine(latitude: limited)) / (2 * .pi)
  }

  /// The latitude at which the map of the Mercator projection is square.
  private static let greatestLatitude = 85.051_128_779_806_59

  // MARK: Bounding box

  /// The bounding box of the cell, in degrees.
  public var boundingBox: GeoBox {
    let envelope = envelope
    return GeoBox(
      uncheckedWest: envelope.west, south: envelope.south, east: envelope.east,
      north: envelope.north)
  }

  /// The centre of the cell, in degrees.
  public var center: GeoPoint {
    let envelope = envelope
    return GeoPoint(
      uncheckedLatitude: (envelope.south + envelope.north) / 2,
      longitude: (envelope.west + envelope.east) / 2, altitude: 0)
  }

  private var envelope: Envelope {
    let (columns, rows) = (Double(1 << grid.bits.columns), Double(1 << grid.bits.rows))
    let west = Double(column) / columns * 360 - 180
    let east = Double(column + 1) / columns * 360 - 180
    switch grid.kind {
    case .geohash:
      return Envelope(
        west: west, south: Double(row) / rows * 180 - 90, east: east,
        north: Double(row + 1) / rows * 180 - 90)
    case .tile:
      return Envelope(
        west: west, south: Self.latitude(at: Double(row + 1) / rows), east: east,
        north: Self.latitude(at: Double(row) / rows))
    }
  }

  private static func latitude(at fraction: Double) -> Double {
    arcSine(hyperbolicTangent((0.5 - fraction) * 2 * .pi)) / radiansPerDegree
  }

  // MARK: Codes

  /// The cell as a number; numbers have the order of the cells of the grid.
  package var code: Int64 {
    switch grid.kind {
    case .tile: Int64(row) << 32 | Int64(column)
    case .geohash:
      (0..<5 * grid.level).reduce(0) { code, bit in
        // The bits of column and row alternate, beginning with the column.
        let (number, bits) = bit % 2 == 0 ? (column, grid.bits.columns) : (row, grid.bits.rows)
        return code << 1 | Int64(number >> (bits - 1 - bit / 2) & 1)
      }
    }
  }

  /// Creates the cell with a code.
  package init(code: Int64, in grid: GeoGrid) {
    switch grid.kind {
    case .tile:
      self.init(grid: grid, column: Int(code & 0xFFFF_FFFF), row: Int(code >> 32))
    case .geohash:
      var (column, row) = (0, 0)
      for bit in 0..<5 * grid.level {
        let value = Int(code >> Int64(5 * grid.level - 1 - bit) & 1)
        if bit % 2 == 0 { column = column << 1 | value } else { row = row << 1 | value }
      }
      self.init(grid: grid, column: column, row: row)
    }
  }

  private static let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz")

  /// Creates a cell from its description: `6/33/22` or a geohash; nil for other texts.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    if parts.count == 3 {
      guard let zoom = parts[0], let column = parts[1], let row = parts[2],
        (0...30).contains(zoom), (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row)
      else { return nil }
      self.init(grid: .tile(zoom: zoom), column: column, row: row)
      return
    }
    guard (1...12).contains(text.count) else { return nil }
    var code: Int64 = 0
    for character in text {
      guard let digit = Self.digits.firstIndex(of: character) else { return nil }
      code = code << 5 | Int64(digit)
    }
    self.init(code: code, in: .geohash(length: text.count))
  }
}

extension GridCell: CustomStringConvertible {
  /// The zoom, column and row of a tile, such as `6/33/22`; the geohash, such as `u09tv`.
  public var description: String {
    switch grid.kind {
    case .tile: return "\(grid.level)/\(column)/\(row)"
    case .geohash:
      let code = code
      return String(
        (0..<grid.level).map {
          Self.digits[Int(code >> Int64(5 * (grid.level - 1 - $0)) & 31)]
        })
    }
  }
}

extension GridCell: Comparable {
  /// Returns whether a cell precedes another one: tiles first, by level, then by rows from the north or by
  /// geohash.
  public static func < (first: GridCell, second: GridCell) -> Bool {
    first.order < second.order
  }

  private var order: (Int, Int, Int64) { (grid.kind == .tile ? 0 : 1, grid.level, code) }
}

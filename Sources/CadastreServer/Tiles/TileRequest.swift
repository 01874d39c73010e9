import CadastreDatasets
import CadastreStore
import Foundation

/// The request of a tile of the matrix set WebMercatorQuad with a selection of objects.
struct TileRequest: Hashable {
  let selection: Selection
  /// The field for an attribute of the features; nil for none.
  let field: String?
  let tile: TileAddress
  let version: Int64

  /// The part of the selection in the tile and its buffer.
  var selectionInTile: Selection {
    // The tile of zoom level 0 needs no spatial condition.
    guard tile.zoom > 0 else { return selection }
    var limited = selection
    let bounds = tile.bounds
    limited.box = BoundingBox(bounds.west, bounds.south, bounds.east, bounds.north)
    return limited
  }
}

/// The address of a tile: zoom level, and column and row from the north-west.
///
/// Source: OGC 17-083r4, "Two Dimensional Tile Matrix Set", annex D.
struct TileAddress: Hashable {
  let zoom: Int
  let column: Int
  let row: Int

  /// The maximum zoom level.
  static let mostZoom = 22
  /// The side length in tile units.
  static let side = 4096.0
  /// The width of the buffer around a tile in tile units.
  static let buffer = 64.0
  /// The latitude of the northern edge of the map.
  static let mostLatitude = 85.051128779806604

  /// Creates an address; nil outside of the tile matrix.
  init?(zoom: Int, row: Int, column: Int) {
    guard (0...Self.mostZoom).contains(zoom), case let count = 1 << zoom, (0..<count).contains(row),
      (0..<count).contains(column)
    else { return nil }
    (self.zoom, self.row, self.column) = (zoom, row, column)
  }

  private var count: Double { Double(1 << zoom) }

  /// Returns the position in tile units of a point in degrees.
  func position(longitude: Double, latitude: Double) -> (x: Double, y: Double) {
    let limited = min(Self.mostLatitude, max(-Self.mostLatitude, latitude))
    return position(MapPositions.position(longitude: longitude, latitude: limited))
  }

  /// Returns the position in tile units of a position in the map.
  func position(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
    ((point.x * count - Double(column)) * Self.side, (point.y * count - Double(row)) * Self.side)
  }

  private func latitude(atRow row: Double) -> Double {
    atan(sinh(.pi * (1 - 2 * row / count))) * 180 / .pi
  }

  /// The bounding box of the tile and its buffer in degrees.
  var bounds: (west: Double, south: Double, east: Double, north: Double) {
    let margin = Self.buffer / Self.side
    let degrees = { (column: Double) in column / self.count * 360 - 180 }
    return (
      max(-180, degrees(Double(column) - margin)),
      latitude(atRow: min(count, Double(row) + 1 + margin)),
      min(180, degrees(Double(column) + 1 + margin)), latitude(atRow: max(0, Double(row) - margin))
    )
  }
}

/// The Web Mercator positions of objects, by row.
///
/// The coordinates are fractions below 1 of the side of the map: x from the west, y from the north. An object without
/// a point on the map has NaN in both.
struct MapPositions {
  private(set) var x: [Double] = []
  private(set) var y: [Double] = []

  /// Creates an empty list with a capacity.
  init(capacity: Int) {
    x.reserveCapacity(capacity)
    y.reserveCapacity(capacity)
  }

  /// Returns the position of a point in degrees, whose latitude must be on the map.
  static func position(longitude: Double, latitude: Double) -> (x: Double, y: Double) {
    let sine = sin(latitude * .pi / 180)
    return ((longitude + 180) / 360, 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi))
  }

  /// Adds rows of a batch of points.
  mutating func append(_ longitudes: BatchColumn, _ latitudes: BatchColumn, _ rows: RowSet) {
    let hasNulls = longitudes.nullCount > 0 || latitudes.nullCount > 0
    longitudes.withDoubles { degreesEast in
      latitudes.withDoubles { degreesNorth in
        for row in rows {
          if hasNulls, longitudes.isNull(row) || latitudes.isNull(row) {
            append(nil)
          } else {
            append((degreesEast[row], degreesNorth[row]))
          }
        }
      }
    }
  }

  private mutating func append(_ point: (longitude: Double, latitude: Double)?) {
    guard let (longitude, latitude) = point, abs(longitude) <= 180,
      abs(latitude) <= TileAddress.mostLatitude
    else {
      x.append(.nan)
      y.append(.nan)
      return
    }
    let position = Self.position(longitude: longitude, latitude: latitude)
    x.append(min(max(0, position.x), Self.last))
    y.append(min(max(0, position.y), Self.last))
  }

  /// The maximum coordinate; the eastern and the southern border belong to the last tile.
  private static let last = 1.0.nextDown
}

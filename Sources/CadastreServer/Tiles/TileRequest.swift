import CadastreDatasets
import CadastreStore
import Foundation

/// A tile of the matrix WebMercatorQuad with a selection of objects.
struct TileRequest: Hashable {
  let selection: Selection
  /// The field whose values are attributes; nil for none.
  let field: String?
  let tile: TileAddress
  let version: Int64

  /// The objects of the selection in the tile and its buffer.
  var selectionInTile: Selection {
    // All objects of the world are found without the index.
    guard tile.zoom > 0 else { return selection }
    var limited = selection
    let bounds = tile.bounds
    limited.box = BoundingBox(bounds.west, bounds.south, bounds.east, bounds.north)
    return limited
  }
}

/// The place of a tile: zoom level, and column and row from the north-west.
///
/// Source: OGC 17-083r4, "Two Dimensional Tile Matrix Set", annex D.
struct TileAddress: Hashable {
  let zoom: Int
  let column: Int
  let row: Int

  /// The greatest zoom level.
  static let mostZoom = 22
  /// The length of a side in units of the tile.
  static let side = 4096.0
  /// The units around the tile that are drawn too.
  static let buffer = 64.0
  /// The latitude of the upper side of the map.
  static let mostLatitude = 85.051128779806604

  /// Checks the numbers of a tile; nil outside of the matrix.
  init?(zoom: Int, row: Int, column: Int) {
    guard (0...Self.mostZoom).contains(zoom), case let count = 1 << zoom, (0..<count).contains(row),
      (0..<count).contains(column)
    else { return nil }
    (self.zoom, self.row, self.column) = (zoom, row, column)
  }

  private var count: Double { Double(1 << zoom) }

  /// The position in units of the tile of a place in degrees.
  func position(longitude: Double, latitude: Double) -> (x: Double, y: Double) {
    let limited = min(Self.mostLatitude, max(-Self.mostLatitude, latitude))
    return position(MapPositions.position(longitude: longitude, latitude: limited))
  }

  /// The position in units of the tile of a position in the map.
  func position(_ place: (x: Double, y: Double)) -> (x: Double, y: Double) {
    ((place.x * count - Double(column)) * Self.side, (place.y * count - Double(row)) * Self.side)
  }

  private func latitude(atRow row: Double) -> Double {
    atan(sinh(.pi * (1 - 2 * row / count))) * 180 / .pi
  }

  /// The sides of the tile and its buffer in degrees: west, south, east, north.
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

/// The positions of some objects in the map of Web Mercator, by row.
///
/// The coordinates are fractions of the side of the map, below 1: x from the west and y from the north. Both are
/// NaN for an object without a point on the map.
struct MapPositions {
  private(set) var x: [Double] = []
  private(set) var y: [Double] = []

  /// Creates an empty list with room for some positions.
  init(capacity: Int) {
    x.reserveCapacity(capacity)
    y.reserveCapacity(capacity)
  }

  /// Returns the position of a place in degrees, whose latitude is on the map.
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

  private mutating func append(_ place: (longitude: Double, latitude: Double)?) {
    guard let (longitude, latitude) = place, abs(longitude) <= 180,
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

  /// The greatest coordinate: the eastern and the southern border belong to the last tile.
  private static let last = 1.0.nextDown
}

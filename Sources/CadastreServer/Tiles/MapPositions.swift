import CadastreStore
import Foundation

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

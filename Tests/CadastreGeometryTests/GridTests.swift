import CadastreGeometry
import CadastreTestSupport
import Foundation
import Testing

/// Cells of grids, compared with the definitions of their systems.
@Suite struct GridTests {
  private func point(_ latitude: Double, _ longitude: Double) throws -> GeoPoint {
    try #require(GeoPoint(latitude: latitude, longitude: longitude))
  }

  @Test func `published examples`() throws {
    // The examples of the articles on geohashes and of the program mercantile.
    let jutland = GridCell(containing: try point(57.64911, 10.40744), in: .geohash(length: 11))
    #expect("\(jutland)" == "u4pruydqqvj")
    let albania = GridCell(containing: try point(40.1222, 20.6852), in: .tile(zoom: 9))
    #expect("\(albania)" == "9/285/193")
    #expect("\(GridCell(containing: try point(0, 0), in: .tile(zoom: 1)))" == "1/1/1")
    #expect("\(GridCell(containing: try point(90, 180), in: .tile(zoom: 3)))" == "3/7/0")
    #expect("\(GridCell(containing: try point(-90, -180), in: .tile(zoom: 3)))" == "3/0/7")
    #expect("\(GridCell(containing: try point(90, 180), in: .geohash(length: 2)))" == "zz")
    #expect("\(GridCell(containing: try point(-90, -180), in: .geohash(length: 2)))" == "00")
  }

  /// The geohash by repeated division of the intervals, as it is defined.
  private func geohash(_ point: GeoPoint, _ length: Int) -> String {
    var (west, east, south, north) = (-180.0, 180.0, -90.0, 90.0)
    var text = ""
    for character in 0..<length {
      var digit = 0
      for bit in 0..<5 {
        if (5 * character + bit) % 2 == 0 {
          let middle = (west + east) / 2
          if point.longitude >= middle { west = middle } else { east = middle }
          digit = digit << 1 | (point.longitude >= middle ? 1 : 0)
        } else {
          let middle = (south + north) / 2
          if point.latitude >= middle { south = middle } else { north = middle }
          digit = digit << 1 | (point.latitude >= middle ? 1 : 0)
        }
      }
      text.append(Array("0123456789bcdefghjkmnpqrstuvwxyz")[digit])
    }
    return text
  }

  @Test(arguments: 1...3) func `cells are those of their definitions`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let point = try point(random.number(-90...90), random.number(-180...180))
      let length = 1 + random.below(12)
      let hash = GridCell(containing: point, in: .geohash(length: length))
      #expect("\(hash)" == geohash(point, length), "\(point), seed \(seed)")

      let zoom = random.below(25)
      let tile = GridCell(containing: point, in: .tile(zoom: zoom))
      let count = Double(1 << zoom)
      let angle = point.latitude * .pi / 180
      let row = (1 - log(tan(angle) + 1 / cos(angle)) / .pi) / 2 * count
      let column = (point.longitude + 180) / 360 * count
      // A point within rounding of a border may be on either side.
      let distance = abs(row - row.rounded())
      if distance > 1e-6, row > 0, row < count {
        #expect(tile.row == Int(row) && tile.column == Int(column), "\(point), seed \(seed)")
      }

      for cell in [hash, tile] {
        let box = cell.boundingBox
        let latitude = min(max(point.latitude, -85.051128), 85.051128)
        let place = cell == tile ? latitude : point.latitude
        #expect(box.bottomLeft.longitude <= point.longitude)
        #expect(point.longitude <= box.topRight.longitude)
        #expect(box.bottomLeft.latitude - 1e-9 <= place)
        #expect(place <= box.topRight.latitude + 1e-9)
        #expect(GridCell("\(cell)") == cell)
        #expect(GridCell(code: cell.code, in: cell.grid) == cell)
        #expect(GridCell(containing: cell.center, in: cell.grid) == cell)
      }
    }
  }

  @Test func `texts that name no cell`() {
    for text in ["", "a", "u0i", "1/2", "3/8/0", "-1/0/0", "31/0/0", "3/0/0/0", "0123456789bcd"] {
      #expect(GridCell(text) == nil, "\(text)")
    }
    #expect(GeoGrid.tile(zoom: -3).level == 0 && GeoGrid.tile(zoom: 99).level == 30)
    #expect(GeoGrid.geohash(length: 0).level == 1 && GeoGrid.geohash(length: 99).level == 12)
  }
}

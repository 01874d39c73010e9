import CadastreGeometry
import Testing

/// Holes that are not inside the exterior ring, at scales for which the edges are checked in different ways.
@Suite struct RingNestingTests {
  private typealias Ring = [(longitude: Double, latitude: Double)]

  /// A square around a point, counterclockwise.
  private static func square(_ center: (Double, Double), _ half: Double) -> Ring {
    let (x, y) = center
    return [
      (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half),
      (x - half, y - half),
    ]
  }

  /// A ring around the north pole at a latitude.
  private static func cap(_ latitude: Double) -> Ring {
    [0, 60, 120, 180, -120, -60, 0].map { ($0, latitude) }
  }

  private func error(_ rings: [Ring]) throws -> RegionError? {
    let points = try rings.map { ring in
      try ring.map { position in
        let wrapped = position.longitude > 180 ? position.longitude - 360 : position.longitude
        return try #require(GeoPoint(latitude: position.latitude, longitude: wrapped))
      }
    }
    let polygon = try #require(GeoPolygon(outerRing: points[0], holes: Array(points.dropFirst())))
    do throws(RegionError) {
      _ = try PreparedRegion(.polygon(polygon))
      return nil
    } catch { return error }
  }

  @Test(arguments: [(0.0, 0.01), (0, 1), (0, 20), (0, 44), (100, 60), (179.9, 1), (179, 40)])
  func `holes of squares`(longitude: Double, half: Double) throws {
    let center = (longitude, 0.0)
    let shell = Self.square(center, half)
    let inner = Self.square(center, half / 4)
    let other = Self.square((longitude + half / 2, 0), half / 8)
    #expect(try error([shell, inner, other]) == nil)
    // The order of the points does not matter.
    #expect(try error([shell.reversed(), inner]) == nil)
    let outside = Self.square((longitude, half + (90 - half) / 2), min(half, 90 - half) / 4)
    for (name, rings) in [
      ("outside", [shell, outside]), ("around", [inner, shell]), ("equal", [shell, shell]),
      ("repeated", [shell, inner, inner]),
      ("nested", [shell, inner, Self.square(center, half / 8)]),
      ("nested, reversed", [shell, Self.square(center, half / 8), inner]),
      ("edge of the shell", [shell, [shell[0], shell[1], center, shell[0]]]),
      ("edge of a hole", [shell, inner, [inner[0], inner[1], (longitude, -half / 2), inner[0]]]),
      ("across", [shell, Self.square((longitude + half, 0), half / 4)]),
    ] as [(String, [Ring])] {
      #expect(try error(rings) != nil, "\(name)")
    }
  }

  @Test(arguments: [80.0, 30, 5])
  func `holes of rings around a pole`(latitude: Double) throws {
    let shell = Self.cap(latitude)
    let (hole, inner) = (Self.cap(latitude + 5), Self.cap(latitude + 8))
    #expect(try error([shell, hole]) == nil)
    for (name, rings) in [
      ("around", [hole, shell]), ("equal", [shell, shell]), ("nested", [shell, hole, inner]),
      ("nested, reversed", [shell, inner, hole]),
      ("outside", [shell, Self.square((10, latitude - 20), 2)]),
      ("edge", [shell, [shell[0], shell[1], (30, latitude + 8), shell[0]]]),
    ] as [(String, [Ring])] {
      #expect(try error(rings) != nil, "\(name)")
    }
  }
}

import CadastreGeometry
import CadastreTestSupport
import Foundation
import Testing

/// Borders of regions as short pieces, by whose boxes the index is searched.
@Suite struct BorderPieceTests {
  @Test(arguments: [71])
  func `pieces are short, and lie on the border`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<200 {
      let corners = (0..<4).map { corner in
        let angle = (Double(corner) + Double.random(in: 0...0.9, using: &random)) * .pi / 2
        let reach = Double.random(in: 0.01...40, using: &random)
        return GeoPoint(
          latitude: 20 + reach * sin(angle), longitude: 10 + reach * cos(angle))
      }
      let ring = try corners.map { try #require($0) }
      let polygon = try #require(GeoPolygon(outerRing: ring + ring.prefix(1), holes: nil))
      guard case .spherical(let rings)? = try PreparedRegion(.polygon(polygon)).outlines.first
      else {
        Issue.record("seed \(seed), \(number): no ring")
        return
      }
      let line = rings[0]
      let count = 1 + random.below(30)
      let pieces = RegionOutline.pieces(of: line, count: count)
      let points = pieces.reduce(Array(pieces[0].prefix(1))) { $0 + $1.dropFirst() }
      // The pieces are one line with the vertices of the border, and as long.
      #expect(line.allSatisfy(points.contains), "seed \(seed), \(number)")
      #expect(points.first == line.first && points.last == line.last)
      let length = try Self.length(line)
      #expect(abs(try Self.length(points) - length) < 1e-3, "seed \(seed), \(number)")
      let longest = max(111_320, length / Double(count))
      for piece in pieces {
        #expect(try Self.length(piece) < 2 * longest + 1, "seed \(seed), \(number)")
      }
      #expect(pieces.count <= count + 1)
    }
  }

  /// The length of a line in metres.
  private static func length(_ line: [RegionOutline.Position]) throws -> Double {
    let points = try line.map {
      try #require(GeoPoint(latitude: $0.latitude, longitude: $0.longitude))
    }
    return zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1).asMeters() }
  }
}

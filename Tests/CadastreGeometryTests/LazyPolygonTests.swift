import CadastreGeometry
import CadastreTestSupport
import Testing

/// A polygon gives the same answers before and after its arcs are indexed.
@Suite struct LazyPolygonTests {
  @Test(arguments: EdgeModel.allCases, 1...20) func `indexes change no answer`(
    edges: EdgeModel, seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let geometry = random.geometry()
      let positions = geometry.parts.polygons.joined().joined()
      guard !positions.isEmpty else { continue }
      let indexed = PreparedGeometry(geometry, edges: edges)
      for _ in 0..<200 { _ = indexed.covers(longitude: random.number(-6...6), latitude: 0) }
      for position in positions { _ = indexed.covers(longitude: position.longitude, latitude: 0) }
      let fresh = PreparedGeometry(geometry, edges: edges)
      var points = positions.prefix(20).map { ($0.longitude, $0.latitude) }
      points += (0..<40).map { _ in (random.number(-6...6), random.number(-6...6)) }
      points += [(180, 0), (-180, 0), (0, 90), (0, -90)]
      for (longitude, latitude) in points {
        #expect(
          fresh.covers(longitude: longitude, latitude: latitude)
            == indexed.covers(longitude: longitude, latitude: latitude),
          "seed \(seed): \(geometry.wkt) and \(longitude) \(latitude)")
      }
    }
  }
}

import CadastreTestSupport
import Testing

@testable import CadastreGeometry

@Suite struct BatchTests {
  @Test func `a batch of points has the results of single points`() throws {
    let seed: UInt64 = 12
    var generator = SeededGenerator(seed: seed)
    var points = (0..<3_000).map { _ in generator.point() }
    points += [(.nan, 0), (0, .nan), (200, 0), (0, 100), (180, 90), (-180, -90)]
    let longitudes = points.map(\.longitude)
    let latitudes = points.map(\.latitude)
    let triangle = try polygon([(0, 0), (70, 0), (0, 70), (0, 0)])
    guard case .polygon(let part) = triangle else { return }
    for shape in [
      triangle, try circle((0, 0), 1), try circle((0, 0), 4), try box((-180, 0), (180, 30)),
      .multiPolygon([part, part]),
    ] {
      let region = try PreparedRegion(shape)
      let expected = points.indices.filter {
        region.contains(longitude: longitudes[$0], latitude: latitudes[$0])
      }.map { Int32($0) }
      var refined = points.indices.reversed().map { Int32($0) }
      longitudes.withUnsafeBufferPointer { longitudes in
        latitudes.withUnsafeBufferPointer { latitudes in
          region.refine(&refined, longitudes: longitudes, latitudes: latitudes)
        }
      }
      #expect(refined == expected.reversed(), "seed \(seed)")
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64], EdgeModel.allCases)
  func `boxes of the size of a point are classified conservatively`(
    seed: UInt64, edges: EdgeModel
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var undecided = 0
    var tested = 0
    for _ in 0..<150 {
      let shape = try generator.shape()
      guard let region = try? PreparedRegion(shape, edges: edges) else { continue }
      let points = (0..<60).map { _ in generator.point() } + generator.border(of: shape, 60)
      let boxes = points.map { generator.indexBox(of: $0) }
      for (box, relation) in zip(boxes, relations(of: boxes, region)) {
        tested += 1
        let sides = [(0, 2), (0, 3), (1, 2), (1, 3)]
        var corners = sides.map { (Double(box[$0]), Double(box[$1])) }
        corners.append((corners[0].0 / 2 + corners[3].0 / 2, corners[0].1 / 2 + corners[3].1 / 2))
        let inside = corners.map { region.contains(longitude: $0, latitude: $1) }
        switch relation {
        case .inside: #expect(!inside.contains(false), "seed \(seed): \(box) \(shape)")
        case .disjoint: #expect(!inside.contains(true), "seed \(seed): \(box) \(shape)")
        case .intersects: undecided += 1
        }
      }
    }
    // Half of the boxes are near the border: many of those intersect it, and few of the others.
    #expect(
      undecided < tested * 6 / 10, "seed \(seed): \(undecided) of \(tested) are undecided")
  }

  @Test func `distant boxes are decided, and large ones have the results of single envelopes`()
    throws
  {
    var generator = SeededGenerator(seed: 5)
    let shape = try circle((10, 48), 0.2)
    let region = try PreparedRegion(shape)
    let points = (0..<2000).map { _ in generator.indexBox(of: generator.point()) }
    #expect(relations(of: points, region).allSatisfy { $0 != .intersects })
    let large = (0..<2000).map { _ in
      let (west, south) = generator.point()
      return SIMD4(Float(west), Float(west + 20), Float(south), Float(south + 20))
    }
    #expect(relations(of: large, region) == large.map { region.relation(to: Envelope($0)) })
  }

  private func relations(
    of boxes: [SIMD4<Float>], _ region: PreparedRegion
  ) -> [EnvelopeRelation] {
    var relations = boxes.map { _ in EnvelopeRelation.intersects }
    boxes.withUnsafeBufferPointer { boxes in
      relations.withUnsafeMutableBufferPointer { buffer in
        if let start = buffer.baseAddress { region.relations(of: boxes, start) }
      }
    }
    return relations
  }
}

extension SeededGenerator {
  /// Returns the box of 32-bit floats that the spatial index stores for a point.
  mutating func indexBox(of point: (longitude: Double, latitude: Double)) -> SIMD4<Float> {
    let (longitude, latitude) = (Float(point.longitude), Float(point.latitude))
    return SIMD4(
      Double(longitude) > point.longitude ? longitude.nextDown : longitude,
      Double(longitude) < point.longitude ? longitude.nextUp : longitude,
      Double(latitude) > point.latitude ? latitude.nextDown : latitude,
      Double(latitude) < point.latitude ? latitude.nextUp : latitude)
  }

  /// Returns points at corners of a shape and about a metre from its border.
  mutating func border(of shape: GeoShape, _ count: Int) -> [(longitude: Double, latitude: Double)]
  {
    var corners: [(longitude: Double, latitude: Double)]
    switch shape {
    case .box(let box):
      corners = [box.bottomLeft, box.topRight].map { ($0.longitude, $0.latitude) }
    case .polygon(let polygon):
      corners = polygon.outerRing.map { ($0.longitude, $0.latitude) }
    case .circle(let circle):
      let center = (circle.center.longitude, circle.center.latitude)
      corners = (0..<20).map { _ in
        point(from: center, bearing: number(0...6.2), angle: circle.radiusInRadians)
      }
    case .multiPolygon: corners = []
    }
    return (0..<count).map { index in
      let corner = corners[index % corners.count]
      let next = corners[(index + 1) % corners.count]
      let fraction = index % 3 == 0 ? 0 : number(0...1)
      let scatter = index % 2 == 0 ? 0 : 1e-5
      let longitude = corner.longitude + fraction * (next.longitude - corner.longitude)
      let latitude = corner.latitude + fraction * (next.latitude - corner.latitude)
      return (
        min(180, max(-180, longitude + number(-1...1) * scatter)),
        min(90, max(-90, latitude + number(-1...1) * scatter))
      )
    }
  }
}

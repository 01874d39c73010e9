import Testing

@testable import CadastreGeometry

@Suite struct BatchTests {
  @Test func `many places at once get the answers of each by itself`() throws {
    let seed: UInt64 = 12
    var generator = SeededGenerator(seed: seed)
    var places = (0..<3_000).map { _ in generator.place() }
    places += [(.nan, 0), (0, .nan), (200, 0), (0, 100), (180, 90), (-180, -90)]
    let longitudes = places.map(\.longitude)
    let latitudes = places.map(\.latitude)
    let triangle = try polygon([(0, 0), (70, 0), (0, 70), (0, 0)])
    guard case .polygon(let part) = triangle else { return }
    for shape in [
      triangle, try circle((0, 0), 1), try circle((0, 0), 4), try box((-180, 0), (180, 30)),
      .multiPolygon([part, part]),
    ] {
      let region = try PreparedRegion(shape)
      let expected = places.indices.filter {
        region.contains(longitude: longitudes[$0], latitude: latitudes[$0])
      }.map { Int32($0) }
      var refined = places.indices.reversed().map { Int32($0) }
      longitudes.withUnsafeBufferPointer { longitudes in
        latitudes.withUnsafeBufferPointer { latitudes in
          region.refine(&refined, longitudes: longitudes, latitudes: latitudes)
        }
      }
      #expect(refined == expected.reversed(), "seed \(seed)")
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64], EdgeModel.allCases)
  func `the boxes of single points are decided by their middles, safely`(
    seed: UInt64, edges: EdgeModel
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var open = 0
    var tested = 0
    for _ in 0..<150 {
      let shape = try generator.shape()
      guard let region = try? PreparedRegion(shape, edges: edges) else { continue }
      let places = (0..<60).map { _ in generator.place() } + generator.border(of: shape, 60)
      let boxes = places.map { generator.indexBox(of: $0) }
      for (box, relation) in zip(boxes, relations(of: boxes, region)) {
        tested += 1
        let sides = [(0, 2), (0, 3), (1, 2), (1, 3)]
        var corners = sides.map { (Double(box[$0]), Double(box[$1])) }
        corners.append((corners[0].0 / 2 + corners[3].0 / 2, corners[0].1 / 2 + corners[3].1 / 2))
        let inside = corners.map { region.contains(longitude: $0, latitude: $1) }
        switch relation {
        case .inside: #expect(!inside.contains(false), "seed \(seed): \(box) \(shape)")
        case .disjoint: #expect(!inside.contains(true), "seed \(seed): \(box) \(shape)")
        case .straddles: open += 1
        }
      }
    }
    // Of those on the border many stay open, of the others hardly one.
    #expect(open < tested * 6 / 10, "seed \(seed): \(open) of \(tested) are open")
  }

  @Test func `boxes far from the border are decided, and large ones as by themselves`() throws {
    var generator = SeededGenerator(seed: 5)
    let shape = try circle((10, 48), 0.2)
    let region = try PreparedRegion(shape)
    let points = (0..<2000).map { _ in generator.indexBox(of: generator.place()) }
    #expect(relations(of: points, region).allSatisfy { $0 != .straddles })
    let large = (0..<2000).map { _ in
      let (west, south) = generator.place()
      return SIMD4(Float(west), Float(west + 20), Float(south), Float(south + 20))
    }
    #expect(relations(of: large, region) == large.map { region.relation(to: Envelope($0)) })
  }

  private func relations(
    of boxes: [SIMD4<Float>], _ region: PreparedRegion
  ) -> [EnvelopeRelation] {
    var relations = boxes.map { _ in EnvelopeRelation.straddles }
    boxes.withUnsafeBufferPointer { boxes in
      relations.withUnsafeMutableBufferPointer { answers in
        if let start = answers.baseAddress { region.relations(of: boxes, start) }
      }
    }
    return relations
  }
}

extension SeededGenerator {
  /// The box of 32-bit floats that an index has for a point.
  mutating func indexBox(of place: (longitude: Double, latitude: Double)) -> SIMD4<Float> {
    let (longitude, latitude) = (Float(place.longitude), Float(place.latitude))
    return SIMD4(
      Double(longitude) > place.longitude ? longitude.nextDown : longitude,
      Double(longitude) < place.longitude ? longitude.nextUp : longitude,
      Double(latitude) > place.latitude ? latitude.nextDown : latitude,
      Double(latitude) < place.latitude ? latitude.nextUp : latitude)
  }

  /// Places on corners of a shape and within a metre or so of its border.
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
        place(from: center, bearing: number(0...6.2), angle: circle.radiusInRadians)
      }
    case .multiPolygon: corners = []
    }
    return (0..<count).map { index in
      let corner = corners[index % corners.count]
      let next = corners[(index + 1) % corners.count]
      let share = index % 3 == 0 ? 0 : number(0...1)
      let scatter = index % 2 == 0 ? 0 : 1e-5
      let longitude = corner.longitude + share * (next.longitude - corner.longitude)
      let latitude = corner.latitude + share * (next.latitude - corner.latitude)
      return (
        min(180, max(-180, longitude + number(-1...1) * scatter)),
        min(90, max(-90, latitude + number(-1...1) * scatter))
      )
    }
  }
}

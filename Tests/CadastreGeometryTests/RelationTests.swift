import Testing

@testable import CadastreGeometry

@Suite struct RelationTests {
  /// A rectangle of any size, often near the region, now and then at ±180° or a pole.
  private func rectangle(
    near envelope: Envelope, _ generator: inout SeededGenerator
  ) -> Envelope {
    let size: Double = [0.01, 0.3, 3, 30, 120].randomElement(using: &generator) ?? 1
    var west = generator.number(envelope.minLongitude...envelope.maxLongitude)
    var south = generator.number(envelope.minLatitude...envelope.maxLatitude)
    west -= generator.number(0...size)
    south -= generator.number(0...size)
    var made = Envelope(
      minLongitude: max(-180, west), maxLongitude: min(180, west + generator.number(0...size)),
      minLatitude: max(-90, south), maxLatitude: min(90, south + generator.number(0...size)))
    made.maxLongitude = max(made.minLongitude, made.maxLongitude)
    made.maxLatitude = max(made.minLatitude, made.maxLatitude)
    if Int.random(in: 0..<12, using: &generator) == 0 { made.maxLatitude = 90 }
    if Int.random(in: 0..<12, using: &generator) == 0 { made.minLongitude = -180 }
    if Int.random(in: 0..<12, using: &generator) == 0 { made.maxLongitude = 180 }
    return made
  }

  /// A place in a rectangle, on its sides and corners as often as within.
  private func place(
    in rectangle: Envelope, _ generator: inout SeededGenerator
  ) -> (Double, Double) {
    let inner = (generator.number(0...1), generator.number(0...1))
    let east: Double = [0, 1, inner.0, inner.1].randomElement(using: &generator) ?? 0
    let north: Double = [0, 1, inner.0, inner.1].randomElement(using: &generator) ?? 0
    let longitude =
      rectangle.minLongitude + east * (rectangle.maxLongitude - rectangle.minLongitude)
    let latitude = rectangle.minLatitude + north * (rectangle.maxLatitude - rectangle.minLatitude)
    return (
      min(rectangle.maxLongitude, longitude), min(rectangle.maxLatitude, latitude)
    )
  }

  @Test(arguments: EdgeModel.allCases)
  func `what is said of a rectangle holds for all of its places`(edges: EdgeModel) throws {
    let seed: UInt64 = 4_711
    var generator = SeededGenerator(seed: seed)
    var counts: [EnvelopeRelation: Int] = [:]
    var idle = 0
    for _ in 0..<400 {
      let shape = try generator.shape()
      guard let region = try? PreparedRegion(shape, edges: edges) else { continue }
      for _ in 0..<60 {
        let envelope = region.envelopes.randomElement(using: &generator) ?? .world
        let rectangle = rectangle(near: envelope, &generator)
        let relation = region.relation(to: rectangle)
        counts[relation, default: 0] += 1
        var (someIn, someOut) = (false, false)
        for _ in 0..<60 {
          let (longitude, latitude) = place(in: rectangle, &generator)
          if region.contains(longitude: longitude, latitude: latitude) {
            someIn = true
          } else {
            someOut = true
          }
        }
        if relation == .inside && someOut || relation == .disjoint && someIn {
          Issue.record("seed \(seed): \(relation) is wrong of \(rectangle) for \(shape)")
        }
        if relation == .straddles && !(someIn && someOut) { idle += 1 }
      }
    }
    print("seed \(seed), \(edges): \(counts), \(idle) straddling without need seen")
  }

  @Test(arguments: EdgeModel.allCases)
  func `the envelopes cover the region`(edges: EdgeModel) throws {
    let seed: UInt64 = 815
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<600 {
      let shape = try generator.shape()
      guard let region = try? PreparedRegion(shape, edges: edges) else { continue }
      for _ in 0..<300 {
        let envelope = region.envelopes.randomElement(using: &generator) ?? .world
        let longitude = generator.number(
          max(-180, envelope.minLongitude - 2)...min(180, envelope.maxLongitude + 2))
        let latitude = generator.number(
          max(-90, envelope.minLatitude - 2)...min(90, envelope.maxLatitude + 2))
        guard region.contains(longitude: longitude, latitude: latitude) else { continue }
        #expect(
          region.envelopes.contains { $0.contains(longitude: longitude, latitude: latitude) },
          "seed \(seed): [\(longitude), \(latitude)] of \(shape)")
      }
    }
  }

  @Test(arguments: EdgeModel.allCases)
  func `shapes on poles, ±180° and the equator keep the laws too`(edges: EdgeModel) throws {
    let seed: UInt64 = 90
    var generator = SeededGenerator(seed: seed)
    let longitudes: [Double] = [-180, -135, -90, -1, 0, 1, 45, 90, 179, 180]
    let latitudes: [Double] = [-90, -89, -45, 0, 1, 45, 89, 90]
    let corner = { (generator: inout SeededGenerator) -> (Double, Double) in
      (
        longitudes.randomElement(using: &generator) ?? 0,
        latitudes.randomElement(using: &generator) ?? 0
      )
    }
    var accepted = 0
    for round in 0..<6_000 {
      let (first, second) = (corner(&generator), corner(&generator))
      var ring = (0..<Int.random(in: 3...6, using: &generator)).map { _ in corner(&generator) }
      ring.append(ring[0])
      let shape = try round % 3 == 0 ? box(first, second) : polygon(ring)
      guard let region = try? PreparedRegion(shape, edges: edges) else { continue }
      accepted += 1
      for _ in 0..<6 {
        let rectangle = rectangle(near: .world, &generator)
        let relation = region.relation(to: rectangle)
        for _ in 0..<20 {
          let (longitude, latitude) = place(in: rectangle, &generator)
          let isInside = region.contains(longitude: longitude, latitude: latitude)
          let isCovered = region.envelopes.contains {
            $0.contains(longitude: longitude, latitude: latitude)
          }
          if isInside ? relation == .disjoint || !isCovered : relation == .inside {
            Issue.record(
              "seed \(seed): \(relation) of \(rectangle) at \(longitude) \(latitude): \(shape)")
          }
        }
      }
    }
    #expect(accepted > 1_000)
  }

  @Test func `a rectangle that is not a number straddles`() throws {
    let region = try PreparedRegion(box((0, 0), (10, 10)))
    let rectangle = Envelope(
      minLongitude: .nan, maxLongitude: 1, minLatitude: 0, maxLatitude: 1)
    #expect(region.relation(to: rectangle) == .straddles)
  }

  @Test func `the bulge of an edge counts`() throws {
    let region = try PreparedRegion(box((0, 50), (60, 60)))
    let above = Envelope(
      minLongitude: 25, maxLongitude: 35, minLatitude: 60.5, maxLatitude: 61)
    let below = Envelope(
      minLongitude: 25, maxLongitude: 35, minLatitude: 50.2, maxLatitude: 51)
    #expect(region.relation(to: above) == .inside)
    #expect(region.relation(to: below) == .disjoint)
  }
}

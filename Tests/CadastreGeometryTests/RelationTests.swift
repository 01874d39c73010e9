import CadastreTestSupport
import Testing

@testable import CadastreGeometry

@Suite struct RelationTests {
  /// Returns an envelope of random size, often near the region, sometimes at ±180° or a pole.
  private func envelope(
    near envelope: Envelope, _ generator: inout SeededGenerator
  ) -> Envelope {
    let size: Double = [0.01, 0.3, 3, 30, 120].randomElement(using: &generator) ?? 1
    var west = generator.number(envelope.west...envelope.east)
    var south = generator.number(envelope.south...envelope.north)
    west -= generator.number(0...size)
    south -= generator.number(0...size)
    var result = Envelope(
      west: max(-180, west), south: max(-90, south),
      east: min(180, west + generator.number(0...size)),
      north: min(90, south + generator.number(0...size)))
    result.east = max(result.west, result.east)
    result.north = max(result.south, result.north)
    if Int.random(in: 0..<12, using: &generator) == 0 { result.north = 90 }
    if Int.random(in: 0..<12, using: &generator) == 0 { result.west = -180 }
    if Int.random(in: 0..<12, using: &generator) == 0 { result.east = 180 }
    return result
  }

  /// Returns a point of an envelope, on its sides and corners as often as inside.
  private func point(
    in envelope: Envelope, _ generator: inout SeededGenerator
  ) -> (Double, Double) {
    let inner = (generator.number(0...1), generator.number(0...1))
    let east: Double = [0, 1, inner.0, inner.1].randomElement(using: &generator) ?? 0
    let north: Double = [0, 1, inner.0, inner.1].randomElement(using: &generator) ?? 0
    let longitude =
      envelope.west + east * (envelope.east - envelope.west)
    let latitude = envelope.south + north * (envelope.north - envelope.south)
    return (
      min(envelope.east, longitude), min(envelope.north, latitude)
    )
  }

  @Test(arguments: EdgeModel.allCases)
  func `the relation of an envelope is correct for all of its points`(edges: EdgeModel) throws {
    let seed: UInt64 = 4_711
    var generator = SeededGenerator(seed: seed)
    var counts: [EnvelopeRelation: Int] = [:]
    var conservative = 0
    for _ in 0..<400 {
      let shape = try generator.shape()
      guard let region = try? PreparedRegion(shape, edges: edges) else { continue }
      for _ in 0..<60 {
        let near = region.envelopes.randomElement(using: &generator) ?? .world
        let envelope = envelope(near: near, &generator)
        let relation = region.relation(to: envelope)
        counts[relation, default: 0] += 1
        var (someIn, someOut) = (false, false)
        for _ in 0..<60 {
          let (longitude, latitude) = point(in: envelope, &generator)
          if region.contains(longitude: longitude, latitude: latitude) {
            someIn = true
          } else {
            someOut = true
          }
        }
        if relation == .inside && someOut || relation == .disjoint && someIn {
          Issue.record("seed \(seed): \(relation) is wrong for \(envelope) and \(shape)")
        }
        if relation == .intersects && !(someIn && someOut) { conservative += 1 }
      }
    }
    print("seed \(seed), \(edges): \(counts), \(conservative) perhaps too conservative")
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
          max(-180, envelope.west - 2)...min(180, envelope.east + 2))
        let latitude = generator.number(
          max(-90, envelope.south - 2)...min(90, envelope.north + 2))
        guard region.contains(longitude: longitude, latitude: latitude) else { continue }
        #expect(
          region.envelopes.contains { $0.contains(longitude: longitude, latitude: latitude) },
          "seed \(seed): [\(longitude), \(latitude)] of \(shape)")
      }
    }
  }

  @Test(arguments: EdgeModel.allCases)
  func `envelopes and relations are correct at the poles, ±180° and the equator`(edges: EdgeModel)
    throws
  {
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
        let envelope = envelope(near: .world, &generator)
        let relation = region.relation(to: envelope)
        for _ in 0..<20 {
          let (longitude, latitude) = point(in: envelope, &generator)
          let isInside = region.contains(longitude: longitude, latitude: latitude)
          let isCovered = region.envelopes.contains {
            $0.contains(longitude: longitude, latitude: latitude)
          }
          if isInside ? relation == .disjoint || !isCovered : relation == .inside {
            Issue.record(
              "seed \(seed): \(relation) of \(envelope) at \(longitude) \(latitude): \(shape)")
          }
        }
      }
    }
    #expect(accepted > 1_000)
  }

  @Test func `an envelope with NaN intersects every region`() throws {
    let region = try PreparedRegion(box((0, 0), (10, 10)))
    let envelope = Envelope(west: .nan, south: 0, east: 1, north: 1)
    #expect(region.relation(to: envelope) == .intersects)
  }

  @Test func `relations include the bulge of edges`() throws {
    let region = try PreparedRegion(box((0, 50), (60, 60)))
    let above = Envelope(west: 25, south: 60.5, east: 35, north: 61)
    let below = Envelope(west: 25, south: 50.2, east: 35, north: 51)
    #expect(region.relation(to: above) == .inside)
    #expect(region.relation(to: below) == .disjoint)
  }
}

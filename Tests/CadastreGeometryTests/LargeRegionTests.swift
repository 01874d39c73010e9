import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Regions with many vertices, and regions around the Earth.
@Suite struct LargeRegionTests {
  private static let vertices = 200_000

  /// Returns the radius of a wavy ring at a bearing, in radians.
  private static func radius(_ bearing: Double) -> Double { 0.2 + 0.05 * sine(bearing * 40) }

  private func star(_ count: Int) throws -> GeoPolygon {
    var generator = SeededGenerator(seed: 1)
    var ring = try (0..<count).map { index in
      let bearing = 2 * Double.pi * Double(index) / Double(count)
      let vertex = generator.point(from: (10, 48), bearing: bearing, angle: Self.radius(bearing))
      return try point(vertex.0, vertex.1)
    }
    ring.append(ring[0])
    return try #require(GeoPolygon(outerRing: ring, holes: nil))
  }

  @Test func `200,000 vertices take linear memory, and a short summary`() throws {
    let polygon = try star(Self.vertices)
    let shape = GeoShape.polygon(polygon)
    let region = try PreparedRegion(shape)
    guard case .polygon(let prepared) = region.body else { return }
    // Entries of the strips per arc.
    #expect(Int(prepared.bounds[prepared.lastStrip + 1]) <= 6 * Self.vertices + 64)
    #expect(shape.summary.utf8.count < 300)
    #expect(shape.summary.hasSuffix("… 200001 points in all})"))

    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let bearing = generator.number(0...2 * .pi)
      let angle = generator.number(0...0.3)
      // Between two vertices the border deviates from the curve by some metres.
      guard abs(angle - Self.radius(bearing)) > 1e-5 else { continue }
      let point = generator.point(from: (10, 48), bearing: bearing, angle: angle)
      let isInside = region.contains(longitude: point.0, latitude: point.1)
      #expect(isInside == (angle < Self.radius(bearing)), "\(bearing) \(angle)")
    }
    let around = Envelope(west: 9, south: 47, east: 11, north: 49)
    #expect(region.relation(to: around) == .inside)

    let text = try #require(shape.wkt)
    #expect(try GeoShape(wkt: text) == shape)
    #expect(try GeoShape(wkb: try #require(shape.wkb())) == shape)
    #expect(try GeoShape(geoJSON: try #require(shape.geoJSON)) == shape)
  }

  @Test func `a fault among 200,000 vertices is located, with a short message`() throws {
    var ring = try star(Self.vertices).outerRing
    ring.swapAt(50_000, 50_100)
    let polygon = try #require(GeoPolygon(outerRing: ring, holes: nil))
    let error = #expect(throws: RegionError.self) { try PreparedRegion(.polygon(polygon)) }
    guard case .selfCrossing? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((error?.description.utf8.count ?? 0) < 500)
  }

  @Test(arguments: [1000, 8000])
  func `the search for crossings around a pole compares only near arcs`(count: Int) throws {
    var collector = ArcCollector(edges: .spherical)
    let ring = (0..<count).map { index in
      Vertex(
        longitude: Double(index) / Double(count) * 360 - 180,
        latitude: index.isMultiple(of: 2) ? -60 : 60)
    }
    try collector.addRing(ring, role: .shell)
    var crossings = ArcCrossings(collector.arcs)
    #expect(crossings.first() == nil)
    #expect(crossings.pairsCompared <= count * 20, "\(crossings.pairsCompared)")
  }

  // MARK: Around the Earth

  @Test func `a polygon from -180 to 180 is a band of latitudes`() throws {
    let band = try PreparedRegion(
      polygon([(-180, -10), (180, -10), (180, 20), (-180, 20), (-180, -10)]))
    for longitude in [-180, -90.5, 0, 45, 180] {
      for (latitude, isInside) in [
        (-10.1, false), (-10, true), (0, true), (20, true), (20.1, false),
      ] {
        #expect(band.contains(longitude: longitude, latitude: latitude) == isInside)
      }
    }
    let world = try PreparedRegion(
      polygon([(-180, -90), (180, -90), (180, 90), (-180, 90), (-180, -90)]))
    let cap = try PreparedRegion(
      polygon([(-180, 60), (180, 60), (180, 90), (-180, 90), (-180, 60)]))
    for (longitude, latitude) in [(0.0, 90.0), (-180, 75), (180, 75), (13, 60)] {
      #expect(world.contains(longitude: longitude, latitude: latitude))
      #expect(cap.contains(longitude: longitude, latitude: latitude))
    }
    #expect(world.contains(longitude: 5, latitude: -90))
    #expect(!cap.contains(longitude: 5, latitude: 59.9))
    #expect(world.relation(to: .world) != .disjoint)
  }

  @Test func `a ring across 180 may repeat its vertices at -180`() throws {
    let twice = try PreparedRegion(
      polygon([
        (170, 60), (180, 61), (-180, 61), (-170, 60), (-170, 50), (-180, 49), (180, 49), (170, 50),
        (170, 60),
      ]))
    let once = try PreparedRegion(
      polygon([(170, 60), (180, 61), (-170, 60), (-170, 50), (180, 49), (170, 50), (170, 60)]))
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      let (longitude, latitude) = (generator.number(-180...180), generator.number(45...65))
      #expect(
        twice.contains(longitude: longitude, latitude: latitude)
          == once.contains(longitude: longitude, latitude: latitude))
    }
    #expect(twice.contains(longitude: 180, latitude: 55))
    #expect(!twice.contains(longitude: 0, latitude: 55))
  }

  @Test func `every country that GEOS considers valid is a region on the sphere too`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Datasets/naturalearth/countries.geojson")
    let collection = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    let features = try #require((collection as? [String: Any])?["features"] as? [[String: Any]])
    var valid = 0
    var containingPoint = 0
    for feature in features {
      let shape = try GeoShape(geoJSON: try JSONSerialization.data(withJSONObject: feature))
      guard let planar = try? PreparedRegion(shape, edges: .planar) else { continue }
      let spherical = try PreparedRegion(shape)
      valid += 1
      for region in [planar, spherical] where region.contains(longitude: 40, latitude: -85) {
        containingPoint += 1
        // The file closes the ring of Antarctica at the pole.
        #expect(region.contains(longitude: 0, latitude: -90))
        #expect(!region.contains(longitude: 40, latitude: 0))
      }
    }
    // After rounding to four digits a few borders touch themselves.
    #expect(valid > features.count - 10)
    #expect(containingPoint == 2)
  }

  // MARK: Threads

  @Test func `a prepared region can be used by several threads at once`() async throws {
    let region = try PreparedRegion(.polygon(try star(2000)))
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var generator = SeededGenerator(seed: 3)
          return (0..<5000).count { _ in
            let point = generator.point(
              from: (10, 48), bearing: generator.number(0...6), angle: generator.number(0...0.3))
            return region.contains(longitude: point.0, latitude: point.1)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(counts).count == 1 && counts[0] > 0)
  }

  @Test func `a region with too many vertices is refused, with a short message`() throws {
    let corners = try [(0.0, 0.0), (0.0, 9.0), (9.0, 9.0)].map { try point($0.0, $0.1) }
    let count = PreparedRegion.maximumVertices + 1
    let ring = (0..<count).map { corners[$0 % 3] } + [corners[0]]
    let polygon = try #require(GeoPolygon(outerRing: ring, holes: nil))

    for shape in [GeoShape.polygon(polygon), .multiPolygon([polygon])] {
      let error = #expect(throws: RegionError.self) { try PreparedRegion(shape) }
      #expect(
        error?.reason == .tooManyVertices(count, maximum: PreparedRegion.maximumVertices))
      #expect(error.map { "\($0)".utf8.count < 600 } == true)
    }
  }
}

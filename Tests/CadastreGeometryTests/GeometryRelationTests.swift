import CGEOS
import CadastreTestSupport
import Testing

@testable import CadastreGeometry

/// Relations of random geometries, which often have positions and edges in common.
@Suite struct GeometryRelationTests {
  /// Pairs of geometries without a pole or ±180°, some of them invalid.
  private static func pairs(_ seed: UInt64, _ count: Int) -> [(Geometry, Geometry)] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let first = random.geometry()
      // Half of the pairs share parts, so that borders meet.
      return (first, random.oneIn(3) ? random.part(of: first) : random.geometry())
    }
  }

  /// Whether a geometry is valid; the holes of large polygons on the sphere are not checked.
  private static func isValid(_ geometry: Geometry, _ edges: EdgeModel) -> Bool {
    geometry.isValid(edges: edges)
      && (edges == .planar || geometry.parts.polygons.allSatisfy { $0.count == 1 })
  }

  @Test(arguments: 1...20) func `planar relations agree with GEOS`(seed: UInt64) throws {
    for (first, second) in Self.pairs(seed, 400) {
      let (left, right) = (try GEOSGeometry(first), try GEOSGeometry(second))
      // GEOS answers nothing definite for invalid geometries, and not all collections.
      guard try left.fault() == nil, try right.fault() == nil else { continue }
      let other = try GEOSGeometry(second, beside: left)
      let note = "\(first) and \(second), seed \(seed)"
      if let intersects = try? left.satisfies(GEOSRelation { GEOSIntersects_r($0, $1, $2) }, other)
      {
        #expect(first.intersects(second, edges: .planar) == intersects, "\(note)")
      }
      // GEOS 3.11 rounds the points at which lines cross themselves, and then misses that a line
      // covers its own edges; of a mixed collection it sees some parts only.
      guard first.kind != .collection, second.kind != .collection,
        try left.isSimple(), try right.isSimple(),
        let covers = try? left.satisfies(GEOSRelation { GEOSCovers_r($0, $1, $2) }, other)
      else { continue }
      #expect(first.contains(second, edges: .planar) == covers, "\(note)")
    }
  }

  @Test(arguments: EdgeModel.allCases, 1...10) func `the laws of closed sets hold`(
    edges: EdgeModel, seed: UInt64
  ) {
    for (first, second) in Self.pairs(seed &+ 100, 300)
    where Self.isValid(first, edges) && Self.isValid(second, edges) {
      let (left, right) = (
        PreparedGeometry(first, edges: edges), PreparedGeometry(second, edges: edges)
      )
      let note = "\(first) and \(second), \(edges), seed \(seed)"
      let intersects = left.intersects(right)
      #expect(intersects == right.intersects(left), "\(note)")
      #expect(first.isDisjoint(from: second, edges: edges) == !intersects)
      #expect(left.isEmpty || left.covers(left), "\(note)")
      #expect(left.isEmpty || left.equals(left), "\(note)")
      if left.covers(right) || right.covers(left) { #expect(intersects, "\(note)") }
      #expect(left.equals(right) == (left.covers(right) && right.covers(left)), "\(note)")
      let distance = left.distance(to: right)
      #expect((distance == nil) == (left.isEmpty || right.isEmpty))
      if let distance {
        #expect((distance == .zero) == intersects, "\(note)")
        #expect(left.isWithin(distance, of: right), "\(note)")
        let shorter = Distance.radians(distance.radians * 0.999) ?? .zero
        // In the plane a pole has many places, between which there is no distance on the sphere.
        if distance.radians > 1e-300 {
          #expect(intersects || !left.isWithin(shorter, of: right), "\(note)")
        }
        let reverse = right.distance(to: left)?.radians ?? -1
        #expect(abs(reverse - distance.radians) <= 1e-12, "\(note)")
      }
    }
  }

  @Test(arguments: EdgeModel.allCases) func `points agree with prepared regions`(
    edges: EdgeModel
  ) throws {
    var random = SeededGenerator(seed: 77)
    for _ in 0..<300 {
      guard let region = random.geometry().region,
        let prepared = try? PreparedRegion(region, edges: edges)
      else { continue }
      let geometry = PreparedGeometry(region: region, edges: edges)
      for _ in 0..<50 {
        guard let point = random.geometry().parts.points.first?.point else { continue }
        let expected = prepared.contains(longitude: point.longitude, latitude: point.latitude)
        #expect(
          geometry.covers(longitude: point.longitude, latitude: point.latitude) == expected)
        let single = PreparedGeometry(Geometry(point), edges: edges)
        #expect(geometry.covers(single) == expected && geometry.intersects(single) == expected)
      }
    }
  }

  @Test(arguments: EdgeModel.allCases, 1...5) func `envelopes contain the geometry`(
    edges: EdgeModel, seed: UInt64
  ) {
    for (first, second) in Self.pairs(seed, 200) {
      let (left, right) = (
        PreparedGeometry(first, edges: edges), PreparedGeometry(second, edges: edges)
      )
      guard let box = second.indexEnvelope else { continue }
      let note = "\(first) and \(second), \(edges), seed \(seed)"
      switch left.classify(box) {
      case .disjoint: #expect(!left.intersects(right), "\(note)")
      case .inside: #expect(left.covers(right), "\(note)")
      case .intersects: break
      }
      if let distance = left.distance(to: right) {
        #expect(left.minimumDistance(to: box) <= distance, "\(note)")
      }
    }
  }

  @Test func `borders, holes and unions`() throws {
    let square = try Geometry(wkt: "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))")
    let ring = try Geometry(
      wkt: "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 3, 1 3, 1 1))")
    let hole = try Geometry(wkt: "POLYGON ((1 1, 3 1, 3 3, 1 3, 1 1))")
    let small = try Geometry(wkt: "POLYGON ((1.5 1.5, 2.5 1.5, 2.5 2.5, 1.5 2.5, 1.5 1.5))")
    let line = try Geometry(wkt: "LINESTRING (1 2, 7 2)")
    let halves = try Geometry(
      wkt: "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)), ((4 0, 8 0, 8 4, 4 4, 4 0)))")
    let notch = try Geometry(wkt: "POLYGON ((0 0, 4 0, 4 4, 2 1, 0 4, 0 0))")
    let across = try Geometry(wkt: "LINESTRING (0 4, 4 4)")
    for edges in EdgeModel.allCases {
      #expect(square.contains(ring, edges: edges) && !ring.contains(square, edges: edges))
      #expect(!ring.contains(hole, edges: edges) && ring.intersects(hole, edges: edges))
      #expect(!ring.intersects(small, edges: edges) && square.contains(small, edges: edges))
      #expect(halves.contains(line, edges: edges) && !square.contains(line, edges: edges))
      #expect(!notch.contains(across, edges: edges) && notch.intersects(across, edges: edges))
      #expect(square.contains(try Geometry(wkt: "POINT (4 4)"), edges: edges))
      #expect(!square.contains(Geometry(), edges: edges))
    }
  }

  @Test func `±180° and poles are one place`() throws {
    let east = try Geometry(wkt: "POLYGON ((170 0, 180 0, 180 10, 170 10, 170 0))")
    let west = try Geometry(wkt: "POLYGON ((-180 0, -170 0, -170 10, -180 10, -180 0))")
    let line = try Geometry(wkt: "LINESTRING (175 5, -175 5)")
    #expect(east.intersects(west) && !east.intersects(west, edges: .planar))
    #expect(line.intersects(east) && line.intersects(west))
    #expect(
      try Geometry(wkt: "POINT (30 90)").equals(Geometry(wkt: "POINT (-120 90)")))
    let cap = try Geometry(wkt: "POLYGON ((0 80, 120 80, -120 80, 0 80))")
    #expect(cap.contains(try Geometry(wkt: "POINT (17 90)")))
    #expect(cap.contains(try Geometry(wkt: "LINESTRING (10 85, -170 85)")))
    #expect(cap.boundingBox()?.topRight.latitude == 90)
    #expect(line.boundingBox()?.bottomLeft.longitude == 175)
    #expect(line.distance(to: east) == .zero)
  }
}

extension SeededGenerator {
  /// A line, ring or point of a geometry, or another geometry with one of its edges.
  fileprivate mutating func part(of geometry: Geometry) -> Geometry {
    let parts = geometry.parts
    let chains = parts.lines + parts.polygons.flatMap(\.self)
    guard !chains.isEmpty else { return self.geometry() }
    let chain = pick(chains)
    let edge = below(chain.count - 1)
    let (start, end) = (chain[edge], chain[edge + 1])
    let apex = GeoPosition(longitude: Double(below(10)) - 5, latitude: Double(below(10)) - 5)
    let shapes: [Geometry.Shape] = [
      .lineString(chain), .lineString([start, end]), .point(start),
      .polygon([[start, end, apex ?? start, start]]), .lineString(Array(chain.reversed())),
      .polygon([chain.first == chain.last && chain.count > 3 ? chain : [start, end, end, start]]),
    ]
    return (try? Geometry(pick(shapes))) ?? geometry
  }
}

import Testing

@testable import CadastreGeometry

@Suite struct PreparedRegionTests {
  /// Århus and Bergen, the points of the examples in the documentation of predicates.
  let aarhus = (longitude: 10.2, latitude: 56.15)
  let bergen = (longitude: 5.32, latitude: 60.39)

  private func contains(_ shape: GeoShape, edges: EdgeModel = .spherical) throws -> [Bool] {
    let region = try PreparedRegion(shape, edges: edges)
    return [aarhus, bergen].map {
      region.contains(longitude: $0.longitude, latitude: $0.latitude)
    }
  }

  @Test func `a box contains the points between its corners`() throws {
    #expect(try contains(box((0, 50), (15, 60))) == [true, false])
  }

  @Test func `the northern side of a box bulges over its parallel`() throws {
    #expect(try contains(box((0, 50), (15, 60.25))) == [true, true])
    #expect(try contains(box((0, 50), (15, 60.25)), edges: .planar) == [true, false])
  }

  @Test func `the corners of a box may be in any order`() throws {
    #expect(try contains(box((15, 61), (0, 50))) == [true, true])
    #expect(try contains(box((15, 50), (0, 61))) == [true, true])
  }

  @Test func `a circle of radius 0 contains only its centre`() throws {
    #expect(try contains(circle(aarhus, 0)) == [true, false])
    let region = try PreparedRegion(circle(aarhus, 0))
    #expect(!region.contains(longitude: aarhus.longitude.nextUp, latitude: aarhus.latitude))
  }

  @Test func `a circle of radius π or more contains the sphere`() throws {
    for radius in [Double.pi, 7, 500, .infinity] {
      let region = try PreparedRegion(circle(aarhus, radius))
      #expect(region.contains(longitude: -169.8, latitude: -56.15))
      #expect(region.relation(to: .world) == .inside)
    }
  }

  @Test func `a small circle contains one of two points`() throws {
    #expect(try contains(circle(aarhus, 0.001)) == [true, false])
  }

  @Test func `a hole is not in the region`() throws {
    let shape = try polygon(
      [(0, 50), (15, 50), (15, 62), (0, 62), (0, 50)],
      [(9, 55), (11, 55), (11, 57), (9, 57), (9, 55)])
    #expect(try contains(shape) == [false, true])
    #expect(try contains(shape, edges: .planar) == [false, true])
  }

  @Test func `a centre out of range is rejected`() throws {
    let error = #expect(throws: RegionError.self) {
      try UncheckedShape.circle(.init(longitude: 200, latitude: 0), radiusInRadians: 0.1).checked()
    }
    #expect(
      error?.description
        == "Invalid region in GEOWITHIN query for parameter 'geoCircle([200.0, 0.0], 0.1)': "
        + "longitude 200.0 is not between -180 and 180")
  }

  @Test(arguments: EdgeModel.allCases)
  func `a ring that crosses itself is rejected, with the location`(edges: EdgeModel) throws {
    let shape = try polygon([(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)])
    let error = #expect(throws: RegionError.self) { try PreparedRegion(shape, edges: edges) }
    guard case .selfCrossing(let longitude, let latitude) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(abs(longitude - 5) < 1e-9 && abs(latitude - 5) < 0.1)
  }

  @Test(arguments: EdgeModel.allCases)
  func `no point out of range is in a region`(edges: EdgeModel) throws {
    for shape in [try circle((0, 0), 7), try box((-10, -10), (10, 10))] {
      let region = try PreparedRegion(shape, edges: edges)
      for (longitude, latitude) in [
        (181.0, 0.0), (-180.1, 0), (0, 90.1), (0, -91), (.nan, 0), (0, .nan), (.infinity, 0),
      ] {
        #expect(!region.contains(longitude: longitude, latitude: latitude))
      }
    }
  }

  @Test func `a planar box crosses ±180° where its first longitude is the eastern one`() throws {
    let strip = try PreparedRegion(box((170, -20), (-170, 20)), edges: .planar)
    let wide = try PreparedRegion(box((-170, -20), (170, 20)), edges: .planar)
    let swapped = try PreparedRegion(box((20, 20), (10, -20)), edges: .planar)
    let stored = PreparedGeometry(
      region: try box((170, -20), (-170, 20)), edges: .planar)
    for longitude in [-180, -179.9, -170, -169, 0, 10, 15, 20, 169, 170, 179.9, 180] {
      for (latitude, isBetween) in [(-20.0, true), (1, true), (20, true), (21, false)] {
        let isOnStrip = abs(longitude) >= 170 && isBetween
        #expect(strip.contains(longitude: longitude, latitude: latitude) == isOnStrip)
        #expect(stored.covers(longitude: longitude, latitude: latitude) == isOnStrip)
        #expect(
          wide.contains(longitude: longitude, latitude: latitude)
            == (abs(longitude) <= 170 && isBetween))
        #expect(
          swapped.contains(longitude: longitude, latitude: latitude)
            == (longitude >= 10 && longitude <= 20 && isBetween))
      }
    }
    let sides = [(170.0, 180.0), (-180, -170)].map {
      Envelope(west: $0.0, south: -20, east: $0.1, north: 20)
    }
    #expect(strip.outlines == sides.map(RegionOutline.envelope))
    #expect(strip.envelopes.count == 2)
    for (found, side) in zip(strip.envelopes, sides) {
      #expect(abs(found.west - side.west) < 1e-9)
      #expect(abs(found.east - side.east) < 1e-9)
    }
    // A polygon is what its positions say, as in RFC 7946.
    let ring = [(170.0, -20.0), (-170, -20), (-170, 20), (170, 20), (170, -20)]
    let long = try PreparedRegion(polygon(ring), edges: .planar)
    #expect(long.contains(longitude: 0, latitude: 0))
    #expect(!long.contains(longitude: 175, latitude: 0))
  }
}

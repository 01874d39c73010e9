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
}

import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@Suite struct NearestTests {
  private static let count = 6000
  private static let points: [(longitude: Double, latitude: Double)] = {
    var generator = SeededGenerator(seed: 31)
    return (0..<count).map { index in
      // A third in one crowd, some at the poles and at ±180°.
      switch index % 9 {
      case 0, 1, 2:
        (Double.random(in: 2...3, using: &generator), Double.random(in: 48...49, using: &generator))
      case 3: (180, Double.random(in: -90...90, using: &generator))
      case 4: (Double.random(in: -180...180, using: &generator), index % 2 == 0 ? 90 : -89.9)
      default:
        (
          Double.random(in: -180...180, using: &generator),
          Double.random(in: -90...90, using: &generator)
        )
      }
    }
  }()

  private static let schema = Schema([
    ObjectSchema(
      className: "Spot",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Post",
      properties: [
        Property(name: "number", type: .int),
        Property(name: "place", type: .object, isOptional: true, objectClassName: "Spot"),
      ]),
  ])

  private func snapshot(placed: Int = count) throws -> Snapshot {
    let file = try OpenStores.temporaryStore(UUID().uuidString)
    try file.prepare(for: Self.schema)
    let transaction = try file.beginWrite()
    let layout = try #require(transaction.catalogue.layout("Post"))
    guard case .embedded(let place) = layout.fields[1], let columns = place.point else {
      throw StoreError(.corrupt("no point"), path: "")
    }
    for (number, point) in Self.points.enumerated() {
      var row = layout.columns.map { _ in Value.null }
      row[0] = .int(Int64(number))
      if number < placed {
        row[place.presence] = .int(1)
        columns.write(
          PointColumns.Content(type: "Point", coordinates: [point.longitude, point.latitude]),
          to: &row)
      }
      _ = try transaction.insert("Post", row)
    }
    try transaction.commit()
    return try file.snapshot()
  }

  /// The keys by distance, then key, computed for every point.
  private func expected(
    from origin: GeoPoint, placed: Int = count, where matches: (Int) -> Bool = { _ in true }
  ) -> [Int64] {
    let distances = Self.points.map {
      greatCircleAngle(
        fromLongitude: origin.longitude, latitude: origin.latitude, toLongitude: $0.longitude,
        latitude: $0.latitude)
    }
    let there = (0..<placed).filter(matches).sorted { first, second in
      (distances[first], first) < (distances[second], second)
    }
    return (there + (placed..<Self.count).filter(matches)).map { Int64($0 + 1) }
  }

  private static let origins: [GeoPoint] = [
    (2.35, 48.86), (180, 0), (-180, 10), (0, 90), (17, -90), (-179.99, -16), (100, 89.99), (0, 0),
    (2.5, 48.5), (-75, -40),
  ].compactMap { GeoPoint(latitude: $0.1, longitude: $0.0) }

  private func query(_ origin: GeoPoint, _ text: String, limit: Int) throws -> BoundQuery {
    try ObjectQuery(
      "Post", where: QueryPredicate(parsing: text),
      order: [SortKey(PropertyPath("place"), by: .distance(from: origin))], limit: limit
    ).bound(to: Self.schema)
  }

  @Test func `the nearest come first, from everywhere, through the index and without`() throws {
    let snapshot = try snapshot()
    for origin in Self.origins {
      let all = expected(from: origin)
      let even = expected(from: origin) { $0 % 2 == 0 }
      for limit in [1, 10, 200] {
        let plain = try query(origin, "TRUEPREDICATE", limit: limit)
        let plan = Planner(StoreCatalog(snapshot)).plan(plain)
        #expect(plan.access.kind == .nearestSearch)
        let found = try Executor(snapshot).keys(plan)
        #expect(found.keys == Array(all.prefix(limit)), "\(origin) \(limit)")
        let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(plain)
        #expect(try Executor(snapshot).keys(scan).keys == found.keys)
        // An IN that keeps every other row.
        let list = stride(from: 0, to: Self.count, by: 2).map(String.init).joined(separator: ", ")
        let halves = try query(origin, "number IN {\(list)}", limit: limit)
        let half = try Executor(snapshot).keys(Planner(StoreCatalog(snapshot)).plan(halves))
        #expect(half.keys == Array(even.prefix(limit)), "\(origin) \(limit)")
      }
    }
  }

  @Test func `ten neighbours among thousands cost a few dozen nodes and rows`() throws {
    let snapshot = try snapshot()
    for origin in Self.origins {
      let plan = Planner(StoreCatalog(snapshot)).plan(
        try query(origin, "TRUEPREDICATE", limit: 10))
      let statistics = try Executor(snapshot).keys(plan).statistics
      // At a pole every ninth point is equally near.
      let isPole = abs(origin.latitude) > 89
      #expect(statistics.rowsRead <= (isPole ? Self.count : 200), "\(origin)")
      #expect(statistics.nodesRead <= (isPole ? 500 : 60), "\(origin)")
    }
  }

  @Test func `objects without a position are last`() throws {
    let snapshot = try snapshot(placed: 40)
    let origin = Self.origins[0]
    for limit in [5, 40, 60] {
      let plan = Planner(StoreCatalog(snapshot)).plan(
        try query(origin, "TRUEPREDICATE", limit: limit))
      #expect(
        try Executor(snapshot).keys(plan).keys
          == Array(expected(from: origin, placed: 40).prefix(limit)))
    }
  }

  @Test func `the bound of a box is below every distance to it, and close to the smallest`() {
    var generator = SeededGenerator(seed: 77)
    for _ in 0..<3000 {
      let west = Double.random(in: -180...180, using: &generator)
      let south = Double.random(in: -90...90, using: &generator)
      let east = min(180, west + Double.random(in: 0...60, using: &generator))
      let north = min(90, south + Double.random(in: 0...60, using: &generator))
      let box = Envelope(
        west: Double(Float(west)), south: Double(Float(south)), east: Double(Float(east)),
        north: Double(Float(north)))
      let origin = (
        longitude: Double.random(in: -180...180, using: &generator),
        latitude: Double.random(in: -90...90, using: &generator)
      )
      let bound = Self.leastAngle(from: origin, to: box)
      var nearest = Double.infinity
      for step in 0...400 {
        let (x, y) = (Double(step % 21) / 20, Double(step / 21) / 19)
        nearest = min(
          nearest,
          greatCircleAngle(
            fromLongitude: origin.longitude, latitude: origin.latitude,
            toLongitude: box.west + x * (box.east - box.west),
            latitude: min(90, box.south + y * (box.north - box.south))))
      }
      #expect(bound <= nearest, "\(box) \(origin)")
      #expect(nearest - bound < 0.08, "\(box) \(origin)")
    }
  }
  @Test func `the bound of a point's own box is a hand's breadth below its distance`() {
    var generator = SeededGenerator(seed: 78)
    for _ in 0..<3000 {
      let origin = generator.place()
      let spot = Bool.random(using: &generator) ? generator.place() : origin
      let box = Envelope(
        west: Double(Float(spot.longitude).nextDown),
        south: Double(Float(spot.latitude).nextDown),
        east: Double(Float(spot.longitude).nextUp),
        north: Double(Float(spot.latitude).nextUp))
      let bound = Self.leastAngle(from: origin, to: box)
      let angle = greatCircleAngle(
        fromLongitude: origin.longitude, latitude: origin.latitude,
        toLongitude: spot.longitude, latitude: spot.latitude)
      #expect(bound <= angle, "\(origin) \(spot)")
      // At the antipodes a haversine says less.
      #expect(angle - bound < (angle > 2.5 ? 2e-3 : 2e-5), "\(origin) \(spot)")
    }
  }

  private static func leastAngle(
    from origin: (longitude: Double, latitude: Double), to box: Envelope
  ) -> Double {
    let vantage = DistanceOrigin(longitude: origin.longitude, latitude: origin.latitude)
    let boxes = [
      SIMD4(
        Float(box.west), Float(box.east), Float(box.south), Float(box.north))
    ]
    var bounds = [0.0]
    boxes.withUnsafeBufferPointer { boxes in vantage.minimumHaversines(to: boxes, &bounds) }
    return DistanceOrigin.angle(minimumHaversine: bounds[0])
  }
}

import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Distances from a constant that are compared with numbers of the row, compared with brute force.
@Suite struct DistanceSearchTests {
  private static func schema(isIndexed: Bool) -> Schema {
    Schema([
      Boats.spot,
      ObjectSchema(
        className: "Mast",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "center", type: .object, isOptional: true, objectClassName: "Spot"),
          Property(name: "radius", type: .double, isOptional: true, isIndexed: isIndexed),
          Property(name: "reach", type: .int, isIndexed: isIndexed),
        ]),
    ])
  }

  /// A number of a mast in metres, as text and in Swift; nil for null.
  private struct Limit: Sendable {
    let text: String
    let value: @Sendable (_ radius: Double?, _ reach: Int64) -> Double?
  }

  private static let limits = [
    Limit(text: "radius") { radius, _ in radius },
    Limit(text: "reach") { _, reach in Double(reach) },
    Limit(text: "radius * 0.5") { radius, _ in radius.map { $0 * 0.5 } },
    Limit(text: "3 * (radius + 1000)") { radius, _ in radius.map { 3 * ($0 + 1000) } },
    Limit(text: "reach / -7") { _, reach in Double(reach / -7) },
    Limit(text: "reach * reach / 1000") { _, reach in Double(reach * reach / 1000) },
    Limit(text: "reach - radius") { radius, reach in radius.map { Double(reach) - $0 } },
    Limit(text: "radius / reach") { radius, reach in radius.map { $0 / Double(reach) } },
  ]

  private static let operations: [(String, @Sendable (Double, Double) -> Bool)] = [
    ("<", { $0 < $1 }), ("<=", { $0 <= $1 }), (">", { $0 > $1 }), (">=", { $0 >= $1 }),
  ]

  private static let options: [Planner.Options] = {
    // If reading rows is expensive, plans use all indexes.
    var eager = Planner.Options()
    eager.costs.rowRead = 1e6
    eager.costs.scanStep = 1e6
    return [Planner.Options(), .withoutIndexes, eager]
  }()

  private static func mast(
    _ id: Int, hasInfinity: Bool, _ random: inout SeededGenerator
  ) -> PlainObject {
    let radius: Value =
      switch random.below(12) {
      case 0: .null
      case 1: .double(.nan)
      case 2: .double(random.pick([-5, -0.0, 0, hasInfinity ? .infinity : 1]))
      default: .double(random.number(0...3e6))
      }
    return [
      "id": .value(.int(Int64(id))), "center": random.spot(), "radius": .value(radius),
      "reach": .value(.int(Int64(random.below(4_000_000)) - 1_000_000)),
    ]
  }

  /// The keys of the masts whose distance from a point compares with a number of the mast.
  private func expected(
    _ masts: PlainObjects, _ point: GeoPoint, _ holds: (Double, Double) -> Bool, _ limit: Limit
  ) -> [Int64] {
    masts.keys("Mast").filter { key in
      guard let mast = masts.object("Mast", key), case .embedded(let spot)? = mast["center"],
        case .value(.string(let type))? = spot["type"],
        case .list(let coordinates)? = spot["coordinates"],
        let place = PointShape.location(
          type: type, coordinates: coordinates.compactMap(\.doubleValue)),
        let center = GeoPoint(latitude: place.latitude, longitude: place.longitude),
        case .value(let radius)? = mast["radius"], case .value(.int(let reach))? = mast["reach"],
        let metres = limit.value(radius.doubleValue, reach)
      else { return false }
      return holds(center.distance(to: point).asMeters(), metres)
    }
  }

  private func check(
    _ reader: any StoreReader, _ masts: PlainObjects, queries: Int, _ random: inout SeededGenerator,
    seed: UInt64
  ) throws -> Int {
    let catalog = StoreCatalog(reader)
    var searches = 0
    for _ in 0..<queries {
      let place = random.place()
      let point = try #require(GeoPoint(latitude: place.latitude, longitude: place.longitude))
      let (limit, (sign, holds)) = (random.pick(Self.limits), random.pick(Self.operations))
      let text =
        "GEODISTANCE(center, geometry('POINT (\(place.longitude) \(place.latitude))')) \(sign) "
        + limit.text
      let query = try ObjectQuery("Mast", where: QueryPredicate(parsing: text))
        .bound(to: masts.schema)
      let keys = expected(masts, point, holds, limit)
      for options in Self.options {
        let plan = Planner(catalog, options: options).plan(query)
        if case .distanceSearch = plan.access { searches += 1 }
        let executor = Executor(reader, catalog: catalog)
        #expect(
          try executor.keys(plan).keys == keys, "seed \(seed): \(text)\n\(PlanText(plan).text())")
        #expect(try executor.count(plan).count == keys.count, "seed \(seed): \(text)")
      }
    }
    return searches
  }

  @Test(arguments: Seeds.usual(301...304))
  func `circles with radii of their own are those of brute force`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (isIndexed, hasInfinity) = (seed % 4 != 0, seed % 4 == 3)
    var masts = PlainObjects(schema: Self.schema(isIndexed: isIndexed))
    for id in 0..<200 {
      masts.insert("Mast", Self.mast(id, hasInfinity: hasInfinity, &random))
    }
    let file = try TestStore.temporary(holding: masts)
    let searches = try check(file.snapshot(), masts, queries: 60, &random, seed: seed)
    #expect(isIndexed == (searches > 0), "seed \(seed): \(searches) searches of the index")
  }

  @Test(arguments: Seeds.usual(305...306))
  func `a transaction sees radii that it has changed, also with an older plan`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    var masts = PlainObjects(schema: Self.schema(isIndexed: true))
    for id in 0..<60 { masts.insert("Mast", Self.mast(id, hasInfinity: false, &random)) }
    let file = try TestStore.temporary(holding: masts)
    let query = try ObjectQuery(
      "Mast",
      where: QueryPredicate(parsing: "GEODISTANCE(center, geometry('POINT (0 0)')) <= radius")
    ).bound(to: masts.schema)
    let plan = Planner(StoreCatalog(try file.snapshot()), options: Self.options[2]).plan(query)
    guard case .distanceSearch = plan.access else {
      Issue.record("\(plan.access)")
      return
    }
    let transaction = try file.beginWrite()
    let origin = try #require(GeoPoint(latitude: 0, longitude: 0))
    for _ in 0..<10 {
      let key = random.pick(masts.keys("Mast"))
      let change: PlainObject = ["radius": .value(.double(random.number(3e6...2.1e7)))]
      try transaction.update("Mast", key, members: change)
      masts.update("Mast", key, change)
      let reader = try transaction.flush(.indexes)
      let keys = expected(masts, origin, { $0 <= $1 }, Self.limits[0])
      #expect(try Executor(reader).keys(plan).keys == keys, "seed \(seed)")
      _ = try check(reader, masts, queries: 3, &random, seed: seed)
    }
  }

  @Test(arguments: Seeds.usual(307...308))
  func `distances of collections and behind links agree with the reference evaluator`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = Fleet.random(harbors: 30, trips: 30, boats: 40, &random)
    let reader = try TestStore.temporary(holding: fleet).snapshot()
    let oracle = ScanOracle(fleet)
    for _ in 0..<40 {
      let point = "geometry('POINT (\(random.below(40)) \(random.below(40)))')"
      let factor = random.below(200_000)
      let (className, text) = random.pick([
        ("Harbor", "GEODISTANCE(ANY buoys, \(point)) < depth * \(factor)"),
        ("Harbor", "GEODISTANCE(NONE buoys, \(point)) < depth * \(factor)"),
        ("Harbor", "GEODISTANCE(site, \(point)) <[planar] depth * \(factor)"),
        ("Harbor", "depth * \(factor) >= GEODISTANCE(\(point), site)"),
        ("Harbor", "GEODISTANCE(site, geoCircle([20, 20], 0.1)) <= depth * \(factor)"),
        ("Harbor", "GEODISTANCE(site, \(point)) < GEODISTANCE(site, geometry('POINT (20 20)'))"),
        ("Boat", "GEODISTANCE(berth.site, \(point)) > crew * \(factor)"),
        ("Boat", "NOT GEODISTANCE(berth.site, escort.berth.site) < seats * \(factor)"),
        ("Boat", "GEODISTANCE(trips.to.site, \(point)) / 1000 < crew + \(factor / 100)"),
        ("Boat", "GEODISTANCE(berth.site, \(point)) < marks"),
        ("Boat", "GEODISTANCE(berth.site, \(point)) < extra"),
        ("Boat", "GEODISTANCE(berth.site, geometry('POINT EMPTY')) > crew"),
      ])
      let query = try ObjectQuery(className, where: QueryPredicate(parsing: text))
        .bound(to: fleet.schema)
      let expected = try oracle.keys(query)
      for options in Self.options {
        let catalog = StoreCatalog(reader)
        let plan = Planner(catalog, options: options).plan(query)
        #expect(
          try Executor(reader, catalog: catalog).keys(plan).keys == expected,
          "seed \(seed): \(className): \(text)")
      }
    }
  }

  @Test func `a radius behind a link has no bounds, also where the links are in memory`() throws {
    let schema = Schema([
      Boats.spot,
      ObjectSchema(
        className: "Reach",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "radius", type: .double),
        ]),
      ObjectSchema(
        className: "Siren",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "center", type: .object, isOptional: true, objectClassName: "Spot"),
          Property(name: "reach", type: .object, isOptional: true, objectClassName: "Reach"),
        ]),
    ])
    // Columns of fewer rows are not known to be in memory.
    let count = 65_600
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    try transaction.insert(
      "Reach", object: ["id": .value(.int(1)), "radius": .value(.double(100_000))])
    for id in 0..<count {
      var siren: PlainObject = [
        "id": .value(.int(Int64(id))), "reach": .value(.link(ObjectKey(1))),
      ]
      if id % 100 == 0 { siren["center"] = Boats.point(10.1, 10) }
      try transaction.insert("Siren", object: siren)
    }
    try transaction.commit()
    let reader = try file.snapshot()
    let catalog = StoreCatalog(reader)
    func keys(_ text: String, _ options: Planner.Options) throws -> [Int64] {
      let query = try ObjectQuery("Siren", where: QueryPredicate(parsing: text)).bound(to: schema)
      let plan = Planner(catalog, options: options).plan(query)
      return try Executor(reader, catalog: catalog).keys(plan).keys
    }
    // A scan of the links keeps their column.
    #expect(try keys("reach != null", .withoutIndexes).count == count)
    let path = try schema.resolve(
      PropertyPath("reach.radius"), from: #require(schema["Siren"]))
    #expect(catalog.cachedShare("Siren", [path]) == 1)
    #expect(catalog.bounds(path) == nil)
    let text = "GEODISTANCE(center, geometry('POINT (10 10)')) <= reach.radius"
    for options in Self.options { #expect(try keys(text, options).count == count / 100) }
  }

  @Test func `the plan names the search`() throws {
    var masts = PlainObjects(schema: Self.schema(isIndexed: true))
    for id in 0..<2000 {
      masts.insert(
        "Mast",
        [
          "id": .value(.int(Int64(id))), "center": Boats.point(Double(id % 300), Double(id % 80)),
          "radius": .value(.double(100)), "reach": .value(.int(10)),
        ])
    }
    let reader = try TestStore.temporary(holding: masts).snapshot()
    let query = try ObjectQuery(
      "Mast",
      where: QueryPredicate(parsing: "GEODISTANCE(center, geometry('POINT (10 10)')) <= radius")
    ).bound(to: masts.schema)
    let plan = Planner(StoreCatalog(reader)).plan(query)
    let text = PlanText(plan).text()
    #expect(
      text.contains(
        "SpatialSearch Mast.center within the greatest distance of GEODISTANCE(center, "),
      "\(text)")
    let (keys, statistics) = try Executor(reader).keys(plan)
    #expect(keys == [11, 1211] && statistics.rowsRead < 50, "\(keys), \(statistics.rowsRead)")
  }
}

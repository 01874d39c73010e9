import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

@Suite struct ExecutorTests {
  private func keys(
    _ reader: any StoreReader, _ query: BoundQuery, _ options: Planner.Options = .init()
  ) throws -> (keys: [Int64], statistics: RunStatistics) {
    try Executor(reader).keys(Planner(StoreCatalog(reader), options: options).plan(query))
  }

  private func query(_ className: String, _ text: String) throws -> BoundQuery {
    try ObjectQuery(className, where: QueryPredicate(parsing: text)).bound(to: Boats.schema)
  }

  private func key(
    _ path: String, isAscending: Bool = true
  ) throws(QueryPredicateError) -> BoundSortKey {
    let root = try Boats.schema.queriedClass("Boat")
    return BoundSortKey(
      try Boats.schema.resolve(PropertyPath(path), from: root), isAscending: isAscending)
  }

  @Test func `null comes first, then NaN, then values; behind a null link last`() throws {
    let snapshot = try TestStore.temporary(holding: Boats.examples).snapshot()
    let orders: [(String, Bool, [Int64])] = [
      ("crew", true, [2, 1, 4, 5, 3]), ("crew", false, [3, 5, 1, 4, 2]),
      ("name", true, [5, 1, 3, 2, 4]), ("name", false, [4, 2, 3, 1, 5]),
      ("fee", true, [2, 3, 5, 1, 4]), ("fee", false, [1, 4, 5, 3, 2]),
      ("draft", true, [4, 2, 1, 3, 5]), ("draft", false, [5, 3, 1, 2, 4]),
      ("rented", true, [2, 5, 3, 1, 4]), ("active", false, [1, 3, 5, 2, 4]),
      ("built", true, [2, 3, 5, 1, 4]), ("uid", true, [2, 5, 1, 3, 4]),
      ("berth.name", true, [2, 5, 1, 4, 3]), ("berth.name", false, [3, 1, 4, 5, 2]),
      ("escort.escort.crew", true, [3, 5, 1, 2, 4]), ("engine.power", true, [3, 1, 2, 4, 5]),
    ]
    for (path, isAscending, expected) in orders {
      var query = BoundQuery("Boat")
      query.order = [try key(path, isAscending: isAscending)]
      #expect(try keys(snapshot, query).keys == expected, "\(path) \(isAscending)")
      #expect(try ScanOracle(Boats.examples).keys(query) == expected, "\(path) \(isAscending)")
    }
  }

  @Test func `the type of a point can be sorted by, and what has no order is refused`() throws {
    // Both were left out of the order without a word.
    let snapshot = try TestStore.temporary(holding: Boats.examples).snapshot()
    var query = BoundQuery("Boat", order: [try key("place.type")])
    #expect(try keys(snapshot, query).keys == [1, 2, 3, 4, 5])
    query.order = [try key("place.type", isAscending: false)]
    #expect(try keys(snapshot, query).keys == [5, 4, 1, 2, 3])
    for path in ["place", "engine", "place.coordinates"] {
      let unordered = ObjectQuery("Boat", order: [SortKey(PropertyPath(path))])
      let error = #expect(throws: QueryPredicateError.self) {
        try unordered.bound(to: Boats.schema)
      }
      #expect(error?.kind == .sort)
    }
  }

  @Test func `limits and offsets cut the result, however large`() throws {
    let snapshot = try TestStore.temporary(holding: Boats.examples).snapshot()
    let all: [Int64] = [2, 1, 4, 5, 3]
    for (offset, limit) in [
      (0, 2), (1, 2), (4, 5), (5, 1), (9, 9), (0, Int.max), (1, .max), (.max, .max), (.max, 1),
    ] {
      var query = BoundQuery("Boat", offset: offset, limit: limit)
      for order in [[], [try key("crew")]] {
        query.order = order
        let rows = order.isEmpty ? [1, 2, 3, 4, 5] : all
        let expected = Array(rows.dropFirst(offset).prefix(limit))
        #expect(try keys(snapshot, query).keys == expected)
        let plan = Planner(StoreCatalog(snapshot)).plan(query)
        #expect(try Executor(snapshot).count(plan).count == expected.count)
        query.predicate = try self.query("Boat", "id >= 0").predicate
        #expect(try keys(snapshot, query).keys == expected)
        query.predicate = .constant(true)
      }
    }
  }

  @Test func `rows with equal points are in order of key`() throws {
    var objects = PlainObjects(schema: Boats.schema)
    for number in 0..<3000 {
      objects.insert("Boat", ["id": .value(.int(Int64(number))), "crew": .value(.int(0))])
    }
    let snapshot = try TestStore.temporary(holding: objects).snapshot()
    var query = BoundQuery("Boat", order: [try key("crew", isAscending: false)])
    query.limit = 3

    #expect(try keys(snapshot, query).keys == [1, 2, 3])
    query.offset = 2500
    #expect(try keys(snapshot, query).keys == [2501, 2502, 2503])
  }

  @Test func `a region of packed points is decided without testing most of them`() throws {
    var random = SeededGenerator(seed: 51)
    let file = try TestStore.temporary(Boats.schema)
    let transaction = try file.beginWrite()
    let layout = try transaction.layout("Harbor")
    for number in 0..<20_000 {
      let place = Boats.point(random.number(-180...180), random.number(-70...70))
      _ = try transaction.insert(
        "Harbor", layout.row(["code": .value(.string("\(number)")), "site": place]))
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let regions = [
      "geoCircle([10, 45], 0.5)", "geoBox([-60, -30], [20, 40])", "geoBox([150, -30], [-150, 40])",
      "geoPolygon({[0,0],[60,0],[60,50],[0,50],[0,0]})", "geoCircle([0, 0], 2)",
    ]
    for region in regions {
      let query = try query("Harbor", "site GEOWITHIN \(region)")
      let (found, statistics) = try keys(snapshot, query)
      #expect(try keys(snapshot, query, .withoutIndexes).keys == found)
      #expect(found.count > 500)
      // About 400 leaves, of which the border crosses few dozens.
      #expect(statistics.nodesRead < 420, "\(region)")
      #expect(statistics.exactTests < 60, "\(region): \(statistics.exactTests)")
      #expect(statistics.rowsRead == statistics.exactTests)
      let count = try Executor(snapshot).count(Planner(StoreCatalog(snapshot)).plan(query))
      #expect(count.count == found.count && count.statistics.rowsRead == statistics.rowsRead)
    }
    let small = try query("Harbor", "site GEOWITHIN geoCircle([10, 45], 0.01)")
    #expect(try keys(snapshot, small).statistics.nodesRead < 10)
  }

  @Test func `counting everything reads no row`() throws {
    let snapshot = try TestStore.temporary(holding: Boats.examples).snapshot()
    let plan = Planner(StoreCatalog(snapshot)).plan(BoundQuery("Boat"))
    let (count, statistics) = try Executor(snapshot).count(plan)

    #expect(count == 5 && statistics.rowsRead == 0)
  }

  @Test func `a limit stops a scan`() throws {
    var objects = PlainObjects(schema: Boats.schema)
    for number in 0..<5000 {
      objects.insert("Boat", ["id": .value(.int(Int64(number))), "seats": .value(.int(0))])
    }
    let snapshot = try TestStore.temporary(holding: objects).snapshot()
    var query = try query("Boat", "seats == 0")
    query.limit = 10

    #expect(try keys(snapshot, query).statistics.rowsRead <= 1024)
  }

  @Test func `a hostile pattern costs little`() throws {
    var objects = PlainObjects(schema: Boats.schema)
    objects.insert(
      "Boat",
      ["id": .value(.int(0)), "log": .value(.string(String(repeating: "a", count: 20_000)))])
    let snapshot = try TestStore.temporary(holding: objects).snapshot()
    let pattern = String(repeating: "*a", count: 200) + "b"
    let query = try query("Boat", "log LIKE '\(pattern)'")

    #expect(try keys(snapshot, query).keys.isEmpty)
  }
}

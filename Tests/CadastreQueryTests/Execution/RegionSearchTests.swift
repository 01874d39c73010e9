import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// What a search in a region touches, counted.
@Suite struct RegionSearchTests {
  /// A grid of 200 × 100 harbors, half a degree apart, from [-50, 0] to [50, 50].
  private static func harbors() -> PlainObjects {
    var objects = PlainObjects(schema: Boats.schema)
    for number in 0..<20_000 {
      objects.insert(
        "Harbor",
        [
          "code": .value(.string("H\(number)")),
          "site": Boats.point(Double(number % 200) / 2 - 50, Double(number / 200) / 2),
        ])
    }
    return objects
  }

  private static let store = Result { try TestStore.temporary(holding: harbors()) }

  private func bound(_ text: String) throws -> BoundQuery {
    try ObjectQuery("Harbor", where: QueryPredicate(parsing: text)).bound(to: Boats.schema)
  }

  @Test func `a region is prepared once, when the query is bound`() throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try bound(
      "site GEOWITHIN geoPolygon({[0, 0], [9, 0], [9, 9], [0, 0]}) AND code != 'x'")
    guard case .geoWithin(let within)? = query.predicate.conjuncts.first else {
      Issue.record("\(query.predicate)")
      return
    }
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    guard case .spatialSearch(_, let inside) = plan.access,
      case .geoWithin(let searched) = inside.predicate
    else {
      Issue.record("\(plan.access)")
      return
    }
    #expect(searched.shape.prepared === within.shape.prepared)
    #expect(searched == within)
  }

  @Test func `counting reads nodes and visits no point that is inside`() throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try bound("site GEOWITHIN[planar] geoBox([-45.2, 2.2], [45.2, 44.2])")
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    let (keys, found) = try Executor(snapshot).keys(plan)
    let (count, counted) = try Executor(snapshot).count(plan)
    #expect(count == 181 * 84 && keys.count == count)
    #expect(counted.exactTests == 0 && counted.rowsRead == 0 && found.rowsRead == 0)
    // Leaves hold 51 points; a grid of 181 × 84 has some 530 on its border.
    #expect(counted.boxesTested < 4500, "\(counted.boxesTested)")
    #expect(counted.nodesRead < count / 40 + 120, "\(counted.nodesRead)")
    #expect(counted.boxesTested == found.boxesTested && counted.nodesRead == found.nodesRead)
  }

  @Test func `only points near the boundary are tested exactly`() throws {
    let snapshot = try Self.store.get().snapshot()
    // Two sides along the grid: each of their points lies on the border, and belongs to the box.
    let query = try bound("site GEOWITHIN[planar] geoBox([-10, 10], [10.2, 20.2])")
    let (keys, statistics) = try Executor(snapshot).keys(
      Planner(StoreCatalog(snapshot)).plan(query))
    #expect(keys.count == 41 * 21)
    #expect(statistics.exactTests == 41 + 21 - 1, "\(statistics.exactTests)")
    #expect(statistics.rowsRead == statistics.exactTests)
    // A circle that passes through no point of the grid tests none exactly.
    let circle = try bound("site GEOWITHIN geoCircle([0.1, 25.1], 0.2)")
    let found = try Executor(snapshot).keys(Planner(StoreCatalog(snapshot)).plan(circle)).statistics
    #expect(found.exactTests == 0 && found.answerRows > 500)
  }

  @Test func `many regions joined by OR are one traversal of the index`() throws {
    let snapshot = try Self.store.get().snapshot()
    let circles = (0..<60).map { number in
      "site GEOWITHIN geoCircle([\(Double(number % 12) * 8 - 44.1), \(Double(number / 12) * 9 + 4.1)], 0.02)"
    }
    let query = try bound(circles.joined(separator: " OR "))
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    let (keys, statistics) = try Executor(snapshot).keys(plan)
    let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
    #expect(try Executor(snapshot).keys(scan).keys == keys)
    #expect(plan.access.kind == .spatialSearch && Set(keys).count == keys.count)
    // No node is read twice, though sixty regions are looked for.
    #expect(statistics.nodesRead <= 20_000 / 51 + 12, "\(statistics.nodesRead)")
  }

  @Test func `points that are equal as 32-bit floats are distinguished`() throws {
    var objects = PlainObjects(schema: Boats.schema)
    for number in 0..<400 {
      let longitude = 120 + Double(number - 200) * 1e-9
      objects.insert(
        "Harbor",
        ["code": .value(.string("H\(number)")), "site": Boats.point(longitude, 30)])
    }
    let snapshot = try TestStore.temporary(holding: objects).snapshot()
    let query = try bound("site GEOWITHIN[planar] geoBox([120, 0], [130, 40])")
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    #expect(plan.access.kind == .spatialSearch)
    let (keys, statistics) = try Executor(snapshot).keys(plan)
    #expect(keys == Array(201...400))
    #expect(statistics.exactTests > 0)
    #expect(try Executor(snapshot).count(plan).count == 200)
  }

  // MARK: Explaining

  @Test func `explain keeps the text of a large region short`() throws {
    let snapshot = try Self.store.get().snapshot()
    var ring = (0..<20_000).map { number in
      let angle = Double(number) / 20_000 * 2 * Double.pi
      return "[\(cos(angle) * 20), \(25 + sin(angle) * 20)]"
    }
    ring.append(ring[0])
    let region = "site GEOWITHIN geoPolygon({\(ring.joined(separator: ", "))})"
    for text in [
      region, "NOT \(region)", "\(region) AND NOT site GEOWITHIN geoCircle([0, 20], 0.1)",
    ] {
      let plan = Planner(StoreCatalog(snapshot)).plan(try bound(text))
      #expect(PlanText(plan).text([.estimates, .candidates]).utf8.count < 1200)
    }
  }

  @Test func `an estimate that is ten times off shows`() throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try bound("site GEOWITHIN geoCircle([0.25, 25.25], 0.001) OR code == 'H1'")
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    var measured = RunStatistics()
    measured.accessRows = 100_000
    let text = PlanText(PlanReport(plan, measured: measured)).text()
    #expect(text.contains(/measured rows 100000, expected \d+ times fewer/), "\(text)")
    measured.accessRows = Int(plan.estimate.rows)
    #expect(!PlanText(PlanReport(plan, measured: measured)).text().contains("expected"))
  }

  @Test func `a report has the steps, their rows, and the rejected access paths`() throws {
    let snapshot = try Self.store.get().snapshot()
    let query = try bound(
      "(site GEOWITHIN geoCircle([0, 25], 0.05) OR code == 'H1') AND (code != 'H2' AND name != 'x')"
    )
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    let statistics = try Executor(snapshot).keys(plan).statistics
    let report = PlanReport(
      plan, rules: PredicateRules.fired(on: query.predicate), measured: statistics)
    #expect(report.rules == ["FlattenLogic"])
    #expect(report.plan.step == "Filter" && report.plan.measured?.rows == statistics.matchedRows)
    let union = try #require(report.plan.inputs.first)
    #expect(union.step == "Union" && union.inputs.map(\.step) == ["SpatialSearch", "KeyLookup"])
    #expect(union.inputs.compactMap(\.measured?.rows).reduce(0, +) >= union.measured?.rows ?? .max)
    #expect(union.inputs.last?.measured?.rows == 1)
    #expect(report.rejected.map(\.text) == ["Scan Harbor"])
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report))
    let members = try #require(json as? [String: Any])
    #expect(Set(members.keys) == ["plan", "rules", "rejected", "measured"])
  }
}

/// Readers beside a writer, and stores that others write.
@Suite struct RegionConcurrencyTests {
  private let text =
    "site GEOWITHIN geoPolygon({[-60, -60], [60, -60], [60, 60], [-60, 60], [-60, -60]})"

  private func orQuery() throws -> BoundQuery {
    try ObjectQuery("Harbor", where: QueryPredicate(parsing: text)).bound(to: Boats.schema)
  }

  /// Whether the index and a scan say the same of a snapshot; the number found.
  private static func agree(_ snapshot: Snapshot, _ query: BoundQuery) throws -> Int {
    let indexed = Planner(StoreCatalog(snapshot)).plan(query)
    let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
    let found = try Executor(snapshot).keys(indexed).keys
    #expect(try Executor(snapshot).keys(scan).keys == found)
    #expect(try Executor(snapshot).count(indexed).count == found.count)
    return found.count
  }

  @Test func `each snapshot is consistent during writes`() async throws {
    let file = try TestStore.temporary(Boats.schema)
    let query = try orQuery()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var random = SeededGenerator(seed: 8)
        var keys: [Int64] = []
        for round in 0..<30 {
          let transaction = try file.beginWrite()
          // Now and then enough to be packed.
          for number in 0..<(round % 10 == 3 ? 2500 : 40) {
            let harbor: PlainObject = [
              "code": .value(.string("\(round) \(number)")), "site": random.spot(),
            ]
            keys.append(try transaction.insert("Harbor", object: harbor).rawValue)
          }
          for _ in 0..<10 {
            let place = random.below(keys.count)
            try transaction.delete("Harbor", ObjectKey(keys.remove(at: place)))
          }
          try transaction.commit()
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<25 {
            let snapshot = try file.snapshot()
            let first = try Self.agree(snapshot, query)
            await Task.yield()
            // A snapshot does not move.
            #expect(try Self.agree(snapshot, query) == first)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try Self.agree(file.snapshot(), query) > 0)
  }
}

import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Queries that once had a wrong result.
@Suite struct RegressionTests {
  private let snapshot: Snapshot
  private let boats = Boats.examples

  init() throws {
    snapshot = try TestStore.temporary(holding: boats).snapshot()
  }

  /// Runs a query text, with indexes and without.
  private func keys(
    _ className: String, _ text: String, _ arguments: PredicateArgument...,
    in other: Snapshot? = nil
  ) throws -> [Int64] {
    let root = try #require(boats.schema[className])
    let predicate = try QueryPredicate(parsing: text, arguments: arguments)
      .bound(to: boats.schema, root: root)
    let query = BoundQuery(className, where: predicate)
    let snapshot = other ?? snapshot
    let results = try [Planner.Options(), .withoutIndexes].map { options in
      let plan = Planner(StoreCatalog(snapshot), options: options).plan(query)
      return try Executor(snapshot).keys(plan).keys
    }
    #expect(results[0] == results[1], "\(text)")
    return results[0]
  }

  @Test func `an empty list beside an equality takes nothing from it`() throws {
    // With constants left as they are, `id IN {} OR id == 2` became `id IN {}`.
    let root = try #require(boats.schema["Boat"])
    let predicate = try QueryPredicate(parsing: "id IN {} OR id == 2")
      .bound(to: boats.schema, root: root)
    let simpler = PredicateRules.simplified(predicate, without: ["FoldConstants"])
    #expect("\(simpler)" == "id IN {2}")
  }

  @Test func `the type of a point can stand beside another property`() throws {
    // `site.type == name` found no harbor, and `site.type != name` all, whatever their names.
    #expect(try keys("Harbor", "site.type < name") == [1, 3])
    #expect(try keys("Harbor", "site.type != name") == [1, 2, 3])
    #expect(try keys("Boat", "place.type == place.type") == [1, 2, 3, 4, 5])
  }

  @Test func `odd points can be found by their coordinates`() throws {
    // A location of another type than Point was missing from a result when the store had the index.
    #expect(try keys("Boat", "place.coordinates == {10.2, 56.15}", .list([])) == [1, 4])
    let point: PredicateArgument = .members([
      EmbeddedMember("type", .value(.string("Point"))),
      EmbeddedMember("coordinates", .list([.double(10.2), .double(56.15)])),
    ])
    #expect(try keys("Boat", "place == %@", point) == [1])
  }

  @Test func `embedded objects in their owners' rows are found by their identity`() throws {
    for (text, expected) in [
      ("engine.builtAt == objKey('Spot', 1, 'Boat', 1, 'engine', 'builtAt')", [1]),
      ("berth.site == objKey('Spot', 1, 'Harbor', 1, 'site')", [1, 4]),
      ("escort.place == objKey('Spot', 1, 'Boat', 1, 'place')", [2]),
      ("escort.place != objKey('Spot', 1, 'Boat', 1, 'place')", [1, 3, 4, 5]),
      ("place == objKey('Spot', 2, 'Boat', 1, 'place')", []),
    ] as [(String, [Int64])] {
      #expect(try keys("Boat", text) == expected, "\(text)")
    }
  }

  @Test func `null comes first among strings behind an embedded object too`() throws {
    // An index on a required string of an optional embedded object left out the objects without it.
    #expect(try keys("Boat", "engine.maker < 'A'") == [2, 3, 4, 5])
    #expect(try keys("Boat", "engine.maker <= 'Volvo'") == [1, 2, 3, 4, 5])
  }

  @Test func `minus zero is zero`() throws {
    // -0.0 is stored as bytes, which a search for a number between -1 and 1 does not meet.
    var boats = PlainObjects(schema: Boats.schema)
    for (id, draft) in [0.0, -0.0, 1, -1, .nan].enumerated() {
      boats.insert("Boat", ["id": .value(.int(Int64(id))), "draft": .value(.double(draft))])
    }
    let snapshot = try TestStore.temporary(holding: boats).snapshot()
    for (text, expected) in [
      ("draft == 0", [1, 2]), ("draft == -0.0", [1, 2]), ("draft < 0", [4]),
      ("draft >= -0.0", [1, 2, 3]),
      ("draft > -0.0f", [3]), ("draft BETWEEN {-1, 0}", [1, 2, 4]), ("draft IN {0, -0.0}", [1, 2]),
      ("id == -0.0", [1]), ("id IN {-0.0, 1}", [1, 2]),
    ] as [(String, [Int64])] {
      #expect(try keys("Boat", text, in: snapshot) == expected, "\(text)")
    }
  }

  @Test(arguments: [
    "berth.buoys.@count == 0", "berth.buoys.@count < 3", "berth.buoys == {}",
    "berth.buoys.@count IN {0, 5}", "berth.buoys.@count BETWEEN {-1, 0}",
    "berth.name.@length == 0", "berth.name.@count == null", "berth.depth.@type == 'double'",
    "berth.boats.@count == 0", "escort.extra.@type == 'null'", "escort.berth.@links.@count == 0",
    "berth.buoys.@count == 1", "berth.name.@length > 3", "berth.depth.@type == 'int'",
  ]) func `an object without a link has empty collections, also where no object could be linked`(
    text: String
  ) throws {
    // With an index of the links, `berth.buoys == {}` found no boat if there was no harbor.
    for harbors in [[], ["AAR", "BGO"]] {
      var fleet = PlainObjects(schema: Fleet.schema)
      for code in harbors {
        fleet.insert("Harbor", ["code": .value(.string(code)), "name": .value(.string(code))])
      }
      for id in 0..<6 {
        let berth: Value = id < harbors.count ? .link(ObjectKey(Int64(id + 1))) : .null
        fleet.insert("Boat", ["id": .value(.int(Int64(id))), "berth": .value(berth)])
      }
      let snapshot = try TestStore.temporary(holding: fleet).snapshot()
      let query = try ObjectQuery("Boat", where: QueryPredicate(parsing: text))
        .bound(to: fleet.schema)
      let expected = try ScanOracle(fleet).keys(query)
      for options in [Planner.Options(), .withoutIndexes] {
        let plan = Planner(StoreCatalog(snapshot), options: options).plan(query)
        #expect(
          try Executor(snapshot, schema: fleet.schema).keys(plan).keys == expected,
          "\(harbors.count) harbors\n\(PlanText(plan).text())")
      }
    }
  }

  @Test func `nothing lies beyond the infinities`() throws {
    // `draft > infinity` found the boats whose draft is infinite, unless an index was used.
    #expect(try keys("Boat", "draft > infinity").isEmpty)
    #expect(try keys("Boat", "draft >= infinity") == [5])
    #expect(try keys("Boat", "draft < -infinity").isEmpty)
    #expect(try keys("Boat", "fee > infinity OR fee < -infinity").isEmpty)
  }
}

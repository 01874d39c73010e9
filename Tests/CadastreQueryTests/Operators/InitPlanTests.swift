import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a plan with inner queries has the result of the reference evaluator, for each of its branches.
@Suite struct InitPlanTests {
  /// A condition that relates to objects of a class.
  struct Relation: Sendable, CustomTestStringConvertible {
    let text: String
    /// The class of the objects, and the condition that they match.
    let objects: (className: String, text: String)
    /// The line of the branch for few objects.
    let few: String

    var testDescription: String { text }
  }

  private static let place = "SpatialSearch Plot.place for each of up to 16 geometries"
  private static let border = "SpatialSearch Plot.border for each of up to 16 geometries"

  private static let relations = [
    // Few objects are constants, for which an index is searched; the geometries of more objects are a tree in memory.
    some(4), some(InitPlan.mostConstants), some(InitPlan.mostConstants + 1),
    Relation(
      text: "place GEOWITHIN ANY Plot.border", objects: ("Plot", "TRUEPREDICATE"), few: place),
    Relation(
      text: "place GEOWITHIN ANY Plot.border WHERE (title == 'nothing')",
      objects: ("Plot", "title == 'nothing'"), few: place),
    Relation(
      text: "count >= 0 AND border GEOINTERSECTS ANY Keeper.seat WHERE (rank >= 0)",
      objects: ("Keeper", "rank >= 0"), few: border),
    Relation(
      text: "GEODISTANCE(place, ANY Keeper.seat) <= 150km", objects: ("Keeper", "TRUEPREDICATE"),
      few: place),
    Relation(
      text: "NOT place GEOWITHIN ANY Plot.border WHERE (kind == 'a') OR size == 0",
      objects: ("Plot", "kind == 'a'"), few: place),
    // No index has the geometries behind a link.
    Relation(
      text: "keeper.seat GEOWITHIN ANY Plot.border WHERE (count > 0)",
      objects: ("Plot", "count > 0"), few: "Filter keeper.seat for each of up to 16 geometries"),
  ]

  /// A relation to a number of plots.
  private static func some(_ count: Int) -> Relation {
    let ids = (2..<2 + count).map { "\(OperatorRows.id($0))" }.joined(separator: ", ")
    return Relation(
      text: "place GEOWITHIN ANY Plot.border WHERE (id IN {\(ids)})",
      objects: ("Plot", "id IN {\(ids)}"), few: place)
  }

  private static func bound(
    _ className: String, _ text: String, order: [SortKey] = []
  ) throws -> BoundQuery {
    try ObjectQuery(className, where: QueryPredicate(parsing: text), order: order)
      .bound(to: OperatorRows.schema)
  }

  /// The lines of a plan without the signs of the tree.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { "├└─│ ".contains($0) } }
  }

  /// Options by which an index costs less than a scan.
  private static let forced: Planner.Options = {
    var options = Planner.Options()
    options.costs.scanStart = 1e12
    return options
  }()

  /// The result of a relation by the reference evaluator.
  private struct ExpectedResult {
    let query: BoundQuery
    let keys: [Int64]
    /// The keys in the order of the ratios.
    let sorted: [Int64]
    /// The number of objects of the inner query.
    let objects: Int

    init(_ relation: Relation, _ objects: PlainObjects) throws {
      let oracle = ScanOracle(objects)
      query = try bound("Plot", relation.text, order: [SortKey(PropertyPath("ratio"))])
      keys = try oracle.matching("Plot", query.predicate)
      sorted = try oracle.sorted(keys, "Plot", [SortTerm(PropertyPath("ratio"))])
      self.objects = try oracle.keys(bound(relation.objects.className, relation.objects.text)).count
    }
  }

  /// Compares the pages of a result, and the plan before and after a run.
  private func check(
    _ relation: Relation, _ reader: any StoreReader, _ expected: ExpectedResult,
    _ comment: String
  ) throws {
    for (options, isSorted, threads) in [
      (Planner.Options(), false, 1), (Self.forced, false, 1), (Self.forced, true, 2),
    ] {
      let session = QuerySession(
        reader, schema: OperatorRows.schema, options: options,
        threads: QueryThreads(maximum: threads, minimumRows: 1))
      var query = expected.query
      if !isSorted { query.order = [] }
      let all = isSorted ? expected.sorted : expected.keys
      for page in [
        Page(), Page(limit: 0), Page(limit: 1), Page(offset: 2, limit: all.count + 1),
        Page(offset: all.count, limit: 1),
      ] {
        (query.offset, query.limit) = (page.offset, page.limit)
        let wanted = page.part(of: all)
        #expect(try session.keys(query).keys == wanted, "\(comment), \(page)")
        #expect(try session.count(query) == wanted.count, "\(comment), \(page)")
        var found: [Int64] = []
        #expect(
          try session.forEachBatch(query, at: [PropertyPath("id")]) { batch, _, rows in
            batch.appendKeys(of: rows, to: &found)
          })
        #expect(found == wanted, "\(comment), \(page)")
      }
      (query.offset, query.limit) = (0, nil)
      try checkPlan(relation, query, session, expected)
    }
  }

  /// Compares the plan before a run, which has both branches, and after it.
  private func checkPlan(
    _ relation: Relation, _ query: BoundQuery, _ session: QuerySession, _ expected: ExpectedResult
  ) throws {
    let planned = try session.explain(query)
    let lines = Self.lines(planned)
    #expect(lines.first == "Choose by the number of objects", "\(planned)")
    #expect(lines.contains("InitPlan \(relation.objects.className)"), "\(planned)")
    #expect(lines.contains(relation.few[...]), "\(planned)")
    // A run says how many objects it found, of one more than become constants.
    let measured = try session.explain(query, measured: true)
    let found = min(expected.objects, InitPlan.mostConstants + 1)
    #expect(
      Self.lines(measured).contains(
        "InitPlan \(relation.objects.className) (measured rows \(found))"), "\(measured)")
    #expect(!measured.contains("for each of"), "\(measured)")
    #expect(
      measured.contains("ANY \(relation.objects.className).") == (found > InitPlan.mostConstants),
      "\(measured)")
    #expect(measured.contains("measured: \(expected.keys.count) rows"), "\(measured)")
  }

  private static let objects = OperatorRows.objects(plots: 40, seed: 411)
  private static let stores = Result {
    try [ColumnCache.defaultBudget, 4000, 0].map {
      try OperatorRows.store(holding: objects, budget: $0)
    }
  }

  @Test(arguments: relations)
  func `relations to few objects, to many and to none`(relation: Relation) throws {
    let expected = try ExpectedResult(relation, Self.objects)
    for (number, file) in try Self.stores.get().enumerated() {
      try check(relation, file.snapshot(), expected, "store \(number)")
    }
  }

  @Test(arguments: relations)
  func `an empty table and one row`(relation: Relation) throws {
    for plots in 0...1 {
      let objects = OperatorRows.objects(plots: plots, keepers: plots, seed: 412)
      let file = try OperatorRows.store(holding: objects)
      try check(
        relation, file.snapshot(), ExpectedResult(relation, objects), "\(plots) plots")
    }
  }

  @Test(arguments: relations)
  func `a transaction sees its changes, and a frozen snapshot never does`(
    relation: Relation
  ) throws {
    let objects = OperatorRows.objects(plots: 30, seed: 413)
    var changed = objects
    let file = try OperatorRows.store(holding: objects)
    let frozen = try file.snapshot()
    let before = try ExpectedResult(relation, objects)
    let transaction = try file.beginWrite()
    try OperatorRows.change(transaction, &changed, seed: 414)
    let after = try ExpectedResult(relation, changed)
    try check(relation, transaction.flush(.indexes), after, "in the transaction")
    try check(relation, frozen, before, "before the commit")
    try transaction.commit()
    try check(relation, frozen, before, "after the commit")
  }

  @Test func `geometries of few objects are searched in an index where that costs less`() throws {
    let snapshot = try Self.stores.get()[0].snapshot()
    let session = QuerySession(snapshot, schema: OperatorRows.schema, options: Self.forced)
    let plan = try session.explain(
      Self.bound("Plot", "GEODISTANCE(place, ANY Keeper.seat) <= 150km"), measured: true)
    #expect(plan.contains("SpatialSearch Plot.place where GEODISTANCE(place, "), "\(plan)")
  }

  @Test func `a relation to an object of another query runs the queries from the innermost one`()
    throws
  {
    let snapshot = try Self.stores.get()[0].snapshot()
    let text =
      "place GEOWITHIN ANY Plot.border WHERE (border GEOINTERSECTS ANY Keeper.seat WHERE (rank >= 0))"
    let query = try Self.bound("Plot", text)
    let session = QuerySession(snapshot, schema: OperatorRows.schema)
    let plan = try session.explain(query)

    let choices = Self.lines(plan).count { $0 == "Choose by the number of objects" }
    #expect(choices == 2, "\(plan)")
    #expect(try session.keys(query).keys == ScanOracle(Self.objects).keys(query))
  }
}

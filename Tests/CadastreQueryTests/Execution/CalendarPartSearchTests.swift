import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Parts of dates and calculations with dates in conditions, compared with brute force.
@Suite struct CalendarPartSearchTests {
  private static func schema(isIndexed: Bool) -> Schema {
    Schema([
      ObjectSchema(
        className: "Event",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "at", type: .date, isOptional: true, isIndexed: isIndexed),
          Property(name: "number", type: .int, isOptional: true),
          Property(name: "other", type: .any),
          Property(name: "dates", type: .date, collection: .list),
        ])
    ])
  }

  private static func date(_ random: inout SeededGenerator) -> Value {
    switch random.below(8) {
    case 0: .null
    case 1:
      // Near the beginning of a year.
      Timestamp.start(ofYear: Int64(1995 + random.below(12))).flatMap {
        $0.advanced(bySeconds: Int64(random.below(3) - 1), nanoseconds: Int64(random.below(2)))
      }.map(Value.date) ?? .null
    case 2: random.value(.date)
    default: .date(Timestamp(seconds: 700_000_000 + Int64(random.below(500_000_000))))
    }
  }

  @Test(arguments: Seeds.usual(311...314))
  func `parts of dates agree with brute force and with the reference evaluator`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    var events = PlainObjects(schema: Self.schema(isIndexed: seed % 2 == 0))
    for id in 0..<150 {
      events.insert(
        "Event",
        [
          "id": .value(.int(Int64(id))), "at": .value(Self.date(&random)),
          "number": .value(random.oneIn(6) ? .null : .int(Int64(random.below(12)))),
          "other": .value(
            random.oneIn(3)
              ? random.pick([.int(5), .map(ValueMap([("year", .int(2001)), ("hour", .null)]))])
              : Self.date(&random)),
          "dates": .list(
            (0..<random.below(3)).map { _ in
              .date(Timestamp(seconds: Int64(random.below(1_000_000_000))))
            }),
        ])
    }
    let reader = try TestStore.temporary(holding: events).snapshot()
    let oracle = ScanOracle(events)
    let root = try #require(events.schema["Event"])
    for _ in 0..<80 {
      let part = random.pick(CalendarPart.allCases)
      let number: Value =
        random.oneIn(8)
        ? .null
        : random.oneIn(6)
          ? .double(2000.5)
          : .int(part == .year ? 1994 + Int64(random.below(14)) : Int64(random.below(32)))
      let operation = random.pick(
        [ComparisonOperator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
      // Brute force.
      let comparison = QueryPredicate.compare(
        PropertyPath(["at", part.rawValue]), operation, number)
      let expected = events.keys("Event").filter { key in
        guard case .value(let date)? = events.object("Event", key)?["at"] else { return false }
        var found = Value.null
        if case .date(let date) = date { found = .int(part.value(of: date)) }
        return found.matches(operation, number)
      }
      try check(comparison, expected, events, reader, seed)
      // Everything else.
      let text = random.pick([
        "\(part)(at) IN {\(random.below(12)), 2001, 2003}",
        "\(part)(at) BETWEEN {\(random.below(20)), 2002}",
        "NOT year(at) IN {1999, 2004, null}",
        "year(at) == 2000 OR month(at) == number",
        "year(at) == 1998 + number",
        "ANY dates.\(part) > 3",
        "ALL dates.year == 1970", "NONE dates.year < 1980", "dates.year == 1990",
        "other.\(part) > 3", "\(part)(other) > 3", "NOT \(part)(other) == 2001",
        "\(part)(other) == null OR \(part)(other) != number",
        "at - 86400.5 > 2001-05-01@00:00:00",
        "at + number * 86400 >= 1999-05-01@00:00:00",
        "at - 1999-05-01@00:00:00 < number * 1000000",
        "at - other > 1000",
        "month(at) == 6 AND at > 1997-01-01@00:00:00",
      ])
      let predicate = try QueryPredicate(parsing: text)
      let keys = try oracle.matching("Event", predicate.bound(to: events.schema, root: root))
      try check(predicate, keys, events, reader, seed)
    }
  }

  @Test func `a part of a value of any type is null unless the value is a date`() throws {
    // The year of a map was the entry of this name.
    let date = Value.date(try #require(Timestamp(year: 2013, month: 5, day: 1)))
    let others: [Value] = [
      .null, date, .date(Timestamp(seconds: 0)), .map(ValueMap([("year", .int(2013))])),
      .string("2013"), .int(2013), .list([date, .int(5)]),
    ]
    var events = PlainObjects(schema: Self.schema(isIndexed: false))
    for (id, other) in others.enumerated() {
      events.insert("Event", ["id": .value(.int(Int64(id))), "other": .value(other)])
    }
    let reader = try TestStore.temporary(holding: events).snapshot()
    let root = try #require(events.schema["Event"])
    for (text, expected) in [
      ("year(other) == 2013", [2]), ("year(other) > 1900", [2, 3]),
      ("NOT year(other) > 1900", [1, 4, 5, 6, 7]), ("year(other) != 2013", [1, 3, 4, 5, 6, 7]),
      ("year(other) == null", [1, 4, 5, 6, 7]), ("other.year == 2013", [2, 4]),
      ("year(other[*]) == 2013", [7]), ("month(other) + day(other) == 6", [2]),
    ] as [(String, [Int64])] {
      let predicate = try QueryPredicate(parsing: text)
      let bound = try predicate.bound(to: events.schema, root: root)
      #expect(try ScanOracle(events).matching("Event", bound) == expected, "\(text)")
      try check(predicate, expected, events, reader, 0)
    }
  }

  private func check(
    _ predicate: QueryPredicate, _ expected: [Int64], _ events: PlainObjects,
    _ reader: any StoreReader, _ seed: UInt64
  ) throws {
    let query = try ObjectQuery("Event", where: predicate).bound(to: events.schema)
    for options in [Planner.Options(), .withoutIndexes] {
      let catalog = StoreCatalog(reader)
      let plan = Planner(catalog, options: options).plan(query)
      let found = try Executor(reader, catalog: catalog).keys(plan).keys
      #expect(found == expected, "seed \(seed): \(predicate)\n\(PlanText(plan).text())")
    }
  }

  @Test(arguments: [
    "year(at) == 2000", "at.year < 1996", "year(at) IN {1995, 2004}",
    "year(at) BETWEEN {2003, 2005}",
  ]) func `an index on the date serves its year`(text: String) throws {
    var events = PlainObjects(schema: Self.schema(isIndexed: true))
    for id in 0..<1000 {
      events.insert(
        "Event",
        [
          "id": .value(.int(Int64(id))),
          "at": .value(.date(Timestamp(seconds: Int64(id) * 86_400 * 14))),
        ])
    }
    let reader = try TestStore.temporary(holding: events).snapshot()
    let query = try ObjectQuery("Event", where: QueryPredicate(parsing: text))
      .bound(to: events.schema)
    let plan = Planner(StoreCatalog(reader)).plan(query)
    #expect(plan.access.kind == .indexSearch || plan.access.kind == .union, "\(plan.access)")
    #expect(plan.filters.isEmpty)
    let keys = try Executor(reader).keys(plan).keys
    #expect(try keys == ScanOracle(events).keys(query) && !keys.isEmpty)
  }
}

import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Limited results in the order of an index equal those of a sorted scan.
@Suite struct OrderedSearchTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Post",
      properties: [
        Property(name: "number", type: .int, isOptional: true, isIndexed: true),
        Property(name: "name", type: .string, isOptional: true, isIndexed: true),
        Property(name: "built", type: .date, isOptional: true, isIndexed: true),
        Property(name: "weight", type: .double, isOptional: true, isIndexed: true),
        Property(name: "plain", type: .int),
      ])
  ])

  private func store(_ random: inout SeededGenerator) throws -> StoreFile {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for number in 0..<6000 {
      let few = random.below(40)
      let row: [Value] = [
        few == 0 ? .null : .int(Int64(random.below(few < 20 ? 5 : 3000)) - 50),
        few == 1 ? .null : .string(few < 20 ? "same" : "name \(random.below(3000))"),
        few == 2 ? .null : .date(Self.date(few, &random)),
        few == 3 ? .null : random.pick([.double(.nan), .double(-0.0), .double(Double(few))]),
        .int(Int64(number)),
      ]
      _ = try transaction.insert("Post", row)
    }
    try transaction.commit()
    return file
  }

  /// A date; some are stored as bytes, which SQLite orders after all numbers.
  private static func date(_ few: Int, _ random: inout SeededGenerator) -> Timestamp {
    let number = Double(random.below(3000))
    let interval: Double
    switch few {
    case 3: interval = number * 1e-10
    case 4: interval = -number * 1e299
    case 5: interval = number * 1e299
    default: return Timestamp(seconds: Int64(number), nanoseconds: 7)
    }
    return Timestamp(Date(timeIntervalSinceReferenceDate: interval))
  }

  /// Costs by which each ordered search is chosen.
  private static let always: Planner.Options = {
    var options = Planner.Options()
    options.disabledPaths = Set(AccessPath.Kind.allCases)
      .subtracting([.scan, .orderedSearch])
    options.costs.scanStart = 1e12
    return options
  }()

  @Test(arguments: Seeds.usual(1...2))
  func `the first in an index's order are the first of a sorted scan`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let snapshot = try store(&random).snapshot()
    let executor = Executor(snapshot)
    let scan = Planner.Options.withoutIndexes
    var walked = 0
    for _ in 0..<60 {
      let name = random.pick(["number", "name", "built", "weight"])
      let others = [[], [], ["plain"], ["number", "name"]]
      var query = ObjectQuery(
        "Post",
        order: ([name] + random.pick(others)).map {
          SortKey(PropertyPath([$0]), isAscending: random.oneIn(2))
        },
        offset: random.pick([0, 1, 3, 2000, 7000]),
        limit: random.pick([0, 1, 7, 100, 1500, .max]))
      let text = random.pick([
        "TRUEPREDICATE", "plain > 3000", "number == 3", "plain == 17", "plain < 0",
        "number > 40", "number <= 900 AND plain < 0", "name < 'same'", "name >= 'name 2'",
        "built > 1970-01-01@0:10:0", "built <= 1970-01-01@0:20:0 AND plain > 50",
        "weight >= 3", "weight < 12.5 AND plain > 50", "weight <= 0",
        "number == null OR number > 3",
        "number > 3 OR (number == 3 AND plain > 40)", "name BEGINSWITH 'name 1'",
      ])
      query.predicate = try QueryPredicate(parsing: text)
      let bound = try query.bound(to: Self.schema)
      let expected = try executor.keys(
        Planner(StoreCatalog(snapshot), options: scan).plan(bound)
      ).keys
      for options in [Planner.Options(), Self.always] {
        let plan = Planner(StoreCatalog(snapshot), options: options).plan(bound)
        if plan.access.kind == .orderedSearch { walked += 1 }
        #expect(try executor.keys(plan).keys == expected, "seed \(seed): \(query)")
        #expect(try executor.count(plan).count == expected.count, "seed \(seed): \(query)")
      }
    }
    #expect(walked > 15)
  }

  @Test func `a few rows in order cost a few rows`() throws {
    var random = SeededGenerator(seed: 9)
    let snapshot = try store(&random).snapshot()
    let query = try ObjectQuery(
      "Post", order: [SortKey(PropertyPath(["built"]), isAscending: false)], limit: 10
    ).bound(to: Self.schema)
    let plan = Planner(StoreCatalog(snapshot)).plan(query)
    #expect("\(plan.access)" == "OrderedSearch Post.built descending")
    #expect(try Executor(snapshot).keys(plan).statistics.accessRows == 10)
    // SQLite has fractions that are stored as bytes in another order.
    let fractions = try ObjectQuery("Post", order: [SortKey(PropertyPath(["weight"]))], limit: 10)
      .bound(to: Self.schema)
    let walk = Planner(StoreCatalog(snapshot)).plan(fractions)
    #expect("\(walk.access)" == "OrderedSearch Post.weight ascending")
    #expect(try Executor(snapshot).keys(walk).statistics.accessRows == 10)
  }

  @Test(arguments: [true, false])
  func `missing embedded objects are after all values in a limited order`(
    isAscending: Bool
  ) throws {
    let schema = Schema([
      ObjectSchema(
        className: "Boat",
        properties: [
          Property(name: "engine", type: .object, isOptional: true, objectClassName: "Engine")
        ]),
      ObjectSchema(
        className: "Engine",
        properties: [Property(name: "maker", type: .string, isOptional: true, isIndexed: true)],
        isEmbedded: true),
    ])
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    // Every tenth boat has no engine, every seventh an engine without a maker.
    var makers: [(key: Int64, maker: String?)] = []
    var missing: [Int64] = []
    for number in 0..<3000 {
      let maker = number % 7 == 0 ? nil : "maker \(number * 7919 % 500)"
      let hasEngine = number % 10 != 0
      let row: [Value] =
        hasEngine ? [.int(1), maker.map { .string($0) } ?? .null] : [.null, .null]
      let key = try transaction.insert("Boat", row).rawValue
      if hasEngine { makers.append((key, maker)) } else { missing.append(key) }
    }
    try transaction.commit()
    // Null sorts before all texts.
    let present = makers.sorted {
      let (first, second) = ($0.maker.map { "1" + $0 } ?? "0", $1.maker.map { "1" + $0 } ?? "0")
      guard first == second else { return isAscending == (first < second) }
      return $0.key < $1.key
    }.map(\.key)
    let expected = isAscending ? present + missing : missing + present
    let snapshot = try file.snapshot()
    for limit in [1, 2, 30, 290, 310, 700] {
      let query = try ObjectQuery(
        "Boat", order: [SortKey(PropertyPath(["engine", "maker"]), isAscending: isAscending)],
        limit: limit
      ).bound(to: schema)
      let keys = try Executor(snapshot).keys(Planner(StoreCatalog(snapshot)).plan(query)).keys
      #expect(keys == Array(expected.prefix(limit)), "limit \(limit)")
    }
  }
}

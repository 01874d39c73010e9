import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Queries by compound indexes agree with the reference evaluator, for random classes and conditions.
@Suite struct CompoundIndexAgreementTests {
  private static let types: [PropertyType] = [
    .int, .bool, .string, .date, .double, .float, .objectId, .UUID,
  ]
  private static let names = ["a", "b", "c"]

  /// A class with compound indexes, and a few values of each property.
  private struct Sample {
    let schema: Schema
    var values: [String: [Value]] = [:]
    var objects: PlainObjects

    init(_ random: inout SeededGenerator) {
      let types = names.map { _ in random.pick(CompoundIndexAgreementTests.types) }
      let properties = zip(names, types).map { name, type in
        Property(name: name, type: type, isOptional: true, isIndexed: random.oneIn(3))
      }
      var indexes: Set<[String]> = []
      for _ in 0..<1 + random.below(3) {
        let all = (names + ["id"]).shuffled(using: &random)
        indexes.insert(Array(all.prefix(2 + random.below(2))))
      }
      let root = ObjectSchema(
        className: "Entry",
        properties: [Property(name: "id", type: .int, isPrimaryKey: true)] + properties + [
          Property(name: "rest", type: .decimal128)
        ], compoundIndexes: indexes.sorted { $0.joined() < $1.joined() })
      schema = Schema([root])
      objects = PlainObjects(schema: schema)
      for (name, type) in zip(names, types) {
        values[name] = (0..<6).map { _ in Self.value(type, &random) } + [.null]
      }
      for id in 0..<300 {
        var object: PlainObject = [
          "id": .value(.int(Int64(id * 7 % 300))),
          "rest": .value(.decimal(Decimal128(Int64(id % 5)))),
        ]
        for name in names { object[name] = .value(random.pick(values[name] ?? [])) }
        objects.insert("Entry", object)
      }
      values["id"] = (0..<6).map { _ in .int(Int64(random.below(300))) }
    }

    private static func value(_ type: PropertyType, _ random: inout SeededGenerator) -> Value {
      switch type {
      case .double where random.oneIn(3): .double(random.pick([.nan, -.nan, -0.0, 0, .infinity]))
      case .float where random.oneIn(3): .float(random.pick([.nan, -.nan, -0.0, 0, 1.5]))
      // Dates between two nanoseconds are stored as bytes.
      case .date where random.oneIn(3):
        .date(Timestamp(Date(timeIntervalSinceReferenceDate: random.pick([1e-10, -1e-10, 1e301]))))
      default: random.value(type)
      }
    }
  }

  // MARK: Queries

  private static func compare(
    _ name: String, _ operation: ComparisonOperator, _ value: Value
  ) -> QueryPredicate {
    .comparison(Comparison(.property(PropertyPath([name])), operation, .value(value)))
  }

  private static func isOrdered(_ name: String, _ sample: Sample) -> Bool {
    let type = sample.schema["Entry"]?[name]?.type
    return [.int, .string, .date, .double, .float].contains(type)
  }

  private static func condition(
    _ name: String, _ sample: Sample, _ random: inout SeededGenerator
  ) -> QueryPredicate {
    let values = sample.values[name] ?? []
    let value = random.pick(values)
    let present = values.filter { !$0.isNull }
    let bound = present.isEmpty ? .null : random.pick(present)
    switch random.below(isOrdered(name, sample) && !present.isEmpty ? 6 : 3) {
    case 0, 1: return compare(name, .equal, name == "id" ? bound : value)
    case 2:
      let list = (0..<3).map { _ in name == "id" ? bound : random.pick(values) }
      return .comparison(Comparison(.property(PropertyPath([name])), .isIn, .list(list)))
    case 3:
      return .comparison(
        Comparison(
          .property(PropertyPath([name])), .between, .list([bound, random.pick(present)])))
    default:
      let operations: [ComparisonOperator] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
      return compare(name, random.pick(operations), bound)
    }
  }

  /// The condition of the page after a row: `a > x OR (a == x AND (b > y OR …))`.
  private static func after(
    _ order: ArraySlice<SortKey>, _ sample: Sample, _ random: inout SeededGenerator
  ) -> QueryPredicate? {
    guard let key = order.first else { return nil }
    let name = key.path.names[0]
    let present = (sample.values[name] ?? []).filter { !$0.isNull }
    guard isOrdered(name, sample), !present.isEmpty else { return nil }
    let value = random.pick(present)
    let later = compare(name, key.isAscending ? .greater : .less, value)
    guard let rest = after(order.dropFirst(), sample, &random) else { return later }
    return .or([later, .and([compare(name, .equal, value), rest])])
  }

  private static func query(
    _ sample: Sample, _ random: inout SeededGenerator
  ) throws -> BoundQuery {
    var terms: [QueryPredicate] = []
    var order: [SortKey] = []
    if random.oneIn(2),
      let index = sample.schema["Entry"]?.compoundIndexes.randomElement(using: &random)
    {
      // Values of the first properties, and an order or a range of those that follow.
      let given = random.below(index.count)
      let isAscending = random.oneIn(2)
      for name in index.prefix(given) {
        let value = random.pick((sample.values[name] ?? []).filter { name != "id" || !$0.isNull })
        terms.append(compare(name, .equal, value))
        if random.oneIn(3) { order.append(SortKey(PropertyPath([name]))) }
      }
      if random.oneIn(4) { terms.append(condition(index[given], sample, &random)) }
      for name in index.dropFirst(given) {
        order.append(
          SortKey(PropertyPath([name]), isAscending: random.oneIn(8) ? true : isAscending))
      }
      let further = order.suffix(index.count - given)
      if random.oneIn(3), let page = after(further, sample, &random) { terms.append(page) }
      if random.oneIn(6) { order.removeLast() }
    } else {
      let names = names + ["id"]
      for _ in 0..<random.below(4) {
        terms.append(condition(random.pick(names), sample, &random))
      }
      for name in names.shuffled(using: &random).prefix(random.below(3)) {
        order.append(SortKey(PropertyPath([name]), isAscending: random.oneIn(2)))
      }
    }
    if random.oneIn(3) {
      terms.append(compare("rest", .greater, .decimal(Decimal128(Int64(random.below(4))))))
    }
    return try ObjectQuery(
      "Entry", where: terms.count == 1 ? terms[0] : .and(terms), order: order,
      offset: random.pick([0, 0, 2, 40]), limit: random.pick([nil, 1, 3, 20, 250, 500])
    ).boundWithAnyOrder(to: sample.schema)
  }

  // MARK: Agreement

  /// The usual choice, the choice among all estimates, and options by which indexes are always used.
  private static let options: [Planner.Options] = {
    var all = Planner.Options()
    all.comparesAll = true
    var ordered = Planner.Options()
    ordered.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan, .orderedSearch])
    ordered.costs.scanStart = 1e12
    var search = Planner.Options()
    search.disabledPaths = Set(AccessPath.Kind.allCases).subtracting([.scan, .indexSearch])
    search.costs.scanStart = 1e12
    return [Planner.Options(), all, ordered, search]
  }()

  @Test(arguments: Seeds.usual(1...8))
  func `queries agree with the reference evaluator, in a transaction too`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var sample = Sample(&random)
    let file = try TestStore.temporary(holding: sample.objects)
    var used = try check(file.snapshot(), sample, &random, seed: seed)

    let transaction = try file.beginWrite()
    for id in 1000..<1010 {
      var object: PlainObject = [
        "id": .value(.int(Int64(id))), "rest": .value(.decimal(Decimal128(1))),
      ]
      for name in Self.names { object[name] = .value(random.pick(sample.values[name] ?? [])) }
      _ = try transaction.insert("Entry", object: object)
      sample.objects.insert("Entry", object)
      let changed = random.pick(sample.objects.keys("Entry"))
      let changes: PlainObject = ["b": .value(random.pick(sample.values["b"] ?? []))]
      try transaction.update("Entry", changed, members: changes)
      sample.objects.update("Entry", changed, changes)
    }
    used += try check(transaction.flush(.indexes), sample, &random, seed: seed)
    transaction.rollback()
    #expect(used > 40, "seed \(seed)")
  }

  /// Compares random queries; returns how many plans use a compound index.
  private func check(
    _ reader: any StoreReader, _ sample: Sample, _ random: inout SeededGenerator, seed: UInt64
  ) throws -> Int {
    let oracle = ScanOracle(sample.objects)
    var used = 0
    for number in 0..<60 {
      let query = try Self.query(sample, &random)
      let expected = try oracle.keys(query)
      for options in Self.options {
        let plan = Planner(StoreCatalog(reader), options: options).plan(query)
        if "\(plan.access)".contains("Entry(") { used += 1 }
        let found = try Executor(reader).keys(plan).keys
        let count = try Executor(reader).count(plan).count
        #expect(
          found == expected && count == expected.count,
          """
          seed \(seed), query \(number): \(query.predicate) order \(query.order) of \(sample.schema)
          \(PlanText(plan).text())
          """)
      }
      try checkColumns(
        of: query, expected, reader, sample, &random, "seed \(seed), query \(number)")
    }
    return used
  }

  /// Compares the columns that a query yields with those of its rows.
  private func checkColumns(
    of query: BoundQuery, _ keys: [Int64], _ reader: any StoreReader, _ sample: Sample,
    _ random: inout SeededGenerator, _ comment: String
  ) throws {
    let layout = try #require(reader.catalogue.layout("Entry"))
    let root = try #require(sample.schema["Entry"])
    let names = random.pick([["id"], ["b", "a"], ["id", "c"], ["c"], ["rest", "id"]])
    let columns = names.compactMap { name in layout.columns.firstIndex { $0.name == name } }
    let expected = try keys.map { key in
      let row = try #require(try reader.row(layout, ObjectKey(key)))
      return [.int(key)] + columns.map { row[$0] }
    }
    var query = query
    query.output = .columns(
      try names.map { try sample.schema.resolve(PropertyPath([$0]), from: root) })
    for options in Self.options {
      let catalog = StoreCatalog(reader)
      let plan = Planner(catalog, options: options).plan(query)
      var found: [[Value]] = []
      _ = try Executor(reader, catalog: catalog).forEachBatch(plan) { batch, columns, rows in
        for row in rows { found.append([.int(batch.key(row))] + columns.map { $0.value(row) }) }
      }
      #expect(
        found.map { $0.map(ValueKey.init) } == expected.map { $0.map(ValueKey.init) },
        "\(comment): \(names) of \(query.predicate)\n\(PlanText(plan).text())")
    }
  }
}

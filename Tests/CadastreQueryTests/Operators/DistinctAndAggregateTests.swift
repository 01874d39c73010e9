import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Consumers of a plan's columns: distinct values, aggregates, and aggregates of groups, held against brute force and
/// SQLite.
@Suite struct DistinctAndAggregateTests {
  /// The queries whose rows are consumed; the last one sorts them.
  private static let queries: [(text: String, order: [SortKey])] = [
    ("TRUEPREDICATE", []), ("size > 0 OR kind == 'a'", []),
    ("count < 3", [SortKey(PropertyPath("ratio"), isAscending: false)]),
  ]

  private static let pages = [
    Page(), Page(limit: 0), Page(offset: 4, limit: 20), Page(offset: 5000),
  ]

  /// Calls a closure with each version of some stores: those with each cache, an empty one, one with one row, and a
  /// transaction, a snapshot that is older, and one that is newer.
  private static func forEachVersion(
    _ body: (any StoreReader, PlainObjects, String) throws -> Void
  ) throws {
    for (plots, budget) in [(70, nil), (70, 4000), (70, 0), (0, nil), (1, nil)] {
      let objects = OperatorRows.objects(plots: plots, keepers: min(plots, 6), seed: 421)
      let file = try OperatorRows.store(holding: objects, budget: budget)
      try body(file.snapshot(), objects, "\(plots) plots, \(budget ?? -1) bytes")
    }
    let objects = OperatorRows.objects(plots: 50, seed: 422)
    var changed = objects
    let file = try OperatorRows.store(holding: objects)
    let frozen = try file.snapshot()
    let transaction = try file.beginWrite()
    try OperatorRows.change(transaction, &changed, seed: 423)
    try body(transaction.flush(.indexes), changed, "in the transaction")
    try body(frozen, objects, "before the commit")
    try transaction.commit()
    try body(frozen, objects, "frozen")
    try body(file.snapshot(), changed, "after the commit")
  }

  private static func path(_ name: String) throws -> BoundPath {
    let root = try #require(OperatorRows.schema["Plot"])
    return try OperatorRows.schema.resolvedPaths.path(
      PropertyPath(name), from: root, in: OperatorRows.schema)
  }

  private static func query(_ text: String, _ order: [SortKey], _ page: Page) throws -> BoundQuery {
    try ObjectQuery(
      "Plot", where: QueryPredicate(parsing: text), order: order, offset: page.offset,
      limit: page.limit
    ).bound(to: OperatorRows.schema)
  }

  private static func value(_ name: String, _ key: Int64, _ objects: PlainObjects) -> Value {
    if case .value(let value)? = objects.object("Plot", key)?[name] { value } else { .null }
  }

  // MARK: Distinct

  private static let combinations = [
    ["size"], ["price"], ["title"], ["sold"], ["keeper.rank"], ["kind", "size"],
    ["ratio", "keeper.code", "count"],
  ]

  @Test func `the first row of each combination of values`() throws {
    try Self.forEachVersion { reader, objects, name in
      let oracle = ScanOracle(objects)
      for (text, order) in Self.queries {
        let all = try oracle.keys(Self.query(text, order, Page()))
        for page in Self.pages {
          let query = try Self.query(text, order, page)
          let keys = page.part(of: all)
          for names in Self.combinations {
            let paths = names.map { PropertyPath($0) }
            let bound = try names.map(Self.path)
            let expected = try oracle.distinct(keys, "Plot", paths)
            for threads in [1, 2] {
              let session = QuerySession(
                reader, threads: QueryThreads(maximum: threads, minimumRows: 1))
              #expect(
                try session.distinct(query, by: bound) == expected,
                "\(name): \(names) of \(text), \(page), \(threads) threads")
            }
            #expect(
              try QuerySession(reader).executor.distinct(keys, of: "Plot", by: bound) == expected,
              "\(name): \(names) of \(text), \(page)")
          }
        }
      }
    }
  }

  @Test func `the first rows of whole numbers and texts are those of SQLite`() throws {
    try Self.forEachVersion { reader, _, name in
      let session = QuerySession(reader)
      for column in ["size", "kind", "count", "title"] {
        let sql = "SELECT min(\"#key\") FROM Plot GROUP BY \(column) ORDER BY 1"
        let keys = try session.distinct(BoundQuery("Plot"), by: [Self.path(column)])
        #expect(
          try session.sql(sql, []).rows == keys.map { [.int($0)] }, "\(name): \(column)")
      }
    }
  }

  // MARK: Aggregate

  /// The least, the greatest, the sum and the mean of values in an order, by the rules of the documentation.
  private struct ExpectedAggregates: Equatable {
    var least: ValueKey?
    var greatest: ValueKey?
    var sum: ValueKey?
    var mean: ValueKey?

    init(_ aggregation: Aggregation) {
      least = aggregation.minimum.map(ValueKey.init)
      greatest = aggregation.maximum.map(ValueKey.init)
      sum = aggregation.sum.map(ValueKey.init)
      mean = aggregation.average.map(ValueKey.init)
    }

    init(_ values: [Value], _ type: PropertyType) {
      let present = values.filter { !$0.isNull && $0.doubleValue?.isNaN != true }
      let sorted = present.sorted { ReferenceRules.totalOrder($0, $1) < 0 }
      least = sorted.first.map(ValueKey.init)
      greatest = sorted.last.map(ValueKey.init)
      let wholes = present.compactMap { value -> Int128? in
        if case .int(let number) = value { Int128(number) } else { nil }
      }
      let fractions = present.compactMap { value -> Double? in
        if case .double(let number) = value { number } else { nil }
      }
      switch type {
      case .int:
        let total = wholes.reduce(0, +)
        sum = Int64(exactly: total).map { ValueKey(.int($0)) }
        mean = wholes.isEmpty ? nil : ValueKey(.double(Double(total) / Double(wholes.count)))
      case .double:
        let total = fractions.reduce(0, +)
        sum = ValueKey(.double(total))
        mean = fractions.isEmpty ? nil : ValueKey(.double(total / Double(fractions.count)))
      default: (sum, mean) = (ValueKey(.double(0)), nil)
      }
    }
  }

  private static let fields: [(name: String, type: PropertyType)] = [
    ("size", .int), ("count", .int), ("price", .double), ("ratio", .double), ("reach", .double),
    ("title", .string), ("sold", .date),
  ]

  @Test func `aggregates of the columns of a query`() throws {
    try Self.forEachVersion { reader, objects, name in
      let oracle = ScanOracle(objects)
      for (text, order) in Self.queries {
        let all = try oracle.keys(Self.query(text, order, Page()))
        for page in Self.pages {
          let query = try Self.query(text, order, page)
          let keys = page.part(of: all)
          for (field, type) in Self.fields {
            let values = keys.map { Self.value(field, $0, objects) }
            for threads in [1, 2] {
              var aggregation = Aggregation(of: type)
              var count = 0
              let session = QuerySession(
                reader, threads: QueryThreads(maximum: threads, minimumRows: 1))
              #expect(
                try session.forEachBatch(query, at: [PropertyPath(field)]) { _, columns, rows in
                  aggregation.add(columns[0], rows)
                  count += rows.count
                })
              #expect(count == keys.count, "\(name): \(field) of \(text), \(page)")
              #expect(
                ExpectedAggregates(aggregation) == ExpectedAggregates(values, type),
                "\(name): \(field) of \(text), \(page), \(threads) threads")
            }
          }
        }
      }
    }
  }

  @Test func `aggregates of groups are those of SQLite and of brute force`() throws {
    try Self.forEachVersion { reader, objects, name in
      var table = GroupTable([nil])
      var (sizes, ratios) = (
        GroupedAggregation(of: .int, isStored: true),
        GroupedAggregation(of: .double, isStored: true)
      )
      var (groups, counts, kinds): ([Int32], [Int], [Value]) = ([], [], [])
      let session = QuerySession(reader)
      let paths = ["kind", "size", "ratio"].map { PropertyPath($0) }
      let areColumns = try session.forEachBatch(BoundQuery("Plot"), at: paths) {
        _, columns, rows in
        table.write([.column(columns[0])], rows, to: &groups) { row in
          kinds.append(columns[0].value(row))
          counts.append(0)
          sizes.addGroup()
          ratios.addGroup()
        }
        for row in rows { counts[Int(groups[row])] += 1 }
        var present = rows
        columns[1].keep(&present, areNull: false)
        sizes.add(columns[1], present, of: groups)
        present = rows
        columns[2].keep(&present, areNull: false)
        ratios.add(columns[2], present, of: groups)
      }
      let sql =
        "SELECT kind, count(*), min(size), max(size) FROM Plot GROUP BY kind ORDER BY min(\"#key\")"
      let found = kinds.indices.map { group in
        let size = sizes.aggregation(of: group)
        return [
          kinds[group], .int(Int64(counts[group])), size.minimum ?? .null, size.maximum ?? .null,
        ]
      }
      let rows = try session.sql(sql, []).rows
      #expect(areColumns && rows == found, "\(name)")
      for (group, kind) in kinds.enumerated() {
        let keys = objects.keys("Plot").filter { Self.value("kind", $0, objects) == kind }
        for (field, type, grouped) in [
          ("size", PropertyType.int, sizes), ("ratio", .double, ratios),
        ] {
          let values = keys.map { Self.value(field, $0, objects) }
          #expect(
            ExpectedAggregates(grouped.aggregation(of: group)) == ExpectedAggregates(values, type),
            "\(name): \(field) of \(kind)")
        }
      }
    }
  }
}

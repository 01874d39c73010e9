import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Testing

/// Scans, filters, sorts, and distinct values of rows in more segments than one thread reads at once, held against
/// brute force and SQLite.
@Suite struct ParallelScanTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Reading",
      properties: [
        Property(name: "level", type: .int),
        Property(name: "ratio", type: .double, isOptional: true),
        Property(name: "label", type: .string, isOptional: true),
        Property(name: "phase", type: .int, isOptional: true, isIndexed: true),
      ])
  ])

  /// A row in plain Swift.
  private struct Reading {
    let key: Int64
    var level: Int64
    let ratio: Double?
    let label: String?
    let phase: Int64?

    init(key: Int64) {
      self.key = key
      level = key % 83 == 0 ? .max : key % 89 == 0 ? .min : key * 7919 % 1000 - 500
      ratio =
        switch key % 11 {
        case 0: nil
        case 1: .nan
        case 2: -0.0
        default: Double(key % 97) / 8
        }
      label = key % 7 == 0 ? nil : "label \(key % 13)"
      phase = key % 5 == 0 ? nil : key / 12 % 2
    }

    /// The row as values.
    var values: [Value] {
      [
        .int(level), ratio.map(Value.double) ?? .null, label.map(Value.string) ?? .null,
        phase.map(Value.int) ?? .null,
      ]
    }

    /// The row in SQL; NaN and -0.0 are stored as bytes.
    var sql: String {
      let fraction =
        ratio.map {
          $0.isNaN ? "x'7FF8000000000000'" : $0.sign == .minus ? "x'8000000000000000'" : "\($0)"
        }
      return "(\(key), \(level), \(fraction ?? "NULL"), \(label.map { "'\($0)'" } ?? "NULL"), "
        + "\(phase.map { "\($0)" } ?? "NULL"))"
    }
  }

  /// Rows with keys below 36,000, as if most rows had been deleted: nine segments.
  private static func readings(by step: Int) -> [Reading] {
    stride(from: Int64(1), to: 36_000, by: step).map { Reading(key: $0) }
  }

  private static func store(_ readings: [Reading], budget: Int) throws -> StoreFile {
    let file = try TestStore.temporary(schema)
    file.columns.budget = budget
    let transaction = try file.beginWrite()
    let connection = try transaction.connection
    var rest = readings.dropLast()
    while !rest.isEmpty {
      let rows = rest.prefix(300).map(\.sql).joined(separator: ", ")
      try connection.run("INSERT INTO Reading(\"#key\", level, ratio, label, phase) VALUES \(rows)")
      rest = rest.dropFirst(300)
    }
    // The last row is inserted by the transaction, which would be empty otherwise.
    let last = try #require(readings.last)
    try connection.run(
      "UPDATE cadastre_class SET row_count = \(readings.count - 1), next_key = \(last.key) "
        + "WHERE name = 'Reading'")
    #expect(try transaction.insert("Reading", last.values).rawValue == last.key)
    try transaction.commit()
    return file
  }

  // MARK: Queries

  /// A query, and its result by brute force.
  private struct Scan: Sendable, CustomTestStringConvertible {
    let text: String
    var order: [(name: String, isAscending: Bool)] = []
    var page = Page()
    let holds: @Sendable (Reading) -> Bool
    /// Returns whether a row sorts before another one.
    var precedes: @Sendable (Reading, Reading) -> Bool = { _, _ in false }

    var testDescription: String { "\(text) by \(order), \(page)" }

    /// Whether several threads read the rows.
    var isParallel: Bool { page.limit == nil || !order.isEmpty }

    func keys(_ readings: [Reading]) -> [Int64] {
      let matching = readings.filter(holds)
      guard !order.isEmpty else { return page.part(of: matching.map(\.key)) }
      // Rows that tie are in order of key.
      let sorted = matching.enumerated().sorted { first, second in
        if precedes(first.element, second.element) { return true }
        return !precedes(second.element, first.element) && first.offset < second.offset
      }
      return page.part(of: sorted.map(\.element.key))
    }

    var query: BoundQuery {
      get throws {
        var query = try ObjectQuery(
          "Reading", where: QueryPredicate(parsing: text),
          order: order.map { SortKey(PropertyPath($0.name), isAscending: $0.isAscending) }
        ).bound(to: schema)
        (query.offset, query.limit) = (page.offset, page.limit)
        return query
      }
    }
  }

  /// The place of a fraction in an order: null, NaN, and then the numbers.
  private static func place(_ ratio: Double?) -> (Int, Double) {
    guard let ratio else { return (0, 0) }
    return ratio.isNaN ? (1, 0) : (2, ratio)
  }

  private static let scans = [
    Scan(text: "TRUEPREDICATE") { _ in true },
    Scan(text: "level > 100") { $0.level > 100 },
    Scan(text: "ratio <= 0") { $0.ratio.map { $0 <= 0 } ?? false },
    Scan(text: "label CONTAINS '1' AND level < 0") {
      $0.level < 0 && $0.label?.contains("1") == true
    },
    Scan(text: "label == null OR level == 9223372036854775807") {
      $0.label == nil || $0.level == .max
    },
    Scan(text: "level > 100", page: Page(limit: 5)) { $0.level > 100 },
    Scan(text: "level > 100", page: Page(offset: 250, limit: 100)) { $0.level > 100 },
    Scan(text: "level > 100", page: Page(offset: 5000, limit: 1)) { $0.level > 100 },
    Scan(
      text: "level != 7", order: [("ratio", false)], holds: { $0.level != 7 },
      precedes: { place($0.ratio) > place($1.ratio) }),
    Scan(
      text: "level != 7", order: [("level", true)], holds: { $0.level != 7 },
      precedes: { $0.level < $1.level }),
    Scan(
      text: "level != 7", order: [("ratio", true), ("level", false)],
      page: Page(offset: 250, limit: 60), holds: { $0.level != 7 },
      precedes: { first, second in
        let places = (place(first.ratio), place(second.ratio))
        return places.0 == places.1 ? first.level > second.level : places.0 < places.1
      }),
  ]

  /// The result of a scan by brute force.
  private struct ExpectedResult {
    let keys: [Int64]
    let rows: [[ValueKey]]

    init(_ scan: Scan, _ readings: [Reading]) {
      keys = scan.keys(readings)
      let rows = Dictionary(uniqueKeysWithValues: readings.map { ($0.key, $0) })
      self.rows = keys.compactMap { rows[$0] }.map { reading in
        ([.int(reading.key)] + reading.values).map(ValueKey.init)
      }
    }
  }

  /// Compares keys, number and columns of a scan; returns the number of threads.
  private func check(
    _ reader: any StoreReader, _ expected: ExpectedResult, _ scan: Scan, threads: Int,
    _ comment: String
  ) throws -> Int {
    let query = try scan.query
    let planner = Planner(StoreCatalog(reader), options: .withoutIndexes)
    let plan = planner.plan(query)
    #expect(PlanText(plan).text().contains("Scan Reading"))
    let executor = Executor(reader, threads: QueryThreads(maximum: threads, minimumRows: 1))
    let (keys, statistics) = try executor.keys(plan)
    #expect(keys == expected.keys, "\(comment), \(threads) threads")
    #expect(
      try executor.count(plan).count == expected.keys.count, "\(comment), \(threads) threads")
    let root = try #require(Self.schema["Reading"])
    let paths = try root.properties.map {
      try Self.schema.resolve(PropertyPath([$0.name]), from: root)
    }
    let projection = planner.plan(query.yielding(.columns(paths)))
    var rows: [[ValueKey]] = []
    _ = try executor.forEachBatch(projection) { batch, columns, selected in
      for row in selected {
        rows.append([ValueKey(.int(batch.key(row)))] + columns.map { ValueKey($0.value(row)) })
      }
    }
    #expect(
      rows == expected.rows, "\(comment), \(threads) threads\n\(PlanText(projection).text())")
    return statistics.threads
  }

  @Test(arguments: [ColumnCache.defaultBudget, 3000, 0])
  func `parts of the rows that several threads read are in order`(budget: Int) throws {
    let readings = Self.readings(by: 24)
    let file = try Self.store(readings, budget: budget)
    for scan in Self.scans {
      let expected = ExpectedResult(scan, readings)
      // The first run reads the file, the second one what the first one has left in memory.
      for threads in [2, 1] {
        let used = try check(
          file.snapshot(), expected, scan, threads: threads, "\(budget) bytes: \(scan)")
        #expect(used == (scan.isParallel ? threads : 1), "\(budget) bytes: \(scan)")
      }
    }
  }

  @Test func `changes of a transaction are in its scans, and not in those of a snapshot`() throws {
    let readings = Self.readings(by: 24)
    let file = try Self.store(readings, budget: ColumnCache.defaultBudget)
    let snapshot = try file.snapshot()
    var changed = readings
    let transaction = try file.beginWrite()
    for index in stride(from: 0, to: changed.count, by: 250) {
      changed[index].level = 333
      let level: PlainObject = ["level": .value(.int(333))]
      try transaction.update("Reading", changed[index].key, members: level)
    }
    for index in [changed.count - 1, 750, 7] {
      try transaction.delete("Reading", ObjectKey(changed.remove(at: index).key))
    }
    let expected = Self.scans.map {
      (scan: $0, before: ExpectedResult($0, readings), after: ExpectedResult($0, changed))
    }
    let reader = try transaction.flush(.indexes)
    for (scan, before, after) in expected {
      _ = try check(snapshot, before, scan, threads: 2, "before the commit: \(scan)")
      _ = try check(reader, after, scan, threads: 2, "in the transaction: \(scan)")
    }
    try transaction.commit()
    for (scan, before, after) in expected {
      _ = try check(file.snapshot(), after, scan, threads: 2, "after the commit: \(scan)")
      _ = try check(snapshot, before, scan, threads: 2, "frozen: \(scan)")
    }
  }

  @Test func `the first rows of few values of an indexed property are those of SQLite`() throws {
    // A search of the index for each value is worth it for one value of a thousand rows.
    let file = try Self.store(Self.readings(by: 12), budget: ColumnCache.defaultBudget)
    let root = try #require(Self.schema["Reading"])
    let path = try Self.schema.resolve(PropertyPath(["phase"]), from: root)
    let sql = "SELECT min(\"#key\") FROM Reading GROUP BY phase ORDER BY 1"
    let session = QuerySession(try file.snapshot())
    let rows = try session.sql(sql, []).rows
    #expect(
      try session.executor.distinctByIndex("Reading", by: path).map { $0.map { [Value.int($0)] } }
        == rows)
    #expect(rows.count == 3)

    let transaction = try file.beginWrite()
    try transaction.update("Reading", 25, members: ["phase": .value(.int(.min))])
    let reader = try transaction.flush(.indexes)
    #expect(try QuerySession(reader).executor.distinctByIndex("Reading", by: path) == nil)
    transaction.rollback()
  }
}

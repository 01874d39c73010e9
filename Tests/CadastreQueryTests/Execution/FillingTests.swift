import CadastreModel
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// Scans that fill the column cache, against plain Swift: alone, beside other readers and a writer, in a transaction,
/// and with too small a budget.
@Suite struct FillingTests {
  private static let schema = Schema([
    Boats.spot,
    ObjectSchema(
      className: "Buoy",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "level", type: .int),
        Property(name: "kind", type: .string, isOptional: true),
        Property(name: "share", type: .double, isOptional: true),
        Property(name: "note", type: .string),
        Property(name: "place", type: .object, isOptional: true, objectClassName: "Spot"),
      ]),
  ])

  /// A row of the class.
  private struct Buoy: Hashable {
    var id: Int64
    var level: Int64
    var kind: String?
    var share: Double?
    var note: String
    var longitude: Double?
    var latitude = 0.0

    var object: PlainObject {
      var object: PlainObject = [
        "id": .value(.int(id)), "level": .value(.int(level)), "note": .value(.string(note)),
      ]
      object["kind"] = kind.map { .value(.string($0)) }
      object["share"] = share.map { .value(.double($0)) }
      object["place"] = longitude.map { Boats.point($0, latitude) }
      return object
    }

    /// The values of the outputs of a query.
    func values(_ names: [String]) -> [Value] {
      names.map { name in
        switch name {
        case "id": .int(id)
        case "level": .int(level)
        case "kind": kind.map(Value.string) ?? .null
        case "share": share.map(Value.double) ?? .null
        default: .string(note)
        }
      }
    }
  }

  private static let names = ["id", "level", "kind", "share", "note"]

  private static func buoy(_ id: Int64, _ random: inout SeededGenerator) -> Buoy {
    Buoy(
      id: id, level: Int64(random.below(1000)),
      kind: random.oneIn(9) ? nil : "kind \(random.below(12))",
      share: random.oneIn(9) ? nil : Double(random.below(4000)) / 8,
      note: random.oneIn(50) ? String(repeating: "n", count: 300) : "note \(random.below(9000))",
      longitude: random.oneIn(6) ? nil : Double(random.below(40)) / 2,
      latitude: Double(random.below(40)) / 2)
  }

  /// The rows by key.
  private typealias Buoys = [Int64: Buoy]

  /// A condition as text and in Swift; it matches few rows of a segment, many, or all.
  private static func condition(
    _ random: inout SeededGenerator
  ) -> (text: String, matches: @Sendable (Buoy) -> Bool) {
    let level = Int64(random.pick([0, 5, 500, 990, random.below(1000)]))
    let corner = Double(random.below(20))
    let kind = "kind \(random.below(13))"
    let parts: [(text: String, matches: @Sendable (Buoy) -> Bool)] = [
      ("level >= \(level)", { $0.level >= level }),
      ("kind == '\(kind)'", { $0.kind == kind }),
      ("share < \(level)", { $0.share.map { $0 < Double(level) } ?? false }),
      ("note ENDSWITH '7'", { $0.note.hasSuffix("7") }),
      (
        "place GEOWITHIN[planar] geoBox([\(corner), \(corner)], [\(corner + 5.25), \(corner + 5.25)])",
        { buoy in
          let range = corner...corner + 5.25
          return buoy.longitude.map { range.contains($0) && range.contains(buoy.latitude) } ?? false
        }
      ),
    ]
    let chosen = parts.shuffled(using: &random).prefix(1 + random.below(3))
    return (
      chosen.map(\.text).joined(separator: " AND "),
      { [matches = chosen.map(\.matches)] buoy in matches.allSatisfy { $0(buoy) } }
    )
  }

  /// Runs random queries and compares their rows with those of a model.
  private static func check(
    _ reader: any StoreReader, _ buoys: Buoys, _ random: inout SeededGenerator, queries: Int,
    _ comment: Comment
  ) throws {
    let keys = buoys.keys.sorted()
    for _ in 0..<queries {
      let (text, matches) = condition(&random)
      let outputs = Array(names.shuffled(using: &random).prefix(random.below(4)))
      let isSorted = random.oneIn(4)
      let limit = random.oneIn(4) ? random.pick([1, 40, 3000]) : nil
      var expected = keys.compactMap { key in buoys[key].map { (key: key, buoy: $0) } }
        .filter { matches($0.buoy) }
      if isSorted {
        expected.sort { ($0.buoy.level, $0.key) < ($1.buoy.level, $1.key) }
      }
      if let limit { expected = Array(expected.prefix(limit)) }
      let query = try ObjectQuery(
        "Buoy", where: QueryPredicate(parsing: text),
        order: isSorted ? [SortKey(PropertyPath(["level"]))] : [], limit: limit
      ).bound(to: schema)
      let threads = QueryThreads(maximum: random.pick([1, 2, 3]), minimumRows: 1)
      let session = QuerySession(reader, options: .withoutIndexes, threads: threads)
      let paths = outputs.map { PropertyPath([$0]) }
      var found: [(key: Int64, values: [Value])] = []
      let isRead = try session.forEachBatch(query, at: paths) { batch, columns, rows in
        for row in rows { found.append((batch.key(row), columns.map { $0.value(row) })) }
      }
      #expect(isRead)
      #expect(
        found.map(\.key) == expected.map(\.key)
          && zip(found, expected).allSatisfy { $0.values == $1.buoy.values(outputs) },
        "\(comment): \(text), sorted \(isSorted), limit \(limit ?? -1), outputs \(outputs)")
      #expect(try session.count(query) == expected.count, "\(comment): \(text)")
    }
  }

  private static func store(
    _ count: Int, _ random: inout SeededGenerator
  ) throws -> (file: StoreFile, buoys: Buoys) {
    let file = try TestStore.temporary(schema)
    let transaction = try file.beginWrite()
    var buoys: Buoys = [:]
    for id in 0..<count {
      let buoy = buoy(Int64(id), &random)
      buoys[try transaction.insert("Buoy", object: buoy.object).rawValue] = buoy
    }
    try transaction.commit()
    return (file, buoys)
  }

  private static func change(
    _ transaction: WriteTransaction, _ buoys: inout Buoys, _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<random.pick([1, 20, 400]) {
      switch random.below(6) {
      case 0:
        let buoy = buoy(Int64(1_000_000 + random.below(1 << 40)), &random)
        buoys[try transaction.insert("Buoy", object: buoy.object).rawValue] = buoy
      case 1:
        guard let key = buoys.keys.randomElement(using: &random) else { break }
        try transaction.delete("Buoy", ObjectKey(key))
        buoys[key] = nil
      default:
        guard let key = buoys.keys.randomElement(using: &random) else { break }
        let level = Int64(random.below(1000))
        buoys[key]?.level = level
        try transaction.update("Buoy", key, members: ["level": .value(.int(level))])
      }
    }
  }

  @Test(arguments: Seeds.usual(1...4))
  func `scans agree with plain Swift while they fill the cache`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (file, buoys) = try Self.store(13_000, &random)
    file.columns.budget = [ColumnCache.defaultBudget, 150_000, 20_000, 0][Int(seed % 4)]
    let old = (reader: try file.snapshot(), buoys: buoys)
    for round in 0..<3 {
      let comment: Comment = "seed \(seed), round \(round)"
      try Self.check(file.snapshot(), buoys, &random, queries: 8, comment)
      let transaction = try file.beginWrite()
      try Self.change(transaction, &buoys, &random)
      try Self.check(transaction.flush(.indexes), buoys, &random, queries: 4, comment)
      try transaction.commit()
      try Self.check(old.reader, old.buoys, &random, queries: 2, comment)
      let report = file.columns.report
      #expect(report.byteCount <= report.budget, comment)
    }
    try Self.check(file.snapshot(), buoys, &random, queries: 8, "seed \(seed), at the end")
  }

  @Test(arguments: Seeds.usual(5...7))
  func `readers that fill the cache beside each other and a writer agree with plain Swift`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let (file, first) = try Self.store(13_000, &random)
    file.columns.budget = [ColumnCache.defaultBudget, 150_000][Int(seed % 2)]
    // The state of each version; a reader waits for none of them.
    let versions = Versions([try file.snapshot().version: first])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          var random = SeededGenerator(seed: seed &* 10 &+ UInt64(number))
          for _ in 0..<6 {
            let snapshot = try file.snapshot()
            guard let buoys = await versions[snapshot.version] else { continue }
            try Self.check(
              snapshot, buoys, &random, queries: 2, "seed \(seed), version \(snapshot.version)")
          }
        }
      }
      group.addTask {
        var random = SeededGenerator(seed: seed &+ 1000)
        var buoys = first
        for _ in 0..<10 {
          let transaction = try file.beginWrite()
          try Self.change(transaction, &buoys, &random)
          let changes = try transaction.commit()
          await versions.add(buoys, changes.version)
        }
      }
      try await group.waitForAll()
    }
  }

  /// The rows of each version.
  private actor Versions {
    private var buoys: [Int64: Buoys]

    init(_ buoys: [Int64: Buoys]) { self.buoys = buoys }

    subscript(version: Int64) -> Buoys? { buoys[version] }

    func add(_ buoys: Buoys, _ version: Int64) { self.buoys[version] = buoys }
  }

  // MARK: Which columns are filled

  /// Compares the names of the columns that are in memory with those expected.
  private func expectCached(
    _ expected: Set<String>, _ file: StoreFile, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let layout = try file.snapshot().layout("Buoy")
    let columns = file.columns.report.byteCountByColumn["Buoy"] ?? [:]
    let names = Set(columns.keys.map { layout.columns[$0].name })
    #expect(names == expected, sourceLocation: location)
  }

  private func run(_ text: String, _ outputs: [String], _ file: StoreFile) throws -> Int {
    let query = try ObjectQuery("Buoy", where: QueryPredicate(parsing: text)).bound(to: Self.schema)
    let session = QuerySession(
      try file.snapshot(), options: .withoutIndexes,
      threads: QueryThreads(maximum: 2, minimumRows: 1))
    var count = 0
    #expect(
      try session.forEachBatch(query, at: outputs.map { PropertyPath([$0]) }) { count += $2.count })
    return count
  }

  @Test func `a scan fills the columns of its conditions, and the key where it yields it`() throws {
    var random = SeededGenerator(seed: 31)
    // Six segments: a scan reads up to four missing ones at once.
    let (file, buoys) = try Self.store(21_000, &random)
    let region = "place GEOWITHIN[planar] geoBox([0, 0], [5, 5])"
    // Few rows of a segment pass, so their other columns are read by key.
    #expect(try run("level == 7", ["note", "share"], file) == buoys.values.count { $0.level == 7 })
    try expectCached(["level"], file)
    _ = try run("kind == 'kind 3' AND level < 30 AND \(region)", [], file)
    try expectCached(["level", "kind"], file)
    // The columns of the conditions are in memory, so that nothing is read from all rows for the key.
    _ = try run("level == 7", ["id"], file)
    try expectCached(["level", "kind"], file)
    _ = try run("share == 8", ["id"], file)
    try expectCached(["level", "kind", "share", "id"], file)
    // Many rows of a segment pass.
    _ = try run("level < 900 AND \(region)", [], file)
    let position: Set = ["place.longitude", "place.latitude"]
    try expectCached(position.union(["level", "kind", "share", "id"]), file)
  }

  @Test func `columns that are read by key are filled when that has cost as much as a scan`() throws
  {
    var random = SeededGenerator(seed: 32)
    let (file, _) = try Self.store(21_000, &random)
    // About 40 rows of a segment; reading a segment costs what fetching 512 of its rows costs.
    for _ in 0..<8 { _ = try run("level < 10", ["share"], file) }
    try expectCached(["level"], file)
    for _ in 0..<12 { _ = try run("level < 10", ["share"], file) }
    try expectCached(["level", "share"], file)
    let fills = file.columns.report.fills
    _ = try run("level < 10", ["share"], file)
    #expect(file.columns.report.fills == fills)
  }

  @Test func `nothing is read for the cache that has no room for it`() throws {
    var random = SeededGenerator(seed: 33)
    let (file, buoys) = try Self.store(13_000, &random)
    file.columns.budget = 10_000
    let expected = buoys.values.count { $0.level == 7 }
    // The first scans learn the size of the segments.
    for _ in 0..<2 { #expect(try run("level == 7", ["id"], file) == expected) }
    let fills = file.columns.report.fills
    for _ in 0..<3 { #expect(try run("level == 7", ["id"], file) == expected) }
    #expect(file.columns.report.fills == fills)
    #expect(file.columns.report.byteCount <= 10_000)
  }

  @Test func `large values of a result are read in parts`() throws {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    let count = 300
    for id in 0..<count {
      let note = String(repeating: "\(id % 10)", count: 200_000 + id)
      let buoy = Buoy(id: Int64(id), level: Int64(id % 3), note: note)
      _ = try transaction.insert("Buoy", object: buoy.object)
    }
    try transaction.commit()
    for budget in [ColumnCache.defaultBudget, 0] {
      file.columns.budget = budget
      let query = try ObjectQuery("Buoy", where: QueryPredicate(parsing: "level < 2"))
        .bound(to: Self.schema)
      let session = QuerySession(
        try file.snapshot(), options: .withoutIndexes,
        threads: QueryThreads(maximum: 2, minimumRows: 1))
      var lengths: [Int] = []
      let isRead = try session.forEachBatch(query, at: [PropertyPath(["note"])]) {
        for row in $2 { lengths.append($1[0].bytes(row).count) }
      }
      #expect(isRead)
      #expect(lengths == (0..<count).filter { $0 % 3 < 2 }.map { 200_000 + $0 })
    }
  }
}

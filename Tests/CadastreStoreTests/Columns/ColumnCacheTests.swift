import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Cached columns agree with the file at every version.
@Suite("Column cache")
struct ColumnCacheTests {
  private static let schema = schema(isIndexed: false)

  private static func schema(isIndexed: Bool) -> Schema {
    Schema([
      ObjectSchema(
        className: "Thing",
        properties: [
          Property(name: "number", type: .int, isIndexed: isIndexed),
          Property(name: "name", type: .string, isOptional: true),
          Property(name: "weight", type: .double, isOptional: true),
          Property(name: "next", type: .object, isOptional: true, objectClassName: "Thing"),
          Property(name: "any", type: .any, isOptional: true),
          Property(name: "when", type: .date),
        ])
    ])
  }

  /// The rows of a class at one version.
  private typealias Rows = [Int64: [Value]]

  @Test("each reader sees the rows of its version", arguments: Seeds.usual(1...3))
  func versions(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let file = try OpenStores.store(at: folder.file("columns.cadastre"))
    try file.prepare(for: Self.schema)
    // A second instance acts as another process: they share only the file.
    let other = StoreFile(path: file.path)
    file.columns.budget = [ColumnCache.defaultBudget, 600_000, 100_000][Int(seed % 3)]
    var held: [(snapshot: Snapshot, rows: Rows)] = [(try file.snapshot(), [:])]
    var indexed = false
    for round in 0..<30 {
      var rows = held[held.count - 1].rows
      let writer = random.oneIn(8) ? other : file
      let transaction = try writer.beginWrite()
      if round > 0, random.oneIn(12), !indexed {
        indexed = true
        try transaction.adopt(Self.schema(isIndexed: true))
      }
      for _ in 0..<random.below(4) {
        try change(transaction, &rows, &random)
        if random.oneIn(2) { try check(transaction.flush(.indexes), rows, &random, "seed \(seed)") }
      }
      if random.oneIn(6) {
        transaction.rollback()
      } else {
        try transaction.commit()
        held.append((try file.snapshot(), rows))
      }
      if held.count > 6 { held.remove(at: random.below(held.count - 1)) }
      for _ in 0..<4 {
        // Half of the reads use the newest version.
        let (snapshot, rows) = random.oneIn(2) ? held[held.count - 1] : random.pick(held)
        try check(snapshot, rows, &random, "seed \(seed), round \(round)")
      }
      let report = file.columns.report
      #expect(report.byteCount <= report.budget, "seed \(seed)")
    }
    #expect(file.columns.report.hits > 0)
  }

  private func row(_ keys: some Collection<Int64>, _ random: inout SeededGenerator) -> [Value] {
    let link =
      keys.isEmpty || random.oneIn(3) ? Value.null : .link(ObjectKey(random.pick(Array(keys))))
    return [
      .int(Int64(random.below(100))),
      random.oneIn(4) ? .null : .string(random.oneIn(9) ? "" : "n\(random.below(1000))"),
      random.oneIn(5) ? .null : .double(Double(random.below(9)) / 4), link,
      random.pick([.null, .int(4), .string("x"), .list([.int(1), .null])]),
      .date(Timestamp(seconds: Int64(random.below(1000)))),
    ]
  }

  private func change(
    _ transaction: WriteTransaction, _ rows: inout Rows, _ random: inout SeededGenerator
  ) throws {
    let keys = rows.keys.sorted()
    switch random.below(10) {
    case 0...3:
      let near = Array(keys.suffix(50))
      for _ in 0..<random.pick([1, 3, 40, 3000]) {
        let row = row(near, &random)
        rows[try transaction.insert("Thing", row).rawValue] = row
      }
    case 4...7:
      for _ in 0..<random.pick([1, 2, 30, 600]) where !keys.isEmpty {
        let key = random.pick(keys)
        let column = random.below(6)
        let value = row(keys.prefix(20), &random)[column]
        try transaction.update("Thing", ObjectKey(key), [(column, value)])
        rows[key]?[column] = value
      }
    case 8:
      for _ in 0..<random.pick([1, 5, 100]) {
        guard let key = rows.keys.min().map({ $0 + Int64(random.below(6000)) }) else { break }
        try transaction.delete("Thing", ObjectKey(key))
        rows[key] = nil
        for (other, row) in rows where row[3] == .link(ObjectKey(key)) { rows[other]?[3] = .null }
      }
    default:
      guard random.oneIn(4) else { return }
      try transaction.deleteAll()
      rows = [:]
    }
  }

  private func check(
    _ reader: any StoreReader, _ rows: Rows, _ random: inout SeededGenerator, _ comment: Comment
  ) throws {
    let layout = try reader.layout("Thing")
    var references: [ColumnReference] = []
    for column in layout.columns.indices where random.oneIn(2) {
      references.append(
        ColumnReference(hops: [], column: column, type: layout.columns[column].type))
    }
    let hop = ColumnReference.Hop(column: 3, target: "Thing")
    if random.oneIn(3) { references.append(ColumnReference(hops: [hop], column: 1, type: .string)) }
    if random.oneIn(5) {
      references.append(ColumnReference(hops: [hop, hop], column: 0, type: .int))
    }
    let batches = BatchReader(layout, references, reader, isLimited: random.oneIn(4))
    var keys = rows.keys.sorted()
    var found: [(Int64, [Value])] = []
    func take(_ batch: borrowing ColumnBatch) {
      for row in batch.allRows {
        var values: [Value] = []
        for column in batch.columns.indices { values.append(batch.columns[column].value(row)) }
        found.append((batch.key(row), values))
      }
    }
    switch random.below(5) {
    case 0:
      var batch = batches.makeBatch()
      while try batches.readNext(into: &batch) { take(batch) }
    case 1:
      // A few rows of each segment.
      let share = random.pick([20, 100, 400])
      keys = keys.filter { _ in random.oneIn(share) }
      try batches.forEachBatch(of: keys) { take($0) }
    case 2:
      // Keys in any order, some without a row and some twice.
      let requested = (0..<random.pick([5, 40, 300])).map { _ in Int64(random.below(4000)) }
      keys = requested.filter { rows[$0] != nil }
      var batch = batches.makeBatch()
      try batches.read(requested, into: &batch)
      take(batch)
    case 3:
      keys = keys.filter { _ in random.oneIn(3) }
      let requested = (keys + [.max / 4, 5_000_000]).sorted()
      try batches.forEachBatch(of: requested) { take($0) }
    default:
      keys = Array(keys.shuffled(using: &random).prefix(300))
      try batches.forEachBatch(of: keys) { take($0) }
    }
    #expect(found.map(\.0) == keys, comment)
    for (key, values) in found {
      let expected = references.map { reference -> Value in
        var row = rows[key]
        for hop in reference.hops {
          guard case .link(let next)? = row?[hop.column] else { return .null }
          row = rows[next.rawValue]
        }
        return row?[reference.column] ?? .null
      }
      guard values != expected else { continue }
      Issue.record("\(comment): row \(key) at \(reader.version) is \(values), expected \(expected)")
      return
    }
  }

  // MARK: Counted work

  private func store(rows: Int) throws -> StoreFile {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for number in 0..<rows {
      let row: [Value] = [
        .int(Int64(number)), .string("thing \(number)"), .double(1), .null, .null,
        .date(Timestamp(seconds: 0)),
      ]
      _ = try transaction.insert("Thing", row)
    }
    try transaction.commit()
    return file
  }

  private func sum(_ reader: any StoreReader) throws -> Int64 {
    let layout = try reader.layout("Thing")
    let batches = BatchReader(
      layout, [ColumnReference(hops: [], column: 0, type: .int)], reader)
    var batch = batches.makeBatch()
    var sum: Int64 = 0
    while try batches.readNext(into: &batch) {
      for row in batch.allRows { sum += batch.columns[0].integer(row) }
    }
    return sum
  }

  @Test func `cached segments are not read again, and a commit costs the rows that it changed`()
    throws
  {
    let file = try store(rows: 20_000)
    let snapshot = try file.snapshot()
    #expect(try sum(snapshot) == 199_990_000)
    let cold = file.columns.report
    // The rows and the column of each of five segments.
    #expect(cold.fills == 10)
    #expect(try sum(snapshot) == 199_990_000)
    #expect(file.columns.report.fills == 10)
    #expect(file.columns.report.hits == cold.hits + 10)

    let transaction = try file.beginWrite()
    try transaction.update("Thing", ObjectKey(5), [(0, .int(1004))])
    // The cache is not used for the segment that the transaction has changed; the others are valid.
    let connection = try transaction.connection
    let before = connection.statementsRun
    #expect(try sum(transaction.flush(.indexes)) == 199_991_000)
    #expect(connection.statementsRun - before <= 4)
    #expect(file.columns.report.fills == 10)
    try transaction.commit()

    let next = try file.snapshot()
    #expect(try sum(next) == 199_991_000)
    #expect(file.columns.report.fills == 10)
    #expect(file.columns.report.patches == 1)
    #expect(try sum(snapshot) == 199_990_000)
    #expect(file.columns.report.fills == 10)
  }

  @Test func `a segment is read after fetching its rows one by one has cost as much`() throws {
    let file = try store(rows: 20_000)
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Thing")
    /// Fetches three rows, two of them in one segment.
    func fetch() throws -> (numbers: [Int64], segments: (inMemory: Int, read: Int)) {
      let batches = BatchReader(
        layout, [ColumnReference(hops: [], column: 0, type: .int)], snapshot)
      var numbers: [Int64] = []
      try batches.forEachBatch(of: [9_000, 17, 3_000]) { batch in
        for row in batch.allRows { numbers.append(batch.columns[0].integer(row)) }
      }
      #expect(batches.rowsRead == 3)
      return (numbers, batches.segments)
    }
    // Reading a segment costs what fetching 512 of its rows costs.
    for _ in 0..<256 {
      let fetched = try fetch()
      #expect(fetched.numbers == [8_999, 16, 2_999])
      #expect(fetched.segments == (0, 0))
    }
    let later = try (0..<257).map { _ in try fetch() }
    #expect(later.allSatisfy { $0.numbers == [8_999, 16, 2_999] })
    #expect(later[0].segments == (0, 1) && later[1].segments == (1, 0))
    #expect(later[256].segments == (1, 1))
    #expect(try fetch().segments == (2, 0))
    #expect(file.columns.report.fills == 4)
  }

  @Test func `a commit of another process invalidates the cache`() throws {
    let folder = try TestFolder()
    let file = try OpenStores.store(at: folder.file("columns.cadastre"))
    try file.prepare(for: Self.schema)
    let other = StoreFile(path: file.path)
    func insert(_ file: StoreFile) throws {
      let transaction = try file.beginWrite()
      _ = try transaction.insert(
        "Thing", [.int(7), .null, .null, .null, .null, .date(Timestamp(seconds: 0))])
      try transaction.commit()
    }
    try insert(file)
    #expect(try sum(file.snapshot()) == 7)
    try insert(other)
    #expect(try sum(file.snapshot()) == 14)
    #expect(file.columns.report.fills == 4)
    try insert(file)
    #expect(try sum(file.snapshot()) == 21)
    #expect(file.columns.report.fills == 4)
  }

  @Test func `memory stays within the budget; the least recently used columns are evicted`() throws
  {
    let file = try store(rows: 50_000)
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Thing")
    func read(_ column: Int) throws {
      let reference = ColumnReference(hops: [], column: column, type: layout.columns[column].type)
      let batches = BatchReader(layout, [reference], snapshot)
      var batch = batches.makeBatch()
      while try batches.readNext(into: &batch) {}
    }
    // The sizes depend on how the allocator rounds them, for example under the address sanitizer.
    for column in [0, 1, 2, 5] { try read(column) }
    let budget = file.columns.report.byteCount * 2 / 3
    file.columns.budget = budget
    for column in [0, 1, 2, 5, 0, 1] { try read(column) }
    let report = file.columns.report
    #expect(report.byteCount <= budget)
    #expect(report.byteCount > budget / 2)
    #expect(report.evictions > 0)
    // A scan that exceeds the budget keeps its first segments.
    file.columns.budget = budget * 3 / 10
    try read(1)
    let first = file.columns.report
    try read(1)
    #expect(file.columns.report.hits > first.hits)
    file.columns.budget = 0
    #expect(file.columns.report.byteCount == 0)
    #expect(try sum(snapshot) == 1_249_975_000)
    #expect(file.columns.report.byteCount == 0)
  }

  @Test func `values that are too large for the cache are streamed`() throws {
    let file = try store(rows: 10)
    let transaction = try file.beginWrite()
    let large = String(repeating: "x", count: 3 << 20)
    for key in 1...8 {
      try transaction.update("Thing", ObjectKey(Int64(key)), [(1, .string(large))])
    }
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Thing")
    let references = [0, 1].map {
      ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
    }
    for _ in 0..<2 {
      let batches = BatchReader(layout, references, snapshot)
      var batch = batches.makeBatch()
      var lengths: [Int] = []
      var batchCount = 0
      while try batches.readNext(into: &batch) {
        batchCount += 1
        for row in batch.allRows { lengths.append(batch.columns[1].bytes(row).count) }
      }
      #expect(lengths == Array(repeating: 3 << 20, count: 8) + [7, 7])
      #expect(batchCount == 2)
    }
    #expect(file.columns.report.byteCount < 1 << 20)
    // The other columns are cached.
    #expect(try sum(snapshot) == 45)
    #expect(file.columns.report.fills == 3)
  }

  @Test func `a failed read leaves no reader waiting`() throws {
    let file = try store(rows: 10)
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Thing")
    let missing = TableLayout(layout.schema, in: Self.schema, tableName: "nowhere")
    for _ in 0..<2 {
      let view = try #require(ColumnView(missing, [0], snapshot))
      #expect(throws: StoreError.self) { _ = try view.segment(0, for: .allRows) }
    }
    #expect(try sum(snapshot) == 45)
  }

  // MARK: Threads

  @Test(arguments: Seeds.usual(1...3))
  func `threads read the rows of their versions`(seed: UInt64) async throws {
    let file = try store(rows: 9000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in 0..<3 {
        group.addTask {
          for _ in 0..<40 {
            let snapshot = try file.snapshot()
            let expected = try snapshot.connection.integer("SELECT sum(number) FROM Thing")
            #expect(try sum(snapshot) == expected, "reader \(reader), version \(snapshot.version)")
          }
        }
      }
      group.addTask {
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
          let transaction = try file.beginWrite()
          for _ in 0..<random.pick([1, 10, 400]) {
            let key = ObjectKey(Int64(1 + random.below(9000)))
            try transaction.update("Thing", key, [(0, .int(Int64(round)))])
          }
          if random.oneIn(3) {
            try transaction.delete("Thing", ObjectKey(Int64(1 + random.below(9000))))
          }
          try transaction.commit()
        }
      }
      try await group.waitForAll()
    }
  }
}

import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The cache is useful in proportion to its limit, and the limit follows the memory of the system.
@Suite("Column cache limit")
struct ColumnCacheLimitTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Thing",
      properties: [
        Property(name: "a", type: .int), Property(name: "b", type: .int),
        Property(name: "c", type: .int), Property(name: "d", type: .int),
      ])
  ])

  /// A store with 13 segments.
  private func store() throws -> StoreFile {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for number in 0..<50_000 {
      let row = [7919, 7907, 7901, 7883].map { Value.int(Int64(number * $0 % 50_000)) }
      _ = try transaction.insert("Thing", row)
    }
    try transaction.commit()
    return file
  }

  /// Reads columns of all rows, each part of the rows by another reader; returns the number of segments that came from
  /// the cache.
  private func scan(_ snapshot: Snapshot, _ columns: [Int], readers: Int = 1) throws -> Int {
    let layout = try snapshot.layout("Thing")
    let references = columns.map {
      ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
    }
    let first = BatchReader(layout, references, snapshot)
    let segments = try #require(try first.allSegments())
    var inMemory = 0
    for part in 0..<readers {
      let batches = part == 0 ? first : first.sibling(snapshot)
      let last = segments.upperBound
      let bounds = (0...readers).map { Int64($0) * (last + 1) / Int64(readers) }
      try batches.beginPart(bounds[part]...bounds[part + 1] - 1)
      var batch = batches.makeBatch()
      while try batches.readNext(into: &batch) {}
      inMemory += batches.segments.inMemory
    }
    return inMemory
  }

  @Test func `columns give way to the buffers of a sort until these are released`() throws {
    let file = try store()
    let snapshot = try file.snapshot()
    _ = try scan(snapshot, [0, 1, 2, 3])
    let bytes = file.columns.report.byteCount
    file.columns.budget = bytes
    var loan: ColumnMemoryLoan? = file.columns.loan(bytes / 2)
    #expect(file.columns.report.byteCount <= bytes - bytes / 2)
    _ = try scan(snapshot, [0, 1, 2, 3])
    #expect(file.columns.report.byteCount <= bytes - bytes / 2)
    // Each loan leaves a quarter, and two leave nothing here.
    var larger: ColumnMemoryLoan? = file.columns.loan(2 * bytes)
    _ = try scan(snapshot, [0])
    #expect(file.columns.report.byteCount == 0)
    withExtendedLifetime((loan, larger)) {}
    (loan, larger) = (nil, nil)
    _ = try scan(snapshot, [0, 1, 2, 3])
    #expect(file.columns.report.byteCount > bytes - bytes / 2)
  }

  @Test(arguments: [1, 2])
  func `where half of the columns fits, nearly half of the segments is reused`(readers: Int) throws
  {
    let file = try store()
    let snapshot = try file.snapshot()
    let segments = 13
    _ = try scan(snapshot, [0, 1, 2, 3])
    let bytes = file.columns.report.byteCount
    // One query over all columns, and queries that take turns.
    for queries in [[[0, 1, 2, 3]], [[0, 3], [1, 2]], [[0], [1], [2], [3]]] {
      file.columns.budget = 0
      file.columns.budget = .max
      for columns in queries { _ = try scan(snapshot, columns) }
      let total = file.columns.report.byteCount
      // Arrays of the same values may have other capacities.
      #expect(abs(total - bytes) <= bytes / 50)
      file.columns.budget = 0
      file.columns.budget = total / 2
      for _ in 0..<2 {
        for columns in queries { _ = try scan(snapshot, columns, readers: readers) }
      }
      for _ in 0..<3 {
        let fills = file.columns.report.fills
        let reused = try queries.map { try scan(snapshot, $0, readers: readers) }.reduce(0, +)
        let share = Double(reused) / Double(segments * queries.count)
        #expect(share > 0.38, "\(queries)")
        // What is not reused is streamed: encoding it would evict what the next query needs.
        #expect(file.columns.report.fills - fills <= readers * queries.count * 3, "\(queries)")
        #expect(file.columns.report.byteCount <= total / 2)
      }
    }
  }

  @Test func `columns of new queries replace those of queries that have ended`() throws {
    let file = try store()
    let snapshot = try file.snapshot()
    for column in [0, 1] { _ = try scan(snapshot, [column]) }
    let bytes = try #require(
      file.columns.report.byteCountByColumn["Thing"].map { max($0[0] ?? 0, $0[1] ?? 0) })
    file.columns.budget = bytes + 20_000
    for old in [0, 1] {
      for _ in 0..<4 { _ = try scan(snapshot, [old]) }
      #expect(try scan(snapshot, [old]) == 13)
      _ = try scan(snapshot, [1 - old])
      _ = try scan(snapshot, [1 - old])
      #expect(try scan(snapshot, [1 - old]) == 13)
    }
  }

  /// The fractions of a segment, which take 32 KiB.
  private static func content() -> CachedSegment.Content {
    let vector = ColumnVector(type: .double)
    for slot in 0..<4096 { vector.append(converting: .double(Double(slot).squareRoot())) }
    return .values(EncodedColumn(vector))
  }

  @Test func `the cache gives way where memory is scarce, and grows again`() throws {
    let available = Guarded(Int.max / 2)
    let memory = SystemMemory(byteCount: 16 << 20) { available.withLock { $0 } }
    let cache = ColumnCache(budget: 1 << 30, memory: memory)
    let content = Self.content()
    func use(_ segments: Range<Int64>) -> Bool {
      let history = ChangeHistory()
      guard let opened = cache.open("Thing", [0], at: 1, history) else { return false }
      var areCached = true
      for segment in segments {
        _ = cache.lookUp(
          "Thing", segment, [0], with: nil, at: 1, opened.relation, for: .allRows,
          time: opened.time)
        areCached =
          cache.finish(
            "Thing", segment, SegmentContents(columns: [(0, content)]), at: 1, time: opened.time)
          && areCached
      }
      return areCached
    }
    #expect(use(0..<4000))
    let full = cache.report.byteCount
    #expect(full > 100 << 20)
    // A reserve of a sixteenth, 1 MiB, stays available: 41 MiB are missing.
    available.withLock { $0 = -40 << 20 }
    cache.adaptToMemory()
    #expect(abs(cache.report.byteCount - (full - 41 << 20)) < 1 << 20)
    // A check is due when the cache would grow; the limit holds until then.
    #expect(!use(4000..<4010))
    #expect(cache.report.byteCount <= full - 41 << 20)
    available.withLock { $0 = Int.max / 2 }
    cache.adaptToMemory()
    #expect(use(4000..<4010))

    let before = cache.report.byteCount
    cache.adapt(to: .warning)
    #expect(cache.report.byteCount <= before / 2 && cache.report.byteCount > before / 3)
    cache.adapt(to: .critical)
    #expect(cache.report.byteCount == 0)
    #expect(!use(0..<10))
    cache.adapt(to: .normal)
    #expect(use(0..<10))
  }

  @Test func `a growing cache checks the memory seldom`() throws {
    let checks = Guarded(0)
    let memory = SystemMemory(byteCount: 16 << 20) {
      checks.withLock { $0 += 1 }
      return .max / 2
    }
    let cache = ColumnCache(budget: 1 << 30, memory: memory)
    let content = Self.content()
    let opened = try #require(cache.open("Thing", [0], at: 1, ChangeHistory()))
    for segment in 0..<Int64(5000) {
      _ = cache.finish(
        "Thing", segment, SegmentContents(columns: [(0, content)]), at: 1, time: opened.time)
    }
    // 160 MB: the first check at 64 MiB, and one for each 16 MiB more.
    #expect(checks.withLock { $0 } >= 4 && checks.withLock { $0 } <= 9)
  }
}

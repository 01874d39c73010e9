import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Scans of classes that do not fit the cache, and scans that several readers share.
@Suite struct ScanPartsTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Thing",
      properties: [
        Property(name: "number", type: .int), Property(name: "weight", type: .double),
      ])
  ])

  /// A store with 40,000 keys in ten segments, without each seventh object.
  private func store() throws -> StoreFile {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    var keys: [ObjectKey] = []
    for number in 0..<40_000 {
      keys.append(
        try transaction.insert(
          "Thing", [.int(Int64(number * 7919 % 10_007)), .double(Double(number) / 3)]))
    }
    for key in keys where key.rawValue % 7 == 0 { try transaction.delete("Thing", key) }
    try transaction.commit()
    return file
  }

  private func reader(
    _ snapshot: Snapshot, conditions: [ScanCondition] = []
  ) throws -> BatchReader {
    let layout = try snapshot.layout("Thing")
    let columns = layout.columns.indices.prefix(2).map {
      ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
    }
    return BatchReader(layout, Array(columns), snapshot, conditions: conditions)
  }

  /// The keys of the rows that a reader yields, with both values.
  private func rows(_ reader: BatchReader) throws -> [[Double]] {
    var rows: [[Double]] = []
    var batch = reader.makeBatch()
    while try reader.readNext(into: &batch) {
      for row in batch.allRows {
        rows.append([
          Double(batch.key(row)), Double(batch.columns[0].integer(row)),
          batch.columns[1].double(row),
        ])
      }
    }
    return rows
  }

  /// The rows as they were written.
  private let expected = (0..<40_000).compactMap { number -> [Double]? in
    let row = [Double(number + 1), Double(number * 7919 % 10_007), Double(number) / 3]
    return (number + 1) % 7 == 0 ? nil : row
  }

  @Test func `a scan beyond the budget streams what the cache has no room for`() throws {
    let file = try store()
    file.columns.budget = 150_000
    let snapshot = try file.snapshot()
    for _ in 0..<2 { #expect(try rows(reader(snapshot)) == expected) }
    let before = file.columns.report
    let scan = try reader(snapshot)
    #expect(try rows(scan) == expected)
    let after = file.columns.report
    // The size of the cached segments shows that there is no room; no segment is read for the cache.
    #expect(scan.segments.read == 0 && after.fills == before.fills)
    #expect(scan.segments.inMemory > 1)
    #expect(after.byteCount == before.byteCount && after.evictions == before.evictions)
  }

  @Test func `rows that do not meet a condition are not read where there is no room`() throws {
    let file = try store()
    file.columns.budget = 150_000
    let snapshot = try file.snapshot()
    let condition = ScanCondition(column: 0, ranges: [.closed(.int(5), .int(9))])
    for _ in 0..<2 { _ = try rows(reader(snapshot, conditions: [condition])) }
    let scan = try reader(snapshot, conditions: [condition])
    let found = try rows(scan).filter { (5...9).contains($0[1]) }
    #expect(found == expected.filter { (5...9).contains($0[1]) })
    #expect(scan.rowsRead + scan.rowsSkipped == expected.count)
    #expect(scan.rowsSkipped > 10_000)
  }

  @Test func `a condition with a negative zero holds for zero and the numbers above`() throws {
    let file = try store()
    file.columns.budget = 0
    let transaction = try file.beginWrite()
    try transaction.update("Thing", ObjectKey(2), [(1, .double(-0.0))])
    try transaction.commit()
    let snapshot = try file.snapshot()
    for (lower, upper, keys) in [
      (-0.0, 1.0, [1, 2, 3, 4]), (-.infinity, -0.0, [1, 2]), (-0.0, -0.0, [1, 2]),
      (0.5, 1.0, [3, 4]),
    ] {
      let condition = ScanCondition(column: 1, ranges: ScanCondition.Range.closed(lower, upper))
      let scan = try reader(snapshot, conditions: [condition])
      #expect(try rows(scan).map { Int($0[0]) } == keys, "from \(lower) through \(upper)")
    }
  }

  @Test(arguments: [ColumnCache.defaultBudget, 150_000, 0])
  func `two readers share a scan`(budget: Int) throws {
    let file = try store()
    file.columns.budget = budget
    let snapshot = try file.snapshot()
    let other = try #require(snapshot.sibling())
    #expect(other.version == snapshot.version && other.connection !== snapshot.connection)
    let scan = try reader(snapshot)
    let readers = [scan.sibling(snapshot), scan.sibling(other)]
    let segments = try #require(try scan.allSegments())
    #expect(segments == 0...9)
    var found: [[Double]] = []
    for number in segments {
      let reader = readers[Int(number % 2)]
      try reader.beginPart(number...number)
      found += try rows(reader)
    }
    #expect(found == expected)
    for reader in readers { scan.add(reader) }
    #expect(scan.rowsRead == expected.count)
  }

  @Test func `the few segments that commits changed are read before threads share the scan`() throws
  {
    let file = try store()
    _ = try rows(reader(file.snapshot()))
    /// Changes a row in each of some segments.
    func commit(_ segments: Range<Int64>) throws {
      let transaction = try file.beginWrite()
      for segment in segments {
        try transaction.update("Thing", ObjectKey(segment * 4096 + 1), [(0, .int(-segment))])
      }
      try transaction.commit()
    }
    try commit(2..<6)
    let changed = try reader(file.snapshot())
    let scan = try #require(try changed.cachedScan())
    #expect(changed.segments == (-4, 4))
    var (sum, rowCount) = (0.0, 0)
    for number in scan.segments {
      let batch = try #require(scan.batch(number))
      changed.note(segmentOf: batch.allRows.count)
      for row in batch.allRows { sum += Double(batch.columns[0].integer(row)) }
      rowCount += batch.allRows.count
    }
    #expect(changed.segments == (6, 4))
    #expect(rowCount == expected.count)
    let before = expected.filter { (2..<6).map { Double($0 * 4096 + 1) }.contains($0[0]) }
    #expect(sum == expected.reduce(0) { $0 + $1[1] } - before.reduce(0) { $0 + $1[1] } - 14)

    try commit(1..<6)
    #expect(try reader(file.snapshot()).cachedScan() == nil)
  }

  @Test func `a reader of an older version has no sibling`() throws {
    let file = try store()
    let old = try file.snapshot()
    let transaction = try file.beginWrite()
    #expect(try transaction.flush(.rows).sibling() == nil)
    _ = try transaction.insert("Thing", [.int(1), .double(1)])
    try transaction.commit()
    #expect(old.sibling() == nil)
    #expect(try file.snapshot().sibling() != nil)
  }
}

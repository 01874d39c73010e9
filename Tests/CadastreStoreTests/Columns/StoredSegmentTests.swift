import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Columns that are stored as segments: when they are valid, and what removes them.
@Suite struct StoredSegmentTests {
  private let folder: TestFolder
  private let path: String
  private static let count = 9000

  private static func thing(indexed: Bool = false, _ more: [Property] = []) -> Schema {
    Schema([
      ObjectSchema(
        className: "Thing",
        properties: [
          Property(name: "number", type: .int, isIndexed: indexed),
          Property(name: "name", type: .string),
          Property(name: "at", type: .date, isOptional: true),
          Property(name: "height", type: .double),
        ] + more)
    ])
  }

  private static func row(_ number: Int64) -> [Value] {
    [
      .int(number), .string("name \(number % 90)"),
      number % 7 == 0 ? .null : .date(Timestamp(seconds: number)), .double(Double(number) / 8),
    ]
  }

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.thing())
    let transaction = try file.beginWrite()
    for number in 0..<Self.count { _ = try transaction.insert("Thing", Self.row(Int64(number))) }
    try transaction.commit()
  }

  private func store() throws -> StoreFile {
    let file = try OpenStores.store(at: path)
    try file.storeColumns(.always)
    return file
  }

  /// Compares all columns with the rows; returns the number of columns that came from stored segments.
  private func compared(
    _ reader: any StoreReader, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    var stored = 0
    let differences = try SegmentModel.differences(reader, &stored)
    #expect(differences == [], sourceLocation: sourceLocation)
    return stored
  }

  private func headerFormat() throws -> Int {
    let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
    return header[60..<64].reduce(0) { $0 << 8 | Int($1) }
  }

  private func write(_ file: StoreFile, _ body: (WriteTransaction) throws -> Void) throws {
    let transaction = try file.beginWrite()
    try body(transaction)
    try transaction.commit()
  }

  private func segments() throws -> Int64? {
    try Connection(path: path, mode: .read).integer("SELECT count(*) FROM cadastre_segment")
  }

  // MARK: The format

  @Test func `the first segment raises the format, and removing all restores it`() throws {
    #expect(try headerFormat() == 2)
    let file = try store()
    #expect(try headerFormat() == 4)
    // Two full segments of four columns and the set of rows.
    #expect(try segments() == 10)
    #expect(try compared(file.snapshot()) == 10)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    #expect(try StoreCheck(file.snapshot()).foreignParts() == [])
    try file.storeColumns(.never)
    #expect(try headerFormat() == 2)
    let objects = try Connection(path: path, mode: .read).integer(
      "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'cadastre_segment%'")
    #expect(objects == 0)
    #expect(try compared(file.snapshot()) == 0)
    try file.storeColumns(.always)
    #expect(try compared(file.snapshot()) == 10)
  }

  @Test func `small classes have no segments`() throws {
    let file = try OpenStores.store(at: path)
    try file.storeColumns(.automatic)
    #expect(try headerFormat() == 2)
    #expect(try compared(file.snapshot()) == 0)
  }

  @Test func `a class with compound indexes keeps the format of segments`() throws {
    let file = try store()
    let flight = { (indexes: [[String]]) in
      Schema([
        ObjectSchema(
          className: "Flight",
          properties: [Property(name: "a", type: .int), Property(name: "b", type: .int)],
          compoundIndexes: indexes)
      ])
    }
    try file.prepare(for: flight([["a", "b"]]))
    #expect(try headerFormat() == 4)
    try file.storeColumns(.never)
    #expect(try headerFormat() == 3)
    try file.storeColumns(.always)
    try file.prepare(for: flight([]))
    #expect(try headerFormat() == 4)
    #expect(try compared(file.snapshot()) == 10)
    try file.storeColumns(.never)
    #expect(try headerFormat() == 2)
  }

  @Test func `a process reads segments instead of rows`() throws {
    try { _ = try store() }()
    let file = try OpenStores.store(at: path)
    let snapshot = try file.snapshot()
    let layout = try #require(snapshot.catalogue.layout("Thing"))
    let view = try #require(ColumnView(layout, [0, 1, 2, 3], snapshot))
    _ = try view.segment(0, for: .allRows)
    #expect(file.columns.report.stored == 5)
    _ = try view.segment(2, for: .allRows)
    #expect(file.columns.report.stored == 5)
  }

  /// The names of the rows of the first segment, from a segment that was read from the file.
  private func names(_ snapshot: Snapshot) throws -> [Value]? {
    let layout = try #require(snapshot.catalogue.layout("Thing"))
    let view = try #require(ColumnView(layout, [1], snapshot))
    view.beginScan()
    guard let image = try view.segment(0, for: .scan) else { return nil }
    #expect(view.segmentsRead == 1 && view.segmentsInMemory == 0)
    #expect(view.endOfStreaming(from: 1, through: 1) == nil)
    return image.rows.map { image.columns[0].value($0) }
  }

  @Test func `segments are read where the cache has no room for them`() throws {
    let file = try store()
    let snapshot = try file.snapshot()
    let expected = (0..<4095).map { Value.string("name \($0 % 90)") }
    // The first reading learns the size of a segment.
    #expect(try names(snapshot) == expected)
    file.columns.budget = 1
    for _ in 0..<3 { #expect(try names(snapshot) == expected) }
    #expect(file.columns.report.segmentCount == 0)
    // A reader that returns to a segment again and again would read it each time.
    let layout = try #require(snapshot.catalogue.layout("Thing"))
    #expect(try ColumnView(layout, [1], snapshot)?.segment(0, for: .allRows) == nil)
    // A segment without stored columns is not read.
    try file.storeColumns(.never)
    #expect(try names(try file.snapshot()) == nil)
  }

  @Test func `a reader of an older version reads the segments of its version`() throws {
    let file = try store()
    let old = try file.snapshot()
    try write(file) { transaction in
      try transaction.update("Thing", [1], [(1, .string("new"))])
      try transaction.delete("Thing", [2])
    }
    let changed = try names(try file.snapshot())
    #expect(changed?.first == .string("new") && changed?[1] == .string("name 2"))
    file.columns.budget = 0
    file.columns.budget = 1 << 20
    #expect(try names(try file.snapshot())?.first == .string("new"))
    #expect(try names(old) == (0..<4095).map { .string("name \($0 % 90)") })
  }

  // MARK: Validity

  @Test func `changes mark slots, and many changes remove the segment`() throws {
    let file = try store()
    let before = try file.snapshot()
    try write(file) { transaction in
      _ = try transaction.update("Thing", ObjectKey(5), 0, .int(-5))
      _ = try transaction.update("Thing", ObjectKey(5000), [(1, .string("new")), (2, .null)])
      _ = try transaction.delete("Thing", ObjectKey(6))
      _ = try transaction.insert("Thing", Self.row(77))
    }
    #expect(try compared(file.snapshot()) == 10)
    #expect(try compared(before) == 10)
    let frozen = try file.snapshot()
    try write(file) { transaction in
      for key in Int64(100)..<400 {
        _ = try transaction.update("Thing", ObjectKey(key), 3, .double(0.5))
      }
      for key in Int64(100)..<600 { _ = try transaction.delete("Thing", ObjectKey(key)) }
    }
    // 200 of the changed rows exist: all 300 were changed before they were deleted.
    #expect(try compared(file.snapshot()) >= 9)
    try write(file) { transaction in
      for key in Int64(1000)..<1300 {
        _ = try transaction.update("Thing", ObjectKey(key), 3, .double(0.5))
      }
    }
    #expect(try compared(file.snapshot()) == 9)
    #expect(try compared(frozen) == 10)
    try file.storeColumns(.always)
    #expect(try compared(file.snapshot()) == 10)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `a transaction reads its own changes, and leaves no mark after a rollback`() throws {
    let file = try store()
    let transaction = try file.beginWrite()
    _ = try transaction.update("Thing", ObjectKey(9), 0, .int(-1))
    _ = try transaction.delete("Thing", ObjectKey(4500))
    _ = try compared(transaction.flush(.everything))
    transaction.rollback()
    #expect(try compared(file.snapshot()) == 10)
  }

  @Test func `rows that are all deleted leave no segment`() throws {
    let file = try store()
    try write(file) { transaction in
      for key in Int64(4096)..<8192 { _ = try transaction.delete("Thing", ObjectKey(key)) }
    }
    #expect(try segments() == 5)
    #expect(try compared(file.snapshot()) == 5)
    try write(file) { try $0.deleteAll() }
    #expect(try segments() == 0)
  }

  @Test func `a change of the schema keeps the segments of other classes`() throws {
    let file = try store()
    try write(file) { transaction in
      _ = try transaction.update("Thing", ObjectKey(9), 0, .int(-1))
      try transaction.adopt(
        Schema([ObjectSchema(className: "Other", properties: [Property(name: "a", type: .int)])]))
      _ = try transaction.update("Thing", ObjectKey(10), 0, .int(-1))
    }
    #expect(try compared(file.snapshot()) == 10)
    try file.prepare(for: Self.thing(indexed: true))
    #expect(try compared(file.snapshot()) == 10)
    let more = Property(name: "more", type: .int, isOptional: true)
    try file.prepare(
      for: Self.thing([more]), version: 1, resetting: false, migrating: { _ in })
    #expect(try compared(file.snapshot()) == 0)
    try file.storeColumns(.always)
    #expect(try compared(file.snapshot()) == 12)
    try write(file) { try $0.renameClass("Thing", to: "Object") }
    #expect(try compared(file.snapshot()) == 0)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `a copy of a transaction has no stale segments`() throws {
    let file = try store()
    let transaction = try file.beginWrite()
    _ = try transaction.update("Thing", ObjectKey(9), 0, .int(-1))
    let copy = folder.file("copy.cadastre")
    try StoreCopy(of: transaction.flush(.everything)).write(to: copy)
    transaction.rollback()
    _ = try compared(OpenStores.store(at: copy).snapshot())
    let second = folder.file("second.cadastre")
    try StoreCopy(of: file.snapshot()).write(to: second)
    #expect(try compared(OpenStores.store(at: second).snapshot()) == 10)
  }

  // MARK: Other programs

  /// The statements of a commit of a release that does not know segments.
  private static let oldCommit = "UPDATE cadastre_state SET commit_version = commit_version + 1"

  @Test func `a process of an older release that has the file open makes segments invalid`() throws
  {
    let old = try Connection(path: path, mode: .readWrite)
    #expect(try old.integer("SELECT count(*) FROM Thing") == Int64(Self.count))
    let file = try store()
    let before = try file.snapshot()
    try old.run("BEGIN IMMEDIATE")
    try old.run("UPDATE Thing SET number = -8 WHERE \"#key\" = 8")
    try old.run(Self.oldCommit)
    try old.run("COMMIT")
    #expect(try compared(file.snapshot()) == 0)
    #expect(try compared(before) == 10)

    try write(file) { _ = try $0.insert("Thing", Self.row(1)) }
    #expect(try segments() == 0)
    #expect(try compared(file.snapshot()) == 0)
    try old.run("DELETE FROM Thing WHERE \"#key\" = 30")
    try old.run(Self.oldCommit)
    // Segments are stored again without a version of their own.
    try file.storeColumns(.always)
    #expect(try compared(file.snapshot()) == 10)
    #expect(try StoreCheck(file.snapshot()).problems().filter { $0.contains("segment") } == [])
  }

  @Test func `a process of an older release does not read the file again`() throws {
    let file = try OpenStores.store(at: path)
    let old = try file.snapshot().versions
    #expect(old.catalogue > 0)
    try file.storeColumns(.always)
    // An older release reads the catalogue again where its version has changed, and finds the format.
    #expect(try file.snapshot().versions.catalogue > old.catalogue)
  }

  @Test(arguments: [
    "UPDATE Thing SET number = -8 WHERE number = 7", "DELETE FROM Thing WHERE number = 30",
    "INSERT INTO Thing(number, name, height) VALUES (1, 'a', 2)",
  ])
  func `a write of the sqlite3 program makes segments invalid`(sql: String) throws {
    let file = try store()
    let before = try file.snapshot()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", path, sql]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      // The program is not installed.
      try Connection.writingForeign(path).run(sql)
    }
    #expect(try compared(StoreFile(path: path).snapshot()) == 0)
    #expect(try compared(before) == 10)
    try write(file) { _ = try $0.update("Thing", ObjectKey(1), 0, .int(-3)) }
    #expect(try segments() == 0)
    #expect(try compared(StoreFile(path: path).snapshot()) == 0)
  }

  @Test func `segments of a table that another program has replaced are not read`() throws {
    let file = try store()
    let other = try Connection.writingForeign(path)
    for sql in [
      "CREATE TABLE new(\"#key\" INTEGER PRIMARY KEY, number INTEGER, name TEXT, at INTEGER, height REAL)",
      "INSERT INTO new SELECT \"#key\", number + 1, name, at, height FROM Thing",
      "DROP TABLE Thing", "ALTER TABLE new RENAME TO Thing",
    ] { try other.run(sql) }
    #expect(try compared(StoreFile(path: path).snapshot()) == 0)
    try StoreFile(path: path).storeColumns(.always)
    #expect(try compared(StoreFile(path: path).snapshot()) == 10)
    withExtendedLifetime(file) {}
  }

  // MARK: Damage

  @Test(arguments: [
    "UPDATE cadastre_segment SET bytes = zeroblob(40)", "UPDATE cadastre_segment SET bytes = 7",
    "UPDATE cadastre_segment SET bytes = substr(bytes, 1, length(bytes) - 3)",
    "UPDATE cadastre_segment_change SET slots = x'0102'",
    "UPDATE cadastre_segment SET bytes = (SELECT bytes FROM cadastre_segment s WHERE s.id > cadastre_segment.id LIMIT 1) WHERE id < (SELECT max(id) FROM cadastre_segment)",
  ])
  func `a damaged segment is reported and read from the rows`(sql: String) throws {
    let file = try store()
    try Connection.writingForeign(path).run(sql)
    let messages = Guarded<[String]>([])
    let other = StoreFile(path: path)
    other.columns.setDamageHandler { message in messages.withLock { $0.append(message) } }
    let snapshot = try other.snapshot()
    let layout = try #require(snapshot.catalogue.layout("Thing"))
    let view = try #require(ColumnView(layout, [0, 1, 2, 3], snapshot))
    let rows = try SegmentModel.rows(layout, snapshot)
    for number: Int64 in 0...2 {
      let image = try #require(try view.segment(number, for: .allRows))
      for slot in image.rows {
        for column in 0...3 {
          #expect(image.columns[column].value(slot) == rows[image.firstKey + Int64(slot)]?[column])
        }
      }
    }
    #expect(!messages.withLock { $0 }.isEmpty)
    #expect(try StoreCheck(snapshot).problems().contains { $0.contains("segment") })
    // A write does not fail because of the damage.
    try write(file) { transaction in
      for key in [1, 5000] as [Int64] {
        _ = try transaction.update("Thing", ObjectKey(key), 0, .int(-3))
        _ = try transaction.delete("Thing", ObjectKey(key + 1))
      }
    }
    let repaired = try StoreRepair.run(file)
    #expect(repaired.left == [])
    _ = try compared(file.snapshot())
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `a segment that differs from the rows is found and removed`() throws {
    let file = try store()
    // Neither the triggers run, nor is the version raised.
    try Connection(path: path, mode: .readWrite).run(
      "UPDATE Thing SET number = 12 WHERE \"#key\" = 8")
    #expect(
      try StoreCheck(file.snapshot()).problems().filter { $0.contains("number") }.count == 1)
    #expect(try StoreRepair.run(file).left == [])
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    _ = try compared(file.snapshot())
  }

  @Test func `a write survives the removal of a table of segments`() throws {
    let file = try store()
    try Connection.writingForeign(path).run("DROP TABLE cadastre_segment_change")
    try write(file) { _ = try $0.update("Thing", ObjectKey(1), 0, .int(-3)) }
    let snapshot = try StoreFile(path: path).snapshot()
    let layout = try #require(snapshot.catalogue.layout("Thing"))
    let view = try #require(ColumnView(layout, [0], snapshot))
    #expect(try view.segment(0, for: .allRows)?.columns[0].value(1) == .int(-3))
    let other = StoreFile(path: path)
    try write(other) { _ = try $0.update("Thing", ObjectKey(5000), 0, .int(-4)) }
    try other.storeColumns(.always)
    #expect(try compared(StoreFile(path: path).snapshot()) == 10)
  }
}

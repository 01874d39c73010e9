import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Stored columns in files that other programs have changed: no commit fails, and no reader sees a wrong value.
@Suite struct StoredSegmentRefusalTests {
  private let folder: TestFolder
  private let path: String
  private static let count = 9000

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(
      for: Schema([
        ObjectSchema(
          className: "Level",
          properties: ["low", "high"].map { Property(name: $0, type: .int) })
      ]))
    let transaction = try file.beginWrite()
    for number in 0..<Self.count {
      _ = try transaction.insert("Level", [.int(Int64(number)), .int(Int64(number) + 50_000)])
    }
    try transaction.commit()
  }

  private func store() throws -> StoreFile {
    let file = try OpenStores.store(at: path)
    try file.storeColumns(.always)
    return file
  }

  /// Returns the number of columns that come from stored segments, after comparing all with the rows.
  private func compared(
    _ reader: any StoreReader, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    var stored = 0
    let differences = try SegmentModel.differences(reader, &stored)
    #expect(differences == [], sourceLocation: sourceLocation)
    return stored
  }

  private func change(_ file: StoreFile, _ key: Int64) throws {
    let transaction = try file.beginWrite()
    _ = try transaction.update("Level", ObjectKey(key), 0, .int(-key))
    _ = try transaction.delete("Level", ObjectKey(key + 1))
    try transaction.commit()
  }

  @Test func `exchanged columns are not read from segments`() throws {
    let file = try store()
    #expect(try compared(file.snapshot()) == 6)
    let other = try Connection.writingForeign(path)
    for (old, new) in [("low", "x"), ("high", "low"), ("x", "high")] {
      try other.run("ALTER TABLE Level RENAME COLUMN \(old) TO \(new)")
    }
    #expect(try compared(StoreFile(path: path).snapshot()) == 0)
    try StoreFile(path: path).storeColumns(.always)
    #expect(try compared(StoreFile(path: path).snapshot()) == 6)
    withExtendedLifetime(file) {}
  }

  @Test func `keys far apart are stored without visiting the segments between them`() throws {
    let file = try OpenStores.store(at: path)
    try Connection.writingForeign(path).run(
      "INSERT INTO Level(\"#key\", low, high) VALUES (\(Int64(1) << 53), 1, 2)")
    #expect(try StoreRepair.run(file).left == [])
    try file.storeColumns(.always)
    let segments = try Connection(path: path, mode: .read).integer(
      "SELECT count(*) FROM cadastre_segment")
    // The segment that was the last one is full, because no key follows it.
    #expect(segments == 9)
  }

  @Test(arguments: ["cadastre_segment", "cadastre_segment_change", "cadastre_segment_column"])
  func `a dropped table of segments fails no commit`(table: String) throws {
    let file = try store()
    _ = try file.snapshot()
    let other = try Connection.writingForeign(path)
    try other.run("UPDATE Level SET low = 5 WHERE \"#key\" = 3")
    try other.run("DROP TABLE \(table)")
    for key: Int64 in [1, 4500, 8999] { try change(file, key) }
    #expect(try compared(StoreFile(path: path).snapshot()) == 0)
    try StoreFile(path: path).storeColumns(.always)
    #expect(try compared(StoreFile(path: path).snapshot()) == 6)
  }

  @Test func `stored columns are removed beside a broken view of another program`() throws {
    let file = try store()
    try Connection.writingForeign(path).run("CREATE VIEW missing AS SELECT a FROM absent")
    try file.storeColumns(.never)
    #expect(try compared(file.snapshot()) == 0)
    try change(file, 1)
    try file.storeColumns(.always)
    #expect(try compared(file.snapshot()) == 6)
  }

  @Test func `the next commit keeps segments that were stored after a write of another program`()
    throws
  {
    let file = try store()
    try Connection.writingForeign(path).run("UPDATE Level SET low = 5 WHERE \"#key\" = 3")
    // The writer keeps the counters of a transaction that changes nothing.
    let empty = try file.beginWrite()
    empty.rollback()
    try file.storeColumns(.always)
    try change(file, 1)
    #expect(try compared(StoreFile(path: path).snapshot()) == 6)
  }
}

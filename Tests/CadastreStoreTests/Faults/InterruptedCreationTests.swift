import CadastreModel
import CadastreSQLite
import Foundation
import Testing

@testable import CadastreStore

/// Files that a loss of power or a full disk left while a store was created.
@Suite struct InterruptedCreationTests {
  private let folder: TestFolder
  private let path: String

  private static let schema = Schema([
    ObjectSchema(className: "Thing", properties: [Property(name: "number", type: .int)])
  ])

  init() throws {
    folder = try TestFolder()
    path = folder.file("new.cadastre")
  }

  /// Copies the files of a transaction that creates a store, as they are before its commit.
  ///
  /// - Parameter count: The number of bytes at the start of the file that reached the disk.
  /// - Throws: An error of the file system or of SQLite.
  private func interrupt(firstBytes count: Int) throws {
    let source = folder.file("source")
    let connection = try Connection.writingForeign(source)
    try connection.run("PRAGMA cache_size = 1")
    try connection.run("PRAGMA cache_spill = 1")
    try connection.run("BEGIN IMMEDIATE")
    try Catalogue.create(on: connection)
    try connection.run("PRAGMA application_id = \(FileProbe.applicationIdentifier)")
    try connection.run("PRAGMA user_version = \(FileProbe.formatVersion)")
    // More pages than the cache holds, so that they are written before the commit.
    try connection.run("CREATE TABLE filler(x)")
    for _ in 0..<100 { try connection.run("INSERT INTO filler VALUES (randomblob(3000))") }
    var file = try Data(contentsOf: URL(fileURLWithPath: source))
    let journal = try Data(contentsOf: URL(fileURLWithPath: source + "-journal"))
    try #require(file.count > 100_000 && journal.count >= 512)
    file.replaceSubrange(0..<min(count, 4096), with: try header().prefix(min(count, 4096)))
    for offset in count..<max(count, 4096) { file[offset] = 0 }
    try folder.write("new.cadastre", file)
    try folder.write("new.cadastre-journal", journal)
    try connection.run("ROLLBACK")
  }

  /// The first page of an intact store.
  private func header() throws -> Data {
    let intact = folder.file("intact")
    if !FileManager.default.fileExists(atPath: intact) {
      try OpenStores.store(at: intact).prepare(for: Self.schema)
    }
    return try Data(contentsOf: URL(fileURLWithPath: intact)).prefix(4096)
  }

  @Test(arguments: [0, 512, 4096])
  func `a store whose creation was interrupted is created again`(count: Int) throws {
    try interrupt(firstBytes: count)
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.schema)
    try add(["number": .int(1)], to: "Thing", file)

    #expect(try StoreCheck(file.snapshot()).problems() == [])
    #expect(try file.snapshot().rowCount("Thing") == 1)
  }

  @Test(arguments: [0, 512, 4096])
  func `a store whose creation was interrupted does not exist for a reader`(count: Int) throws {
    try interrupt(firstBytes: count)
    let error = #expect(throws: StoreError.self) {
      _ = try OpenStores.store(at: path, mustExist: true)
    }
    #expect(error?.reason == .fileNotFound)
  }

  @Test func `a damaged file without a journal is not touched`() throws {
    try interrupt(firstBytes: 0)
    try FileManager.default.removeItem(atPath: path + "-journal")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))

    let error = #expect(throws: StoreError.self) { _ = try OpenStores.store(at: path) }
    #expect(error?.reason == .notADatabase)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `the journal of another program's database is not touched`() throws {
    let connection = try Connection.writingForeign(path)
    try connection.run("CREATE TABLE theirs(x)")
    try connection.run("PRAGMA journal_mode = PERSIST")
    try connection.run("INSERT INTO theirs VALUES (randomblob(3000))")
    let journal = try Data(contentsOf: URL(fileURLWithPath: path + "-journal"))

    let error = #expect(throws: StoreError.self) { _ = try OpenStores.store(at: path) }
    #expect(error?.reason == .foreignDatabase)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-journal")) == journal)
  }
}

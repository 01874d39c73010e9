import CadastreSQLite
import Testing

/// Locks of SQLite that another connection holds.
@Suite struct BusyPolicyTests {
  private let folder: TestFolder
  private let writer: Connection
  private let reader: Connection

  init() throws {
    folder = try TestFolder()
    let path = folder.file("a.sqlite")
    writer = try Connection(path: path, mode: .readWrite)
    try writer.run("PRAGMA journal_mode = WAL")
    try writer.run("CREATE TABLE numbers (number INTEGER)")
    reader = try Connection(path: path, mode: .read)
  }

  /// Begins a read and then commits, so that the reader needs the log.
  private func readOldVersion() throws {
    try reader.run("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM numbers") == 0)
    try writer.run("INSERT INTO numbers VALUES (1)")
  }

  /// Source: sqlite.org/rescode.html.
  @Test(arguments: [
    // SQLITE_BUSY, and its extended codes RECOVERY, SNAPSHOT and TIMEOUT.
    (5, true, true), (261, true, true), (517, true, true), (773, true, true),
    // SQLITE_LOCKED, and its extended code SHAREDCACHE.
    (6, false, true), (262, false, true),
    // SQLITE_OK, ERROR, IOERR, IOERR_LOCK, PROTOCOL and DONE.
    (0, false, false), (1, false, false), (10, false, false), (3850, false, false),
    (15, false, false), (101, false, false),
  ])
  func `result codes`(code: Int32, isBusy: Bool, isLocked: Bool) {
    #expect(BusyPolicy.isBusy(code) == isBusy)
    #expect(BusyPolicy.isLocked(code) == isLocked)
  }

  @Test func `connections wait for 10 s`() throws {
    #expect(try writer.integer("PRAGMA busy_timeout") == 10_000)
    #expect(try reader.integer("PRAGMA busy_timeout") == 10_000)
  }

  @Test func `the log restarts once no reader needs it`() throws {
    try readOldVersion()
    #expect(try !writer.restartLog())
    try reader.run("COMMIT")
    #expect(try writer.restartLog())
  }

  @Test func `a checkpoint leaves a log that a reader needs`() throws {
    try readOldVersion()
    try writer.checkpoint(truncating: true)
    #expect(try reader.integer("SELECT count(*) FROM numbers") == 0)
    try reader.run("COMMIT")
    #expect(try reader.integer("SELECT count(*) FROM numbers") == 1)
  }

  @Test func `a connection waits again after a checkpoint`() throws {
    try readOldVersion()
    try writer.checkpoint(truncating: true)
    #expect(try writer.integer("PRAGMA busy_timeout") == 10_000)
    #expect(try !writer.restartLog())
    #expect(try writer.integer("PRAGMA busy_timeout") == 10_000)
  }

  @Test func `a checkpoint in a transaction of its connection is an error`() throws {
    try writer.run("BEGIN IMMEDIATE")
    let error = #expect(throws: StoreError.self) { try writer.checkpoint(truncating: false) }
    #expect(error?.reason == .busy)
    #expect(try writer.integer("PRAGMA busy_timeout") == 10_000)
    try writer.run("ROLLBACK")
    try writer.checkpoint(truncating: false)
  }
}

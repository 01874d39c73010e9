import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Columns that are stored in the background after readers have decoded them from rows.
@Suite struct BackgroundStorageTests {
  private let folder: TestFolder
  private let path: String
  /// The rows of two full segments.
  private static let count = 2 * KeySegment.capacity - 1

  private static let thing = Schema([
    ObjectSchema(
      className: "Thing",
      properties: [
        Property(name: "number", type: .int), Property(name: "name", type: .string),
        Property(name: "amount", type: .decimal128),
      ])
  ])

  private static func row(_ number: Int64) -> [Value] {
    [.int(number), .string("name \(number % 90)"), .decimal(Decimal128(number))]
  }

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    let file = StoreFile(path: path)
    try file.prepare(for: Self.thing)
    let transaction = try file.beginWrite()
    for number in 0..<Self.count { _ = try transaction.insert("Thing", Self.row(Int64(number))) }
    try transaction.commit()
  }

  /// A user of the file, as a new process is, which stores columns in the background.
  private func process(_ storage: ColumnStorage = .always) -> StoreFile {
    let file = StoreFile(path: path)
    file.storeDecodedColumns(storage, after: nil)
    return file
  }

  /// Compares all columns with the rows; returns the number of contents that came from stored segments.
  private func compared(_ file: StoreFile) throws -> Int {
    var stored = 0
    let differences = try SegmentModel.differences(file.snapshot(), &stored)
    #expect(differences == [])
    return stored
  }

  /// Reads all columns of a class.
  private func read(_ file: StoreFile) throws {
    let snapshot = try file.snapshot()
    let layout = try #require(snapshot.catalogue.layout("Thing"))
    let view = try #require(ColumnView(layout, [0, 1, 2], snapshot))
    for number: Int64 in 0...1 { _ = try view.segment(number, for: .allRows) }
  }

  /// Runs the steps of the background; returns the number of steps.
  @discardableResult private func store(_ file: StoreFile) -> Int {
    var steps = 0
    while file.backgroundStorage.step(file) != nil { steps += 1 }
    return steps
  }

  private static func update(_ file: StoreFile, _ number: Int64, _ key: Int64 = 5) throws {
    let transaction = try file.beginWrite()
    _ = try transaction.update("Thing", ObjectKey(key), 0, .int(number))
    try transaction.commit()
  }

  /// Returns a user that has stored columns and changed rows since, and one that has decoded the changed columns.
  private func readers(ofChanged keys: Range<Int64>) throws -> (StoreFile, StoreFile) {
    let file = process()
    try read(file)
    store(file)
    for key in keys { try Self.update(file, -1, key) }
    let next = process()
    try read(next)
    return (file, next)
  }

  @Test func `columns that readers decode are stored, and later processes read them`() throws {
    let file = process()
    try read(file)
    #expect(store(file) == 1)
    // Two segments of two columns, and of the existing rows; no form for the third column.
    #expect(try compared(process()) == 6)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    let next = process()
    try read(next)
    #expect(next.columns.report.stored == 6)
    #expect(store(next) == 1)
    // The column that cannot be stored is not read again and again.
    next.columns.budget = 0
    next.columns.budget = 1 << 24
    try read(next)
    #expect(store(next) == 0)
  }

  @Test func `small classes, and programs that want no columns stored, store none`() throws {
    for storage in [ColumnStorage.automatic, .never] {
      let file = process(storage)
      try read(file)
      #expect(store(file) == 0)
      #expect(try compared(process()) == 0)
      #expect(try file.snapshot().catalogue.segments == nil)
    }
    let readOnly = StoreFile(path: path, access: .readOnly)
    readOnly.storeDecodedColumns(.always, after: nil)
    try read(readOnly)
    #expect(store(readOnly) == 0)
  }

  @Test func `storing has no version of its own after the first time`() throws {
    let first = process()
    let before = try first.snapshot()
    try read(first)
    store(first)
    // The version that adds the tables keeps everything cached valid.
    let after = try first.snapshot()
    #expect(after.version == before.version + 1)
    let changes = try #require(first.changes(after: before.version, through: after.version))
    #expect(changes.classes.isEmpty && !changes.changesSchema)
    let fills = first.columns.report.fills
    try read(first)
    #expect(first.columns.report.fills == fills)

    for key in Int64(1)..<400 { try Self.update(first, -1, key) }
    let changed = process()
    try read(changed)
    let version = try changed.snapshot().version
    store(changed)
    #expect(try changed.snapshot().version == version)
    #expect(try compared(process()) == 6)
  }

  @Test func `a writer is not kept waiting, and what it changes is stored afterwards`() throws {
    let (file, next) = try readers(ofChanged: 1..<400)
    let transaction = try file.beginWrite()
    #expect(next.backgroundStorage.step(next) != nil)
    _ = try transaction.update("Thing", ObjectKey(4), 0, .int(-7))
    try transaction.commit()
    #expect(try compared(process()) == 5)
    store(next)
    #expect(try compared(process()) == 6)
  }

  @Test func `columns are given up where other writers never leave the lock`() throws {
    let file = process()
    let messages = Guarded<[String]>([])
    file.columns.setDamageHandler { message in messages.withLock { $0.append(message) } }
    try read(file)
    let other = StoreFile(path: path)
    let transaction = try other.beginWrite()
    #expect(store(file) > 10)
    #expect(messages.withLock { $0 } == [])
    transaction.rollback()
    #expect(store(file) == 0)
    // A later decoding counts again.
    file.columns.budget = 0
    file.columns.budget = 1 << 24
    try read(file)
    store(file)
    #expect(try compared(process()) == 6)
  }

  @Test func `what is stored already is not stored again`() throws {
    let file = process()
    let old = try file.snapshot()
    try read(file)
    store(file)
    var isInterrupted = false
    let outcome = try file.storeDecoded("Thing", [0: [0, 1], 1: [0, 1]], .always) {
      isInterrupted = true
    }
    #expect(!isInterrupted && outcome.omitted.isEmpty)
    try Self.update(file, -1)
    _ = try file.storeDecoded("Thing", [0: [0, 1], 1: [0, 1]], .always) { isInterrupted = true }
    #expect(isInterrupted)
    #expect(try compared(process()) == 6)
    withExtendedLifetime(old) {}
  }

  @Test func `a program that wants no columns stored keeps those that are`() throws {
    let (_, next) = try readers(ofChanged: 1..<400)
    next.storeDecodedColumns(.never, after: nil)
    #expect(store(next) == 0)
    _ = try next.storeDecoded("Thing", [0: [0]], .never)
    #expect(try compared(process()) == 5)
  }

  @Test func `columns that a migration has removed are left out`() throws {
    let file = process()
    try read(file)
    let fewer = Schema([
      ObjectSchema(className: "Thing", properties: [Property(name: "name", type: .string)])
    ])
    try StoreFile(path: path).prepare(
      for: fewer, version: 1, resetting: false, migrating: { _ in })
    store(file)
    #expect(try compared(process()) == 4)
  }

  @Test func `no snapshot keeps the log while the lock is held`() throws {
    let file = process()
    try read(file)
    var versions: Int?
    _ = try file.storeDecoded("Thing", [0: [0, 1]], .always) {
      versions = file.activeVersionCount
    }
    #expect(versions == 0)
  }

  @Test func `another process finds no change in the version that adds the tables`() throws {
    let other = StoreFile(path: path)
    let before = try other.snapshot()
    let file = process()
    try read(file)
    store(file)
    let after = try other.snapshot()
    #expect(after.catalogue.version > before.catalogue.version)
    let changes = try other.recordChanges(from: before, to: after)
    #expect(changes.classes.isEmpty && !changes.changesSchema)
  }

  @Test func `a file that has replaced the one that was read gets no segments`() throws {
    let file = process()
    try read(file)
    let copy = folder.file("copy.cadastre")
    try StoreCopy(of: file.snapshot()).write(to: copy)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    #expect(rename(copy, path) == 0)
    store(file)
    #expect(try StoreFile(path: path).snapshot().catalogue.segments == nil)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    _ = try file.storeDecoded("Thing", [0: [0]], .always)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  // MARK: Changes meanwhile

  private enum Meanwhile: CaseIterable {
    case commit
    case commitOfOther
    case otherProgram
    case otherProgramAndCommit
    case otherProgramAndStorage
    case olderRelease
  }

  private func change(_ meanwhile: Meanwhile, _ file: StoreFile) throws {
    let sql = "UPDATE Thing SET number = -9 WHERE \"#key\" = 9"
    switch meanwhile {
    case .commit: try Self.update(file, -9)
    case .commitOfOther: try Self.update(StoreFile(path: path), -9)
    case .otherProgram: try Connection.writingForeign(path).run(sql)
    case .otherProgramAndCommit:
      try Connection.writingForeign(path).run(sql)
      try Self.update(file, -10)
    case .otherProgramAndStorage:
      try Connection.writingForeign(path).run(sql)
      try StoreFile(path: path).storeColumns(.always)
    case .olderRelease:
      let old = try Connection(path: path, mode: .readWrite)
      try old.run("BEGIN IMMEDIATE")
      try old.run(sql)
      try old.run("UPDATE cadastre_state SET commit_version = commit_version + 1")
      try old.run("COMMIT")
    }
  }

  @Test(arguments: Meanwhile.allCases)
  private func `nothing is stored that was read before a change`(meanwhile: Meanwhile) throws {
    let file = process()
    try read(file)
    store(file)
    try Connection(path: path, mode: .readWrite).run("DELETE FROM cadastre_segment")
    #expect(throws: StoreError.self) {
      try file.storeDecoded("Thing", [0: [0, 1], 1: [0]], .always) {
        try? change(meanwhile, file)
      }
    }
    #expect(try compared(StoreFile(path: path)) == (meanwhile == .otherProgramAndStorage ? 6 : 0))
  }

  @Test func `commits on other threads leave no stale segment`() throws {
    let file = process()
    let done = Guarded(false)
    let writer = Thread {
      for number in Int64(0)..<600 { try? Self.update(file, -number, number % 7 * 1200 + 1) }
      done.withLock { $0 = true }
    }
    writer.start()
    while !done.withLock({ $0 }) {
      try read(process())
      let reader = process()
      try read(reader)
      _ = reader.backgroundStorage.step(reader)
    }
    #expect(try compared(StoreFile(path: path)) >= 0)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  // MARK: Closing

  @Test func `who removes a closed store waits for work in the background`() throws {
    var file: StoreFile? = try OpenStores.store(at: path)
    let started = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [weak file, path] in
      OpenStores.whileBusy(path) {
        if let file {
          started.signal()
          usleep(100_000)
          withExtendedLifetime(file) {}
        }
      }
    }
    started.wait()
    withExtendedLifetime(file) {}
    file = nil
    let reader = try OpenStores.store(at: path, access: .readOnly)
    #expect(throws: StoreError.self) { try OpenStores.remove(path) }
    withExtendedLifetime(reader) {}
  }
}

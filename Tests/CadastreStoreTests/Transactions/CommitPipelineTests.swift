import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The order of the steps of a commit, and the durability of each kind of write.
@Suite struct CommitPipelineTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("pipeline.cadastre")
  }

  private func store(_ durability: CommitDurability? = nil) throws -> StoreFile {
    let file = try OpenStores.store(at: path, durability: durability)
    try file.prepare(for: Boats.schema)
    return file
  }

  /// Opens a transaction as an asynchronous write does.
  private func begin(_ file: StoreFile) throws -> WriteTransaction {
    try #require(try file.beginWrite(of: file.requestWrite(timeout: .seconds(60)) {}))
  }

  private func insert(_ code: String, _ transaction: WriteTransaction) throws {
    _ = try transaction.insert("Harbor", object: ["code": .text(code)])
  }

  @Test func `an asynchronous write is visible before it is acknowledged`() throws {
    let file = try store()
    let transaction = try begin(file)
    try insert("A", transaction)
    #expect(try transaction.connection.synchronous == .normal)
    let commit = try transaction.commit(reading: true)
    let pending = try #require(commit.pending)

    #expect(pending.version == commit.changes.version)
    #expect(commit.snapshot?.version == commit.changes.version)
    #expect(try file.snapshot().rowCount("Harbor") == 1)
    // The lock is free while the commit is pending.
    try file.beginWrite(timeout: .zero).rollback()
    try pending.wait()
  }

  @Test func `a blocking write is durable when it returns`() throws {
    let file = try store()
    for code in ["A", "B"] {
      try begin(file).rollback()
      let transaction = try file.beginWrite()
      #expect(try transaction.connection.synchronous == .full)
      try insert(code, transaction)
      #expect(try transaction.commit(reading: false).pending == nil)
    }
  }

  @Test func `a transaction without changes needs no barrier`() throws {
    let file = try store()
    let version = try file.snapshot().version
    let commit = try begin(file).commit(reading: true)
    #expect(commit.pending == nil && commit.changes.isEmpty)
    #expect(commit.snapshot?.version == version)
    #expect(try file.snapshot().version == version)
  }

  @Test func `with normal durability no write waits for the disk`() throws {
    let file = try store(.normal)
    let asynchronous = try begin(file)
    try insert("A", asynchronous)
    #expect(try asynchronous.connection.synchronous == .normal)
    #expect(try asynchronous.commit(reading: false).pending == nil)
    let blocking = try file.beginWrite()
    #expect(try blocking.connection.synchronous == .normal)
    blocking.rollback()
  }

  @Test func `a temporary store synchronises nothing`() throws {
    let file = try OpenStores.temporaryStore("pipeline-\(UUID())")
    try file.prepare(for: Boats.schema)
    let transaction = try begin(file)
    try insert("A", transaction)
    #expect(try transaction.connection.synchronous == .off)
    #expect(try transaction.commit(reading: false).pending == nil)
  }

  @Test func `a store is open with one durability`() throws {
    let file = try store(.normal)
    let expected = StoreError(.openWithOtherDurability, path: path)
    #expect(throws: expected) { try OpenStores.store(at: path, durability: .full) }
    #expect(try OpenStores.store(at: path) === file)
    #expect(try OpenStores.store(at: path, durability: .normal) === file)
  }

  @Test func `a pending commit keeps the store open until it is durable`() throws {
    var file: StoreFile? = try store()
    weak let released = file
    let pending = try { () throws -> PendingCommit? in
      let transaction = try begin(try #require(file))
      try insert("A", transaction)
      return try transaction.commit(reading: false).pending
    }()
    file = nil
    try pending?.wait()
    // The barrier has released the store before the acknowledgement, and the store copies its log when it is closed.
    #expect(released == nil)
    #expect(try OpenStores.store(at: path).snapshot().rowCount("Harbor") == 1)
  }

  @Test func `a commit to a removed store is rolled back`() throws {
    let file = try store()
    let transaction = try begin(file)
    try insert("A", transaction)
    for suffix in StoreFile.fileSuffixes { unlink(path + suffix) }
    let removed = StoreError(.removed, path: path)
    #expect(throws: removed) { try transaction.commit(reading: false) }
    #expect(!transaction.isOpen && transaction.failure as? StoreError == removed)
  }

  @Test func `an observation that has not processed a version is notified again`() {
    let signal = CommitSignal()
    let calls = Guarded(0)
    let observation = signal.observe(after: 1) { calls.withLock { $0 += 1 } }
    signal.fire(2)
    #expect(!observation.process { false })
    signal.fire(behind: 2)
    #expect(calls.withLock { $0 } == 2)
    #expect(observation.process { true })
    signal.fire(behind: 2)
    #expect(calls.withLock { $0 } == 2)
    let isProcessed = observation.process {
      // A commit during the processing is not part of it.
      signal.fire(3)
      return true
    }
    signal.fire(behind: 3)
    #expect(isProcessed && calls.withLock { $0 } == 4)
  }

  @Test func `an observation that is skipped counts as processed`() {
    let signal = CommitSignal()
    let calls = Guarded<[String]>([])
    let skipped = signal.observe(after: 1) { calls.withLock { $0.append("skipped") } }
    let other = signal.observe(after: 1) { calls.withLock { $0.append("other") } }
    signal.fire(2, skipping: skipped)
    signal.fire(behind: 2)
    #expect(calls.withLock { $0 } == ["other", "other"])
    signal.fire(behind: 3)
    #expect(calls.withLock { $0 } == ["other", "other", "skipped", "other"])
    withExtendedLifetime((skipped, other)) {}
  }
}

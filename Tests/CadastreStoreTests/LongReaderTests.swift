import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The effects of long read transactions and of concurrent writers.
@Suite struct LongReaderTests {
  private let folder: TestFolder
  private let path: String
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    path = folder.file("long.cadastre")
    file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
  }

  private func size(_ suffix: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
    return try #require(attributes[.size] as? Int)
  }

  @Test func `the log grows during a long read and shrinks after it; the file does not`() throws {
    let text = String(repeating: "x", count: 3000)
    let key = try add(["code": .text(text)], to: "Harbor", file)
    func commit(_ number: Int) throws {
      let transaction = try file.beginWrite()
      try transaction.update("Harbor", key.rawValue, members: ["code": .text("\(number)" + text)])
      try transaction.commit()
    }
    for number in 0..<500 { try commit(number) }
    let before = try size("")
    var reader: Snapshot? = try file.snapshot()
    #expect(file.activeVersionCount == 1)
    for number in 0..<1000 { try commit(number) }
    let (fileBeside, logBeside) = (try size(""), try size("-wal"))
    // The reader needs all pages of the log.
    #expect(logBeside > 8 << 20)
    #expect(fileBeside <= before + 64 * 4096)
    #expect(try reader?.object("Harbor", key.rawValue)?["code"] == .text("499" + text))
    reader = nil
    #expect(file.activeVersionCount == 0)
    for number in 0..<3 { try commit(number) }
    let (fileAfter, logAfter) = (try size(""), try size("-wal"))
    #expect(logAfter <= 4 << 20)
    #expect(fileAfter <= before + 64 * 4096)
  }

  @Test func `the log stays short while readers overlap`() throws {
    let text = String(repeating: "x", count: 60_000)
    let key = try add(["code": .text(text)], to: "Harbor", file)
    let isDone = Guarded(false)
    // Each reader holds the newest version for some milliseconds, so that there is always one.
    let readers = (0..<3).map { number in
      let reader = Thread { [file] in
        while !isDone.withLock({ $0 }) {
          guard let snapshot = try? file.snapshot() else { continue }
          usleep(UInt32(3000 + 1000 * number))
          withExtendedLifetime(snapshot) {}
        }
      }
      reader.start()
      return reader
    }
    defer { isDone.withLock { $0 = true } }
    var longest = 0
    for number in 0..<1500 {
      let transaction = try file.beginWrite()
      try transaction.update("Harbor", key.rawValue, members: ["code": .text("\(number)" + text)])
      try transaction.commit()
      longest = max(longest, try size("-wal"))
    }
    withExtendedLifetime(readers) {}
    // All commits together write more than 90 MB.
    #expect(longest < 48 << 20)
  }

  @Test func `waiting for the write lock ends with an error`() throws {
    let held = try file.beginWrite()
    // A second instance acts as another process.
    let other = StoreFile(path: file.path)
    for waiting in [file, other] {
      #expect(throws: StoreError(.busy, path: file.path)) {
        try waiting.beginWrite(timeout: .milliseconds(30))
      }
    }
    held.rollback()
    for waiting in [file, other, file] { try waiting.beginWrite().rollback() }
    #expect(!FileManager.default.fileExists(atPath: path + "-wait"))
  }

  @Test func `processes get the write lock in turn`() async throws {
    // Each instance writes repeatedly; none may starve the others.
    let path = file.path
    let order = await withTaskGroup(of: [(ContinuousClock.Instant, Int)].self) { group in
      for number in 0..<3 {
        group.addTask {
          let file = StoreFile(path: path)
          return (0..<60).compactMap { _ in
            guard let transaction = try? file.beginWrite() else { return nil }
            let time = ContinuousClock.now
            transaction.rollback()
            return (time, number)
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    #expect(order.count == 180)
    // Until the first instance ends, none gets the lock many times in a row.
    var (longest, run) = (0, 0)
    let ends = (0..<3).map { number in order.lastIndex(of: number) ?? 0 }.sorted()
    for index in 1..<ends[0] {
      run = order[index] == order[index - 1] ? run + 1 : 0
      longest = max(longest, run)
    }
    #expect(longest < 60, "\(order)")
  }

  @Test func `the changes of other processes are found by comparing versions`() throws {
    var random = SeededGenerator(seed: 7)
    let theirs = StoreFile(path: file.path)
    let transaction = try file.beginWrite()
    var keys = try (0..<60).map {
      try transaction.insert("Harbor", object: ["code": .text("\($0)")]).rawValue
    }
    try transaction.commit()
    for round in 0..<10 {
      let old = try file.snapshot()
      var expected = ChangeSet(from: old.version, to: old.version)
      for number in 0..<3 {
        let transaction = try theirs.beginWrite()
        keys.shuffle(using: &random)
        try transaction.delete("Harbor", ObjectKey(keys.removeLast()))
        try transaction.update(
          "Harbor", keys[0],
          members: ["code": .text("\(UInt64.random(in: 0 ... .max, using: &random))")])
        keys.append(
          try transaction.insert("Harbor", object: ["code": .text("new \(round) \(number)")])
            .rawValue)
        expected.append(try transaction.commit())
      }
      let new = try file.snapshot()
      #expect(file.changes(after: old.version, through: new.version) == nil)
      try file.recordChanges(from: old, to: new)
      let learned = try #require(file.changes(after: old.version, through: new.version))
      let (found, committed) = (learned.classes["Harbor"], expected.classes["Harbor"])
      #expect(found?.inserted == committed?.inserted)
      #expect(found?.modified == committed?.modified)
      #expect(
        found?.deleted
          == committed?.deleted.filter { !(committed?.inserted.contains($0) ?? false) })
    }
  }
}

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

  @Test func `a process that waits for the write lock gets it next`() throws {
    // A second instance acts as another process.
    let other = StoreFile(path: file.path)
    let taken = Guarded(0)
    // A thread of its own, because it blocks.
    let queue = DispatchQueue(label: "other process")
    for round in 1...20 {
      let held = try file.beginWrite()
      queue.async {
        guard let transaction = try? other.beginWrite() else { return }
        taken.withLock { $0 += 1 }
        transaction.rollback()
      }
      while !isFirstInQueueWaiting() { usleep(200) }
      held.rollback()
      // It would have the lock at once if it did not queue behind the other one.
      let next = try file.beginWrite()
      #expect(taken.withLock { $0 } == round)
      next.rollback()
      queue.sync {}
    }
  }

  /// Whether an instance holds the lock of the first in the queue for the write lock.
  private func isFirstInQueueWaiting() -> Bool {
    let descriptor = open(path + "-wait", O_RDWR)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
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

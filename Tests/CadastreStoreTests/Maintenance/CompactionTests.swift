import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Compaction returns unused space.
@Suite struct CompactionTests {
  private let folder: TestFolder
  private let path: String
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    path = folder.file("large.cadastre")
    file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
    let transaction = try file.beginWrite()
    for number in 0..<5000 {
      try transaction.insert(
        "Harbor",
        object: [
          "code": .text("\(number)" + String(repeating: "x", count: 500)),
          "site": Boats.point(Double(number % 180), Double(number % 90)),
        ])
    }
    try transaction.commit()
  }

  private func deleteMost(_ file: StoreFile) throws {
    let transaction = try file.beginWrite()
    for key in 1...4950 { try transaction.delete("Harbor", ObjectKey(Int64(key))) }
    try transaction.commit()
  }

  private func contents(_ snapshot: Snapshot) throws -> [PlainObject?] {
    try (4940...5001).map { try snapshot.object("Harbor", Int64($0)) }
  }

  @Test func `the file shrinks after mass deletion only when it is compacted`() throws {
    let full = try file.measure()
    try deleteMost(file)
    let before = try file.measure()
    let kept = try contents(file.snapshot())
    let version = try file.snapshot().version
    #expect(before.total >= full.used && before.used < full.used / 5)

    try file.compact()

    let after = try file.measure()
    #expect(after.total < full.total / 10 && after.total <= before.used + 64 * 4096)
    #expect(after.total - after.used < 8 * 4096)
    #expect(try file.snapshot().version == version)
    #expect(try contents(file.snapshot()) == kept)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    #expect(try add(["code": .text("next")], to: "Harbor", file) == ObjectKey(5001))
    // A second compaction has nothing to do.
    try file.compact()
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `readers keep their version, and the file shrinks after them`() throws {
    var old: Snapshot? = try file.snapshot()
    try deleteMost(file)
    let full = try file.measure().total
    try file.compact()
    #expect(try file.measure().total >= full / 2)
    #expect(try old?.rowCount("Harbor") == 5000)
    #expect(try old?.object("Harbor", 1)?["code"] != nil)
    old = nil
    try file.compact()
    #expect(try file.measure().total < full / 10)
    #expect(try file.snapshot().rowCount("Harbor") == 50)
  }

  @Test func `another instance writes before and after`() throws {
    // A second instance acts as another process.
    let other = StoreFile(path: path)
    try deleteMost(other)
    try file.compact()
    try add(["code": .text("theirs")], to: "Harbor", other)
    try add(["code": .text("ours")], to: "Harbor", file)
    for file in [file, other] {
      #expect(try file.snapshot().rowCount("Harbor") == 52)
      #expect(try StoreCheck(file.snapshot()).problems() == [])
    }
  }

  @Test func `compacting waits for the write lock`() throws {
    let writing = try file.beginWrite()
    #expect(throws: StoreError(.busy, path: file.path)) {
      try StoreFile(path: file.path).compact(timeout: .milliseconds(30))
    }
    writing.rollback()
    try file.compact()
  }

  @Test func `opening a store detects whether another process has it open`() async throws {
    try deleteMost(file)
    await #expect(processExitsWith: .success) { [path = path as String] in
      let file = try OpenStores.store(at: path)
      precondition(file.isOpenElsewhere && file.claimOpening() && !file.claimOpening())
    }
    let closed = folder.file("closed.cadastre")
    try OpenStores.store(at: closed).prepare(for: Boats.schema)
    await #expect(processExitsWith: .success) { [closed = closed as String] in
      let file = try OpenStores.store(at: closed)
      precondition(!file.isOpenElsewhere)
    }
  }
}

import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A commit to a file that is no longer the store at its path is refused.
@Suite struct ReplacedFileTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("store.cadastre")
    try write("kept", to: path)
  }

  private func write(_ code: String, to path: String) throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
    try add(["code": .text(code)], to: "Harbor", file)
  }

  private func code(at path: String) throws -> Member? {
    let snapshot = try OpenStores.store(at: path).snapshot()
    #expect(try StoreCheck(snapshot).problems() == [])
    return try snapshot.object("Harbor", 1)?["code"]
  }

  /// Expects that an open store cannot be written after its files have changed, whether a transaction was
  /// open or not.
  private func expectRemoved(after change: () throws -> Void) throws {
    let removed = StoreError(.removed, path: try OpenStores.store(at: path).path)
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    try transaction.insert("Harbor", object: ["code": .text("lost")])
    try change()
    #expect(throws: removed) { try transaction.commit() }
    #expect(!transaction.isOpen)
    #expect(throws: removed) { _ = try file.beginWrite() }
  }

  @Test func `a commit into a removed file throws`() throws {
    try expectRemoved { try FileManager.default.removeItem(atPath: path) }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a commit into a replaced file throws and leaves the new store as it is`() throws {
    let other = folder.file("other.cadastre")
    try write("other", to: other)
    try expectRemoved { #expect(rename(other, path) == 0) }

    // The log of the replaced store is no part of the new one.
    unlink(path + "-wal")
    unlink(path + "-shm")
    #expect(try code(at: path) == .text("other"))
  }

  @Test func `closing a replaced store leaves the log of the new one`() throws {
    let other = folder.file("other.cadastre")
    try write("other", to: other)
    do {
      let file = try OpenStores.store(at: path)
      try add(["code": .text("more")], to: "Harbor", file)
      for suffix in StoreFile.fileSuffixes { unlink(path + suffix) }
      #expect(rename(other, path) == 0)
      // Another process has the new store open, with commits in its log.
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.run("UPDATE Harbor SET code = 'logged'")
      withExtendedLifetime(connection) {
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
      }
    }
    #expect(try code(at: path) == .text("logged"))
  }

  @Test(arguments: ["-wal", "-shm"])
  func `a commit beside a removed log throws`(_ suffix: String) throws {
    try expectRemoved { #expect(unlink(path + suffix) == 0) }
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `a commit beside a replaced log throws`() throws {
    try expectRemoved {
      #expect(unlink(path + "-wal") == 0)
      try folder.write("store.cadastre-wal", [])
    }
  }

  @Test func `a new snapshot of a replaced file throws`() throws {
    let other = folder.file("other.cadastre")
    try write("other", to: other)
    let file = try OpenStores.store(at: path)
    let snapshot = try file.snapshot()
    #expect(rename(other, path) == 0)

    #expect(throws: StoreError(.removed, path: file.path)) { _ = try file.snapshot() }
    #expect(try snapshot.object("Harbor", 1)?["code"] == .text("kept"))
  }

  @Test func `a store that is opened again after its replacement is the new one`() throws {
    let other = folder.file("other.cadastre")
    try write("other", to: other)
    do {
      let file = try OpenStores.store(at: path)
      #expect(try file.snapshot().rowCount("Harbor") == 1)
      #expect(rename(other, path) == 0)
    }
    #expect(try code(at: path) == .text("other"))
    try write("another", to: path)
    #expect(try OpenStores.store(at: path).snapshot().rowCount("Harbor") == 2)
  }

  @Test func `a store that stays in place is written`() throws {
    let file = try OpenStores.store(at: path)
    for number in 0..<3 { try add(["code": .text("\(number)")], to: "Harbor", file) }
    try file.compact()
    for number in 3..<6 { try add(["code": .text("\(number)")], to: "Harbor", file) }
    #expect(try file.snapshot().rowCount("Harbor") == 7)
  }
}

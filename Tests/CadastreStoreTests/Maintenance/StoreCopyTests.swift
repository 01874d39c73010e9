import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Copies contain what their reader sees, and no file is overwritten.
@Suite struct StoreCopyTests {
  private let folder: TestFolder
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    file = try OpenStores.store(at: folder.file("original.cadastre"))
    try file.prepare(for: Boats.schema)
    try add(["code": .text("first"), "site": Boats.point(1, 2)], to: "Harbor", file)
  }

  private func codes(_ path: String) throws -> [Member?] {
    let snapshot = try OpenStores.readableStore(at: path).snapshot()
    #expect(try StoreCheck(snapshot).problems() == [])
    return try (1...Int64(snapshot.rowCount("Harbor"))).map {
      try snapshot.object("Harbor", $0)?["code"]
    }
  }

  @Test func `a snapshot is copied as it is`() throws {
    let old = try file.snapshot()
    try add(["code": .text("second")], to: "Harbor", file)
    try StoreCopy(of: old).write(to: folder.file("old"))
    try StoreCopy(of: file.snapshot()).write(to: folder.file("new"))

    #expect(try codes(folder.file("old")) == [.text("first")])
    #expect(try codes(folder.file("new")) == [.text("first"), .text("second")])
    let copy = try OpenStores.store(at: folder.file("new2"))
    _ = copy
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.filter { !$0.hasPrefix("original") } == ["new", "old"])
  }

  @Test func `a transaction is copied with its uncommitted changes, and continues`() throws {
    let transaction = try file.beginWrite()
    for number in 0..<3000 {
      try transaction.insert(
        "Harbor", object: ["code": .text("\(number)"), "site": Boats.point(3, 4)])
    }
    try StoreCopy(of: transaction.flush(.everything)).write(to: folder.file("during"))
    try transaction.insert("Harbor", object: ["code": .text("late")])
    #expect(try codes(folder.file("during")).count == 3001)
    #expect(try file.snapshot().rowCount("Harbor") == 1)
    try transaction.commit()
    #expect(try file.snapshot().rowCount("Harbor") == 3002)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `an existing file is not overwritten`() throws {
    try folder.write("taken", [1, 2, 3])
    try folder.write("log-wal", [1])
    for name in ["taken", "log", "original.cadastre"] {
      #expect(throws: StoreError(.fileExists, path: folder.file(name))) {
        try StoreCopy(of: file.snapshot()).write(to: folder.file(name))
      }
    }
    #expect(throws: StoreError(.fileNotFound, path: folder.file("none/copy"))) {
      try StoreCopy(of: file.snapshot()).write(to: folder.file("none/copy"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("taken"))) == Data([1, 2, 3]))
  }

  @Test func `a copy is an independent store`() throws {
    try StoreCopy(of: file.snapshot()).write(to: folder.file("copy"))
    let copy = try OpenStores.store(at: folder.file("copy"))
    try copy.prepare(for: Boats.schema)
    try add(["code": .text("theirs")], to: "Harbor", copy)

    #expect(try file.snapshot().rowCount("Harbor") == 1)
    #expect(try copy.snapshot().rowCount("Harbor") == 2)
    #expect(try StoreCheck(copy.snapshot()).problems() == [])
  }

  @Test func `a store in memory becomes a file`() throws {
    let memory = try OpenStores.temporaryStore(UUID().uuidString)
    try memory.prepare(for: Boats.schema)
    try add(["code": .text("kept")], to: "Harbor", memory)
    try StoreCopy(of: memory.snapshot()).write(to: folder.file("kept"))

    #expect(try codes(folder.file("kept")) == [.text("kept")])
  }
}

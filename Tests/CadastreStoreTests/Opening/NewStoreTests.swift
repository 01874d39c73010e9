import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Stores that get their names when they are complete.
@Suite struct NewStoreTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("new.cadastre")
  }

  private struct Stop: Error {}

  /// Writes objects and a committed or open transaction.
  private static func fill(_ file: StoreFile, count: Int = 3000) throws -> WriteTransaction {
    let transaction = try file.beginWrite()
    try transaction.adopt(Boats.schema)
    for number in 0..<count {
      try transaction.insert(
        "Harbor", object: ["code": .text("\(number)"), "site": Boats.point(2, Double(number % 90))])
    }
    return transaction
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
  }

  @Test func `a new store is complete and uses the log`() throws {
    let count = try NewStore.create(at: path) { file in
      try Self.fill(file).commit().classes.names.count
    }
    #expect(count == 1)
    #expect(names == ["new.cadastre", "new.cadastre-lock"])
    let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
    // Source: sqlite.org/fileformat2.html, "File format version numbers": 2 for a write-ahead log.
    #expect(header[18] == 2 && header[19] == 2)
    let file = try OpenStores.store(at: path)
    #expect(try file.snapshot().rowCount("Harbor") == 3000)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    try add(["code": .text("next")], to: "Harbor", file)
    #expect(try file.snapshot().rowCount("Harbor") == 3001)
  }

  @Test func `no other reader or writer sees it before it is complete`() throws {
    try NewStore.create(at: path) { file in
      let transaction = try Self.fill(file)
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(throws: StoreError(.fileNotFound, path: path)) {
        _ = try OpenStores.readableStore(at: path)
      }
      let other = try OpenStores.store(at: path)
      #expect(throws: StoreError(.busy, path: other.path)) {
        _ = try other.beginWrite(timeout: .milliseconds(20))
      }
      #expect(throws: StoreError(.busy, path: other.path)) {
        _ = try NewStore.create(at: path, timeout: .milliseconds(20)) { _ in }
      }
      try transaction.commit()
    }
    let other = try OpenStores.store(at: path)
    #expect(try other.snapshot().rowCount("Harbor") == 3000)
  }

  @Test func `a writer that waited for it continues with it`() async throws {
    let (path, waiting) = (path, DispatchSemaphore(value: 0))
    async let key = Task.detached {
      let file = try OpenStores.store(at: path)
      waiting.wait()
      return try add(["code": .text("later")], to: "Harbor", file)
    }.value
    try NewStore.create(at: path) { file in
      let transaction = try Self.fill(file, count: 10)
      waiting.signal()
      // The other writer waits for the lock meanwhile.
      usleep(20_000)
      try transaction.commit()
    }
    #expect(try await key == ObjectKey(11))
  }

  @Test(arguments: ["new.cadastre", "new.cadastre-wal", "new.cadastre-journal"])
  func `a taken name is left to others`(name: String) throws {
    try folder.write(name, [1, 2, 3])
    let result: Int? = try NewStore.create(at: path) { _ in 1 }
    #expect(result == nil)
    #expect(names == [name])
  }

  @Test func `an error leaves no file`() throws {
    #expect(throws: Stop.self) {
      try NewStore.create(at: path) { file in
        try Self.fill(file).rollback()
        throw Stop()
      }
    }
    #expect(names == [])
    // Without a transaction there is no store either.
    #expect(throws: (any Error).self) { try NewStore.create(at: path) { _ in throw Stop() } }
    #expect(names == [])
  }

  @Test func `a file that appears meanwhile is not replaced`() throws {
    #expect(throws: StoreError(.fileExists, path: path)) {
      try NewStore.create(at: path) { file in
        try Self.fill(file).commit()
        try folder.write("new.cadastre", [1, 2, 3])
      }
    }
    #expect(names == ["new.cadastre"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
  }

  @Test func `errors name the store, not the temporary file`() throws {
    let none = folder.file("none/new.cadastre")
    #expect(throws: StoreError(.fileNotFound, path: none)) {
      try NewStore.create(at: none) { _ in }
    }
    let error = #expect(throws: StoreError.self) {
      try NewStore.create(at: path) { file in
        let transaction = try Self.fill(file)
        try FileManager.default.removeItem(atPath: file.path)
        try transaction.commit()
      }
    }
    #expect(error?.reason == .removed && error?.path.hasSuffix("/new.cadastre") == true)
    #expect(names == [])
  }

  @Test(arguments: [false, true])
  func `a killed writer leaves no store, and its folder is removed later`(
    commits: Bool
  ) async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, commits = commits as Bool] in
      try NewStore.create(at: path) { file in
        let transaction = try Self.fill(file)
        if commits { try transaction.commit() }
        kill(getpid(), SIGKILL)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    let left = try #require(names.first { $0.hasPrefix("cadastre-temporary-") })
    try FileManager.default.setAttributes(
      [.modificationDate: Date.now - 1000], ofItemAtPath: folder.file(left))
    let result = try NewStore.create(at: path) { file in
      try Self.fill(file, count: 10).commit().classes.names.count
    }
    #expect(result == 1)
    #expect(names == ["new.cadastre", "new.cadastre-lock"])
    #expect(try StoreCheck(OpenStores.store(at: path).snapshot()).problems() == [])
  }
}

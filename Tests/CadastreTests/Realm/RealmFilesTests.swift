import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// Copies, compaction, and functions on files.
@Suite struct RealmFilesTests {
  private let folder: Folder
  private let configuration: Realm.Configuration

  init() throws {
    folder = try Folder()
    configuration = Realm.Configuration(
      fileURL: folder.url("a.cadastre"), schemaVersion: 3, objectTypes: [OldShape.self])
  }

  private func add(_ names: String..., to realm: Realm) throws {
    try realm.write { for name in names { realm.create(OldShape.self, value: ["name": name]) } }
  }

  private func names(_ file: String) throws -> [String] {
    var configuration = configuration
    configuration.fileURL = folder.url(file)
    return try Realm(configuration: configuration).objects(OldShape.self).map(\.name)
  }

  @Test func `a copy has the version that the Realm reads`() throws {
    let realm = try Realm(configuration: configuration)
    try add("first", to: realm)
    let frozen = realm.freeze()
    try add("second", to: realm)
    try frozen.writeCopy(toFile: folder.url("frozen"))
    try realm.writeCopy(toFile: folder.url("live"))
    #expect(try names("frozen") == ["first"])
    #expect(try names("live") == ["first", "second"])
    #expect(try schemaVersionAtURL(folder.url("live")) == 3)
  }

  @Test func `in a write transaction a copy has what is not committed`() throws {
    let realm = try Realm(configuration: configuration)
    try add("first", to: realm)
    realm.beginWrite()
    realm.create(OldShape.self, value: ["name": "second"])
    try realm.writeCopy(toFile: folder.url("during"))
    realm.create(OldShape.self, value: ["name": "third"])
    realm.cancelWrite()
    #expect(try names("during") == ["first", "second"])
    #expect(realm.objects(OldShape.self).map(\.name) == ["first"])
  }

  @Test func `a copy has no unused space`() throws {
    let realm = try Realm(configuration: configuration)
    try add("kept", to: realm)
    try realm.write {
      for _ in 0..<500 {
        realm.create(OldShape.self, value: ["name": String(repeating: "x", count: 2000)])
      }
    }
    try realm.write { realm.delete(realm.objects(OldShape.self).where { $0.name != "kept" }) }
    try realm.writeCopy(toFile: folder.url("copy"))
    #expect(try #require(try folder.size("copy")) < 20 * 4096)
    #expect(try names("copy") == ["kept"])
  }

  @Test func `where a copy cannot go`() throws {
    let realm = try Realm(configuration: configuration)
    try add("first", to: realm)
    func expect(_ code: Realm.Error.Code, _ change: (inout Realm.Configuration) -> Void) {
      var target = Realm.Configuration(fileURL: folder.url("copy"))
      change(&target)
      #expect { try realm.writeCopy(configuration: target) } throws: { error in
        code ~= error && (error as? Realm.Error)?.fileURL == target.fileURL
      }
    }
    expect(.fileExists) { $0.fileURL = configuration.fileURL }
    expect(.fileNotFound) { $0.fileURL = folder.url("none/copy") }
    expect(.invalidInput) { $0.inMemoryIdentifier = "x" }
    expect(.invalidInput) { $0.readOnly = true }
    #expect(!folder.names.contains("copy"))
    try realm.writeCopy(configuration: Realm.Configuration(fileURL: folder.url("copy")))
    #expect(try names("copy") == ["first"])
  }

  @Test func `a Realm in memory is saved by a copy`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, schemaVersion: 3, objectTypes: [OldShape.self]))
    try add("kept", to: realm)
    try realm.writeCopy(toFile: folder.url("kept"))
    #expect(try names("kept") == ["kept"])
  }

  @Test func `compacting gives back what deleted objects left`() throws {
    #expect(try Realm.compact(for: configuration) == (0, 0))
    #expect(folder.names == [])
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for _ in 0..<500 {
        realm.create(OldShape.self, value: ["name": String(repeating: "x", count: 2000)])
      }
    }
    try realm.write { realm.delete(realm.objects(OldShape.self)) }
    try add("kept", to: realm)
    realm.invalidate()
    let sizes = try Realm.compact(for: configuration)
    #expect(sizes.bytesBefore > 500 * 2000 && sizes.bytesAfter < 20 * 4096, "\(sizes)")
    #expect(realm.objects(OldShape.self).map(\.name) == ["kept"])
    try add("next", to: realm)
    #expect(realm.objects(OldShape.self).count == 2)
  }

  @Test func `compacting within a write transaction stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try makeRealm()
      try realm.write { try Realm.compact(for: realm.configuration) }
    }
    expectStop(result, says: "already in a write transaction of the same store")
  }

  @Test(arguments: ["write", "read", "freeze", "observe", "queue"])
  func `files can be deleted as soon as the last Realm is released`(use: String) throws {
    for round in 0..<60 {
      try {
        let queue = use == "queue" ? DispatchQueue(label: "deletion") : nil
        func run() throws {
          let realm = try Realm(configuration: configuration, queue: queue)
          try add("\(round)", to: realm)
          switch use {
          case "read": #expect(realm.objects(OldShape.self).where { $0.name == "x" }.isEmpty)
          case "freeze": #expect(realm.freeze().objects(OldShape.self).count == 1)
          case "queue":
            let token = realm.objects(OldShape.self).observe { _ in }
            token.invalidate()
          default: break
          }
        }
        if let queue { try queue.sync { try run() } } else { try run() }
      }()
      #expect(try Realm.deleteFiles(for: configuration), "round \(round)")
    }
  }

  @Test func `files are deleted when they are not open`() throws {
    #expect(!Realm.fileExists(for: configuration))
    #expect(try !Realm.deleteFiles(for: configuration))
    do {
      let realm = try Realm(configuration: configuration)
      try add("first", to: realm)
      #expect(Realm.fileExists(for: configuration))
      #expect { try Realm.deleteFiles(for: configuration) } throws: { error in
        Realm.Error.alreadyOpen ~= error
      }
      #expect(realm.objects(OldShape.self).count == 1)
    }
    #expect(try Realm.deleteFiles(for: configuration))
    #expect(folder.names == [])
    #expect(try !Realm.deleteFiles(for: configuration))
    // The next Realm starts empty.
    #expect(try Realm(configuration: configuration).isEmpty)
    var elsewhere = configuration
    elsewhere.fileURL = folder.url("none/a.cadastre")
    #expect(try !Realm.deleteFiles(for: elsewhere))
  }

  @Test func `files that another process has open are not removed`() async throws {
    let realm = try Realm(configuration: configuration)
    try add("first", to: realm)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      do {
        try Realm.deleteFiles(
          for: Realm.Configuration(fileURL: URL(fileURLWithPath: path + "/a.cadastre")))
        fatalError("removed")
      } catch Realm.Error.alreadyOpen {}
    }
    #expect(realm.objects(OldShape.self).count == 1)
    #expect(Realm.fileExists(for: configuration))
  }

  @Test func `the version of the schema is read from the file`() throws {
    let url = folder.url("a.cadastre")
    #expect { try schemaVersionAtURL(url) } throws: { Realm.Error.fail ~= $0 }
    do { _ = try Realm(configuration: configuration) }
    #expect(try schemaVersionAtURL(url) == 3)
    let realm = try Realm(configuration: configuration)
    // Also while it is open.
    #expect(try schemaVersionAtURL(url) == 3)
    #expect(realm.isEmpty)
  }
}

import CadastreStore
import CadastreTestSupport
import Foundation
import Synchronization
import Testing
import TestingSupport

@testable import Cadastre

/// Where a store is, how it is opened, and what a configuration may not say at once.
@Suite struct ConfigurationTests {
  private func configuration(_ url: URL) -> Realm.Configuration {
    Realm.Configuration(fileURL: url, objectTypes: [OldShape.self])
  }

  @discardableResult
  private func fill(_ url: URL, _ count: Int = 1, size: Int = 1) throws -> URL {
    let realm = try Realm(configuration: configuration(url))
    try realm.write {
      for number in 0..<count {
        realm.create(
          OldShape.self,
          value: ["name": String(repeating: "x", count: size), "size": number] as [String: Any])
      }
    }
    return url
  }

  private func expect(_ code: Realm.Error.Code, saying words: String, _ body: () throws -> Void) {
    #expect {
      try body()
    } throws: { error in
      guard let error = error as? Realm.Error else { return false }
      return error.code == code && error.description.contains(words)
        && error.localizedDescription == error.description
    }
  }

  // MARK: The default location

  @Test func `the folder for data is the user's`() {
    let home = URL(fileURLWithPath: "/home/ada")
    let folder = { (environment: [String: String]) in
      DefaultLocation.dataFolder(environment, home).path
    }
    #expect(folder([:]) == "/home/ada/.local/share")
    #expect(folder(["XDG_DATA_HOME": "/data"]) == "/data")
    // The specification has relative paths ignored.
    #expect(folder(["XDG_DATA_HOME": "data"]) == "/home/ada/.local/share")
    #expect(folder(["XDG_DATA_HOME": ""]) == "/home/ada/.local/share")
    #expect(DefaultLocation.url.lastPathComponent == "default.cadastre")
  }

  @Test func `a Realm without a configuration is in the folder for data, which is made`()
    async throws
  {
    let folder = try Folder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_DATA_HOME", path + "/share", 1)
      var configuration = Realm.Configuration()
      configuration.objectTypes = [OldShape.self]
      Realm.Configuration.defaultConfiguration = configuration
      let realm = try Realm()
      try realm.write { realm.add(OldShape()) }
      let program = ProcessInfo.processInfo.processName
      precondition(realm.configuration.fileURL?.path == "\(path)/share/\(program)/default.cadastre")
      let folder = "\(path)/share/\(program)"
      precondition(FileManager.default.fileExists(atPath: folder + "/default.cadastre"))
      let attributes = try FileManager.default.attributesOfItem(atPath: folder)
      precondition(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  // MARK: Contradictions

  @Test func `fields that exclude each other clear each other`() {
    let url = URL(fileURLWithPath: "/tmp/a")
    var configuration = Realm.Configuration(inMemoryIdentifier: "a")
    configuration.seedFilePath = url
    #expect(configuration.inMemoryIdentifier == nil && configuration.seedFilePath == url)
    configuration.inMemoryIdentifier = "b"
    #expect(configuration.seedFilePath == nil && configuration.fileURL == nil)
  }

  @Test func `contradictions are errors that say so`() throws {
    let folder = try Folder()
    let url = folder.url("a.cadastre")
    func open(_ change: (inout Realm.Configuration) -> Void) throws {
      var configuration = configuration(url)
      change(&configuration)
      _ = try Realm(configuration: configuration)
    }
    expect(.invalidInput, saying: "readOnly contradicts shouldCompactOnLaunch") {
      try open {
        $0.readOnly = true
        $0.shouldCompactOnLaunch = { _, _ in true }
      }
    }
    expect(.invalidInput, saying: "readOnly contradicts inMemoryIdentifier") {
      try open {
        $0.inMemoryIdentifier = "x"
        $0.readOnly = true
      }
    }
    expect(.invalidInput, saying: "readOnly contradicts seedFilePath") {
      try open {
        $0.seedFilePath = url
        $0.readOnly = true
      }
    }
    expect(.invalidInput, saying: "is not a file on this machine") {
      try open { $0.fileURL = URL(string: "https://example.com/a.cadastre") }
    }
    #expect(folder.names == [])
  }

  @Test func `a key is refused, and nothing is written in the clear`() throws {
    let folder = try Folder()
    let key = Data(repeating: 7, count: 64)
    for configuration in [
      Realm.Configuration(
        fileURL: folder.url("a.cadastre"), encryptionKey: key, objectTypes: [OldShape.self]),
      Realm.Configuration(
        inMemoryIdentifier: "a", encryptionKey: Data(), objectTypes: [OldShape.self]),
    ] {
      expect(.invalidInput, saying: "encrypted file system") {
        _ = try Realm(configuration: configuration)
      }
    }
    let realm = try Realm(configuration: configuration(folder.url("b.cadastre")))
    expect(.invalidInput, saying: "SQLCipher is not supported") {
      try realm.writeCopy(toFile: folder.url("c.cadastre"), encryptionKey: key)
    }
    expect(.invalidInput, saying: "does not encrypt") {
      _ = try schemaVersionAtURL(folder.url("b.cadastre"), encryptionKey: key)
    }
    #expect(!folder.names.contains { $0.hasPrefix("a") || $0.hasPrefix("c") })
  }

  @Test func `two openings of a file that differ`() throws {
    let folder = try Folder()
    let url = try fill(folder.url("a.cadastre"))
    var readOnly = configuration(url)
    readOnly.readOnly = true
    do {
      let realm = try Realm(configuration: configuration(url))
      expect(.fail, saying: "is open in this process for writing") {
        _ = try Realm(configuration: readOnly)
      }
      var encrypted = configuration(url)
      encrypted.encryptionKey = Data(repeating: 7, count: 64)
      expect(.invalidInput, saying: "does not encrypt") {
        _ = try Realm(configuration: encrypted)
      }
      // Another thread has a Realm of its own.
      let other = Mutex<(any Error)?>(nil)
      try onNewThread { [readOnly] in
        do { _ = try Realm(configuration: readOnly) } catch { other.withLock { $0 = error } }
      }
      #expect(other.withLock { $0 } as? Realm.Error != nil)
      #expect(realm.objects(OldShape.self).count == 1)
    }
    let realm = try Realm(configuration: readOnly)
    expect(.fail, saying: "is open in this process for reading only") {
      _ = try Realm(configuration: configuration(url))
    }
    #expect(realm.objects(OldShape.self).count == 1)
  }

  @Test func `a name in memory is shared and vanishes with its last user`() throws {
    let name = UUID().uuidString
    let configuration = Realm.Configuration(
      inMemoryIdentifier: name, objectTypes: [OldShape.self])
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(OldShape()) }
      #expect(Realm.fileExists(for: configuration))
      let counts = Mutex(0)
      try onNewThread {
        let count = (try? Realm(configuration: configuration))?.objects(OldShape.self).count ?? 0
        counts.withLock { $0 = count }
      }
      #expect(counts.withLock { $0 } == 1)
      #expect { try Realm.deleteFiles(for: configuration) } throws: {
        Realm.Error.alreadyOpen ~= $0
      }
    }
    #expect(!Realm.fileExists(for: configuration))
    #expect(try !Realm.deleteFiles(for: configuration))
    #expect(try Realm(configuration: configuration).objects(OldShape.self).isEmpty)
  }

  // MARK: Seeds

  @Test func `a new store begins as a copy of its seed`() throws {
    let folder = try Folder()
    let seed = try fill(folder.url("seed.cadastre"), 3)
    var configuration = configuration(folder.url("a.cadastre"))
    configuration.seedFilePath = seed
    do {
      let realm = try Realm(configuration: configuration)
      #expect(realm.objects(OldShape.self).count == 3)
      try realm.write { realm.delete(realm.objects(OldShape.self)) }
    }
    // An existing file is opened, not replaced.
    #expect(try Realm(configuration: configuration).isEmpty)
    #expect(try Realm(configuration: self.configuration(seed)).objects(OldShape.self).count == 3)
    configuration.fileURL = folder.url("b.cadastre")
    configuration.seedFilePath = folder.url("none.cadastre")
    expect(.fileNotFound, saying: "none.cadastre") { _ = try Realm(configuration: configuration) }
    #expect(!folder.names.contains("b.cadastre"))
  }

  @Test func `a seed may be open, with commits in its log`() throws {
    let folder = try Folder()
    let seed = folder.url("seed.cadastre")
    let open = try Realm(configuration: configuration(seed))
    try open.write { open.add(OldShape()) }
    var configuration = configuration(folder.url("a.cadastre"))
    configuration.seedFilePath = seed
    #expect(try Realm(configuration: configuration).objects(OldShape.self).count == 1)
  }

  // MARK: Compaction

  @Test func `compacting is offered when the process opens the store`() throws {
    let folder = try Folder()
    let url = try fill(folder.url("a.cadastre"), 500, size: 2000)
    do {
      let realm = try Realm(configuration: configuration(url))
      try realm.write { realm.delete(realm.objects(OldShape.self).where { $0.size > 10 }) }
    }
    let asked = Mutex<[(Int, Int)]>([])
    let isAllowed = Mutex(false)
    var configuration = configuration(url)
    configuration.shouldCompactOnLaunch = { total, used in
      asked.withLock { $0.append((total, used)) }
      return isAllowed.withLock { $0 }
    }
    let full = try #require(try folder.size("a.cadastre"))
    do { _ = try Realm(configuration: configuration) }
    #expect(try folder.size("a.cadastre") == full)
    isAllowed.withLock { $0 = true }
    do {
      let realm = try Realm(configuration: configuration)
      #expect(realm.objects(OldShape.self).count == 11)
      // It is open now.
      _ = try Realm(configuration: configuration)
      try onNewThread { [configuration] in _ = try? Realm(configuration: configuration) }
    }
    let calls = asked.withLock { $0 }
    #expect(calls.count == 2)
    #expect(calls.allSatisfy { $0.0 >= full && $0.1 < $0.0 / 5 }, "\(calls)")
    #expect(try #require(try folder.size("a.cadastre")) < full / 5)
  }

  @Test func `nothing is compacted that another process has open`() async throws {
    let folder = try Folder()
    let url = try fill(folder.url("a.cadastre"))
    let realm = try Realm(configuration: configuration(url))
    #expect(realm.objects(OldShape.self).count == 1)
    await #expect(processExitsWith: .success) { [path = url.path as String] in
      var configuration = Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), objectTypes: [OldShape.self])
      configuration.shouldCompactOnLaunch = { _, _ in fatalError("the closure was called") }
      let realm = try Realm(configuration: configuration)
      precondition(realm.objects(OldShape.self).count == 1)
    }
  }

  @Test func `a store that is new, or in memory, is not compacted`() throws {
    let folder = try Folder()
    for url in [folder.url("new.cadastre"), nil] {
      var configuration = Realm.Configuration(
        fileURL: url, inMemoryIdentifier: url == nil ? UUID().uuidString : nil,
        objectTypes: [OldShape.self])
      configuration.shouldCompactOnLaunch = { _, _ in
        Issue.record("the closure was called")
        return true
      }
      _ = try Realm(configuration: configuration)
    }
  }
}

/// A folder that vanishes with its last user.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/cadastre-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  func size(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int
  }
}

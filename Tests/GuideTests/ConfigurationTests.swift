import Cadastre
import Foundation
import Synchronization
import Testing
import TestingSupport

/// The samples of `Configuration.md`.
@Suite struct ConfigurationTests {
  class Note: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static let messages = Mutex<[String]>([])

  /// Filling a store at a URL, which is closed then.
  private static func fill(_ url: URL) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(fileURL: url, objectTypes: [Note.self]))
    try realm.write { realm.create(Note.self, value: ["id": 1, "text": "bundled"]) }
  }

  // In a process of its own, because the default configuration is that of the process.
  @Test func `the default configuration is set once`() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("notes.cadastre")
        Realm.Configuration.defaultConfiguration = Realm.Configuration(
          fileURL: url, schemaVersion: 2, objectTypes: [Note.self])
        let realm = try Realm()
        precondition(realm.isEmpty && realm.configuration.fileURL == url)
      }
    }
  }

  @Test func `a bundled store is read, or is the seed of another one`() throws {
    try withTemporaryFolder { folder in
      let bundled = folder.appendingPathComponent("bundled.cadastre")
      let own = folder.appendingPathComponent("own.cadastre")
      try Self.fill(bundled)
      try readOnly(bundled)
      let configuration = Realm.Configuration(
        fileURL: own, objectTypes: [Note.self], seedFilePath: bundled)
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.deleteAll() }
      try readOnly(bundled)
    }
  }

  private func readOnly(_ bundled: URL) throws {
    let places = try Realm(
      configuration: Realm.Configuration(
        fileURL: bundled, readOnly: true, objectTypes: [Note.self]))
    #expect(places.objects(Note.self).map(\.text) == ["bundled"])
  }

  @Test func `limits are set before the store is opened`() throws {
    @Sendable func log(_ message: String) { Self.messages.withLock { $0.append(message) } }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).cadastre")
    var configuration = Realm.Configuration(fileURL: url, objectTypes: [Note.self])
    configuration.columnMemoryLimit = 64 << 20
    configuration.writeTimeout = 5
    configuration.readErrorHandler = { error in log("a read failed: \(error)") }
    defer { _ = try? Realm.deleteFiles(for: configuration) }
    #expect(try Realm(configuration: configuration).columnMemory.limit == 64 << 20)
  }

  // In a process of its own, because other tests replace the logger too.
  @Test func `messages go to the logger`() async {
    await #expect(processExitsWith: .success) {
      @Sendable func log(_ message: String) {}
      Logger.shared = Logger(level: .warn) { level, message in log("\(level): \(message)") }
      Logger.setLogLevel(.debug, for: .query)
      #expect(Logger.logLevel(for: .query) == .debug && Logger.logLevel() == .warn)
    }
  }

  private static func log(_ message: String) { messages.withLock { $0.append(message) } }

  private func log(_ message: String) { Self.log(message) }

  func open(_ configuration: Realm.Configuration) throws -> Realm? {
    do {
      return try Realm(configuration: configuration)
    } catch Realm.Error.fileNotFound {
      return nil  // read-only, and the file is missing
    } catch let error as Realm.Error where error.code == .schemaMismatch {
      log("increment schemaVersion: \(error)")
      throw error
    }
  }

  enum Changed {
    class Note: Object {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var title = ""

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  @Test func `errors of opening have codes`() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("notes.cadastre")
      let missing = Realm.Configuration(fileURL: url, readOnly: true, objectTypes: [Note.self])
      #expect(try open(missing) == nil)
      try Self.fill(url)
      #expect(throws: Realm.Error.self) {
        try open(Realm.Configuration(fileURL: url, objectTypes: [Changed.Note.self]))
      }
      #expect(Self.messages.withLock { $0.contains { $0.hasPrefix("increment schemaVersion") } })
    }
  }

  @Test func `a store is copied, compacted and removed`() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("notes.cadastre")
      let backup = folder.appendingPathComponent("backup.cadastre")
      var configuration = Realm.Configuration(fileURL: url, objectTypes: [Note.self])
      try Self.fill(url)
      try {
        let realm = try Realm(configuration: configuration)
        try realm.writeCopy(toFile: backup)
        let (before, after) = try Realm.compact(for: configuration)
        log("\(before) bytes before, \(after) after")
      }()
      configuration.shouldCompactOnLaunch = { total, used in total > 100 << 20 && used < total / 2 }
      #expect(try open(configuration)?.objects(Note.self).count == 1)
      if Realm.fileExists(for: configuration) {
        let version = try schemaVersionAtURL(url)
        log("removing a store of schema version \(version)")
        try Realm.deleteFiles(for: configuration)
      }
      #expect(!Realm.fileExists(for: configuration))
      #expect(FileManager.default.fileExists(atPath: backup.path))
    }
  }

  @Test func `the article shows this code`() throws {
    try Article("Configuration.md").expectSamplesAreCompiled(count: 9)
  }
}

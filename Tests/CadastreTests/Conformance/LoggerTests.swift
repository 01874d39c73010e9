import Cadastre
import CadastreModel
import Foundation
import Testing
import TestingSupport

/// The messages of the library, and the logger that receives them.
@Suite(.serialized) final class LoggerTests {
  private let messages = Guarded<[(LogLevel, LogCategory, String)]>([])
  private let path = FileManager.default.temporaryDirectory
    .appending(path: "\(UUID().uuidString).cadastre")
  private let before = Logger.shared

  init() {
    let messages = messages
    let path = path.path
    // Other tests run meanwhile.
    Logger.shared = Logger { level, category, message in
      guard message.contains(path) || message.contains("Person where") else { return }
      messages.withLock { $0.append((level, category, message)) }
    }
  }

  deinit {
    Logger.shared = before
    _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: path))
  }

  private func open() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: path,
        objectTypes: [
          Conforming.Person.self, Conforming.Dog.self, Conforming.Address.self,
          Conforming.Place.self,
        ]))
  }

  private func work() throws {
    let realm = try open()
    try realm.write {
      realm.create(Conforming.Person.self, value: ["id": 1], update: .all)
    }
    #expect(realm.objects(Conforming.Person.self).where { $0.id == 1 }.count == 1)
    realm.beginWrite()
    realm.cancelWrite()
  }

  @Test func `messages up to the level are logged, with their category`() throws {
    #expect(Logger.shared.level == .info && Logger.logLevel(for: .query) == .info)
    try work()
    #expect(messages.withLock(\.isEmpty))
    Logger.setLogLevel(.debug)
    try work()
    let seen = messages.withLock { $0 }
    #expect(seen.map(\.1).contains(.storage) && seen.map(\.1).contains(.query))
    #expect(seen.contains { $0.1 == .transaction && $0.2.hasPrefix("committed version") })
    #expect(seen.contains { $0.1 == .transaction && $0.2.hasPrefix("cancelled") })
    #expect(seen.contains { $0.1 == .query && $0.2.contains("where id == 1: 1 objects") })
    #expect(seen.allSatisfy { $0.0 <= .debug && $0.0 != .off })
  }

  @Test func `a level applies to a category and those within it`() throws {
    Logger.setLogLevel(.off)
    Logger.setLogLevel(.all, for: .transaction)
    #expect(Logger.logLevel() == .off && Logger.logLevel(for: .storage) == .off)
    #expect(Logger.logLevel(for: .transaction) == .all)
    try work()
    #expect(Set(messages.withLock { $0.map(\.1) }) == [.transaction])
    Logger.setLogLevel(.warn, for: .storage)
    #expect(Logger.logLevel(for: .query) == .warn && Logger.logLevel(for: .sdk) == .off)
  }

  @Test func `a program logs messages of its own`() {
    let seen = Guarded<[String]>([])
    let logger = Logger(level: .warn) { level, message in
      seen.withLock { $0.append("\(level) \(message)") }
    }
    logger.log(level: .error, message: "a")
    logger.log(level: .info, message: "b")
    logger.level = .info
    logger.log(level: .info, category: .sdk, message: "c")
    logger.log(level: .off, message: "d")
    #expect(seen.withLock { $0 } == ["error a", "info c"])
  }

  @Test func `migrations are logged at the level of details`() throws {
    try work()
    Logger.setLogLevel(.detail, for: .storage)
    var configuration = Realm.Configuration(
      fileURL: path, schemaVersion: 2, objectTypes: [Conforming.Holder.self])
    configuration.migrationBlock = { _, _ in }
    try Realm.performMigration(for: configuration)
    let seen = messages.withLock { $0 }
    #expect(seen.first?.2 == "migrating '\(path.path)' to schema version 2")
    #expect(seen.allSatisfy { $0.0 == .detail })
  }

  @Test func `errors of reads reach the logger`() throws {
    let realm = try open()
    try realm.write {
      let person = realm.create(Conforming.Person.self, value: ["id": 1])
      (person["levels"] as? List<Int>)?.append(77)
    }
    let person = try #require(realm.objects(Conforming.Person.self).first)
    #expect(person.levels.count == 1 && person.levels.first == .low)
    let seen = messages.withLock { $0 }
    #expect(seen.map(\.0) == [.error] && seen.map(\.1) == [.storage])
    #expect(realm.readError?.code == .invalidDatabase)
  }

  @Test func `a programming error reaches the logger before the process stops`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      Logger.shared = Logger(level: .fatal) { level, message in
        FileHandle.standardOutput.write(Data("\(level): \(message)".utf8))
      }
      _ = List<Int>()[3]
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("fatal: Index 3 is out of bounds"))
    expectStop(result, says: "Index 3 is out of bounds")
  }
}

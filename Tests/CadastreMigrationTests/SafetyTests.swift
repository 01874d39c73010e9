import Cadastre
import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

/// Migrations that fail, are killed, or meet others who have the store open.
@Suite struct SafetyTests {
  enum Old {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted(indexed: true) var name: String
      @Persisted var tags: List<String>
      @Persisted var place: Place?
    }
    class Place: ReleaseEmbedded {
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
    }
    static let types: [ObjectBase.Type] = [Item.self, Place.self]
  }

  enum New {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: String
      @Persisted(fullText: true) var title: String
      @Persisted var tags: MutableSet<String>
      @Persisted var spot: Place?
    }
    class Place: ReleaseEmbedded {
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
      @Persisted var name: String
    }
    static let types: [ObjectBase.Type] = [Item.self, Place.self]
  }

  static let count = 3000

  /// Fills a store of the first release.
  private static func fill(_ releases: Releases) throws {
    try releases.write(1, Old.types) { realm in
      for number in 0..<count {
        realm.create(
          Old.Item.self,
          value: [
            "id": number, "name": "Item \(number)", "tags": ["a", "b"],
            "place": ["coordinates": [Double(number % 180), 10.0]],
          ] as [String: Any])
      }
    }
  }

  private static func migrate(_ migration: Migration, then end: (Int) throws -> Void) rethrows {
    migration.renameProperty(onType: "Item", from: "name", to: "title")
    migration.renameProperty(onType: "Item", from: "place", to: "spot")
    var visited = 0
    migration.enumerateObjects(ofType: "Item") { old, new in
      new?["id"] = "item \(old?["id"] as? Int ?? -1)"
      new?["tags"] = old?["tags"]
      visited += 1
    }
    try end(visited)
  }

  private func expectOld(_ url: URL) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(fileURL: url, schemaVersion: 1, objectTypes: Old.types))
    #expect(realm.objects(Old.Item.self).count == Self.count)
    let item = try #require(realm.object(ofType: Old.Item.self, forPrimaryKey: 7))
    #expect(item.name == "Item 7" && Array(item.tags) == ["a", "b"])
    #expect(item.place.map { Array($0.coordinates) } == [7, 10])
    #expect(try problems(url) == [])
  }

  private func expectNew(_ url: URL) throws {
    let configuration = Realm.Configuration(
      fileURL: url, schemaVersion: 2,
      migrationBlock: { migration, _ in Self.migrate(migration) { _ in } }, objectTypes: New.types)
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(New.Item.self).count == Self.count)
    let item = try #require(realm.object(ofType: New.Item.self, forPrimaryKey: "item 7"))
    #expect(item.title == "Item 7" && Array(item.tags) == ["a", "b"])
    #expect(item.spot.map { Array($0.coordinates) } == [7, 10] && item.spot?.name == "")
    #expect(realm.objects(New.Item.self).filter("title TEXT 'item'").count == Self.count)
    #expect(try problems(url) == [])
  }

  private struct Stopped: Swift.Error {}

  @Test func `what a block throws is thrown, and nothing has changed`() throws {
    let releases = try Releases()
    try Self.fill(releases)
    let kept = Guarded<[ObjectMigrationTests.Held]>([])
    let configuration = releases.configuration(2, New.types) { migration, _ in
      let object = migration.create("Item", value: ["id": "x"])
      kept.withLock { $0.append(.init(migration: migration, object: object)) }
      try Self.migrate(migration) { _ in throw Stopped() }
    }
    #expect(throws: Stopped.self) { try Realm.performMigration(for: configuration) }
    #expect(throws: Stopped.self) { _ = try Realm(configuration: configuration) }
    #expect(kept.withLock { $0.allSatisfy { $0.object.isInvalidated } })
    try expectOld(releases.url)
    try expectNew(releases.url)
  }

  /// Runs part of a migration in a process of its own, which ends in the middle.
  @Test(arguments: [0, 1, Self.count / 2, Self.count])
  func `a process that is killed in a migration changes nothing`(_ objects: Int) async throws {
    let releases = try Releases()
    try Self.fill(releases)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = releases.url.path as String, objects = objects as Int] in
      try Realm.performMigration(
        for: Realm.Configuration(
          fileURL: URL(fileURLWithPath: path), schemaVersion: 2,
          migrationBlock: { migration, _ in
            if objects == 0 { kill(getpid(), SIGKILL) }
            var visited = 0
            migration.renameProperty(onType: "Item", from: "name", to: "title")
            migration.enumerateObjects(ofType: "Item") { old, new in
              new?["id"] = "item \(old?["id"] as? Int ?? -1)"
              visited += 1
              if visited == objects { kill(getpid(), SIGKILL) }
            }
          }, objectTypes: New.types))
    }
    try expectOld(releases.url)
    try expectNew(releases.url)
  }

  @Test func `a process that is killed at any time has migrated or not`() async throws {
    for delay in [2, 5, 10, 20, 40, 80, 160] {
      let releases = try Releases()
      try Self.fill(releases)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = releases.url.path as String, delay = delay as Int] in
        Thread.detachNewThread {
          usleep(UInt32(delay) * 1000)
          kill(getpid(), SIGKILL)
        }
        try Realm.performMigration(
          for: Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), schemaVersion: 2,
            migrationBlock: { migration, _ in SafetyTests.migrate(migration) { _ in } },
            objectTypes: New.types))
        while true { sleep(1) }
      }
      let version = try OpenStores.store(at: releases.url.path).snapshot().versions.schema
      #expect([1, 2].contains(version))
      if version == 1 { try expectOld(releases.url) }
      try expectNew(releases.url)
    }
  }

  @Test func `a process that stops in a migration changes nothing`() async throws {
    let releases = try Releases()
    try Self.fill(releases)
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [path = releases.url.path as String] in
      try Realm.performMigration(
        for: Realm.Configuration(
          fileURL: URL(fileURLWithPath: path), schemaVersion: 2,
          migrationBlock: { migration, _ in
            migration.create("Item", value: ["id": "x"])["nothing"] = 1
          }, objectTypes: New.types))
    }
    expectStop(result, says: "Invalid property name 'nothing' for class 'Item'")
    try expectOld(releases.url)
  }

  @Test func `a store is migrated in the background`() async throws {
    let releases = try Releases()
    try Self.fill(releases)
    let realm = try await Realm.open(
      configuration: releases.configuration(2, New.types) { migration, _ in
        Self.migrate(migration) { _ in }
      })
    #expect(realm.object(ofType: New.Item.self, forPrimaryKey: "item 9")?.title == "Item 9")
  }

  @Test func `a store cannot be opened in its own migration block`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let releases = try Releases()
      try releases.write(1, Old.types) { _ in }
      let old = releases.configuration(1, Old.types)
      try releases.open(2, New.types) { _, _ in
        _ = try Realm(configuration: old)
      } _: { _ in
      }
    }
    expectStop(result, says: "A store cannot be opened in its own migration block")
  }

  // MARK: Others

  @Test func `a store that is open at another version in the process is not migrated`() throws {
    let releases = try Releases()
    try Self.fill(releases)
    let realm = try Realm(configuration: releases.configuration(1, Old.types))
    let error = try releases.refusal(2, New.types) { _, _ in
      Issue.record("a block ran that must not")
    }
    #expect(error.code == .fail)
    #expect(error.description.contains("already opened with different schema version 1, not 2"))
    try realm.write { _ = realm.create(Old.Item.self, value: ["id": -1]) }
    #expect(realm.objects(Old.Item.self).count == Self.count + 1)
  }

  /// Migrates a store in another process.
  private func migrateElsewhere(_ url: URL) async {
    await #expect(processExitsWith: .success) { [path = url.path as String] in
      try Realm.performMigration(
        for: Realm.Configuration(
          fileURL: URL(fileURLWithPath: path), schemaVersion: 2,
          migrationBlock: { migration, _ in SafetyTests.migrate(migration) { _ in } },
          objectTypes: New.types))
    }
  }

  @Test @MainActor
  func `who has the store open while another process migrates it stays at its version`()
    async throws
  {
    let releases = try Releases()
    try Self.fill(releases)
    let realm = try Realm(configuration: releases.configuration(1, Old.types))
    let items = realm.objects(Old.Item.self)
    #expect(items.count == Self.count)
    let frozen = items.freeze()

    await migrateElsewhere(releases.url)

    #expect(!realm.refresh())
    #expect(items.count == Self.count && items[7].name == "Item 7" && items[7].tags.count == 2)
    let failure = #expect(throws: Realm.Error.self) { try realm.write {} }
    #expect(failure?.code == .schemaMismatch)
    #expect(failure?.description.contains("was migrated while it was open") == true)
    await #expect(throws: Realm.Error.self) { try await realm.asyncWrite {} }
    // Nothing has been written, and what was seen is still seen.
    #expect(items[8].name == "Item 8" && frozen.count == Self.count)
    // Where no Realm of the old version is open.
    let error = await #expect(throws: Realm.Error.self) {
      try await Task.detached { [url = releases.url] in
        _ = try Realm(
          configuration: Realm.Configuration(
            fileURL: url, schemaVersion: 1, objectTypes: Old.types))
      }.value
    }
    #expect(error?.description.contains("less than last set version 2") == true)
  }

  @Test func `reading without a version after a migration elsewhere reports the error`() throws {
    let releases = try Releases()
    try Self.fill(releases)
    let url = releases.url
    let errors = Guarded<[Realm.Error]>([])
    var configuration = Realm.Configuration(
      fileURL: url, schemaVersion: 1, objectTypes: Old.types)
    configuration.readErrorHandler = { error in errors.withLock { $0.append(error) } }
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(Old.Item.self).count == Self.count)
    realm.invalidate()
    // As another process would, without the classes of this one.
    let other = try OpenStores.store(at: url.path)
    try other.prepare(
      for: Schema([
        ObjectSchema(className: "Item", properties: [Property(name: "x", type: .int)])
      ]), version: 2, resetting: false, migrating: { _ in })
    #expect(realm.objects(Old.Item.self).count == 0)
    #expect(realm.objects(Old.Item.self).first == nil)
    #expect(errors.withLock(\.count) == 1)
    #expect(realm.readError?.code == .schemaMismatch)
    #expect(
      realm.readError?.description.contains("was migrated while it was open: class 'Item'") == true)
    #expect(throws: Realm.Error.self) {
      try realm.throwingReadErrors { realm.objects(Old.Item.self).count }
    }
  }
}

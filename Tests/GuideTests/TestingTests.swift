import Cadastre
import Foundation
import Testing
import TestingSupport

// The samples of `Testing.md`.

class Visit: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var guest = ""
  @Persisted var start = Date()

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct VisitLog {
  let realm: Realm
  var now: () -> Date = { Date() }
  var makeID: () -> ObjectId = { .generate() }

  @discardableResult
  func enter(_ guest: String) throws -> Visit {
    try realm.write {
      realm.create(
        Visit.self, value: ["id": makeID(), "guest": guest, "start": now()] as [String: Any])
    }
  }

  func current(within seconds: TimeInterval) -> Results<Visit> {
    let limit = now().addingTimeInterval(-seconds)
    return realm.objects(Visit.self).where { $0.start > limit }
  }
}

/// Opens a Realm in memory that no other test shares.
func makeRealm(_ types: ObjectBase.Type...) throws -> Realm {
  try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: types))
}

@Suite struct VisitLogTests {
  private let realm: Realm

  init() throws { realm = try makeRealm(Visit.self) }

  @Test func `visits of the last hour are current`() throws {
    let noon = Date(timeIntervalSince1970: 43_200)
    var log = VisitLog(realm: realm)
    log.now = { noon.addingTimeInterval(-7200) }
    try log.enter("Ada")
    log.now = { noon }
    try log.enter("Bo")
    #expect(log.current(within: 3600).map(\.guest) == ["Bo"])
  }
}

@Suite struct TestingTests {
  /// A class of an earlier release.
  private enum Earlier {
    class Visit: Object {
      @Persisted(primaryKey: true) var id: ObjectId
      @Persisted var name = ""
      @Persisted var start = Date()

      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  func withTemporaryFolder<Result>(_ block: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try block(folder)
  }

  func makeCopy(of fixture: URL, in folder: URL) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: folder.appendingPathComponent("test.cadastre"), objectTypes: [Visit.self],
        seedFilePath: fixture))
  }

  func message(for error: any Error) -> String {
    switch error {
    case Realm.Error.outOfDiskSpace: "The disk is full."
    case Realm.Error.fileAccess: "Another program is writing."
    default: "\(error)"
    }
  }

  func migratedVisits(_ oldStore: URL, in folder: URL) throws -> Results<Visit> {
    let configuration = Realm.Configuration(
      fileURL: folder.appendingPathComponent("migrated.cadastre"), schemaVersion: 2,
      migrationBlock: { migration, oldVersion in
        if oldVersion < 2 {
          migration.renameProperty(onType: "Visit", from: "name", to: "guest")
        }
      }, objectTypes: [Visit.self], seedFilePath: oldStore)
    return try Realm(configuration: configuration).objects(Visit.self)
  }

  @Test @MainActor func `a new visit is observed`() async throws {
    let realm = try makeRealm(Visit.self)
    let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
    let token = realm.objects(Visit.self).observe { change in
      if case .update(let visits, _, _, _) = change { continuation.yield(visits.count) }
      if case .initial(let visits) = change { continuation.yield(visits.count) }
    }
    try VisitLog(realm: realm).enter("Ada")
    for await count in counts where count == 1 { break }
    token.invalidate()
  }

  @Test func `a visit is changed in a transaction only`() async {
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm(Visit.self)
      try VisitLog(realm: realm).enter("Ada").guest = "Bo"
    }
  }

  @Test func `a fixture is copied`() throws {
    try withTemporaryFolder { folder in
      let fixture = folder.appendingPathComponent("fixture.cadastre")
      let realm = try makeRealm(Visit.self)
      var log = VisitLog(realm: realm)
      var ids: [ObjectId] = [
        ObjectId("65000000000000000000000a"), ObjectId("65000000000000000000000b"),
      ]
      log.makeID = { ids.removeFirst() }
      try log.enter("Ada")
      try realm.writeCopy(toFile: fixture)
      let copy = try makeCopy(of: fixture, in: folder)
      try VisitLog(realm: copy).enter("Bo")
      #expect(copy.objects(Visit.self).count == 2 && realm.objects(Visit.self).count == 1)
      #expect(copy.objects(Visit.self).first?.id.stringValue == "65000000000000000000000a")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!files.contains("fixture.cadastre-wal"))
    }
  }

  @Test func `a store of the first release is migrated`() throws {
    try withTemporaryFolder { folder in
      let old = folder.appendingPathComponent("old.cadastre")
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: old, schemaVersion: 1, objectTypes: [Earlier.Visit.self]))
      try realm.write { realm.create(Earlier.Visit.self, value: ["name": "Ada"]) }
      #expect(try migratedVisits(old, in: folder).map(\.guest) == ["Ada"])
    }
  }

  @Test func `errors are matched by their codes`() {
    #expect(message(for: Realm.Error(.outOfDiskSpace)) == "The disk is full.")
    #expect(message(for: Realm.Error(.fail)) == "fail")
  }

  @Test func `the article shows this code`() throws {
    try Article("Testing.md").expectSamplesAreCompiled(count: 10)
  }
}

import Cadastre
import CadastreStore
import Foundation
import RealmFileTestSupport
import Testing

// Some of the classes and properties of the fixture; `nickname` is new.

private final class Person: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var nickname: String
  @Persisted var home: Address?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Address: EmbeddedObject {
  @Persisted var geo: Position?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Position: EmbeddedObject {
  @Persisted var type: String
  @Persisted var coordinates: List<Double>

  override class func _realmObjectName() -> String? { "GeoPoint" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The classes of a later release, with more properties than the fixture.
private enum Later {
  enum Rank: Int, PersistableEnum { case first = 1, second }

  final class Person: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var nickname = "none"
    @Persisted(indexed: true) var rank: Rank
    @Persisted var best = Rank.second
    @Persisted var home: Address?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct SeedTests {
  /// Calls a closure with the path of a Realm file and the path of a store that does not exist.
  private func withFiles(
    _ name: String, _ body: (_ realm: URL, _ store: URL) throws -> Void
  ) throws {
    try RealmFixture(name).withFile { path in
      let store = path + ".cadastre"
      defer { for suffix in StoreFile.fileSuffixes { unlink(store + suffix) } }
      try body(URL(fileURLWithPath: path), URL(fileURLWithPath: store))
    }
  }

  /// Returns the error of an operation as text.
  private func message(_ operation: () throws -> Void) -> String {
    do {
      try operation()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test("a Realm file as seed is migrated to the program's classes when it is first opened")
  func seed() throws {
    try withFiles("objectstore") { file, store in
      var versions: [UInt64] = []
      for _ in 0..<2 {
        nonisolated(unsafe) var seen: [UInt64] = []
        let configuration = Realm.Configuration(
          fileURL: store, schemaVersion: 6,
          migrationBlock: { migration, version in
            seen.append(version)
            migration.enumerateObjects(ofType: "Person") { old, new in
              new?["nickname"] = String((old?["name"] as? String ?? "").prefix(3))
            }
          },
          objectTypes: [Person.self, Address.self, Position.self], seedFilePath: file)
        let realm = try Realm(configuration: configuration)
        versions += seen
        let people = realm.objects(Person.self)
        #expect(people.count == 7)
        #expect(people.allSatisfy { $0.nickname == String($0.name.prefix(3)) })
        try check(realm)
      }
      #expect(versions == [5])
    }
  }

  @Test("properties that the program adds to those of a Realm file have its defaults")
  func defaults() throws {
    try withFiles("objectstore") { file, store in
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: store, schemaVersion: 6,
          objectTypes: [Later.Person.self, Address.self, Position.self], seedFilePath: file))
      let people = realm.objects(Later.Person.self)
      #expect(people.map(\.nickname) == Array(repeating: "none", count: 7))
      #expect(people.allSatisfy { $0.rank == .first && $0.best == .second })
      #expect(people.where { $0.nickname == "none" && $0.best == .second }.count == 7)
      #expect(people.where { $0.rank == .first }.count == 7 && realm.readError == nil)
    }
  }

  private func check(_ realm: Realm) throws {
    let center = try #require(GeoPoint(latitude: 56.15, longitude: 11.2))
    let circle = GeoCircle(center: center, radius: try #require(.kilometers(1)))
    let near = realm.objects(Person.self).where { $0.home.geo.geoWithin(circle) }
    #expect(near.map { $0._id.stringValue } == ["650000000000000000000001"])
  }

  @Test("a Realm file that is opened as a store is refused with what to do")
  func store() throws {
    try withFiles("objectstore") { file, _ in
      let bytes = try Data(contentsOf: file)
      let error = message {
        _ = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: []))
      }
      #expect(
        error
          == "'\(file.path)' is a Realm file of MongoDB, not a Cadastre store, and was not changed. Bring "
          + "its objects into a store with Realm.importRealmFile(at:into:), with seedFilePath of "
          + "Realm.Configuration, or with 'cadastre import FILE --store STORE'")
      #expect(try Data(contentsOf: file) == bytes)
    }
  }

  @Test("an import does not replace a store")
  func existing() throws {
    try withFiles("objectstore") { file, store in
      let configuration = Realm.Configuration(fileURL: store, objectTypes: [])
      try Realm.importRealmFile(at: file, into: configuration)
      #expect { try Realm.importRealmFile(at: file, into: configuration) } throws: {
        ($0 as? Realm.Error)?.code == .fileExists
      }
    }
  }

  @Test("a failed import leaves no store")
  func failed() throws {
    try withFiles("encrypted") { file, store in
      let configuration = Realm.Configuration(fileURL: store, objectTypes: [])
      let wrong = Data(RealmFixture.key.reversed())
      #expect(
        message {
          try Realm.importRealmFile(at: file, into: configuration, encryptionKey: wrong)
        } == "\(file.path): the key is wrong, or the first page of the file is damaged")
      #expect(!FileManager.default.fileExists(atPath: store.path))
      let key = Data(RealmFixture.key)
      let result = try Realm.importRealmFile(at: file, into: configuration, encryptionKey: key)
      #expect(result.objectCounts == ["Secret": 400])
    }
  }

  @Test("a store in memory or for reading only is refused")
  func configurations() throws {
    try withFiles("tiny") { file, store in
      for configuration in [
        Realm.Configuration(inMemoryIdentifier: "x"),
        Realm.Configuration(fileURL: store, readOnly: true),
      ] {
        #expect {
          try Realm.importRealmFile(at: file, into: configuration)
        } throws: {
          ($0 as? Realm.Error)?.code == .invalidInput
        }
      }
    }
  }
}

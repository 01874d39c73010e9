import Cadastre
import CadastreStore
import Foundation
import RealmFileTestSupport
import Testing

/// A program that takes over the data of each Realm file, migrates them, and works with them.
///
/// The expected values are computed from the JSON of the files by `expected.py`, not by Cadastre.
struct RealmFileOperationTests {
  /// Imports a file, and calls a closure with the store.
  private func withStore(
    _ name: String, _ body: (Realm.Configuration, Realm.FileImport) throws -> Void
  ) throws {
    try RealmFixture(name).withFile { path in
      let store = path + ".cadastre"
      defer { for suffix in StoreFile.fileSuffixes { unlink(store + suffix) } }
      let configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: store))
      let result = try Realm.importRealmFile(
        at: URL(fileURLWithPath: path), into: configuration,
        encryptionKey: RealmFixture(name).key.map { Data($0) })
      try body(configuration, result)
    }
  }

  /// Opens a store with the classes of a later release, which add a property.
  private func migrated(
    _ name: String, _ configuration: Realm.Configuration, _ imported: Realm.FileImport
  ) throws -> Realm {
    let types = try #require(RealmFileModels.types[name])
    let schemas = types.map { ($0.className(), $0.init().objectSchema) }
    var later = configuration
    later.objectTypes = types
    let url = try #require(configuration.fileURL)
    later.schemaVersion = try schemaVersionAtURL(url) + 1
    nonisolated(unsafe) var counts: [String: Int] = [:]
    later.migrationBlock = { migration, _ in
      for (className, schema) in schemas {
        migration.enumerateObjects(ofType: className) { old, new in
          counts[className, default: 0] += 1
          if old != nil, schema["revision"] != nil { new?["revision"] = 2 }
        }
      }
    }
    let realm = try Realm(configuration: later)
    for (className, schema) in schemas {
      #expect(counts[className] ?? 0 == imported.objectCounts[className] ?? 0, "\(className)")
      guard schema["revision"] != nil else { continue }
      #expect(
        realm.dynamicObjects(className).filter("revision == 2").count
          == imported.objectCounts[className] ?? 0)
    }
    return realm
  }

  @Test(arguments: RealmFixture.names)
  func `a program works with the data of a Realm file`(name: String) throws {
    let operations = RealmFileOperation.all.filter { $0.file == name }
    #expect(!operations.isEmpty)
    try withStore(name) { configuration, imported in
      if RealmFileModels.types[name] == nil {
        let expected = try #require(operations[0].fields["expected"] as? [String: Int])
        #expect(imported.objectCounts.count == expected["classes"])
        #expect(imported.objectCounts.values.reduce(0, +) == expected["objects"])
        return
      }
      let realm = try migrated(name, configuration, imported)
      for operation in operations {
        let className = operation.text("class") ?? ""
        guard realm.schema[className] != nil else {
          // A class without properties cannot be declared.
          #expect(imported.objectCounts[className] == operation.fields["expected"] as? Int)
          continue
        }
        let run = OperationRun(realm: realm, operation: operation)
        guard operation.isWrite else {
          try run.run()
          continue
        }
        // Each write begins with the data of the file.
        realm.beginWrite()
        try run.run()
        realm.cancelWrite()
      }
    }
  }

  @Test func `there are operations of all kinds`() {
    #expect(RealmFileOperation.all.count >= 50)
    #expect(Set(RealmFileOperation.all.map(\.kind)).count >= 20)
    #expect(Set(RealmFileOperation.all.map(\.file)) == Set(RealmFixture.names))
  }
}

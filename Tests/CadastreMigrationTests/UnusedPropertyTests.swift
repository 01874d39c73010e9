import Cadastre
import CadastreStore
import Foundation
import Testing

/// Migrations that must not delete values without being told.
@Suite struct UnusedPropertyTests {
  enum Old {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var tags: List<String>
      @Persisted var note: String?
    }
    class Empty: ReleaseObject {
      @Persisted var id: Int
      @Persisted var name: String
    }
    static let types: [ObjectBase.Type] = [Item.self, Empty.self]
  }

  enum New {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var title: String
    }
    class Empty: ReleaseObject {
      @Persisted var id: Int
    }
    static let types: [ObjectBase.Type] = [Item.self, Empty.self]
  }

  private func open(
    _ releases: Releases, _ block: ThrowingMigrationBlock? = nil
  ) throws -> [String] {
    var configuration = releases.configuration(2, New.types)
    configuration.deletesUnusedColumns = false
    configuration.migrationBlock = block
    return try Realm(configuration: configuration).objects(New.Item.self).map(\.title)
  }

  private func filled() throws -> Releases {
    let releases = try Releases()
    try releases.write(1, Old.types) { realm in
      realm.create(Old.Item.self, value: ["id": 1, "name": "a", "tags": ["x"]])
    }
    return releases
  }

  @Test func `a migration that would delete values fails and names them`() throws {
    let releases = try filled()
    for block: ThrowingMigrationBlock? in [
      nil, { migration, _ in migration.renameProperty(onType: "Item", from: "name", to: "title") },
    ] {
      do {
        _ = try open(releases, block)
        Issue.record("expected an error")
      } catch {
        let text = "\(error)"
        #expect(text.contains("'Item.tags' and its values would be deleted"))
        #expect(text.contains("'Item.note'") && !text.contains("Empty"))
        #expect(text.contains("'Item.name'") == (block == nil))
      }
      try releases.open(1, Old.types) { realm in
        #expect(realm.objects(Old.Item.self).first?.tags.first == "x")
      }
    }
  }

  @Test func `properties are deleted by name`() throws {
    let releases = try filled()
    let titles = try open(releases) { migration, _ in
      migration.renameProperty(onType: "Item", from: "name", to: "title")
      migration.deleteProperty(onType: "Item", named: "tags")
      migration.deleteProperty(onType: "Item", named: "note")
    }
    #expect(titles == ["a"])
    #expect(try open(releases) == ["a"])
  }
}

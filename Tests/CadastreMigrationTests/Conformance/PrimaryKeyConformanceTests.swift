import Cadastre
import Testing

/// Primary keys that are added, changed or removed.
@Suite struct PrimaryKeyConformanceTests {
  enum Plain {
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var name: String
      @Persisted var code: String?
    }
  }

  enum ByID {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var code: String?
    }
  }

  enum ByName {
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted(primaryKey: true) var name: String
      @Persisted var code: String?
    }
  }

  enum ByCode {
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var name: String
      @Persisted(primaryKey: true) var code: String?
    }
  }

  enum ByText {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: String
      @Persisted var name: String
      @Persisted var code: String?
    }
  }

  /// A store with two or three objects, and the class of the next release.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var from: Object.Type = Plain.Item.self
    let to: Object.Type
    /// Identifiers, names and codes.
    var rows: [(Int, String, String?)] = [(1, "a", "x"), (2, "a", "y")]
    var migrate: ThrowingMigrationBlock?
    /// The primary keys after the migration, or the property with duplicates.
    let result: Result<[String], Duplicates>
  }

  struct Duplicates: Error {
    let property: String

    init(_ property: String) { self.property = property }
  }

  private static let cases = [
    Case(
      testDescription: "a key is added over different values", to: ByID.Item.self,
      result: .success(["1", "2"])),
    Case(
      testDescription: "a key is added over equal values", to: ByName.Item.self,
      result: .failure(Duplicates("name"))),
    Case(
      testDescription: "equal values are made different", to: ByName.Item.self,
      migrate: { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          new?["name"] = "n\(old?["id"] as? Int ?? 0)"
        }
      }, result: .success(["n1", "n2"])),
    Case(
      testDescription: "an object with an equal value is deleted", to: ByName.Item.self,
      migrate: { migration, _ in
        var seen: Set<String> = []
        migration.enumerateObjects(ofType: "Item") { old, new in
          let isNew = seen.insert(old?["name"] as? String ?? "").inserted
          if !isNew, let new { migration.delete(new) }
        }
      }, result: .success(["a"])),
    Case(
      testDescription: "different values are made equal", to: ByID.Item.self,
      migrate: { migration, _ in
        migration.enumerateObjects(ofType: "Item") { _, new in new?["id"] = 3 }
      }, result: .failure(Duplicates("id"))),
    Case(
      testDescription: "the key is another property", from: ByID.Item.self, to: ByCode.Item.self,
      result: .success(["x", "y"])),
    Case(
      testDescription: "the key is another property with equal values", from: ByID.Item.self,
      to: ByName.Item.self, result: .failure(Duplicates("name"))),
    Case(
      testDescription: "null is one key", to: ByCode.Item.self,
      rows: [(1, "a", nil), (2, "a", "y")], result: .success(["nil", "y"])),
    Case(
      testDescription: "two nulls are equal keys", to: ByCode.Item.self,
      rows: [(1, "a", nil), (2, "b", "y"), (3, "c", nil)], result: .failure(Duplicates("code"))),
    Case(
      testDescription: "the key has another type", from: ByID.Item.self, to: ByText.Item.self,
      migrate: { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          new?["id"] = "#\(old?["id"] as? Int ?? 0)"
        }
      }, result: .success(["#1", "#2"])),
    Case(
      testDescription: "the key has another type and no values", from: ByID.Item.self,
      to: ByText.Item.self, result: .failure(Duplicates("id"))),
    Case(
      testDescription: "the key is removed", from: ByID.Item.self, to: Plain.Item.self,
      migrate: { migration, _ in
        migration.enumerateObjects(ofType: "Item") { _, new in new?["id"] = 5 }
      }, result: .success(["-", "-"])),
    Case(
      testDescription: "keys are exchanged", from: ByID.Item.self, to: ByID.Item.self,
      migrate: { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          new?["id"] = 3 - (old?["id"] as? Int ?? 0)
        }
      }, result: .success(["2", "1"])),
    Case(
      testDescription: "a created object has the key of one that is deleted",
      from: ByID.Item.self, to: ByID.Item.self,
      migrate: { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
          guard old?["id"] as? Int == 1, let new else { return }
          migration.delete(new)
          migration.create("Item", value: ["id": 1])
        }
      }, result: .success(["2", "1"])),
  ]

  @Test(arguments: cases) func `a primary key is unique after a migration`(_ row: Case) throws {
    let releases = try Releases()
    try releases.write(1, [row.from]) { realm in
      for (id, name, code) in row.rows {
        realm.dynamicCreate(
          "Item", value: ["id": id, "name": name, "code": code] as [String: Any?])
      }
    }
    switch row.result {
    case .success(let keys):
      try releases.open(2, [row.to], row.migrate) { realm in
        let key = realm.schema["Item"]?.primaryKeyProperty?.name
        let found = realm.dynamicObjects("Item").map { object in
          key.map { object[$0].map { "\($0)" } ?? "nil" } ?? "-"
        }
        #expect(Array(found) == keys)
      }
    case .failure(let duplicates):
      let error = try releases.refusal(2, [row.to], row.migrate)
      #expect(error.code == .fail)
      #expect(
        error.description.contains(
          "Primary key property 'Item.\(duplicates.property)' has duplicate values after migration."
        ))
      try releases.open(1, [row.from]) { realm in
        #expect(realm.dynamicObjects("Item").map { $0["id"] as? Int } == row.rows.map(\.0))
        #expect(realm.dynamicObjects("Item").map { $0["code"] as? String } == row.rows.map(\.2))
      }
    }
  }
}

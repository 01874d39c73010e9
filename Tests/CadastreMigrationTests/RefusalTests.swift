import Cadastre
import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation
import Testing
import TestingSupport

/// Changes that need no migration, and the messages of those that are refused.
@Suite struct RefusalTests {
  enum Old {
    class Part: ReleaseEmbedded {
      @Persisted var size: Int
    }
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var text: String?
      @Persisted var tags: List<String>
      @Persisted var part: Part?
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  private let releases: Releases

  init() throws {
    releases = try Releases()
    try releases.write(2, Old.types) { realm in
      realm.create(
        Old.Item.self,
        value: ["id": 1, "name": "One", "tags": ["a", "b"], "part": ["size": 3]] as [String: Any])
    }
  }

  // MARK: By itself

  enum Same {
    enum Word: String, PersistableEnum { case one = "One", two }
    class Part: ReleaseEmbedded {
      @Persisted var size: Int8
    }
    class Item: ReleaseObject {
      // In another order, under another name, of a mapped type, with an index.
      @Persisted var part: Part?
      @Persisted(primaryKey: true) var id: Int
      @Persisted(indexed: true) var word: Word
      @Persisted(fullText: true) var text: String?
      @Persisted var tags: List<Word>
      @Persisted(originProperty: "item") var others: LinkingObjects<Other>

      override class func propertiesMapping() -> [String: String] { ["word": "name"] }
    }
    class Other: ReleaseObject {
      @Persisted var item: Item?
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self, Other.self]
  }

  @Test func `indexes, mapped types, names in Swift, order and new classes need no version`() throws
  {
    for types in [Same.types, Old.types, Same.types] {
      try releases.open(2, types) { realm in
        let item = try #require(realm.dynamicObject(ofType: "Item", forPrimaryKey: 1))
        let size = (item["part"] as? ObjectBase)?["size"] as? any BinaryInteger
        #expect(size.map { Int($0) } == 3)
        #expect((item["tags"] as? List<String>).map(Array.init) == ["a", "b"])
        guard types.count == 3 else { return }
        let typed = try #require(realm.objects(Same.Item.self).first)
        #expect(typed.word == .one && typed.part?.size == 3)
        #expect(realm.objects(Same.Item.self).where { $0.word == .one }.count == 1)
        #expect(try problems(releases.url) == [])
      }
    }
  }

  @Test func `classes and columns of others survive`() throws {
    let file = releases.url.path
    try run("ALTER TABLE Item ADD COLUMN extra TEXT", "UPDATE Item SET extra = 'kept'", on: file)
    try run("CREATE TABLE theirs(a)", "INSERT INTO theirs VALUES (7)", on: file)
    try releases.write(2, Old.types) { realm in
      realm.create(Old.Item.self, value: ["id": 2])
    }
    // A program that knows another class only.
    try releases.open(2, [Fewer.Label.self]) { realm in
      try realm.write { _ = realm.create(Fewer.Label.self, value: ["text": "x"]) }
    }
    try releases.open(3, Renamed.types) { realm in
      #expect(realm.objects(Renamed.Item.self).map(\.tags.count) == [2, 0])
    }
    let snapshot = try OpenStores.store(at: file).snapshot()
    #expect(try snapshot.connection.text("SELECT extra FROM Item WHERE id = 1") == "kept")
    #expect(try snapshot.connection.integer("SELECT a FROM theirs") == 7)
    #expect(snapshot.catalogue.layout("Label") != nil)
  }

  /// Does what another program could; the version is set so that there is something to commit.
  private func run(_ statements: String..., on path: String) throws {
    let transaction = try OpenStores.store(at: path).beginWrite()
    for statement in statements { try transaction.flush(.rows).connection.run(statement) }
    try transaction.setSchemaVersion(99)
    try transaction.setSchemaVersion(2)
    try transaction.commit()
  }

  @Test func `a view of another tool on what is to go must go first`() throws {
    try run("CREATE VIEW theirs AS SELECT text FROM Item", on: releases.url.path)
    let error = try releases.refusal(3, Renamed.types)
    #expect(error.code == .fail && error.description.contains("theirs"))
    try releases.open(2, Old.types) { #expect($0.objects(Old.Item.self).count == 1) }
    try run("DROP VIEW theirs", on: releases.url.path)
    try releases.open(3, Renamed.types) { #expect($0.objects(Renamed.Item.self).count == 1) }
  }

  enum Fewer {
    class Label: ReleaseObject {
      @Persisted var text: String
    }
  }

  enum Renamed {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var tags: List<String>
    }
    static let types: [ObjectBase.Type] = [Item.self]
  }

  // MARK: With a version

  enum Different {
    class Part: ReleaseObject {
      @Persisted var size: Double
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted(primaryKey: true) var name: String
      @Persisted var text: String
      @Persisted var tags: MutableSet<String>
      @Persisted var part: Part?
      @Persisted var added: Int?
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  @Test func `all that needs a version is said at once`() throws {
    let error = try releases.refusal(2, Different.types)
    #expect(error.code == .schemaMismatch)
    #expect(error.fileURL?.lastPathComponent == "releases.cadastre")
    let lines = error.description.split(separator: "\n").map(String.init)
    #expect(
      lines.first?.hasPrefix("Migration is required due to the following errors in '") == true)
    #expect(
      Array(lines.dropFirst()) == [
        "- Property 'Item.added' has been added. The program has 'int, optional', the file nothing.",
        "- Primary key property 'Item.id' has been removed.",
        "- Primary key property 'Item.name' has been added.",
        "- Property 'Item.text' has been made required.",
        "- Property 'Item.tags' has been changed from 'list of string' to 'set of string'.",
        "- Class 'Part' has been made top-level.",
        "- Property 'Part.size' has been changed from 'int' to 'double'.",
      ])
    try releases.open(3, Different.types) { realm in
      #expect(realm.objects(Different.Item.self).first?.part != nil)
    }
  }

  @Test func `an older program is refused`() throws {
    for types in [Old.types, Different.types] {
      let error = try releases.refusal(1, types)
      #expect(error.code == .fail)
      #expect(
        error.description.contains("Provided schema version 1 is less than last set version 2"))
    }
    let error = try releases.refusal(.max, Old.types)
    #expect(error.code == .invalidInput)
    // As large as it may be.
    try releases.open(.max - 1, Old.types) { #expect($0.objects(Old.Item.self).count == 1) }
    #expect(try releases.refusal(.max - 2, Old.types).code == .fail)
  }

  @Test func `deleteRealmIfMigrationNeeded empties the store`() throws {
    for (version, types, isEmptied) in [
      (2, Old.types, false), (2, Different.types, true), (1, Old.types, true), (7, Old.types, true),
    ] as [(UInt64, [ObjectBase.Type], Bool)] {
      let releases = try RefusalTests().releases
      var configuration = releases.configuration(version, types) { _, _ in
        Issue.record("a block ran that must not")
      }
      configuration.deleteRealmIfMigrationNeeded = true
      let realm = try Realm(configuration: configuration)
      #expect(realm.dynamicObjects("Item").count == (isEmptied ? 0 : 1))
      try realm.write { realm.dynamicCreate("Item", value: ["id": 5, "name": "x"]) }
      #expect(try problems(releases.url) == [])
    }
  }

  @Test func `a new store runs no block`() throws {
    let releases = try Releases()
    try releases.open(5, Old.types) { _, _ in
      Issue.record("a block ran that must not")
    } _: {
      #expect($0.configuration.schemaVersion == 5)
    }
    #expect(try releases.refusal(4, Old.types).code == .fail)
  }

  @Test func `the version alone runs the block`() throws {
    let seen = Guarded<[UInt64]>([])
    try releases.open(9, Old.types) { _, version in
      seen.withLock { $0.append(version) }
    } _: {
      #expect($0.objects(Old.Item.self).count == 1)
    }
    try releases.open(9, Old.types) { _, version in
      seen.withLock { $0.append(version) }
    } _: { _ in
    }
    let versions = seen.withLock { $0 }
    #expect(versions == [2])
  }

  @Test func `a store in memory is migrated too`() throws {
    let name = UUID().uuidString
    let first = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: name, objectTypes: Old.types))
    #expect(throws: Realm.Error.self) {
      _ = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: name, schemaVersion: 1, objectTypes: Old.types))
    }
    #expect(first.isEmpty)
  }

  // MARK: Renaming

  enum Replaced {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String?
    }
  }

  @Test func `renaming replaces the values of a property that was there before`() throws {
    try releases.write(2, Old.types) { realm in
      realm.create(Old.Item.self, value: ["id": 2, "name": "Two", "text": "text"])
    }
    try releases.open(3, [Replaced.Item.self]) { migration, _ in
      migration.renameProperty(onType: "Item", from: "text", to: "name")
    } _: {
      #expect($0.objects(Replaced.Item.self).map(\.name) == [nil, "text"])
    }
  }

  enum Target {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var words: Int
      @Persisted var label: String
      @Persisted var labels: List<Int>
    }
  }

  @Test(arguments: [
    ("Nothing", "a", "b", "Cannot rename properties for type 'Nothing' because it does not exist."),
    (
      "Part", "size", "b",
      "Cannot rename properties for type 'Part' because it has been removed from the Realm."
    ), ("Item", "none", "label", "Cannot rename property 'Item.none' because it does not exist."),
    (
      "Item", "name", "label",
      "Cannot rename property 'Item.name' to 'label' because the source property still exists."
    ),
    (
      "Item", "text", "none",
      "Cannot rename property 'Item.text' to 'none' because the target property does not exist."
    ),
    (
      "Item", "text", "words",
      "Cannot rename property 'Item.text' to 'words' because it would change from type 'string' to 'int'."
    ),
    (
      "Item", "text", "label",
      "Cannot rename property 'Item.text' to 'label' because it would change from optional to required."
    ),
  ])
  func `renaming what does not fit stops with a sentence`(
    _ type: String, _ from: String, _ to: String, _ sentence: String
  ) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [type = type as String, from = from as String, to = to as String] in
      let releases = try RefusalTests().releases
      try releases.open(3, [Target.Item.self]) { migration, _ in
        migration.renameProperty(onType: type, from: from, to: to)
      } _: { _ in
      }
    }
    expectStop(result, says: sentence)
  }
}

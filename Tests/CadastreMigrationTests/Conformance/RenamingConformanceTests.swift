import Cadastre
import Testing

/// Properties that are renamed, and columns with another name in Swift.
@Suite struct RenamingConformanceTests {
  enum First {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var text: String
      @Persisted var list: List<Int>
      @Persisted var set: MutableSet<String>
      @Persisted var map: Map<String, Int>
      @Persisted var any: AnyRealmValue
      @Persisted var other: Item?
      @Persisted var part: Part?

      override class func propertiesMapping() -> [String: String] { ["text": "text_column"] }
    }
    class Part: ReleaseEmbedded {
      @Persisted var size: Int
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  enum Next {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var key: Int
      @Persisted var words: String
      @Persisted var numbers: List<Int>
      @Persisted var tags: MutableSet<String>
      @Persisted var counts: Map<String, Int>
      @Persisted var anything: AnyRealmValue
      @Persisted var next: Item?
      @Persisted var piece: Part?

      override class func propertiesMapping() -> [String: String] {
        ["words": "words_column", "next": "next_column"]
      }
    }
    class Part: ReleaseEmbedded {
      @Persisted var extent: Int
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  /// A property before and after, and its value as text.
  struct Rename: CustomTestStringConvertible, Sendable {
    let old: String
    let new: String
    /// The name in Swift, if the new column has another one.
    var swiftName: String?
    let text: String
    var testDescription: String { "\(old) to \(new)" }
  }

  private static let renames = [
    Rename(old: "id", new: "key", text: "1"),
    Rename(old: "text_column", new: "words_column", swiftName: "words", text: "one"),
    Rename(old: "list", new: "numbers", text: "[2, 1, 2]"),
    Rename(old: "set", new: "tags", text: #"["a", "b"]"#),
    Rename(old: "map", new: "counts", text: "x5"),
    Rename(old: "any", new: "anything", text: "7"),
    Rename(old: "other", new: "next_column", swiftName: "next", text: "link"),
    Rename(old: "part", new: "piece", text: "link"),
  ]

  private static func text(_ value: Any?) -> String {
    switch value {
    case is ObjectBase: "link"
    case let list as List<Int>: "\(Array(list))"
    case let set as MutableSet<String>: "\(Array(set).sorted())"
    case let map as Map<String, Int>: map.map { "\($0.key)\($0.value)" }.joined()
    default: value.map { "\($0)" } ?? "nil"
    }
  }

  private let releases: Releases

  init() throws {
    releases = try Releases()
    try releases.write(1, First.types) { realm in
      let item = realm.create(
        First.Item.self,
        value: [
          "id": 1, "text": "one", "list": [2, 1, 2], "set": ["a", "b"], "map": ["x": 5],
          "any": 7, "part": ["size": 3],
        ])
      item.other = item
    }
  }

  @Test(arguments: renames)
  func `the value is read by the old name before and by the new one after`(
    _ rename: Rename
  ) throws {
    try releases.open(2, Next.types) { migration, _ in
      Self.renameAll(migration)
      migration.enumerateObjects(ofType: "Item") { old, new in
        #expect(Self.text(old?[rename.old]) == rename.text)
        #expect(Self.text(new?[rename.new]) == rename.text)
        #expect(Self.text(new?[rename.swiftName ?? rename.new]) == rename.text)
      }
    } _: { realm in
      let object = try #require(realm.dynamicObjects("Item").first)
      #expect(Self.text(object[rename.swiftName ?? rename.new]) == rename.text)
    }
  }

  private static func renameAll(_ migration: Migration) {
    for rename in renames {
      migration.renameProperty(onType: "Item", from: rename.old, to: rename.new)
    }
    migration.renameProperty(onType: "Part", from: "size", to: "extent")
  }

  @Test func `a renamed property may be changed, and is queried`() throws {
    try releases.open(2, Next.types) { migration, _ in
      Self.renameAll(migration)
      migration.enumerateObjects(ofType: "Item") { old, new in
        new?["words"] = "\(old?["text_column"] as? String ?? "")!"
        new?["words_column"] = "\(new?["words"] as? String ?? "")!"
        (new?["piece"] as? MigrationObject)?["extent"] = 9
      }
    } _: { realm in
      let item = try #require(realm.object(ofType: Next.Item.self, forPrimaryKey: 1))
      #expect(item.words == "one!!" && item.piece?.extent == 9 && item.next?.key == 1)
      #expect(realm.objects(Next.Item.self).where { $0.words == "one!!" }.count == 1)
    }
  }

  @Test func `values are lost without a renaming`() throws {
    try releases.open(2, Next.types) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { old, new in
        #expect(old?["text_column"] as? String == "one" && new?["words"] as? String == "")
      }
    } _: { realm in
      let item = try #require(realm.object(ofType: Next.Item.self, forPrimaryKey: 0))
      #expect(item.numbers.isEmpty && item.piece == nil && item.anything == .none)
    }
  }

  enum Exchanged {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var text: Int
      @Persisted var label: String
    }
  }

  @Test func `a name is used again after a renaming`() throws {
    try releases.open(2, [Exchanged.Item.self]) { migration, _ in
      migration.renameProperty(onType: "Item", from: "text_column", to: "label")
      migration.renameProperty(onType: "Item", from: "id", to: "text")
    } _: { realm in
      #expect(realm.objects(Exchanged.Item.self).map { "\($0.text) \($0.label)" } == ["1 one"])
    }
  }
}

import Cadastre
import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation
import Testing

/// What becomes of properties that are added, removed, or of another type.
@Suite struct PropertyMigrationTests {
  enum Old {
    class Part: ReleaseEmbedded {
      @Persisted var size: Int?
      @Persisted var names: List<String?>
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var text: String?
      @Persisted var number: String
      @Persisted var list: List<Int?>
      @Persisted var set: MutableSet<Int?>
      @Persisted var map: Map<String, Int?>
      @Persisted var part: Part?
      @Persisted var parts: List<Part>
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  enum Added {
    class Part: ReleaseEmbedded {
      @Persisted var size: Int?
      @Persisted var names: List<String?>
      @Persisted var weight: Double
      @Persisted var marks: List<Int>
      @Persisted var color: String?
    }
    class Item: ReleaseObject {
      @Persisted var int: Int
      @Persisted var bool: Bool
      @Persisted var string: String
      @Persisted var data: Data
      @Persisted var date: Date
      @Persisted var float: Float
      @Persisted var double: Double
      @Persisted var decimal: Decimal128
      @Persisted var objectId: ObjectId
      @Persisted var uuid: UUID
      @Persisted var any: AnyRealmValue
      @Persisted var id: Int
      @Persisted var text: String?
      @Persisted var number: String
      @Persisted var list: List<Int?>
      @Persisted var set: MutableSet<Int?>
      @Persisted var map: Map<String, Int?>
      @Persisted var part: Part?
      @Persisted var parts: List<Part>
      @Persisted var optional: Int?
      @Persisted var other: Item?
      @Persisted var second: Part?
      @Persisted var strings: List<String>
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  private let releases: Releases

  init() throws {
    releases = try Releases()
    try releases.write(0, Old.types) { realm in
      for number in 0..<3 {
        let values: [Int?] = [1, nil, number, nil]
        realm.create(
          Old.Item.self,
          value: [
            "id": number, "text": number == 0 ? nil : "text \(number)", "number": "\(number * 10)",
            "list": values, "set": [nil, 0, number],
            "map": ["a": nil, "b": number], "part": number == 1 ? nil : ["names": ["x", nil]],
            "parts": [["size": number], ["size": nil]],
          ] as [String: Any?])
      }
    }
  }

  @Test func `new properties without a default hold zero`() throws {
    let seen = Guarded(-1)
    try releases.open(1, Added.types) { migration, version in
      #expect(version == 0)
      migration.enumerateObjects(ofType: "Item") { _, new in
        seen.withLock { $0 = new?["int"] as? Int ?? -1 }
      }
    } _: { realm in
      let number = seen.withLock { $0 }
      #expect(number == 0)
      let items = realm.objects(Added.Item.self)
      #expect(items.count == 3)
      for (number, item) in items.enumerated() {
        #expect(item.int == 0 && !item.bool && item.string.isEmpty && item.data.isEmpty)
        #expect(item.date == Date(timeIntervalSince1970: 0))
        #expect(item.float == 0 && item.double == 0 && item.decimal == 0)
        #expect(item.objectId == (try ObjectId(string: String(repeating: "0", count: 24))))
        #expect(item.uuid == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(item.any == .none && item.optional == nil && item.other == nil)
        #expect(item.second == nil && item.strings.isEmpty)
        // What was there is as it was.
        #expect(item.id == number && item.number == "\(number * 10)")
        #expect(Array(item.list) == [1, nil, number, nil])
        #expect(item.part?.names.map { $0 } == (number == 1 ? nil : ["x", nil]))
        #expect(item.part?.weight == (number == 1 ? nil : 0))
        #expect(item.parts.map(\.size) == [number, nil])
        #expect(item.parts.allSatisfy { $0.weight == 0 && $0.marks.isEmpty && $0.color == nil })
      }
      try realm.write {
        items[0].part?.marks.append(4)
        items[0].strings.append("new")
        items[1].part = Added.Part(value: ["weight": 2])
      }
      #expect(items[1].part?.weight == 2)
    }
  }

  enum Required {
    class Part: ReleaseEmbedded {
      @Persisted var size: Int
      @Persisted var names: List<String>
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var text: String
      @Persisted var number: String
      @Persisted var list: List<Int>
      @Persisted var set: MutableSet<Int>
      @Persisted var map: Map<String, Int>
      @Persisted var part: Part?
      @Persisted var parts: List<Part>
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  @Test func `nulls become zero where a property becomes required`() throws {
    try releases.open(1, Required.types) { realm in
      for (number, item) in realm.objects(Required.Item.self).enumerated() {
        #expect(item.text == (number == 0 ? "" : "text \(number)"))
        #expect(Array(item.list) == [1, 0, number, 0])
        #expect(Array(item.set) == Array(Set([0, number])).sorted())
        #expect(item.set.count == Set([0, number]).count)
        #expect(item.map["a"] == 0 && item.map["b"] == number)
        #expect(item.part?.names.map { $0 } == (number == 1 ? nil : ["x", ""]))
        #expect(item.part?.size == (number == 1 ? nil : 0))
        #expect(item.parts.map(\.size) == [number, 0])
      }
    }
  }

  enum Retyped {
    class Part: ReleaseEmbedded {
      @Persisted var size: String
      @Persisted var names: MutableSet<String>
    }
    class Item: ReleaseObject {
      @Persisted var id: String?
      @Persisted var text: Data?
      @Persisted var number: Int
      @Persisted var list: List<String>
      @Persisted var set: List<Int>
      @Persisted var map: Int
      @Persisted var part: List<Part>
      @Persisted var parts: Item?
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  @Test func `a value of another type is read through the old object`() throws {
    try releases.open(7, Retyped.types) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { old, new in
        guard let old, let new else {
          Issue.record("an object is missing")
          return
        }
        #expect(new["id"] == nil && new["number"] as? Int == 0 && new["map"] as? Int == 0)
        #expect((new["list"] as? List<String>)?.isEmpty == true)
        let number = old["id"] as? Int ?? -1
        new["id"] = "id \(number)"
        new["number"] = Int(old["number"] as? String ?? "")
        new["set"] = (old["set"] as? MutableSet<Int?>)?.compactMap { $0 }
        new["part"] = old.dynamicList("parts").map {
          ["size": "\($0["size"] as? Int ?? -1)"]
        }
      }
    } _: { realm in
      let items = realm.objects(Retyped.Item.self)
      #expect(items.map(\.id) == ["id 0", "id 1", "id 2"])
      #expect(items.map(\.number) == [0, 10, 20])
      #expect(items.map { Array($0.set) } == [[0], [0, 1], [0, 2]])
      #expect(items.allSatisfy { $0.text == nil && $0.parts == nil && $0.list.isEmpty })
      #expect(items[2].part.map(\.size) == ["2", "-1"])
    }
  }

  enum Fewer {
    class Item: ReleaseObject {
      @Persisted var number: String
    }
  }

  @Test func `what is removed is gone, and what it owned`() throws {
    try releases.open(1, [Fewer.Item.self]) { realm in
      #expect(realm.objects(Fewer.Item.self).map(\.number) == ["0", "10", "20"])
    }
    // The class of the parts is still in the file, and empty.
    try releases.open(2, [Fewer.Item.self, Old.Part.self]) { realm in
      #expect(realm.objects(Fewer.Item.self).count == 3)
    }
    let names = try columnNames(of: "Item")
    #expect(names == ["#key", "number"])
  }

  private func columnNames(of table: String) throws -> [String] {
    let file = try OpenStores.store(at: releases.url.path)
    let rows = try file.snapshot().connection.statement("SELECT * FROM \"\(table)\"")
    return (0..<rows.columnCount).map(rows.columnName)
  }

  enum Renamed {
    class Part: ReleaseEmbedded {
      @Persisted var extent: Int?
      @Persisted var names: List<String?>
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var words: String?
      @Persisted var code: String?
      @Persisted var numbers: List<Int?>
      @Persisted var choices: MutableSet<Int?>
      @Persisted var table: Map<String, Int?>
      @Persisted var piece: Part?
      @Persisted var pieces: List<Part>

      override class func propertiesMapping() -> [String: String] { ["words": "some_words"] }
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  @Test func `renaming keeps values of every kind`() throws {
    try releases.open(1, Renamed.types) { migration, _ in
      for (old, new) in [
        ("text", "some_words"), ("number", "code"), ("list", "numbers"), ("set", "choices"),
        ("map", "table"), ("part", "piece"), ("parts", "pieces"),
      ] {
        migration.renameProperty(onType: "Item", from: old, to: new)
      }
      migration.renameProperty(onType: "Part", from: "size", to: "extent")
      migration.enumerateObjects(ofType: "Item") { old, new in
        #expect(new?["words"] as? String == old?["text"] as? String)
        new?["code"] = "\(new?["code"] as? String ?? "")!"
      }
    } _: { realm in
      for (number, item) in realm.objects(Renamed.Item.self).enumerated() {
        #expect(item.words == (number == 0 ? nil : "text \(number)"))
        #expect(item.code == "\(number * 10)!")
        #expect(Array(item.numbers) == [1, nil, number, nil])
        #expect(Set(item.choices) == Set([nil, 0, number]))
        #expect(item.table["b"] == number && item.table.count == 2)
        #expect(item.piece?.names.map { $0 } == (number == 1 ? nil : ["x", nil]))
        #expect(item.pieces.map(\.extent) == [number, nil])
      }
    }
  }

  enum Mapped {
    enum Kind: String, PersistableEnum { case small, large }
    struct Tag: CustomPersistable, Hashable {
      var name: String
      init(name: String) { self.name = name }
      init(persistedValue: String) { name = persistedValue }
      var persistableValue: String { name }
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var text: String?
      @Persisted var number: Tag
      @Persisted var kind: Kind?
      @Persisted var tags: List<Tag>
    }
  }

  @Test func `mapped types are written and persisted types are read`() throws {
    try releases.open(1, [Mapped.Item.self]) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { old, new in
        #expect(new?["number"] as? String == old?["number"] as? String)
        new?["number"] = Mapped.Tag(name: "tag")
        #expect(new?["number"] as? String == "tag")
        new?["kind"] = Mapped.Kind.large
        new?["tags"] = [Mapped.Tag(name: "a"), Mapped.Tag(name: "b")]
        #expect(new?["kind"] as? String == "large")
      }
    } _: { realm in
      let item = try #require(realm.objects(Mapped.Item.self).first)
      #expect(item.number == Mapped.Tag(name: "tag") && item.kind == .large)
      #expect(item.tags.map(\.name) == ["a", "b"])
    }
  }
}

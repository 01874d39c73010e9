import Cadastre
import Foundation
import Testing

/// The values of existing objects in properties that a migration adds: the declared defaults, which
/// queries find.
@Suite struct DefaultMigrationTests {
  enum Size: Int, PersistableEnum { case small = 1, large }
  enum Color: String, PersistableEnum { case red, blue }

  struct Tag: CustomPersistable, Hashable {
    var name: String
    init(_ name: String) { self.name = name }
    init(persistedValue: String) { name = persistedValue.isEmpty ? "none" : persistedValue }
    var persistableValue: String { name }
  }

  struct Link: FailableCustomPersistable, Hashable {
    var name: String
    init(required name: String) { self.name = name }
    init?(persistedValue: String) {
      if persistedValue.isEmpty { return nil }
      name = persistedValue
    }
    var persistableValue: String { name }
  }

  struct Stop: CustomPersistable, Hashable {
    var x: Int
    init(_ x: Int) { self.x = x }
    init(persistedValue: StoredStop) { x = persistedValue.x }
    var persistableValue: StoredStop { StoredStop(value: ["x": x]) }
  }

  class StoredStop: ReleaseEmbedded {
    @Persisted var x = 3
  }

  enum Old {
    class Part: ReleaseEmbedded {
      @Persisted var size: Int
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var part: Part?
      @Persisted var parts: List<Part>
      @Persisted var named: Map<String, Part?>
      @Persisted var number: Int?
      @Persisted var choice: Int?
      @Persisted var choices: List<Int?>
      @Persisted var title: String?
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  /// The classes with declared defaults.
  enum Declared {
    static let date = Date(timeIntervalSince1970: 9.5)
    static let objectId = ObjectId("0123456789abcdef01234567")
    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    static func list<Element>(_ elements: Element...) -> List<Element> {
      let list = List<Element>()
      list.append(objectsIn: elements)
      return list
    }

    static func set<Element>(_ element: Element) -> MutableSet<Element> {
      let set = MutableSet<Element>()
      set.insert(element)
      return set
    }

    static func map<Element>(_ key: String, _ value: Element) -> Map<String, Element> {
      let map = Map<String, Element>()
      map[key] = value
      return map
    }

    class Label: ReleaseObject {
      @Persisted var name: String
    }
    class Part: ReleaseEmbedded {
      @Persisted var size: Int
      @Persisted var weight = 1.5
      @Persisted(indexed: true) var color = Color.blue
      @Persisted var marks: List<Int> = Declared.list(4, 2)
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var part: Part?
      @Persisted var parts: List<Part>
      @Persisted var named: Map<String, Part?>
      @Persisted var number = 9
      @Persisted var choice = Size.large
      @Persisted var choices: List<Int?>
      @Persisted var title = 8

      @Persisted(indexed: true) var int = 5
      @Persisted var int8: Int8 = -3
      @Persisted var least = Int.min
      @Persisted var bool = true
      @Persisted var float: Float = 0.1
      @Persisted var double = 0.1
      @Persisted var infinite = -Double.infinity
      @Persisted var negativeZero = -0.0
      @Persisted var string = "it's"
      @Persisted var withNull = "a\0b"
      @Persisted(fullText: true) var words = "red house"
      @Persisted var data = Data([0, 1])
      @Persisted var date = Declared.date
      @Persisted var decimal: Decimal128 = "1.50"
      @Persisted(indexed: true) var objectId = Declared.objectId
      @Persisted var uuid = Declared.uuid
      @Persisted var anything: AnyRealmValue = .string("a")
      @Persisted var anyDouble: AnyRealmValue = .double(2)
      @Persisted var anyList: AnyRealmValue = .fromArray([.int(1), .string("b")])
      @Persisted(indexed: true) var size = Size.large
      @Persisted var tag = Tag("t")
      @Persisted var link = Link(required: "l")
      @Persisted var stop = Stop(7)
      @Persisted var second: Part? = Part(value: ["size": 7])
      @Persisted var label: Label? = Label()
      @Persisted var labels: List<Label> = Declared.list(Label())

      @Persisted var optionalInt: Int? = 6
      @Persisted var optionalSize: Size? = .large
      @Persisted var optionalTag: Tag? = Tag("o")
      @Persisted var optionalStop: Stop? = Stop(8)
      @Persisted var optionalDate: Date? = Declared.date
      @Persisted var optionalLink: Link?

      @Persisted var ints: List<Int> = Declared.list(2, 1)
      @Persisted var sizes: List<Size> = Declared.list(.large)
      @Persisted var stops: List<Stop> = Declared.list(Stop(4))
      @Persisted var more: List<Part> = Declared.list(Part(value: ["size": 6]))
      @Persisted var names: MutableSet<String> = Declared.set("s")
      @Persisted var counts: Map<String, Int> = Declared.map("k", 1)
      @Persisted var byName: Map<String, Part?> = Declared.map("p", Part(value: ["size": 5]))
    }
    static let types: [ObjectBase.Type] = [
      Item.self, Part.self, Label.self, StoredStop.self,
    ]
  }

  private let releases: Releases

  init() throws {
    releases = try Releases()
    try releases.write(1, Old.types) { realm in
      for id in 0..<3 {
        realm.create(
          Old.Item.self,
          value: [
            "id": id, "part": id == 1 ? nil : ["size": id], "parts": [["size": id]],
            "named": ["a": ["size": id]], "number": id == 0 ? nil : id,
            "choice": id == 0 ? nil : 1, "choices": [nil, 2] as [Int?], "title": "x",
          ] as [String: Any?])
      }
    }
  }

  @Test(arguments: [false, true])
  func `existing objects have the declared defaults`(_ hasBlock: Bool) throws {
    let block: ThrowingMigrationBlock = { migration, _ in
      var count = 0
      migration.enumerateObjects(ofType: "Item") { _, new in
        #expect(new?["int"] as? Int == 5 && new?["size"] as? Int == 2)
        #expect(new?["tag"] as? String == "t" && new?["uuid"] as? UUID == Declared.uuid)
        #expect((new?["ints"] as? List<Int>).map(Array.init) == [2, 1])
        count += 1
      }
      #expect(count == 3)
    }
    try releases.open(2, Declared.types, hasBlock ? block : nil) { realm in
      let items = realm.objects(Declared.Item.self)
      #expect(items.count == 3 && realm.objects(Declared.Label.self).isEmpty)
      for item in items {
        #expect(item.int == 5 && item.int8 == -3 && item.least == .min && item.bool)
        #expect(item.float == 0.1 && item.double == 0.1 && item.infinite == -.infinity)
        #expect(item.negativeZero == 0 && item.negativeZero.sign == .minus)
        #expect(item.string == "it's" && item.withNull == "a\0b" && item.words == "red house")
        #expect(item.data == Data([0, 1]) && item.date == Declared.date)
        #expect(item.decimal == "1.5" && item.objectId == Declared.objectId)
        #expect(item.uuid == Declared.uuid && item.anything == .string("a"))
        #expect(item.anyDouble == .double(2))
        #expect(item.anyList.listValue.map(Array.init) == [.int(1), .string("b")])
        #expect(item.size == .large && item.tag == Tag("t") && item.link == Link(required: "l"))
        #expect(item.stop == Stop(7) && item.second?.size == 7 && item.second?.weight == 1.5)
        #expect(item.label == nil && item.labels.isEmpty)
        #expect(item.optionalInt == 6 && item.optionalSize == .large)
        #expect(item.optionalTag == Tag("o") && item.optionalStop == Stop(8))
        #expect(item.optionalDate == Declared.date && item.optionalLink == nil)
        #expect(Array(item.ints) == [2, 1] && Array(item.sizes) == [.large])
        #expect(Array(item.stops) == [Stop(4)] && item.more.map(\.size) == [6])
        #expect(Array(item.names) == ["s"] && item.counts["k"] == 1)
        #expect((item.byName["p"] ?? nil)?.marks.count == 2)
        let parts = [item.part, item.parts.first, item.named["a"] ?? nil].compactMap { $0 }
        #expect(parts.count == (item.id == 1 ? 2 : 3))
        for part in parts {
          #expect(part.size == item.id && part.weight == 1.5 && part.color == .blue)
          #expect(Array(part.marks) == [4, 2])
        }
      }
      #expect(realm.readError == nil)
    }
  }

  @Test func `queries, orders and aggregates find the declared defaults`() throws {
    try releases.open(2, Declared.types) { realm in
      let items = realm.objects(Declared.Item.self)
      for predicate in [
        "int == 5", "int8 == -3", "bool == true", "float > 0.09 AND float < 0.11",
        "double == 0.1", "string == \"it's\"", "words TEXT 'house'", "decimal == 1.5",
        "anything == 'a'", "size == 2", "tag == 't'", "stop.x == 7", "second.size == 7",
        "second.color == 'blue'", "optionalInt == 6", "optionalSize == 2", "optionalTag == 'o'",
        "optionalStop.x == 8", "ANY ints == 1", "ANY sizes == 2", "ANY stops.x == 4",
        "ANY more.weight == 1.5", "ANY names == 's'", "ANY parts.color == 'blue'",
        "ANY parts.marks == 4", "label == nil", "optionalLink == nil", "title == 8",
      ] {
        #expect(items.filter(predicate).count == 3, "\(predicate)")
      }
      #expect(items.filter("part.weight == 1.5").map(\.id) == [0, 2])
      #expect(items.filter("ANY part.marks == 2").map(\.id) == [0, 2])
      #expect(items.filter("int != 5 OR size != 2 OR string != \"it's\"").isEmpty)
      #expect(items.where { $0.size == .large && $0.tag == Tag("t") }.count == 3)
      #expect(items.where { $0.stop == Stop(7) && $0.optionalStop == Stop(8) }.count == 3)
      #expect(items.where { $0.uuid == Declared.uuid && $0.date == Declared.date }.count == 3)
      #expect(items.where { $0.objectId == Declared.objectId }.count == 3)
      #expect(items.sum(of: \.int) == 15 && items.max(of: \.double) == 0.1)
      #expect(items.sorted(byKeyPath: "size").map(\.id) == [0, 1, 2])
      #expect(items.distinct(by: ["size", "string"]).count == 1)
    }
  }

  @Test func `nulls become the declared default where a property becomes required`() throws {
    try releases.open(2, Declared.types) { realm in
      let items = realm.objects(Declared.Item.self)
      #expect(items.map(\.number) == [9, 1, 2] && items.map(\.title) == [8, 8, 8])
      #expect(items.map(\.choice) == [.large, .small, .small])
      #expect(items.where { $0.choice == .large }.map(\.id) == [0])
    }
  }

  /// Classes with properties that have no default.
  enum Bare {
    class Part: ReleaseEmbedded {
      @Persisted var size: Int
      @Persisted var color: Color
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var part: Part?
      @Persisted var parts: List<Part>
      @Persisted var named: Map<String, Part?>
      @Persisted var number: Int?
      @Persisted var choice: Size
      @Persisted var choices: List<Size>
      @Persisted var title: Size
      @Persisted(indexed: true) var size: Size
      @Persisted var color: Color
      @Persisted var tag: Tag
      @Persisted var stop: Stop
      @Persisted var link: Link
      @Persisted var optionalSize: Size?
      @Persisted var optionalStop: Stop?
      @Persisted var sizes: List<Size>
      @Persisted var date: Date
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self, StoredStop.self]
  }

  @Test func `without a default, what a property reads as is found`() throws {
    try releases.open(2, Bare.types) { realm in
      let items = realm.objects(Bare.Item.self)
      for item in items {
        #expect(item.size == .small && item.color == .red && item.title == .small)
        #expect(item.tag == Tag("none") && item.stop == Stop(3) && item.choice == .small)
        #expect(Array(item.choices) == [.small, .large] && item.sizes.isEmpty)
        #expect(item.optionalSize == nil && item.optionalStop == nil)
        #expect(item.date == Date(timeIntervalSince1970: 0) && item.parts.first?.color == .red)
        // Its mapping refuses the zero, so that the property needs a default.
        #expect(item["link"] as? String == "")
      }
      for predicate in [
        "size == 1", "color == 'red'", "tag == 'none'", "stop.x == 3", "choice == 1",
        "ANY choices == 1", "title == 1", "ANY parts.color == 'red'",
      ] {
        #expect(items.filter(predicate).count == 3, "\(predicate)")
      }
      #expect(items.where { $0.size == .small && $0.tag == Tag("none") }.count == 3)
      #expect(items.where { $0.stop == Stop(3) }.count == 3)
      #expect(realm.readError == nil)
    }
  }

  enum Evaluated {
    class Item: ReleaseObject {
      @Persisted(primaryKey: true) var key = UUID().uuidString
      @Persisted var id: Int
      @Persisted var token = UUID()
      @Persisted var objectId = ObjectId.generate()
      @Persisted var made = Date()
    }
  }

  @Test func `a default that differs is evaluated for each object`() throws {
    try releases.open(2, [Evaluated.Item.self]) { realm in
      let items = realm.objects(Evaluated.Item.self)
      #expect(Set(items.map(\.key)).count == 3 && Set(items.map(\.token)).count == 3)
      #expect(Set(items.map(\.objectId)).count == 3)
      #expect(items.allSatisfy { $0.made > Date(timeIntervalSince1970: 0) })
      let first = try #require(items.first)
      #expect(realm.object(ofType: Evaluated.Item.self, forPrimaryKey: first.key)?.id == first.id)
      #expect(items.where { $0.token == first.token }.map(\.id) == [first.id])
    }
  }

  enum Renamed {
    class Part: ReleaseEmbedded {
      @Persisted var size = 3
    }
    class Item: ReleaseObject {
      @Persisted var id: Int
      @Persisted var piece: Part? = Part()
      @Persisted var pieces: List<Part> = Declared.list(Part())
      @Persisted var count: Int? = 4
      @Persisted var choices: List<Int?>
    }
    static let types: [ObjectBase.Type] = [Item.self, Part.self]
  }

  @Test func `a renamed property keeps its values, also null`() throws {
    try releases.open(2, Renamed.types) { migration, _ in
      for (old, new) in [("part", "piece"), ("parts", "pieces"), ("number", "count")] {
        migration.renameProperty(onType: "Item", from: old, to: new)
      }
    } _: { realm in
      let items = realm.objects(Renamed.Item.self)
      #expect(items.map { $0.piece?.size } == [0, nil, 2])
      #expect(items.map { $0.pieces.map(\.size) } == [[0], [1], [2]])
      #expect(items.map(\.count) == [nil, 1, 2])
    }
  }

  enum Pointed {
    class Spot: ReleaseEmbedded {
      @Persisted var coordinates: List<Double>
    }
    class Place: ReleaseObject {
      @Persisted var spot: Spot?
    }
    static let types: [ObjectBase.Type] = [Place.self, Spot.self]
  }

  enum Typed {
    class Spot: ReleaseEmbedded {
      @Persisted var type = "Point"
      @Persisted var coordinates: List<Double>
    }
    class Place: ReleaseObject {
      @Persisted var spot: Spot?
    }
    static let types: [ObjectBase.Type] = [Place.self, Spot.self]
  }

  @Test func `an embedded class that becomes a point is one in existing objects`() throws {
    let releases = try Releases()
    try releases.write(1, Pointed.types) { realm in
      realm.create(Pointed.Place.self, value: ["spot": ["coordinates": [2.0, 49.0]]])
    }
    try releases.open(2, Typed.types) { realm in
      let places = realm.objects(Typed.Place.self)
      #expect(places.first?.spot?.type == "Point")
      #expect(places.first?.spot.map { Array($0.coordinates) } == [2, 49])
      #expect(places.filter("spot GEOWITHIN geoBox([1, 48], [3, 50])").count == 1)
    }
  }

  enum Embedded {
    class Tag: ReleaseObject {
      @Persisted var name: String
    }
    class Owner: ReleaseObject {
      @Persisted var tag: Tag?
    }
    static let types: [ObjectBase.Type] = [Owner.self, Tag.self]
  }

  enum Folded {
    class Tag: ReleaseEmbedded {
      @Persisted var name: String
      @Persisted var size = Size.large
      @Persisted var marks: List<Int> = Declared.list(1)
    }
    class Owner: ReleaseObject {
      @Persisted var tag: Tag?
    }
    static let types: [ObjectBase.Type] = [Owner.self, Tag.self]
  }

  @Test func `a class that becomes embedded has its new defaults`() throws {
    let releases = try Releases()
    try releases.write(1, Embedded.types) { realm in
      realm.create(Embedded.Owner.self, value: ["tag": ["name": "t"]])
    }
    try releases.open(2, Folded.types) { realm in
      let owners = realm.objects(Folded.Owner.self)
      let tag = try #require(owners.first?.tag)
      #expect(tag.name == "t" && tag.size == .large && Array(tag.marks) == [1])
      #expect(owners.filter("tag.size == 2 AND ANY tag.marks == 1").count == 1)
    }
  }

  enum Plain {
    class Item: ReleaseObject {
      @Persisted var kind: Int
    }
  }

  enum Coded {
    class Item: ReleaseObject {
      @Persisted var kind: Size
    }
  }

  @Test func `a zero without a case reads as the first case, and the file is not called damaged`()
    throws
  {
    let releases = try Releases()
    try releases.write(1, [Plain.Item.self]) { $0.create(Plain.Item.self) }
    try releases.open(1, [Coded.Item.self]) { realm in
      #expect(realm.objects(Coded.Item.self).map(\.kind) == [.small])
      let message = realm.readError?.description ?? ""
      #expect(message.contains("'Item.kind' holds a value that type 'Size' cannot hold"))
      #expect(!message.contains("damaged"), "\(message)")
    }
    try releases.open(2, [Coded.Item.self]) { migration, _ in
      migration.enumerateObjects(ofType: "Item") { _, new in new?["kind"] = Size.small }
    } _: { realm in
      #expect(realm.objects(Coded.Item.self).where { $0.kind == .small }.count == 1)
    }
  }
}

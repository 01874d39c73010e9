import Cadastre
import Foundation
import Testing

/// Links, embedded objects and values of any type in encoded objects.
@Suite struct EncodedLinkTests {
  private typealias Port = Linking.Port
  private let realm: Realm

  init() throws {
    realm = try Linking.realm()
    try realm.write {
      let first = realm.create(
        Port.self,
        value: [
          "code": "A", "spot": ["type": "point", "coordinates": [2.5, 49.0]], "note": ["n"],
          "notes": [["m"]],
        ] as [String: Any])
      let second = realm.create(
        Port.self,
        value: ["code": "B", "next": first, "others": [first], "byName": ["x": first, "y": nil]]
          as [String: Any?])
      first.next = second
      first.spot?.nearTo = second
      first.mixed = .fromDictionary([
        "list": .fromArray([.int(1), .string("a"), .none, .object(second)]), "yes": .bool(true),
      ])
    }
  }

  private func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func port(_ code: String) throws -> Port {
    try #require(realm.object(ofType: Port.self, forPrimaryKey: code))
  }

  private static let emptyTail = #""mixed":null,"nest":null"#

  @Test func `without depth a link is its key, and one without key is left out`() throws {
    let expected = """
      {"byName":{},"code":"A","mixed":{"list":[1,"a",null,"B"],"yes":true},"nest":null,\
      "next":"B","others":[],"spot":{"coordinates":[2.5,49],"nearTo":"B","type":"Point"}}
      """
    #expect(try text(port("A").encoded(depth: 0)) == expected)
    #expect(try text(port("A").freeze().encoded(depth: 0)) == expected)
  }

  @Test func `a cycle of links ends with the depth`() throws {
    let keyed = try text(port("A").encoded(depth: 0))
    let once = """
      {"byName":{"x":\(keyed),"y":null},"code":"B",\(Self.emptyTail),"next":\(keyed),"note":null,\
      "notes":[],"others":[\(keyed)],"spot":null}
      """
    #expect(try text(port("B").encoded()) == once)
    let twice = try text(port("A").encoded(depth: 2))
    #expect(
      twice == """
        {"byName":{},"code":"A","mixed":{"list":[1,"a",null,\(once)],"yes":true},"nest":null,\
        "next":\(once),"note":{"text":"n"},"notes":[{"text":"m"}],"others":[],\
        "spot":{"coordinates":[2.5,49],"nearTo":\(once),"type":"Point"}}
        """)
  }

  @Test func `an unmanaged object is encoded as the managed one`() throws {
    let port = Port(value: ["code": "C", "next": ["code": "D"], "notes": [["text": "n"]]])
    port.next?.next = port
    let managed = try realm.write {
      realm.create(
        Port.self, value: ["code": "C", "next": ["code": "D"], "notes": [["text": "n"]]])
    }
    try realm.write { managed.next?.next = managed }
    for depth in 0...3 { #expect(try port.encoded(depth: depth) == managed.encoded(depth: depth)) }
    #expect(try managed.notes.encoded() == port.notes.encoded())
  }

  @Test func `collections, sections, linking objects and parts of them are encoded`() throws {
    let all = realm.objects(Port.self).sorted(by: \.code)
    let (first, second) = (try port("A").encoded(), try port("B").encoded())
    #expect(try all.encoded() == [first, second])
    #expect(try all.prefix(1).encoded() == [first] && all.reversed().encoded() == [second, first])
    #expect(try all.sectioned(by: \.code)[1].encoded() == [second])
    #expect(try port("A").previous.encoded() == [second])
    #expect(try port("B").others.encoded() == [first])
    #expect(try port("B").byName.encoded() == ["x": first, "y": nil])
    #expect(try AnyRealmCollection(all).encoded() == [first, second])
    #expect(try all.where { $0.code == "none" }.encoded().isEmpty)
    #expect(try #require(try port("A").spot).encoded(depth: 0) == spot())
  }

  private func spot() throws -> EncodedObject {
    let spot = Linking.Spot(value: ["coordinates": [2.5, 49], "nearTo": ["code": "B"]])
    return try spot.encoded(depth: 0)
  }

  @Test func `projections are encoded under their names`() throws {
    let expected = """
      {"anything":null,"name":"B","nextName":"A","nextPort":"A","otherNames":["A"],"position":null}
      """
    let views = realm.objects(Linking.PortView.self).where { $0.code == "B" }
    #expect(try text(views.encoded(depth: 0)) == "[\(expected)]")
    #expect(try text(try #require(views.first).encoded(depth: 0)) == expected)
    let first = try #require(realm.objects(Linking.PortView.self).first)
    #expect(try text(first.encoded(depth: 0)).contains(#""position":[2.5,49]"#))
  }

  @Test func `objects known by the names of their classes are encoded as those of their classes`()
    throws
  {
    let typed = realm.objects(Port.self)
    for depth in 0...2 {
      #expect(try realm.dynamicObjects("Port").encoded(depth: depth) == typed.encoded(depth: depth))
    }
  }

  @Test func `frozen results are encoded by many tasks at the same time`() async throws {
    let expected = try realm.objects(Port.self).encoded(depth: 2)
    let ports = Frozen(realm.objects(Port.self))
    try await withThrowingTaskGroup(of: [EncodedObject].self) { group in
      for _ in 0..<16 { group.addTask { try ports.value.encoded(depth: 2) } }
      for try await copies in group { #expect(copies == expected) }
    }
  }

  @Test func `encoded objects leave the actor and do not change`() async throws {
    let objects = try realm.objects(Port.self).encoded(depth: 0)
    let before = try text(objects)
    try realm.write { realm.deleteAll() }
    let after = await Task.detached { try? JSONEncoder().encode(objects).count }.value
    #expect(after == before.utf8.count)
  }

  @Test func `documents that lead to each other are read in any order`() throws {
    let documents = try realm.objects(Port.self).sorted(by: \.code, ascending: false)
      .map { try text($0.encoded(depth: 0)) }
    let other = try Linking.realm()
    for document in documents {
      let value = try JSONSerialization.jsonObject(with: Data(document.utf8))
      try other.write { try other.create(checking: Port.self, value: value, update: .modified) }
    }
    let copies = try other.objects(Port.self).sorted(by: \.code, ascending: false)
      .map { try text($0.encoded(depth: 0)) }
    #expect(copies == documents)
    // A link leaves its object as it is, whatever the policy.
    try other.write {
      try other.create(checking: Port.self, value: ["code": "B", "next": "A"], update: .all)
    }
    let first = try #require(other.object(ofType: Port.self, forPrimaryKey: "A"))
    #expect(try text(first.encoded(depth: 0)) == documents[1])
    #expect(other.objects(Port.self).count == 2)
  }

  @Test func `a link by a key of another type is an error`() throws {
    for value in [
      ["code": "Z", "next": 5], ["code": "Z", "note": "x"], ["code": "Z", "nest": "x"],
    ]
      as [[String: Any]]
    {
      #expect(throws: InvalidValueError.self) {
        try realm.write { try realm.create(checking: Port.self, value: value) }
      }
    }
    #expect(realm.objects(Port.self).count == 2)
  }

  @Test func `too many levels are an error`() throws {
    #expect(throws: EncodingError.self) { try port("A").encoded(depth: .max) }
    let nest = Linking.Nest()
    nest.inner = nest
    #expect(throws: EncodingError.self) { try nest.encoded() }
    var inner = Linking.Nest()
    for _ in 1..<200 { inner = Linking.Nest(value: ["inner": inner]) }
    #expect(try text(inner.encoded()).utf8.count == 200 * #"{"inner":}"#.utf8.count + 4)
    #expect(throws: EncodingError.self) { try Linking.Nest(value: ["inner": inner]).encoded() }
  }
}

import Cadastre
import Foundation
import Testing

/// Adding and creating with update policies, over collections and embedded objects.
@Suite struct CreatingTests {
  private let realm: Realm

  init() throws { realm = try everyRealm() }

  private static var value: [String: Any] {
    [
      "id": 1, "any": ["a": [1, "x", NSNull(), ["deep": 2.5]]], "ints": [1, 2],
      "optionalInts": [1, nil, NSNull()] as [Any?], "strings": ["a"],
      "dates": [Date(timeIntervalSince1970: 5)],
      "anys": [1, "s", [2]] as [Any], "grades": [Grade.high, "low"] as [Any], "intSet": [3, 3, 4],
      "intMap": ["k": 1], "stringMap": ["k": "v", "n": NSNull()], "anyMap": ["k": [1]],
      "link": ["name": "l", "next": ["name": "m"]], "links": [["n1"], ["name": "n2"]],
      "linkSet": [["name": "n3"]], "linkMap": ["k": ["name": "n4"], "n": NSNull()],
      "spot": ["name": "s", "words": ["w"]], "knot": ["text": "k", "next": ["text": "k2"]],
      "knots": [["a", [1, 2]] as [Any], ["text": "b", "more": [["text": "c"]]]],
      "knotMap": ["k": ["text": "d"], "n": NSNull()],
    ]
  }

  private func check(_ every: Every) {
    let inner = every.any.dictionaryValue?["a"]?.listValue
    #expect(inner?[0] == .int(1) && inner?[1] == .string("x") && inner?[2] == AnyRealmValue.none)
    #expect(inner?[3].dictionaryValue?["deep"] == .double(2.5))
    #expect(Array(every.optionalInts) == [1, nil, nil])
    #expect(Array(every.grades) == [.high, .low])
    #expect(Set(every.intSet) == [3, 4])
    #expect(every.stringMap["n"] == .some(nil) && every.stringMap["k"] == "v")
    #expect(every.anys[2].listValue?[0] == .int(2))
    #expect(every.link?.next?.name == "m")
    #expect(every.links.map(\.name) == ["n1", "n2"])
    #expect(every.linkSet.first?.name == "n3")
    #expect((every.linkMap["k"] ?? nil)?.name == "n4" && every.linkMap["n"] == .some(nil))
    #expect(every.spot?.words.first == "w")
    #expect(every.knot?.next?.text == "k2")
    #expect(every.knots.map(\.text) == ["a", "b"] && Array(every.knots[0].numbers) == [1, 2])
    #expect(every.knots[1].more[0].text == "c")
    #expect((every.knotMap["k"] ?? nil)?.text == "d" && every.knotMap["n"] == .some(nil))
  }

  @Test func `a dictionary gives every property its value`() throws {
    check(Every(value: Self.value))
    try realm.write { check(realm.create(Every.self, value: Self.value)) }
    check(try #require(realm.object(ofType: Every.self, forPrimaryKey: 1)))
  }

  @Test func `dictionaries may have values of one type`() throws {
    func values() -> [String: Any] {
      [
        "id": 1, "intMap": ["a": 1, "b": 2] as [String: Int],
        "stringMap": ["k": "v", "n": nil] as [String: String?],
        "any": ["x": 1.5] as [String: Double], "knot": ["text": "t"] as [String: String],
        "linkMap": ["k": Other(value: ["name": "o"])] as [String: Other],
      ]
    }
    func check(_ every: Every) {
      #expect(every.intMap["a"] == 1 && every.intMap["b"] == 2)
      #expect(every.stringMap["k"] == "v" && every.stringMap["n"] == .some(nil))
      #expect(every.any.dictionaryValue?["x"] == .double(1.5))
      #expect(every.knot?.text == "t")
      #expect((every.linkMap["k"] ?? nil)?.name == "o")
    }
    check(Every(value: values()))
    try realm.write { check(realm.create(Every.self, value: values())) }
    check(try #require(realm.object(ofType: Every.self, forPrimaryKey: 1)))
  }

  @Test func `modified leaves what a dictionary does not name`() throws {
    try realm.write {
      realm.create(Every.self, value: Self.value)
      realm.create(Every.self, value: ["id": 1, "grade": Grade.high], update: .modified)
      let every = realm.create(
        Every.self, value: ["id": 1, "knots": [["text": "z"]], "linkMap": ["q": ["name": "n4"]]],
        update: .modified)
      #expect(every.knots.map(\.text) == ["z"])
      #expect(every.linkMap.keys == ["q"])
    }
    let every = try #require(realm.object(ofType: Every.self, forPrimaryKey: 1))
    #expect(every.grade == .high && every.knotMap.count == 2)
    #expect(realm.objects(Other.self).count == 6)
    try realm.write { realm.create(Every.self, value: ["id": 1, "ints": [7]], update: .all) }
    #expect(Array(every.ints) == [7] && every.grade == .low && every.knotMap.isEmpty)
  }

  @Test func `an update changes all properties or those that differ`() throws {
    try realm.write { realm.create(Every.self, value: Self.value) }
    for policy in [Realm.UpdatePolicy.all, .modified] {
      let other = Every(value: ["id": 1, "ints": [9], "links": [["name": "n1", "rank": 5]]])
      other.knots.append(Knot("only"))
      try realm.write { realm.add(other, update: policy) }
      let every = try #require(realm.object(ofType: Every.self, forPrimaryKey: 1))
      #expect(Array(every.ints) == [9] && every.links[0].rank == 5)
      #expect(every.knots.map(\.text) == ["only"] && every.spot == nil && every.knot == nil)
      #expect(every.intMap.isEmpty && every.intSet.isEmpty && every.any == .none)
      #expect(realm.objects(Every.self).count == 1)
    }
  }

  @Test func `an object updated with itself stays what it is`() throws {
    try realm.write {
      let every = realm.create(Every.self, value: Self.value)
      realm.create(Every.self, value: every, update: .all)
      realm.create(Every.self, value: every, update: .modified)
      check(every)
    }
    #expect(realm.objects(Other.self).count == 6)
  }

  @Test func `objects of another Realm are copied with all they hold`() throws {
    let other = try everyRealm()
    let source = try other.write { other.create(Every.self, value: Self.value) }
    try other.write {
      source.anys.append(.object(try #require(source.link)))
      source.link?.friends.append(try #require(source.link))
    }
    let copy = try realm.write { realm.create(Every.self, value: source) }
    check(copy)
    #expect(copy.realm == realm && copy.links[0].realm == realm)
    #expect(copy.link?.friends.first?.isSameObject(as: copy.link) == true)
    #expect(copy.anys[3].object(Other.self)?.isSameObject(as: copy.link) == true)
    #expect(realm.objects(Other.self).count == 6)
    check(source)
  }

  // A link of an object without its Swift class was copied instead of set.
  @Test func `objects without their Swift class are links like others`() throws {
    try realm.write {
      realm.create(Every.self, value: Self.value)
      let every = try #require(realm.dynamicObjects("Every").first)
      #expect((every["link"] as? Other)?.name == "l")
      let dynamic = try #require(realm.dynamicObject(ofType: "Other", forPrimaryKey: "l"))
      let second = realm.create(Every.self, value: ["id": 2, "link": dynamic, "links": [dynamic]])
      #expect(second.link?.name == "l" && second.links[0].name == "l")
      every["link"] = realm.dynamicObject(ofType: "Other", forPrimaryKey: "n1")
      #expect((every["link"] as? Other)?.name == "n1")
      every["links"] = [dynamic]
      #expect((every["links"] as? List<DynamicObject>)?.map { $0["name"] as? String } == ["l"])
    }
    #expect(realm.objects(Other.self).count == 6)
    let source = try #require(realm.dynamicObjects("Every").first)
    let second = try everyRealm()
    let copy = try second.write { second.create(Every.self, value: source) }
    #expect(copy.link?.name == "n1" && second.objects(Other.self).count == 5)
  }

  @Test func `graphs with cycles are added once`() throws {
    let (first, second) = (Other("a"), Other("b"))
    first.friends.append(objectsIn: [second, first, second])
    second.friends.append(first)
    second.next = first
    try realm.write { realm.add(first) }
    #expect(realm.objects(Other.self).count == 2)
    #expect(first.friends.map(\.name) == ["b", "a", "b"])
    #expect(second.friends[0].isSameObject(as: first))
    #expect(first.byNext.count == 1)
  }

  @Test func `a hundred levels are allowed`() throws {
    var value = AnyRealmValue.object(Other("leaf"))
    for level in 0..<100 {
      value = level % 2 == 0 ? .fromArray([value]) : .fromDictionary(["k": value])
    }
    let every = Every()
    every.any = value
    try realm.write { realm.add(every) }
    var read = every.any
    for level in (0..<100).reversed() {
      read = try #require(level % 2 == 0 ? read.listValue?.first : read.dictionaryValue?["k"])
    }
    #expect(read.object(Other.self)?.name == "leaf")
  }

  @Test func `defaults are those of the documentation`() throws {
    let start = Date()
    let (first, second) = (Defaults(), Defaults())
    #expect(first.uuid != second.uuid && first.id != second.id)
    #expect(first.zeros == ObjectId() && "\(first.zeros)" == String(repeating: "0", count: 24))
    #expect(first.now >= start && first.now <= Date())
    #expect(first.grade == .low && first.decimal == 0 && first.data.isEmpty && first.text == "")
    #expect(first.any == .none && first.optional == nil && first.list.isEmpty && first.number == 0)
  }
}

class Defaults: Object {
  @Persisted var uuid: UUID
  @Persisted var id: ObjectId
  @Persisted var zeros = ObjectId()
  @Persisted var now: Date
  @Persisted var grade: Grade
  @Persisted var decimal: Decimal128
  @Persisted var data: Data
  @Persisted var text: String
  @Persisted var number: Int
  @Persisted var any: AnyRealmValue
  @Persisted var optional: Int?
  @Persisted var list: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

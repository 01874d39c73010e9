import Cadastre
import Foundation
import Testing

class Kennel: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var hounds: List<Hound>
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Cadastre.Map<String, Int>
  @Persisted var extra: AnyRealmValue
}

class Hound: Object {
  @Persisted(indexed: true) var name = ""
  @Persisted var age: Int?
  @Persisted var friend: Hound?
  @Persisted(originProperty: "hounds") var kennels: LinkingObjects<Kennel>
}

/// Query texts on collections, and with SORT, DISTINCT and LIMIT.
@Suite struct QueryTextTests {
  let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Kennel.self, Hound.self]))
    try realm.write {
      let hounds = [("Rex", 3), ("Ada", 7), ("Bo", nil), ("Cy", 3)].map { name, age in
        realm.create(Hound.self, value: ["name": name, "age": age as Any])
      }
      hounds[1].friend = hounds[0]
      realm.create(
        Kennel.self,
        value: [
          "name": "North", "hounds": [hounds[0], hounds[1]], "tags": ["warm", "old"],
          "scores": ["rooms": 4, "food": 9],
        ])
      realm.create(
        Kennel.self,
        value: ["name": "South", "hounds": [hounds[2]], "tags": ["new"], "scores": ["rooms": 2]])
      let empty = realm.create(Kennel.self, value: ["name": "West"])
      empty.extra = .fromDictionary([
        "dog": .object(hounds[1]), "n": .fromArray([.int(1), .int(5)]),
      ])
    }
  }

  private func kennels(_ text: String, _ arguments: Any?...) throws -> [String] {
    try realm.objects(Kennel.self).filter(parsing: text, arguments: arguments).map(\.name)
  }

  @Test func `collections are queried in text`() throws {
    #expect(try kennels("ANY hounds.age > 5") == ["North"])
    #expect(try kennels("ALL hounds.age > 2") == ["North", "West"])
    #expect(try kennels("NONE hounds.name BEGINSWITH 'R'") == ["South", "West"])
    #expect(try kennels("hounds.@count == 0") == ["West"])
    #expect(try kennels("hounds.@avg.age == 5") == ["North"])
    #expect(try kennels("hounds.@sum.age == 0") == ["South", "West"])
    #expect(try kennels("SUBQUERY(hounds, $h, $h.age == 3).@count == 1") == ["North"])
    #expect(try kennels("'old' IN tags") == ["North"])
    #expect(try kennels("scores['rooms'] < 3") == ["South"])
    #expect(try kennels("scores.@keys == 'food'") == ["North"])
    #expect(try kennels("hounds[LAST].name == 'Ada'") == ["North"])
    #expect(try kennels("hounds.friend.name == 'Rex'") == ["North"])
    #expect(try kennels("extra['n'][1] == 5") == ["West"])
    #expect(try kennels("extra['dog'].friend.name == 'Rex'") == ["West"])
    #expect(try kennels("tags == {'old', 'warm'}") == ["North"])
    let rex = try #require(realm.objects(Hound.self).first)
    #expect(try kennels("%@ IN hounds", rex) == ["North"])
    #expect(try kennels("ANY hounds == %@ AND name != 'North'", rex) == [])
  }

  @Test func `linking objects are queried`() throws {
    let hounds = realm.objects(Hound.self)
    #expect(hounds.filter("kennels.name == 'South'").map(\.name) == ["Bo"])
    #expect(hounds.filter("kennels.@count == 0").map(\.name) == ["Cy"])
    #expect(hounds.filter("@links.Kennel.hounds.scores['food'] == 9").count == 2)
    #expect(hounds.filter("ANY kennels.tags == 'new'").map(\.name) == ["Bo"])
    #expect(hounds.filter("@links.@count > 1").map(\.name) == ["Rex", "Ada"])
  }

  @Test func `elements of a list are queried`() throws {
    let north = try #require(realm.object(ofType: Kennel.self, forPrimaryKey: "North"))
    #expect(north.hounds.filter("kennels.name == 'North' AND friend != nil").map(\.name) == ["Ada"])
    #expect(north.hounds.filter("kennels.@count == 1").count == 2)
  }

  @Test func `results of conditions on collections are live`() throws {
    let old = realm.objects(Kennel.self).filter("ANY hounds.age > 5")
    let crowded = realm.objects(Kennel.self).filter("hounds.@count > 2")
    let tagged = realm.objects(Kennel.self).filter("ANY tags == 'big'")
    let housed = realm.objects(Hound.self).filter("kennels.@count > 0")
    func counts() -> [Int] { [old.count, crowded.count, tagged.count, housed.count] }
    #expect(counts() == [1, 0, 0, 3])
    let west = try #require(realm.object(ofType: Kennel.self, forPrimaryKey: "West"))
    try realm.write {
      west.hounds.append(objectsIn: realm.objects(Hound.self))
      west.tags.insert("big")
      #expect(counts() == [2, 1, 1, 4])
      realm.objects(Hound.self)[1].age = 1
      #expect(old.count == 0)
    }
    #expect(counts() == [0, 1, 1, 4])
  }

  @Test func `a whole text says order and number`() throws {
    let hounds = realm.objects(Hound.self)
    func names(_ text: String, _ arguments: Any?...) throws -> [String] {
      try hounds.query(parsing: text, arguments: arguments).map(\.name)
    }
    #expect(try names("TRUEPREDICATE SORT(name ASC)") == ["Ada", "Bo", "Cy", "Rex"])
    #expect(try names("age != nil SORT(age ASC, name DESC)") == ["Rex", "Cy", "Ada"])
    #expect(try names("age >= %@ SORT(name DESC) LIMIT(2)", 3) == ["Rex", "Cy"])
    #expect(try names("TRUEPREDICATE LIMIT(2) SORT(name ASC)") == ["Ada", "Rex"])
    #expect(try names("TRUEPREDICATE SORT(name ASC) DISTINCT(age)") == ["Ada", "Bo", "Cy"])
    #expect(
      try realm.objects(Kennel.self).query(parsing: "TRUEPREDICATE SORT(hounds.@count DESC)")
        .map(\.name) == ["North", "South", "West"])
    for text in [
      "age > 3 SORT(nope ASC)", "age > 3 SORT(age)", "SORT(age ASC)", "age > 3 LIMIT(x)",
      "age > 3 SORT(kennels.name ASC)",
    ] {
      #expect(throws: QueryPredicateError.self, "\(text)") { try names(text) }
    }
  }

  @Test func `a limited result is queried further`() {
    let hounds = realm.objects(Hound.self)
    let first = hounds.sorted(byKeyPath: "name").limit(3)
    #expect(first.sorted(byKeyPath: "name", ascending: false).map(\.name) == ["Cy", "Bo", "Ada"])
    #expect(first.filter("age != nil").map(\.name) == ["Ada", "Cy"])
    #expect(first.limit(2, offset: 1).map(\.name) == ["Bo", "Cy"])
    #expect(first.filter("age != nil").limit(1).map(\.name) == ["Ada"])
  }
}

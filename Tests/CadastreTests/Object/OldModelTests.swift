import Cadastre
import CadastreModel
import Foundation
import Testing
import TestingSupport

class OldTeam: Object {
  let number = RealmProperty<Int?>()
  let name = RealmProperty<String?>()
  let isOpen = RealmProperty<Bool?>()
  let weight = RealmProperty<Double?>(1.5)
  let size = RealmProperty<Size?>()
  let anything = RealmProperty<AnyRealmValue>()
  let players = List<OldPlayer>()
  let scores = List<Int>()
  let colors = MutableSet<String>()
  let places = Map<String, String>()
  let stars = Map<String, OldPlayer?>()
  let cache = List<String>()
  var note = ""

  override class func primaryKey() -> String? { "number" }
  override class func indexedProperties() -> [String] { ["name"] }
  override class func ignoredProperties() -> [String] { ["cache"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldPlayer: Object {
  let age = RealmProperty<Int8?>()
  let badge = List<OldBadge>()
  let teams = LinkingObjects(fromType: OldTeam.self, property: "players")

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OldBadge: EmbeddedObject {
  let points = RealmProperty<Int?>()
  let words = List<String>()

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class with one wrapped property, which ignores those without.
class HalfOldTeam: Object {
  @Persisted var name = ""
  @Persisted var code = 0
  let scores = List<Int>()

  override class func primaryKey() -> String? { "code" }
  override class func indexedProperties() -> [String] { ["name"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamesNothing: Object {
  @Persisted var name = ""

  override class func primaryKey() -> String? { "id" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The name that `RealmProperty` had for numbers.
@available(*, deprecated)
class OlderTeam: Object {
  let rank = RealmOptional<Int>(3)

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Models whose properties are declared without `@Persisted`.
@Suite struct OldModelTests {
  static let types: [ObjectBase.Type] = [
    OldTeam.self, OldPlayer.self, OldBadge.self, HalfOldTeam.self,
  ]

  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types))
  }

  private func added() throws -> OldTeam {
    let team = OldTeam()
    team.number.value = 7
    team.name.value = "Reds"
    team.size.value = .large
    team.anything.value = .fromArray([.int(1)])
    team.scores.append(objectsIn: [3, 1])
    team.colors.insert("red")
    team.places["a"] = "b"
    team.cache.append("x")
    let player = OldPlayer()
    player.age.value = 30
    player.badge.append(OldBadge(value: ["points": 5, "words": ["w"]]))
    team.players.append(player)
    team.stars["first"] = player
    try realm.write { realm.add(team) }
    return team
  }

  @Test func `the schema of an old model`() {
    #expect(
      realm.schema["OldTeam"]?.properties.map(\.summary) == [
        "number: int, optional, primary key", "name: string, optional, indexed",
        "isOpen: bool, optional", "weight: double, optional", "size: int, optional",
        "anything: mixed", "players: list of OldPlayer", "scores: list of int",
        "colors: set of string", "places: map of string", "stars: map of OldPlayer, optional",
      ])
    let teams = realm.schema["OldPlayer"]?.computedProperties.first
    #expect(teams?.objectClassName == "OldTeam" && teams?.linkOriginPropertyName == "players")
    #expect(realm.schema["HalfOldTeam"]?.properties.map(\.name) == ["name", "code"])
    #expect(realm.schema["HalfOldTeam"]?.primaryKeyProperty?.name == "code")
    #expect(realm.schema["HalfOldTeam"]?["name"]?.isIndexed == true)
  }

  @Test func `properties go into the store with their object`() throws {
    let team = try added()
    let read = try #require(realm.object(ofType: OldTeam.self, forPrimaryKey: 7))
    for team in [team, read] {
      #expect(team.number.value == 7 && team.name.value == "Reds" && team.isOpen.value == nil)
      #expect(team.weight.value == 1.5 && team.size.value == .large)
      #expect(Array(team.scores) == [3, 1] && team.colors.contains("red"))
      #expect(team.places["a"] == "b" && team.stars["first"]??.age.value == 30)
      #expect(team.anything.value.listValue?.first == .int(1))
      #expect(team.players[0].badge[0].points.value == 5)
      #expect(Array(team.players[0].badge[0].words) == ["w"])
      #expect(team.players[0].teams.count == 1 && team.players[0].teams[0].number.value == 7)
    }
    #expect(read.cache.isEmpty && Array(team.cache) == ["x"])
  }

  @Test func `properties write to the store`() throws {
    let team = try added()
    let read = try #require(realm.objects(OldTeam.self).first)
    let weight = team.weight
    try realm.write {
      team.name.value = nil
      team.isOpen.value = true
      weight.value = 2
      team.anything.value = .string("s")
      team.scores.append(9)
      team.players[0].badge[0].points.value = nil
      team.players[0].age.value = 31
      read["size"] = 1
      read["scores"] = [4, 5]
      read["colors"] = ["blue"]
      read["places"] = ["c": "d"]
    }
    #expect(read.name.value == nil && read.isOpen.value == true && read.weight.value == 2)
    #expect(read.anything.value == .string("s") && read.size.value == .small)
    #expect(Array(team.scores) == [4, 5] && Array(team.colors) == ["blue"])
    #expect(team.places.keys == ["c"] && read["weight"] as? Double == 2)
    #expect(read.players[0].badge[0].points.value == nil && read.players[0].age.value == 31)
    #expect(team.number == read.number && team.description.contains("isOpen = true;"))
  }

  @Test func `objects are made from values`() throws {
    let team = OldTeam(
      value: ["number": 1, "scores": [1, 2], "anything": 5, "places": ["a": "b"]])
    #expect(team.number.value == 1 && Array(team.scores) == [1, 2])
    #expect(team.anything.value == .int(5) && team.places["a"] == "b")
    try realm.write {
      realm.add(team)
      realm.create(
        OldTeam.self, value: ["number": 1, "weight": 4.5] as [String: Any], update: .modified)
      realm.create(OldTeam.self, value: team, update: .all)
    }
    #expect(realm.objects(OldTeam.self).count == 1 && team.weight.value == 4.5)
    #expect(Array(team.scores) == [1, 2])
  }

  @Test func `a property that outlives its object still reads`() throws {
    let (scores, name) = try {
      let team = try added()
      return (team.scores, team.name)
    }()
    try realm.write { scores.append(8) }
    #expect(Array(scores) == [3, 1, 8] && name.value == "Reds")
  }

  @Test func `objects of old models are released`() throws {
    weak var team: OldTeam?
    try {
      let added = try added()
      _ = (added.scores.count, added.number.value, added.players.first?.teams.count)
      team = added
    }()
    #expect(team == nil)
  }

  @Test func `key paths of old models`() throws {
    _ = try added()
    let teams = realm.objects(OldTeam.self)
    #expect(teams.filter("number == 7 AND name BEGINSWITH 'R'").count == 1)
    #expect(teams.sorted(byKeyPath: "number").first?.number.value == 7)
    #expect(teams.sorted(by: \.number.value).count == 1)
    #expect(SortDescriptor(keyPath: \OldTeam.weight.value).keyPath == "weight")
    #expect(SortDescriptor(keyPath: \OldTeam.scores).keyPath == "scores")
    #expect(SortDescriptor(keyPath: \OldPlayer.teams).keyPath == "teams")
    #expect(teams.filter("name == 'Reds'").explain() == "IndexSearch OldTeam.name == 'Reds'")
  }

  @Test func `collections of objects without their Swift class`() throws {
    let team = try added()
    #expect(team.dynamicList("players")[0]["age"] as? Int == 30)
    let stars: Map<String, DynamicObject?> = team.dynamicMap("stars")
    #expect(stars["first"]??.age as? Int == 30)
    let dynamic = try #require(realm.dynamicObjects("OldTeam").first)
    try realm.write {
      dynamic.dynamicList("players")[0].age = 33
      dynamic.name = "Blues"
    }
    #expect(team.players[0].age.value == 33 && team.name.value == "Blues")
    let citizens = try ClassProjectionTests.makeRealm()
    let ada = try #require(citizens.objects(Citizen.self).first)
    #expect(ada.dynamicMutableSet("idols").first?["firstName"] as? String == "Cy")
  }

  @Test func `properties are coded as their values`() throws {
    let decoder = JSONDecoder()
    let property = try decoder.decode(RealmProperty<Int?>.self, from: Data("5".utf8))
    #expect(property.value == 5 && property == RealmProperty(5))
    struct Holder: Codable {
      var first: RealmProperty<Int?>
      var second: RealmProperty<String?>
    }
    let holder = try decoder.decode(Holder.self, from: Data(#"{"second":null}"#.utf8))
    #expect(holder.first.value == nil && holder.second.value == nil)
    #expect(String(decoding: try JSONEncoder().encode([property]), as: UTF8.self) == "[5]")
  }

  @Test func `writing outside of a transaction`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "old", objectTypes: OldModelTests.types))
      let team = OldTeam(value: [1])
      try realm.write { realm.add(team) }
      team.weight.value = 3
    }
    expectStop(result, says: "Cannot modify managed objects outside of a write transaction")
  }

  @Test func `a primary key that is no property`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NamesNothing(value: ["x"])
    }
    expectStop(result, says: "Primary key property 'id' does not exist on object 'NamesNothing'")
  }

  @Test func `a list that is none`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = OldTeam().dynamicList("scores")
    }
    expectStop(result, says: "'OldTeam' has no list of objects called 'scores'")
    let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = OldTeam().dynamicList("players")
    }
    expectStop(unmanaged, says: "only once a Realm manages the object")
  }
}

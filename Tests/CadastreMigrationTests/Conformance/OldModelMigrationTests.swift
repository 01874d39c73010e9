import Cadastre
import Testing

/// Migrations between models with `@Persisted` and those declared before it.
@Suite struct OldModelMigrationTests {
  enum Old {
    class Team: ReleaseObject {
      let number = RealmProperty<Int?>()
      let name = RealmProperty<String?>()
      let anything = RealmProperty<AnyRealmValue>()
      let players = List<Player>()
      let scores = List<Int>()
      let tags = MutableSet<String>()
      let places = Map<String, Int>()

      override class func primaryKey() -> String? { "number" }
    }
    class Player: ReleaseObject {
      let age = RealmProperty<Int?>()
      let teams = LinkingObjects(fromType: Team.self, property: "players")
    }
    static let types: [ObjectBase.Type] = [Team.self, Player.self]
  }

  enum Modern {
    class Team: ReleaseObject {
      @Persisted(primaryKey: true) var number: Int?
      @Persisted var title: String
      @Persisted var anything: AnyRealmValue
      @Persisted var players: List<Player>
      @Persisted var scores: MutableSet<Int>
      @Persisted var tags: MutableSet<String>
      @Persisted var places: Map<String, Int>
    }
    class Player: ReleaseObject {
      @Persisted var age: Int
      @Persisted(originProperty: "players") var teams: LinkingObjects<Team>
    }
    static let types: [ObjectBase.Type] = [Team.self, Player.self]
  }

  private let releases: Releases

  init() throws { releases = try Releases() }

  private static let value: [String: any Sendable] = [
    "number": 7, "anything": [1, "x"] as [any Sendable], "players": [["age": 20], ["age": 30]],
    "tags": ["a", "b"], "places": ["x": 1],
  ]

  @Test func `an old model becomes one with wrapped properties`() throws {
    try releases.write(1, Old.types) { realm in
      let team = realm.create(Old.Team.self, value: Self.value)
      team.name.value = "Reds"
      team.scores.append(objectsIn: [3, 1, 3])
    }
    try releases.open(2, Modern.types) { migration, _ in
      migration.enumerateObjects(ofType: "Team") { old, new in
        #expect(old?["number"] as? Int == 7 && old?["name"] as? String == "Reds")
        #expect((old?["anything"] as? List<AnyRealmValue>)?.count == 2)
        new?["title"] = old?["name"]
        new?["scores"] = old?["scores"]
      }
    } _: { realm in
      let team = try #require(realm.object(ofType: Modern.Team.self, forPrimaryKey: 7))
      #expect(team.title == "Reds" && team.anything.listValue?.last == .string("x"))
      #expect(team.players.map(\.age) == [20, 30] && Array(team.scores).sorted() == [1, 3])
      #expect(team.tags.count == 2 && team.places["x"] == 1)
      #expect(team.players[0].teams.first == team)
    }
  }

  @Test func `a model with wrapped properties becomes an old one`() throws {
    try releases.write(1, Modern.types) { realm in
      let team = realm.create(Modern.Team.self, value: Self.value)
      team.title = "Blues"
      team.scores.insert(objectsIn: [4, 5])
    }
    try releases.open(2, Old.types) { migration, _ in
      migration.renameProperty(onType: "Team", from: "title", to: "name")
      migration.enumerateObjects(ofType: "Team") { old, new in new?["scores"] = old?["scores"] }
      migration.enumerateObjects(ofType: "Player") { old, new in
        new?["age"] = old?["age"] as? Int == 20 ? nil : old?["age"]
      }
    } _: { realm in
      let team = try #require(realm.object(ofType: Old.Team.self, forPrimaryKey: 7))
      #expect(team.name.value == "Blues" && Array(team.scores) == [4, 5])
      #expect(team.players.map(\.age.value) == [nil, 30] && team.players[1].teams.count == 1)
      #expect(team.anything.value.listValue?.count == 2 && team.places["x"] == 1)
    }
  }
}

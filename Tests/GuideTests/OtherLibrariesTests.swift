import Cadastre
import Foundation
import Testing
import TestingSupport

/// The code in the tables of `OtherLibraries.md`.
@Suite struct OtherLibrariesTests {
  class Team: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(originProperty: "team") var players: LinkingObjects<Player>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Player: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var score = 0
    @Persisted var team: Team?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Report: Object {
    @Persisted(fullText: true) var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  struct PlayerRow: Decodable, Sendable {
    let name: String
    let score: Int
  }

  @Test func `the code of the tables runs`() async throws {
    #expect(Realm.Configuration(inMemoryIdentifier: "test").fileURL == nil)
    let url = URL(fileURLWithPath: "/tmp/players.cadastre")
    #expect(
      Realm.Configuration(fileURL: url, objectTypes: [Player.self, Team.self]).fileURL == url)
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, schemaVersion: 1,
      migrationBlock: { _, _ in }, objectTypes: [Player.self, Team.self])
    let realm = try Realm(configuration: configuration)
    let players = realm.objects(Player.self)
    let player = Player(value: ["id": 1, "name": "Ada", "score": 12] as [String: Any])
    let team = Team(value: ["id": 1, "name": "Red"] as [String: Any])
    try realm.write {
      realm.add(player)
      realm.add(player, update: .modified)
      player.team = team
    }
    #expect(player.team?.name == "Red" && team.players.map(\.id) == [player.id])
    #expect(realm.object(ofType: Player.self, forPrimaryKey: 1) == player)
    #expect(players.where { $0.score > 10 }.where { $0.team.name == "Red" }.count == 1)
    #expect(try realm.objects(Player.self).filter(#Predicate { $0.score > 10 }).count == 1)
    #expect(realm.objects(Player.self).filter("score > %@", 10).count == 1)
    #expect(players.sorted(by: \.score, ascending: false).sorted(by: \.name).count == 1)
    #expect(players.limit(10, offset: 20).isEmpty && players.count == 1)
    #expect(players.max(of: \.score) == 12)
    #expect(players.grouped(by: \.name).average(of: \.score).map(\.value) == [12])
    #expect(players.sectioned(by: \.name).map(\.key) == ["Ada"])
    #expect(
      try realm.sql("SELECT count(*) AS n FROM Player").map { try $0["n"] as Int } == [1])
    #expect(try players.map(into: PlayerRow.self).map(\.score) == [12])
    let reference = ThreadSafeReference(to: player)
    #expect(realm.resolve(reference) == player)
    try realm.write { player.score = 3 }
    realm.beginWrite()
    players.setValue(0, for: \.score)
    realm.cancelWrite()
    #expect(realm.freeze().objects(Player.self).first?.score == 3)
    try await realm.asyncWrite { realm.delete(player) }
    #expect(players.isEmpty)
    try realm.write { realm.delete(players) }
  }

  @Test @MainActor func `results and Realms are observed`() throws {
    let realm = try openRealm(Player.self, Team.self)
    let players = realm.objects(Player.self)
    let tokens = [players.observe { _ in }, realm.observe { _, _ in }]
    _ = players.changes()
    for token in tokens { token.invalidate() }
  }

  @Test func `texts are searched`() throws {
    let realm = try openRealm(Report.self)
    #expect(realm.objects(Report.self).search("wind", in: \.text).isEmpty)
  }

  @Test func `the article shows this code`() throws {
    let article = Article("OtherLibraries.md")
    try article.expectSamplesAreCompiled(count: 1)
    for title in ["GRDB", "SwiftData", "Core Data"] {
      for row in try article.rows(ofTablesHeaded: title) {
        let parts = row[1].components(separatedBy: "`")
        for part in parts.indices where !part.isMultiple(of: 2) {
          // Blocks that are left out and names of functions are not code.
          if ["…", "(_"].contains(where: parts[part].contains) { continue }
          try article.expectIsCompiled(parts[part])
        }
      }
    }
  }
}

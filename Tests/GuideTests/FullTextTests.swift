import Cadastre
import Foundation
import Testing
import TestingSupport

/// The samples of `FullText.md`.
@Suite struct FullTextTests {
  class Report: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(fullText: true) var text = ""
    @Persisted var station = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm

  init() throws {
    realm = try openRealm(Report.self)
    let texts = [
      "Wind from the north", "Calm, then a northern wind", "Storms in the west, snow in the north",
      "A storm with wind, wind, wind", "Café Zürich, Århus, Čapek, don't", "风从北方来",
      "West wind, not north",
    ]
    try realm.write {
      for (id, text) in texts.enumerated() {
        realm.create(
          Report.self, value: ["id": id, "text": text, "station": "Krems"] as [String: Any])
      }
    }
  }

  private func ids(_ pattern: String) -> [Int] {
    let found = realm.objects(Report.self).where { $0.text.hasWords(pattern) }.map(\.id).sorted()
    #expect(realm.objects(Report.self).search(pattern, in: \.text).map(\.id).sorted() == found)
    return found
  }

  @Test func `a search ranks its results`() {
    let ranked = realm.objects(Report.self).search("storm* -snow", in: \.text)
    let matching = realm.objects(Report.self).where { $0.text.hasWords("storm* -snow") }
    let asText = realm.objects(Report.self).filter("text TEXT %@", "storm* -snow")
    #expect([ranked, matching, asText].allSatisfy { $0.map(\.id) == [3] })
    #expect(realm.objects(Report.self).search("wind", in: \.text).first?.id == 3)
    #expect(
      Array(realm.objects(Report.self).where { $0.text.hasWords("wind") }.map(\.id)) == [
        0, 1, 3, 6,
      ])
    let text = "wind"
    let best = realm.objects(Report.self).where { $0.station == "Krems" }.search(text, in: \.text)
      .limit(10)
    #expect(best.map(\.id).first == 3 && best.count == 4)
    let sorted = realm.objects(Report.self).search(text, in: \.text).sorted(by: \.station)
    #expect(sorted.map(\.id) == best.map(\.id))
    let either = realm.objects(Report.self).where {
      $0.text.hasWords("storm*") || $0.text.hasWords("calm")
    }
    #expect(either.map(\.id).sorted() == [1, 2, 3])
    let phrase = realm.objects(Report.self).where {
      $0.text.hasWords("wind from") && $0.text.contains("Wind from")
    }
    #expect(phrase.map(\.id) == [0])
  }

  @Test func `a pattern is a list of terms`() {
    #expect(ids("north wind") == [0, 6])
    #expect(ids("north*") == [0, 1, 2, 6])
    #expect(ids("wind -calm") == [0, 3, 6])
    #expect(ids("-calm") == [0, 2, 3, 4, 5, 6])
    #expect(ids("-cal*") == [0, 2, 3, 4, 5, 6])
    #expect(ids("north-west") == [2, 6])
    #expect(ids(#""north wind""#) == [0, 6])
    #expect(ids("north OR calm") == [])
    #expect(ids("") == [] && ids("wind -wind") == [])
    for pattern in ["", "wind -wind"] {
      #expect(throws: QueryPredicateError.self) {
        try realm.objects(Report.self).filter(parsing: "text TEXT %@", arguments: [pattern])
      }
    }
  }

  @Test func `words are divided and normalised`() {
    #expect(ids("WIND cafe") == [] && ids("CAFE zurich don t") == [4])
    #expect(ids("cafe\u{301}") == [4] && ids("århus") == [4] && ids("arhus") == [])
    #expect(ids("čapek") == [4] && ids("capek") == [])
    #expect(ids("storm") == [3] && ids("storm*") == [2, 3])
    #expect(ids("风从北方来") == [5] && ids("北方") == [])
    #expect(realm.objects(Report.self).where { $0.text.contains("北方") }.map(\.id) == [5])
  }

  @Test func `the article shows this code`() throws {
    let article = Article("FullText.md")
    try article.expectSamplesAreCompiled(count: 4)
    try article.expectCellsAreCompiled(count: 8, columns: 1, ofTablesHeaded: "pattern")
  }
}

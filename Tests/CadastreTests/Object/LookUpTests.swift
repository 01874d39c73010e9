import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

/// Objects that are looked up by their primary keys.
@Suite struct LookUpTests {
  class Page: Object {
    @Persisted(primaryKey: true) var address: String
    @Persisted var title: String
    @Persisted var visits: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Page.self]))
    try realm.write {
      for number in 0..<1000 {
        realm.create(Page.self, value: ["address": "/\(number)", "title": "Page \(number)"])
      }
    }
  }

  private func page(_ number: Int) -> Page? {
    realm.object(ofType: Page.self, forPrimaryKey: "/\(number)")
  }

  @Test(.enabled(if: !CacheVerification.isOn))
  func `an object and its properties are read by one statement`() throws {
    var random = SeededGenerator(seed: 1)
    let numbers = (0..<200).map { _ in Int.random(in: 0..<1000, using: &random) }
    let connection = try realm.core.currentReader().connection
    #expect(page(0)?.title == "Page 0")
    let before = connection.statementsRun
    for number in numbers {
      let found = page(number)
      #expect(found?.title == "Page \(number)" && found?.visits == 0)
    }
    #expect(connection.statementsRun - before <= 202)
    #expect(page(1000) == nil)
  }

  @Test(arguments: Seeds.usual(1...10))
  func `objects have their newest values`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var visits: [Int: Int] = [:]
    var held: [(number: Int, page: Page)] = []
    for _ in 0..<300 {
      let number = Int.random(in: 0..<1010, using: &random)
      let found = page(number)
      #expect((found == nil) == (number >= 1000 || visits[number] == -1), "seed \(seed)")
      guard let found else { continue }
      held.append((number, found))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: break
      case 1: #expect(found.visits == visits[number, default: 0], "seed \(seed)")
      case 2:
        try realm.write {
          // Some of these are set, and read, by keys that were looked up in the transaction.
          for _ in 0..<20 {
            let other = Int.random(in: 0..<1000, using: &random)
            guard let page = page(other) else { continue }
            page.visits += 1
            visits[other, default: 0] += 1
            #expect(self.page(other)?.visits == visits[other], "seed \(seed)")
          }
        }
      case 3:
        try realm.write { realm.delete(found) }
        visits[number] = -1
      default:
        for (number, page) in held.suffix(5) where !page.isInvalidated {
          #expect(page.visits == visits[number, default: 0], "seed \(seed)")
        }
      }
    }
  }
}

import Foundation
import Testing

@testable import Cadastre

/// When Realm delivers notifications.
@Suite struct NotificationConformanceTests {
  private typealias Person = Conforming.Person
  private let corner: Corner
  private let other: Corner

  init() throws {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = Conforming.types
    corner = try Corner(configuration)
    other = try Corner(configuration)
  }

  @Test func `the first state is that before a write that follows the registration`() throws {
    let seen = try corner.enter { realm in
      var seen: [String] = []
      let token = realm.objects(Person.self).observe { change in
        switch change {
        case .initial(let people): seen.append("initial \(people.count)")
        case .update(let people, _, let insertions, _):
          seen.append("update \(people.count) +\(insertions)")
        case .error: seen.append("error")
        }
      }
      for id in 1...2 {
        seen.append("write \(id)")
        try realm.write { realm.create(Person.self, value: ["id": id]) }
      }
      realm.refresh()
      token.invalidate()
      return seen
    }
    #expect(
      seen == ["write 1", "initial 0", "write 2", "update 1 +[0]", "update 2 +[1]"])
  }

  @Test func `an observer of a Realm that has read nothing hears of other commits`() throws {
    nonisolated(unsafe) var count = 0
    let token = corner.enter { $0.observe { _, _ in count += 1 } }
    try other.write { $0.create(Person.self, value: ["id": 1]) }
    corner.enter { _ = $0.refresh() }
    #expect(corner.enter { _ in count } == 1)
    // Its own token keeps it from being called.
    corner.enter { realm in
      try? realm.write(withoutNotifying: [token]) {
        realm.create(Person.self, value: ["id": 2])
      }
    }
    #expect(corner.enter { _ in count } == 1)
    token.invalidate()
  }
}

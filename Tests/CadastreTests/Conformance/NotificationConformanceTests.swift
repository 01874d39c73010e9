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

  @Test func `an empty list of key paths observes no property`() throws {
    nonisolated(unsafe) var seen: [String] = []
    let none: [String] = []
    let tokens = try corner.enter { realm in
      let person = try realm.write {
        realm.create(Person.self, value: ["id": 1, "dogs": [["name": "Bo"]], "pets": ["a": nil]])
      }
      func changes<Collection: RealmCollection>(
        _ name: String
      ) -> (RealmCollectionChange<Collection>) -> Void {
        { change in
          guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return
          }
          seen.append("\(name) -\(deletions) +\(insertions) ~\(modifications)")
        }
      }
      return [
        realm.objects(Person.self).observe(keyPaths: none, changes("people")),
        person.dogs.observe(keyPaths: none, changes("dogs")),
        person.observe(keyPaths: none) { change in
          if case .deleted = change { seen.append("deleted") } else { seen.append("changed") }
        },
        person.pets.observe(keyPaths: none) { change in
          guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return
          }
          seen.append("pets -\(deletions) +\(insertions) ~\(modifications)")
        },
      ]
    }
    defer { for token in tokens { token.invalidate() } }
    func step(_ change: (Person) -> Void) throws -> [String] {
      seen = []
      try other.write { realm in
        realm.refresh()
        if let person = realm.object(ofType: Person.self, forPrimaryKey: 1) { change(person) }
      }
      corner.enter { _ = $0.refresh() }
      return seen.sorted()
    }
    _ = try step { _ in }
    #expect(try step { $0.name = "Ann" } == [])
    #expect(try step { $0.dogs[0].name = "Max" } == [])
    #expect(try step { $0.dogs.append(Conforming.Dog()) } == ["dogs -[] +[1] ~[]"])
    #expect(try step { $0.pets["b"] = .some(nil) } == ["pets -[] +[\"b\"] ~[]"])
    #expect(
      try step { $0.realm?.create(Person.self, value: ["id": 2]) } == ["people -[] +[1] ~[]"])
    #expect(
      try step { $0.realm?.delete($0) }.filter { !$0.hasPrefix("pets") }
        == ["deleted", "dogs -[0, 1] +[] ~[]", "people -[0] +[] ~[]"])
  }

  /// Observes all dogs and the first one, in a Realm that refreshes by hand.
  private func observing(
    _ start: (Results<Conforming.Dog>, Conforming.Dog) -> [NotificationToken]
  ) throws -> [NotificationToken] {
    try corner.enter { realm in
      realm.refresh()
      realm.autorefresh = false
      let dogs = realm.objects(Conforming.Dog.self)
      let tokens = start(dogs, try #require(dogs.first))
      realm.refresh()
      return tokens
    }
  }

  @Test func `key paths lead through linking objects`() throws {
    try other.write { realm in
      realm.create(Person.self, value: ["id": 1, "dogs": [["name": "a"]]])
      realm.create(Conforming.Dog.self, value: ["name": "b"])
    }
    nonisolated(unsafe) var seen: [String] = []
    let tokens = try observing { dogs, dog in
      [
        dogs.observe(keyPaths: ["owners.name"]) { change in
          if case .update(_, _, _, let changed) = change { seen.append("results \(changed)") }
        },
        dog.observe(keyPaths: ["owners"]) { change in
          if case .change(_, let properties) = change {
            seen.append("object \(properties.map(\.name))")
          }
        },
      ]
    }
    try other.write { realm in
      realm.object(ofType: Person.self, forPrimaryKey: 1)?.name = "x"
    }
    corner.enter { _ = $0.refresh() }
    #expect(corner.enter { _ in seen } == ["results [0]"])
    try other.write { realm in
      let dog = realm.objects(Conforming.Dog.self)[0]
      realm.create(Person.self, value: ["id": 2, "dogs": [dog]])
    }
    corner.enter { _ = $0.refresh() }
    #expect(
      corner.enter { _ in seen }.sorted() == ["object [\"owners\"]", "results [0]", "results [0]"])
    tokens.forEach { $0.invalidate() }
  }

  @Test(arguments: ["list", "link", "deletion"])
  func `objects that lose a link are reported by key paths through linking objects`(
    _ way: String
  ) throws {
    try other.write { realm in
      let dogs = ["a", "b", "c"].map { realm.create(Conforming.Dog.self, value: ["name": $0]) }
      let friend = realm.create(Person.self, value: ["id": 2])
      realm.create(Person.self, value: ["id": 1, "dogs": dogs[0...1], "friend": friend])
    }
    nonisolated(unsafe) var seen: [String] = []
    let tokens = try observing { dogs, dog in
      [
        dogs.observe(keyPaths: ["owners"]) { change in
          if case .update(_, _, _, let changed) = change { seen.append("dogs \(changed)") }
        },
        dogs.observe(keyPaths: ["owners.friend"]) { change in
          if case .update(_, _, _, let changed) = change { seen.append("far \(changed)") }
        },
        dog.observe(keyPaths: ["owners"]) { change in
          if case .change(_, let properties) = change {
            seen.append("dog \(properties.map(\.name))")
          }
        },
      ]
    }
    for step in 1...2 {
      try other.write { realm in
        guard let person = realm.object(ofType: Person.self, forPrimaryKey: 1) else { return }
        switch (way, step) {
        case ("list", 1): person.dogs.remove(at: 0)
        case ("list", _): person.dogs[0] = realm.objects(Conforming.Dog.self)[2]
        case ("link", 1): person.friend = nil
        case ("link", _): person.dogs.removeAll()
        case (_, 1): realm.delete(person)
        default: break
        }
      }
      corner.enter { _ = $0.refresh() }
    }
    let expected =
      switch way {
      case "list":
        ["dogs [0, 1]", "far [0, 1]", "dog [\"owners\"]", "dogs [1, 2]", "far [1, 2]"]
      case "link": ["far [0, 1]", "dogs [0, 1]", "far [0, 1]", "dog [\"owners\"]"]
      default: ["dogs [0, 1]", "far [0, 1]", "dog [\"owners\"]"]
      }
    #expect(corner.enter { _ in seen } == expected)
    tokens.forEach { $0.invalidate() }
  }
}

import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

/// Updates by primary key write only what differs.
@Suite struct UpdatingTests {
  private let realm: Realm

  init() throws { realm = try Realm(configuration: Shelter.configuration()) }

  private func keeper() -> Keeper {
    let dogs = (1...3).map { Greyhound(value: ["id": $0, "age": $0]) }
    let keeper = Keeper(value: ["id": 1, "age": 30])
    keeper.best = dogs[0]
    keeper.dogs.append(objectsIn: dogs)
    keeper.tags.insert(objectsIn: ["b", "c", "a"])
    for (index, key) in ["z", "a", "\u{e9}", "e\u{301}"].enumerated() { keeper.marks[key] = index }
    keeper.walks["y"] = dogs[1]
    keeper.walks["x"] = .some(nil)
    keeper.home = Den(value: ["city": "Lund"])
    return keeper
  }

  private let values: [String: Any] = [
    "id": 1, "age": 30, "tags": ["c", "b", "a"], "marks": ["a": 1, "z": 0],
    "home": ["city": "Lund"],
    "dogs": [["id": 1, "age": 1]], "best": ["id": 1],
  ]

  /// Returns what a transaction changed, by class.
  private func changes(_ write: () throws -> Void) throws -> ChangesByClass {
    let before = try realm.core.file.snapshot().version
    try realm.write(write)
    let after = try realm.core.file.snapshot().version
    guard after > before else { return ChangesByClass() }
    return try #require(realm.core.file.changes(after: before, through: after)).classes
  }

  @Test func `an update with the same values changes nothing`() throws {
    try realm.write { realm.add(keeper(), update: .modified) }

    #expect(try changes { realm.add(keeper(), update: .modified) }.isEmpty)
    #expect(realm.objects(Keeper.self).count == 1 && realm.objects(Greyhound.self).count == 3)
  }

  @Test func `created values that are stored already change nothing`() throws {
    try realm.write { realm.create(Keeper.self, value: values, update: .modified) }

    #expect(try changes { realm.create(Keeper.self, value: values, update: .modified) }.isEmpty)
  }

  @Test func `an update changes the properties that differ and no others`() throws {
    try realm.write { realm.add(keeper(), update: .modified) }
    let layout = try #require(realm.core.file.snapshot().catalogue.layout("Keeper"))
    func column(_ name: String) -> Int? {
      layout.collections.first { "\($0.path)" == name }?.countColumn
        ?? layout.columns.firstIndex { $0.name == name }
    }
    let edits: [(name: String, edit: (Keeper) -> Void)] = [
      ("age", { $0.age = 31 }), ("tags", { $0.tags.insert("d") }),
      ("marks", { $0.marks["a"] = 9 }), ("dogs", { $0.dogs.removeLast() }),
      ("walks", { $0.walks["x"] = .none }), ("home.city", { $0.home?.city = "Malmö" }),
      ("best", { $0.best = nil }),
    ]
    for (name, edit) in edits {
      let changed = keeper()
      edit(changed)
      let changes = try changes { realm.add(changed, update: .modified) }
      #expect(changes.names == ["Keeper"], "\(name)")
      #expect(
        try changes["Keeper"]?.modified.map(\.columns) == [[#require(column(name))]], "\(name)")
      try realm.write { realm.add(keeper(), update: .modified) }
    }
  }
}

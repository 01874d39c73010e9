import Cadastre
import CadastreModel
import Foundation
import Testing
import TestingSupport

/// Objects that a migration visits, makes and deletes, and their primary keys.
@Suite struct ObjectMigrationTests {
  enum Old {
    class Dog: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
    }
    class Person: ReleaseObject {
      @Persisted var name: String
      @Persisted var dogs: List<Dog>
      @Persisted var favorite: Dog?
      @Persisted var anything: AnyRealmValue
    }
    class Log: ReleaseObject {
      @Persisted var line: String
    }
    static let types: [ObjectBase.Type] = [Dog.self, Person.self, Log.self]
  }

  private let releases: Releases

  init() throws {
    releases = try Releases()
    try releases.write(3, Old.types) { realm in
      let dogs = (1...4).map { Old.Dog(value: ["id": $0, "name": "Dog \($0)"]) }
      realm.add(dogs)
      for number in 0..<2 {
        let person = Old.Person(value: ["name": "P\(number)", "favorite": dogs[number]])
        person.dogs.append(objectsIn: dogs[number...])
        person.anything = .object(dogs[3])
        realm.add(person)
      }
      realm.create(Old.Log.self, value: ["line": "x"])
    }
  }

  enum New {
    class Dog: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
    }
    class Person: ReleaseObject {
      @Persisted var name: String
      @Persisted var dogs: List<Dog>
      @Persisted var favorite: Dog?
      @Persisted var anything: AnyRealmValue
      @Persisted var copies: List<Dog>
    }
    class Kennel: ReleaseObject {
      @Persisted var name: String
      @Persisted var dogs: MutableSet<Dog>
    }
    static let types: [ObjectBase.Type] = [Dog.self, Person.self, Kennel.self]
  }

  @Test func `objects that the block deletes are not visited later`() throws {
    try releases.write(3, Old.types) { realm in
      for id in 5...2500 { realm.create(Old.Dog.self, value: ["id": id, "name": "\(id)"]) }
    }
    let left = (1...2500).filter { $0 <= 100 || $0 % 2 != 0 && ($0 <= 2201 || $0 % 3 != 0) }
    try releases.open(4, New.types) { migration, _ in
      var visited: [Int] = []
      migration.enumerateObjects(ofType: "Dog") { old, new in
        let id = old?["id"] as? Int ?? 0
        visited.append(id)
        new?["name"] = "visited"
        guard id == 100 || id == 2201 else { return }
        migration.enumerateObjects(ofType: "Dog") { _, later in
          guard let later, let other = later["id"] as? Int, other > id else { return }
          if other % (id == 100 ? 2 : 3) == 0 { migration.delete(later) }
        }
      }
      #expect(visited == left)
    } _: { realm in
      let dogs = realm.objects(New.Dog.self)
      #expect(dogs.map(\.id) == left && dogs.filter("name != 'visited'").isEmpty)
    }
  }

  @Test func `objects are visited, made and deleted`() throws {
    try releases.open(4, New.types) { migration, version in
      #expect(version == 3)
      #expect(migration.oldSchema.objectSchema.map(\.className) == ["Dog", "Log", "Person"])
      #expect(migration.newSchema.objectSchema.map(\.className) == ["Dog", "Kennel", "Person"])
      migration.enumerateObjects(ofType: "Nothing") { _, _ in Issue.record("no such class") }
      var lines: [String] = []
      migration.enumerateObjects(ofType: "Log") { old, new in
        #expect(new == nil)
        lines.append(old?["line"] as? String ?? "")
      }
      #expect(lines == ["x"])
      migration.enumerateObjects(ofType: "Dog") { old, new in
        if old?["id"] as? Int == 2, let new { migration.delete(new) }
      }
      var names: [String] = []
      migration.enumerateObjects(ofType: "Dog") { old, new in
        #expect(old?["name"] as? String == new?["name"] as? String)
        names.append(new?["name"] as? String ?? "")
      }
      #expect(names == ["Dog 1", "Dog 3", "Dog 4"])
      migration.enumerateObjects(ofType: "Person") { old, new in
        #expect(old?.dynamicList("dogs").contains { $0["name"] as? String == "Dog 2" } == true)
        #expect(new?.dynamicList("dogs").contains { $0["name"] as? String == "Dog 2" } == false)
        // Old objects identify their new ones.
        new?["copies"] = old?["dogs"]
        new?["favorite"] = old?["favorite"]
        new?["anything"] = old?["anything"]
      }
      let dog = migration.create("Dog", value: ["id": 9, "name": "New"])
      migration.create("Kennel", value: ["name": "K", "dogs": [dog]])
      migration.enumerateObjects(ofType: "Kennel") { old, new in
        #expect(old == nil)
        #expect(new?.dynamicMutableSet("dogs").count == 1)
      }
    } _: { realm in
      let people = realm.objects(New.Person.self)
      #expect(people.map { $0.copies.map(\.id) } == [[1, 3, 4], [3, 4]])
      #expect(people.map { $0.favorite?.id } == [1, nil])
      #expect(people.allSatisfy { $0.anything.object(New.Dog.self)?.id == 4 })
      #expect(realm.objects(New.Kennel.self).first?.dogs.first?.name == "New")
      #expect(realm.object(ofType: New.Dog.self, forPrimaryKey: 9) != nil)
      #expect(realm.object(ofType: New.Dog.self, forPrimaryKey: 2) == nil)
    }
    // A class that the program has no more stays until its data is deleted.
    try releases.open(4, New.types + [Old.Log.self]) { realm in
      #expect(realm.objects(Old.Log.self).count == 1)
    }
    try releases.open(5, New.types) { migration, _ in
      #expect(migration.deleteData(forType: "Log"))
      #expect(!migration.deleteData(forType: "Log"))
      #expect(!migration.deleteData(forType: "Nothing"))
      #expect(migration.deleteData(forType: "Kennel"))
    } _: { realm in
      #expect(realm.objects(New.Kennel.self).isEmpty)
      #expect(realm.objects(New.Person.self).count == 2)
    }
    try releases.open(5, New.types + [Old.Log.self]) { realm in
      #expect(realm.objects(Old.Log.self).isEmpty)
    }
  }

  // MARK: Primary keys

  enum Keyed {
    class Person: ReleaseObject {
      @Persisted(primaryKey: true) var name: String
    }
    class Log: ReleaseObject {
      @Persisted(primaryKey: true) var line: String?
    }
    class Dog: ReleaseObject {
      @Persisted var id: Int
      @Persisted(primaryKey: true) var name: String
    }
  }

  @Test func `a primary key must be unique in the end`() throws {
    let types: [ObjectBase.Type] = [Keyed.Person.self, Keyed.Dog.self]
    let error = try releases.refusal(4, types) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new?["name"] = "same" }
      migration.enumerateObjects(ofType: "Dog") { _, new in new?["name"] = "same" }
    }
    #expect(error.code == .fail)
    #expect(
      error.description.contains(
        "Primary key property 'Person.name' has duplicate values after migration."))
    #expect(
      error.description.contains(
        "Primary key property 'Dog.name' has duplicate values after migration."))
    // Nothing has changed.
    try releases.open(3, Old.types) { realm in
      #expect(realm.objects(Old.Person.self).map(\.name) == ["P0", "P1"])
    }
    try releases.open(4, types) { realm in
      #expect(realm.object(ofType: Keyed.Person.self, forPrimaryKey: "P1") != nil)
      #expect(realm.object(ofType: Keyed.Dog.self, forPrimaryKey: "Dog 3")?.id == 3)
      try realm.write {
        _ = realm.create(Keyed.Dog.self, value: ["name": "Dog 3", "id": 7], update: .all)
      }
      #expect(realm.objects(Keyed.Dog.self).count == 4)
    }
  }

  @Test func `two nulls are one primary key too many`() throws {
    try releases.write(3, Old.types) { $0.create(Old.Log.self, value: ["line": "y"]) }
    let error = try releases.refusal(4, [Keyed.Log.self]) { migration, _ in
      migration.enumerateObjects(ofType: "Log") { _, new in new?["line"] = nil }
    }
    #expect(error.description.contains("'Log.line' has duplicate values"))
  }

  @Test func `primary keys can be swapped`() throws {
    try releases.open(4, Old.types) { migration, _ in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        new?["id"] = 5 - (old?["id"] as? Int ?? 0)
      }
    } _: { realm in
      #expect(realm.objects(Old.Dog.self).map(\.id) == [4, 3, 2, 1])
      #expect(realm.object(ofType: Old.Dog.self, forPrimaryKey: 1)?.name == "Dog 4")
    }
  }

  @Test func `the Realm of a migration is in a transaction until the block ends`() throws {
    let kept = Guarded<[HeldRealm]>([])
    try releases.open(4, Old.types) { migration, _ in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        guard let realm = new?.realm, let before = old?.realm else {
          Issue.record("An object of a migration has no Realm.")
          return
        }
        #expect(realm.isInWriteTransaction && !realm.isFrozen && before.isFrozen)
        #expect(!realm.autorefresh && !realm.refresh() && realm.thaw() == realm)
        // The last committed version is the old store.
        #expect(realm.freeze() == before)
        #expect(new?.freeze()["name"] as? String == old?["name"] as? String)
        realm.invalidate()
        new?["name"] = "new"
        kept.withLock { $0 = [HeldRealm(realm: realm)] }
      }
    } _: { realm in
      #expect(realm.objects(Old.Dog.self).allSatisfy { $0.name == "new" })
      let ended = try #require(kept.withLock { $0.popLast()?.realm })
      #expect(!ended.isInWriteTransaction)
      #expect(ended.dynamicObjects("Dog").count == 4 && ended.readError == nil)
      #expect(ended.freeze().dynamicObjects("Dog").count == 4)
    }
  }

  // MARK: ProgrammingError

  @Test func `old objects are read only`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let releases = try ObjectMigrationTests().releases
      try releases.open(4, Old.types) { migration, _ in
        migration.enumerateObjects(ofType: "Dog") { old, _ in old?["name"] = "x" }
      } _: { _ in
      }
    }
    expectStop(result, says: "Old objects of a migration can only be read")
  }

  @Test func `a migration ends with its block`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let releases = try ObjectMigrationTests().releases
      let kept = Guarded<[Held]>([])
      try releases.open(4, Old.types) { migration, _ in
        let dog = migration.create("Dog", value: ["id": 77])
        kept.withLock { $0.append(Held(migration: migration, object: dog)) }
      } _: { _ in
        guard let held = kept.withLock({ $0.first }) else { return }
        guard held.object.isInvalidated else { return }
        held.migration.create("Dog", value: ["id": 78])
      }
    }
    expectStop(result, says: "A Migration can only be used inside the migration block")
  }

  // Safe because one thread uses it.
  struct Held: @unchecked Sendable {
    let migration: Migration
    let object: MigrationObject
  }

  // Safe because one thread uses it.
  struct HeldRealm: @unchecked Sendable { let realm: Realm }
}

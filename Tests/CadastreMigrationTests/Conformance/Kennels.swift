import Cadastre

/// A store with four dogs and two people, and the classes of its next release.
struct Kennels {
  enum First {
    class Dog: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var age: Int?
    }
    class Person: ReleaseObject {
      @Persisted var name: String
      @Persisted var favorite: Dog?
      @Persisted var dogs: List<Dog>
      @Persisted var visited: MutableSet<Dog>
      @Persisted var byName: Map<String, Dog?>
      @Persisted var anything: AnyRealmValue
      @Persisted var address: Address?
      @Persisted var tags: MutableSet<String>
    }
    class Address: ReleaseEmbedded {
      @Persisted var street: String
    }
    class Log: ReleaseObject {
      @Persisted var line: String
    }
    static let types: [ObjectBase.Type] = [Dog.self, Person.self, Address.self, Log.self]
  }

  enum Next {
    class Dog: ReleaseObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var name: String
      @Persisted var age: Int?
      @Persisted var owner: Person?
    }
    class Person: ReleaseObject {
      @Persisted var name: String
      @Persisted var favorite: Dog?
      @Persisted var dogs: List<Dog>
      @Persisted var visited: MutableSet<Dog>
      @Persisted var byName: Map<String, Dog?>
      @Persisted var anything: AnyRealmValue
      @Persisted var address: Address?
      @Persisted var tags: MutableSet<String>
      @Persisted var kennel: Kennel?
    }
    class Address: ReleaseEmbedded {
      @Persisted var street: String
    }
    /// A class that the first release does not have.
    class Kennel: ReleaseObject {
      @Persisted var name: String
      @Persisted var dogs: List<Dog>
      @Persisted var keeper: Person?
    }
    static let types: [ObjectBase.Type] = [Dog.self, Person.self, Address.self, Kennel.self]
  }

  let releases: Releases

  /// A new store of the first release.
  init() throws {
    releases = try Releases()
    try releases.write(1, First.types) { realm in
      let dogs = (1...4).map { id in
        realm.create(
          First.Dog.self,
          value: ["id": id, "name": "D\(id)", "age": id == 4 ? nil : id * 2] as [String: Any?])
      }
      for number in 1...2 {
        let person = realm.create(
          First.Person.self,
          value: [
            "name": "P\(number)", "favorite": dogs[number - 1],
            "dogs": Array(dogs[(number - 1)...]), "visited": [dogs[number]],
            "byName": ["first": dogs[0], "own": dogs[number]],
            "address": ["street": "S\(number)"], "tags": ["a", "b"],
          ] as [String: Any])
        person.anything = .fromArray([.object(dogs[2]), .int(number)])
      }
      realm.create(First.Log.self, value: ["line": "opened"])
    }
  }

  /// The dogs of the next release, as their keys and names.
  @Sendable static func dogs(_ realm: Realm) -> [String] {
    realm.objects(Next.Dog.self).sorted(byKeyPath: "id").map { "\($0.id) \($0.name)" }
  }

  /// The kennels of the next release, as their names, dogs and keepers.
  @Sendable static func kennels(_ realm: Realm) -> [String] {
    realm.objects(Next.Kennel.self).map { kennel in
      let dogs = kennel.dogs.map(\.name).joined(separator: ",")
      return "\(kennel.name) [\(dogs)] \(kennel.keeper?.name ?? "-")"
    }
  }
}

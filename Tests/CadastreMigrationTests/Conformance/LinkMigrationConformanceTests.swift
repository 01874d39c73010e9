import Cadastre
import Testing

/// Links, collections and values of any type between old, new and created objects.
@Suite struct LinkMigrationConformanceTests {
  private typealias Person = Kennels.Next.Person

  private static let creating = [
    MigrationCase(
      "an object of a new class links to objects that are enumerated", notes: [],
      facts: ["K1 [D1,D2,D3,D4] P1", "K2 [D2,D3,D4] P2"], read: Kennels.kennels
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        let number = (old?["name"] as? String ?? "").suffix(1)
        migration.create(
          "Kennel",
          value: ["name": "K\(number)", "dogs": old?["dogs"] as Any, "keeper": new as Any])
      }
    },
    MigrationCase(
      "an object that is enumerated links to a created one", notes: ["K", "K"],
      facts: ["P1 K", "P2 K"],
      read: { $0.objects(Person.self).map { "\($0.name) \($0.kennel?.name ?? "-")" } }
    ) { migration, note in
      let kennel = migration.create("Kennel", value: ["name": "K"])
      migration.enumerateObjects(ofType: "Person") { _, new in
        new?["kennel"] = kennel
        note((new?["kennel"] as? MigrationObject)?["name"] as? String ?? "-")
      }
    },
    MigrationCase(
      "a created object is given by dictionaries and arrays", notes: ["2"],
      facts: ["K [x,y] P3"], read: Kennels.kennels
    ) { migration, note in
      let kennel = migration.create(
        "Kennel",
        value: [
          "name": "K", "dogs": [["id": 8, "name": "x"], [9, "y"]], "keeper": ["name": "P3"],
        ])
      note("\(kennel.dynamicList("dogs").count)")
    },
    MigrationCase(
      "a created object is changed and deleted", notes: ["renamed", "true"], facts: [],
      read: Kennels.kennels
    ) { migration, note in
      let kennel = migration.create("Kennel", value: ["name": "K"])
      kennel["name"] = "renamed"
      note(kennel["name"] as? String ?? "-")
      migration.delete(kennel)
      note("\(kennel.isInvalidated)")
    },
    MigrationCase(
      "an embedded object is created in its owner", notes: ["S9"],
      facts: ["P1 S9", "P2 S9"],
      read: { $0.objects(Person.self).map { "\($0.name) \($0.address?.street ?? "-")" } }
    ) { migration, note in
      migration.enumerateObjects(ofType: "Person") { _, new in
        new?["address"] = ["street": "S9"]
        if new?["name"] as? String == "P1" {
          note((new?["address"] as? MigrationObject)?["street"] as? String ?? "-")
        }
      }
    },
  ]

  private static let links = [
    MigrationCase(
      "a link to a deleted object is null in the new object, and not in the old one",
      notes: ["D1 -", "D2 D2"], facts: ["P1 -", "P2 D2"], read: favorites
    ) { migration, note in
      deleteFirstDog(migration)
      migration.enumerateObjects(ofType: "Person") { old, new in
        let names = [old, new].map { object in
          (object?["favorite"] as? MigrationObject)?["name"] as? String ?? "-"
        }
        note(names.joined(separator: " "))
      }
    },
    MigrationCase(
      "a link is set to the new object of an old one", notes: [], facts: ["P1 D2", "P2 D3"],
      read: favorites
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["favorite"] = old?.dynamicMutableSet("visited").first
      }
    },
    MigrationCase(
      "a link is set to the old object of a deleted one", notes: [], facts: ["P1 -", "P2 -"],
      read: favorites
    ) { migration, _ in
      var first: MigrationObject?
      migration.enumerateObjects(ofType: "Dog") { old, _ in
        if old?["id"] as? Int == 1 { first = old }
      }
      deleteFirstDog(migration)
      migration.enumerateObjects(ofType: "Person") { _, new in new?["favorite"] = first }
    },
    MigrationCase(
      "collections of old objects keep a deleted object, those of new ones lose it",
      notes: ["4 3, 2 1", "3 3, 2 2"], facts: ["P1 [D2,D3,D4] [own]", "P2 [D2,D3,D4] [first,own]"],
      read: { realm in
        realm.objects(Person.self).map { person in
          let keys = person.byName.compactMap { $0.value == nil ? nil : $0.key }.sorted()
          return
            "\(person.name) [\(person.dogs.map(\.name).joined(separator: ","))] "
            + "[\(keys.joined(separator: ","))]"
        }
      }
    ) { migration, note in
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard old?["name"] as? String == "P2", let new else { return }
        byName(new)["first"] = new.dynamicList("dogs")[1]
      }
      deleteFirstDog(migration)
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard let old, let new else { return }
        let counts = [old, new].map { $0.dynamicList("dogs").count }
        let linked = [old, new].map { byName($0).filter { $0.value != nil }.count }
        note("\(counts[0]) \(counts[1]), \(linked[0]) \(linked[1])")
      }
    },
  ]

  private static let values = [
    MigrationCase(
      "a value of any type reads as its content, in old and new objects",
      notes: ["D3 1 D3 1", "D3 2 D3 2"], facts: ["D3 1", "D3 2"], read: contents
    ) { migration, note in
      migration.enumerateObjects(ofType: "Person") { old, new in
        note("\(content(old?["anything"])) \(content(new?["anything"]))")
      }
    },
    MigrationCase(
      "a value of any type is copied from the old object", notes: [],
      facts: ["D3 1", "D3 2"], read: contents
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["anything"] = nil
        new?["anything"] = old?["anything"]
      }
    },
    MigrationCase(
      "a value of any type is set to scalars, objects and collections", notes: [],
      facts: ["D1 7", "D1 7"], read: contents
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["anything"] = 5
        new?["anything"] = old?["favorite"]
        new?["anything"] = [old.flatMap { byName($0)["first"] ?? nil } as Any, 7]
      }
    },
    MigrationCase(
      "sets are read and replaced", notes: ["[\"a\", \"b\"] [\"a\", \"b\"]"],
      facts: ["P1 [\"c\"]", "P2 [\"a\", \"b\"]"],
      read: { $0.objects(Person.self).map { "\($0.name) \(Array($0.tags).sorted())" } }
    ) { migration, note in
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard old?["name"] as? String == "P1" else { return }
        let sets = [old, new].map {
          ($0?["tags"] as? MutableSet<String>).map(Array.init)?.sorted() ?? []
        }
        note("\(sets[0]) \(sets[1])")
        new?["tags"] = ["c"]
      }
    },
    MigrationCase(
      "elements are appended, replaced and removed", notes: [],
      facts: ["P1 [D4,D2,D3,D4,D1]", "P2 [D4,D3,D4,D2]"],
      read: { realm in
        realm.objects(Person.self).map { person in
          "\(person.name) [\(person.dogs.map(\.name).joined(separator: ","))]"
        }
      }
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        guard let dogs = new?.dynamicList("dogs"), let first = dogs.first, let last = dogs.last
        else { return }
        dogs[0] = last
        dogs.append(first)
      }
    },
  ]

  @Test(arguments: creating + links + values)
  func `a migration leaves`(_ migration: MigrationCase) throws { try migration.check() }

  // MARK: Reading

  private static func deleteFirstDog(_ migration: Migration) {
    migration.enumerateObjects(ofType: "Dog") { old, new in
      if old?["id"] as? Int == 1, let new { migration.delete(new) }
    }
  }

  private static func byName(_ person: MigrationObject) -> Map<String, MigrationObject?> {
    person.dynamicMap("byName")
  }

  /// A list of an object and a number, as text.
  private static func content(_ value: Any?) -> String {
    guard let list = value as? List<AnyRealmValue>, list.count == 2 else { return "-" }
    let name = list[0].dynamicObject?["name"] as? String ?? "-"
    return "\(name) \(list[1].intValue ?? -1)"
  }

  @Sendable private static func contents(_ realm: Realm) -> [String] {
    realm.objects(Person.self).map { content($0.anything.listValue) }
  }

  @Sendable private static func favorites(_ realm: Realm) -> [String] {
    realm.objects(Person.self).map { "\($0.name) \($0.favorite?.name ?? "-")" }
  }
}

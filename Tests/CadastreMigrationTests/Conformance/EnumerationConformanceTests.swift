import Cadastre
import Testing

/// `enumerateObjects` visits the objects that are there when it begins, each once, and leaves out
/// deleted ones.
@Suite struct EnumerationConformanceTests {
  private static let names = ["D1", "D2", "D3", "D4"]
  private static let dogs = ["1 D1", "2 D2", "3 D3", "4 D4"]
  private static let kennels = [
    MigrationCase(
      "an object created in an enumeration of a new class is not visited", notes: ["a", "b"],
      facts: ["a [] -", "b [] -", "a2 [] -", "b2 [] -"], read: Kennels.kennels
    ) { migration, note in
      for name in ["a", "b"] { migration.create("Kennel", value: ["name": name]) }
      migration.enumerateObjects(ofType: "Kennel") { _, new in
        note(name(new))
        migration.create("Kennel", value: ["name": name(new) + "2"])
      }
    },
    MigrationCase(
      "an object of a new class deleted before its turn is not visited", notes: ["a", "c"],
      facts: ["a [] -", "c [] -"], read: Kennels.kennels
    ) { migration, note in
      let made = ["a", "b", "c"].map { migration.create("Kennel", value: ["name": $0]) }
      migration.enumerateObjects(ofType: "Kennel") { _, new in
        note(name(new))
        if !made[1].isInvalidated { migration.delete(made[1]) }
      }
    },
    MigrationCase(
      "objects of a new class are deleted while they are visited", notes: ["a", "b"], facts: [],
      read: Kennels.kennels
    ) { migration, note in
      for name in ["a", "b"] { migration.create("Kennel", value: ["name": name]) }
      migration.enumerateObjects(ofType: "Kennel") { _, new in
        note(name(new))
        if let new { migration.delete(new) }
      }
    },
  ]

  private static let existing = [
    MigrationCase(
      "every object is deleted while it is visited", notes: names, facts: []
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        note(name(old))
        if let new { migration.delete(new) }
      }
    },
    MigrationCase(
      "an object deleted before its turn is not visited", notes: ["D1", "D2", "D4"],
      facts: ["1 D1", "2 D2", "4 D4"]
    ) { migration, note in
      let third = object("Dog", "D3", in: migration)
      migration.enumerateObjects(ofType: "Dog") { old, _ in
        note(name(old))
        if let third, !third.isInvalidated { migration.delete(third) }
      }
    },
    MigrationCase(
      "an object created in an enumeration is not visited", notes: names,
      facts: dogs + ["11 x", "12 x", "13 x", "14 x"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        note(name(old))
        migration.create("Dog", value: ["id": id(new) + 10, "name": "x"])
      }
    },
    MigrationCase(
      "an object is created and another deleted in one block", notes: names,
      facts: ["11 D1", "12 D2", "13 D3", "14 D4"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        note(name(old))
        migration.create("Dog", value: ["id": id(old) + 10, "name": name(old)])
        if let new { migration.delete(new) }
      }
    },
    MigrationCase(
      "an object is replaced by one with its primary key", notes: names,
      facts: ["1 n", "2 n", "3 n", "4 n"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        note(name(old))
        if let new { migration.delete(new) }
        migration.create("Dog", value: ["id": id(old), "name": "n"])
      }
    },
    MigrationCase(
      "a created object is not visited by a later enumeration", notes: names,
      facts: dogs + ["9 x"]
    ) { migration, note in
      migration.create("Dog", value: ["id": 9, "name": "x"])
      migration.enumerateObjects(ofType: "Dog") { _, new in note(name(new)) }
    },
    MigrationCase(
      "an object deleted in an enumeration is not visited by the next one",
      notes: ["D1", "D3", "D4"], facts: ["1 D1", "3 D3", "4 D4"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        if name(old) == "D2", let new { migration.delete(new) }
      }
      migration.enumerateObjects(ofType: "Dog") { old, _ in note(name(old)) }
    },
    MigrationCase(
      "an object that the enumeration of another class deletes", notes: ["P1", "P2", "D3", "D4"],
      facts: ["3 D3", "4 D4"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Person") { old, new in
        note(name(old))
        if let dog = new?["favorite"] as? MigrationObject { migration.delete(dog) }
      }
      migration.enumerateObjects(ofType: "Dog") { old, _ in note(name(old)) }
    },
    MigrationCase(
      "an enumeration in another one of the same class",
      notes: names.flatMap { outer in names.map { "\(outer)\($0)" } }, facts: dogs
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { outer, _ in
        migration.enumerateObjects(ofType: "Dog") { inner, _ in note(name(outer) + name(inner)) }
      }
    },
    MigrationCase(
      "an inner enumeration deletes what the outer one has not visited", notes: ["D1", "D2"],
      facts: ["1 D1", "2 D2"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { outer, _ in
        note(name(outer))
        migration.enumerateObjects(ofType: "Dog") { inner, new in
          if id(inner) > 2, let new { migration.delete(new) }
        }
      }
    },
    MigrationCase(
      "an enumeration in one of another class", notes: ["P1D1", "P1D2", "P2D1", "P2D2"],
      facts: dogs
    ) { migration, note in
      migration.enumerateObjects(ofType: "Person") { person, _ in
        migration.enumerateObjects(ofType: "Dog") { dog, _ in
          if id(dog) < 3 { note(name(person) + name(dog)) }
        }
      }
    },
    MigrationCase(
      "a removed class has old objects only", notes: ["opened true"], facts: dogs + ["9 opened"]
    ) { migration, note in
      migration.enumerateObjects(ofType: "Log") { old, new in
        let line = old?["line"] as? String ?? ""
        note("\(line) \(new == nil)")
        migration.create("Dog", value: ["id": 9, "name": line])
      }
    },
    MigrationCase(
      "a removed class is enumerated after its data is deleted", notes: ["true", "opened"],
      facts: dogs
    ) { migration, note in
      note("\(migration.deleteData(forType: "Log"))")
      migration.enumerateObjects(ofType: "Log") { old, _ in note(old?["line"] as? String ?? "") }
    },
    MigrationCase(
      "a class without data has no objects", notes: ["true"], facts: ["7 x"]
    ) { migration, note in
      note("\(migration.deleteData(forType: "Dog"))")
      migration.create("Dog", value: ["id": 7, "name": "x"])
      migration.enumerateObjects(ofType: "Dog") { _, _ in note("visited") }
    },
    MigrationCase(
      "the data of a class is deleted while it is enumerated", notes: ["D1"], facts: []
    ) { migration, note in
      migration.enumerateObjects(ofType: "Dog") { old, _ in
        note(name(old))
        migration.deleteData(forType: "Dog")
      }
    },
    MigrationCase("a class of neither release", notes: ["false"], facts: dogs) { migration, note in
      migration.enumerateObjects(ofType: "Cat") { _, _ in note("visited") }
      note("\(migration.deleteData(forType: "Cat"))")
    },
    MigrationCase(
      "embedded objects whose owner is deleted are not visited", notes: ["S1", "S2", "S2"],
      facts: ["P2"], read: { $0.objects(Kennels.Next.Person.self).map(\.name) }
    ) { migration, note in
      migration.enumerateObjects(ofType: "Address") { old, _ in
        note(old?["street"] as? String ?? "")
      }
      if let person = object("Person", "P1", in: migration) { migration.delete(person) }
      migration.enumerateObjects(ofType: "Address") { old, _ in
        note(old?["street"] as? String ?? "")
      }
    },
    MigrationCase(
      "an embedded object is deleted while it is visited", notes: ["S1", "S2"],
      facts: ["P1 -", "P2 S2"],
      read: { realm in
        realm.objects(Kennels.Next.Person.self).map { "\($0.name) \($0.address?.street ?? "-")" }
      }
    ) { migration, note in
      migration.enumerateObjects(ofType: "Address") { old, new in
        let street = old?["street"] as? String ?? ""
        note(street)
        if street == "S1", let new { migration.delete(new) }
      }
    },
  ]

  @Test(arguments: existing + kennels) func `a migration visits`(_ migration: MigrationCase) throws
  {
    try migration.check()
  }

  // MARK: Reading

  private static func name(_ object: MigrationObject?) -> String {
    object?["name"] as? String ?? "-"
  }

  private static func id(_ object: MigrationObject?) -> Int { object?["id"] as? Int ?? -1 }

  /// The new object with a name.
  private static func object(
    _ type: String, _ name: String, in migration: Migration
  ) -> MigrationObject? {
    var found: MigrationObject?
    migration.enumerateObjects(ofType: type) { _, new in
      if Self.name(new) == name { found = new }
    }
    return found
  }
}

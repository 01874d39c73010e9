import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Random classes that change at random, three times: a store holds what the rules say.
@Suite struct RandomMigrationTests {
  // The last ones have found something: elements lost, and indexes that lacked rows.
  @Test(arguments: Seeds.usual(1...15) + [55, 2041, 3018])
  func `MigratedStoreIsWhatTheRulesSay`(_ seed: UInt64) throws {
    let folder = try TestFolder()
    let path = folder.url("random.cadastre").path
    var random = RandomSchema(seed: seed)
    var expected = (0..<12).map { _ in random.object("Root") }
    try {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: random.schema, version: 1)
      let transaction = try file.beginWrite()
      for case .object(let members) in expected {
        try transaction.insert(
          "Root", object: Node.plain(members, "Root", transaction))
      }
      try transaction.commit()
    }()
    try expect(path, expected, "seed \(seed), as written")
    for step in 1...3 {
      let old = random.schema
      random.change()
      let new = random.schema
      var renaming: [String: [String: String]] = [:]
      let file = try OpenStores.store(at: path)
      try file.prepare(for: new, version: UInt64(step) + 1, resetting: false) { migration in
        for (name, from, to) in Self.renames(from: old, to: new) {
          // What is refused is refused before anything is done.
          guard (try? migration.renameProperty(of: name, from: from, to: to)) != nil else {
            continue
          }
          renaming[name, default: [:]][to] = from
        }
        try Self.deleteOwnerless(migration.transaction)
      }
      expected = expected.map { $0.migrated("Root", from: old, to: new, renaming: renaming) }
      try expect(
        path, expected,
        "seed \(seed), step \(step), renamed \(renaming), from\n\(old)\nto\n\(new)\n")
    }
  }

  private func expect(_ path: String, _ expected: [Node], _ what: String) throws {
    let snapshot = try OpenStores.store(at: path).snapshot()
    let problems = try StoreCheck(snapshot).problems()
    #expect(problems == [], "\(what)")
    for (index, node) in expected.enumerated() {
      let found = try NodeReader(snapshot).read("Root", ObjectKey(Int64(index) + 1))
      let isSame = found.withoutNullEntries == node.withoutNullEntries
      #expect(isSame, "\(what), object \(index):\n\(found)\nexpected\n\(node)")
    }
  }

  /// Deletes the objects without an owner: where their class becomes embedded, they would be
  /// refused.
  private static func deleteOwnerless(_ transaction: WriteTransaction) throws {
    let reader = NodeReader(try transaction.flush(.indexes))
    for key in try keys("Root", transaction.flush(.indexes)) { _ = try reader.read("Root", key) }
    for name in ["Part", "Spot"] where transaction.catalogue.schema[name]?.isEmbedded == false {
      for key in try keys(name, transaction.flush(.indexes))
      where !reader.visited.contains(ObjectAddress(className: name, key: key)) {
        try transaction.delete(name, key)
      }
    }
  }

  private static func keys(_ name: String, _ reader: any StoreReader) throws -> [ObjectKey] {
    try reader.keys(try reader.layout(name), after: ObjectKey(0), limit: .max)
  }

  /// One property of each class that could be another now.
  private static func renames(
    from old: Schema, to new: Schema
  ) -> [(className: String, from: String, to: String)] {
    new.objectSchema.compactMap { after in
      guard let before = old[after.className] else { return nil }
      for source in before.properties where after.property(inColumn: source.columnName) == nil {
        for target in after.properties where target.typeDescription == source.typeDescription {
          return (after.className, source.columnName, target.columnName)
        }
      }
      return nil
    }
  }
}

import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// A migration of the store of `Kennels`, and facts about what it visits and what it leaves.
struct MigrationCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The classes after the migration.
  let types: [ObjectBase.Type]
  /// Migrates, and notes facts.
  let migrate: @Sendable (Migration, (String) -> Void) throws -> Void
  /// The facts to be noted, in their order.
  let notes: [String]
  /// Reads facts from the migrated store.
  let read: @Sendable (Realm) throws -> [String]
  /// The facts to be read, in their order.
  let facts: [String]

  init(
    _ name: String, types: [ObjectBase.Type] = Kennels.Next.types, notes: [String],
    facts: [String],
    read: @escaping @Sendable (Realm) throws -> [String] = Kennels.dogs,
    migrate: @escaping @Sendable (Migration, (String) -> Void) throws -> Void
  ) {
    testDescription = name
    self.types = types
    self.notes = notes
    self.facts = facts
    self.read = read
    self.migrate = migrate
  }

  /// Migrates a new store, and compares the facts.
  func check() throws {
    let kennels = try Kennels()
    let noted = Guarded<[String]>([])
    try kennels.releases.open(2, types) { [migrate] migration, _ in
      try migrate(migration) { note in noted.withLock { $0.append(note) } }
    } _: { realm in
      let found = try read(realm)
      #expect(found == facts)
    }
    #expect(noted.withLock { $0 } == notes)
  }
}

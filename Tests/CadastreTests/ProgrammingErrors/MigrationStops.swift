import Cadastre
import Foundation

extension StopCase {
  static let migrations = [
    StopCase("A Migration can only be used inside the migration block that it was given to.") {
      nonisolated(unsafe) var kept: Migration?
      try migrated { migration, _ in kept = migration }
      kept?.deleteData(forType: "Every")
    },
    StopCase(
      "A store cannot be opened in its own migration block: use the objects that the migration "
        + "gives."
    ) {
      let file = try EveryFile()
      let configuration = file.configuration
      try migrated(file) { _, _ in _ = try Realm(configuration: configuration) }
    },
    StopCase(
      "The Realm of a migration has one write transaction, which begins and ends with the migration "
        + "block: open the store afterwards to observe it or to write again."
    ) {
      try migrated { migration, _ in migration.create("Every").realm?.cancelWrite() }
    },
  ]

  /// Opens a new store with a higher version.
  private static func migrated(
    _ file: EveryFile? = nil, _ block: @escaping ThrowingMigrationBlock
  ) throws {
    let file = try file ?? EveryFile()
    do { _ = try file.open() }
    var configuration = file.configuration
    configuration.schemaVersion = 1
    configuration.migrationBlock = block
    _ = try Realm(configuration: configuration)
  }
}

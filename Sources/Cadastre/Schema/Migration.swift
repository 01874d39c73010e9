public import CadastreModel
import CadastreQuery
import CadastreStore

/// A closure that migrates a store when it is opened with a newer version of the classes.
///
/// The closure receives the migration and the schema version of the store.
public typealias MigrationBlock =
  @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// A migration that can fail.
///
/// Opening the Realm rethrows the error of the block. The store is unchanged after an error or the end of the
/// process. A ``MigrationBlock`` is also a `ThrowingMigrationBlock`.
public typealias ThrowingMigrationBlock =
  @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) throws -> Void

/// An object whose properties are read and set by name, as `object["name"]`.
public typealias MigrationObject = DynamicObject

/// Receives the read-only old object and the new object.
public typealias MigrationObjectEnumerateBlock = (
  _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

/// The objects of a store before and after a migration, for use in a ``MigrationBlock``.
///
/// Properties with the same name and type keep their values. Before the block runs, new properties have the
/// defaults that the class declares. Without a declared default, an optional property is null, an enumeration
/// is its first case, and other properties are zero, false, empty or 1970-01-01. New links are null.
///
///     Realm.Configuration(schemaVersion: 2) { migration, oldVersion in
///       guard oldVersion < 2 else { return }
///       migration.renameProperty(onType: "Person", from: "mail", to: "email")
///       migration.enumerateObjects(ofType: "Person") { old, new in
///         new?["fullName"] = "\(old?["firstName"] ?? "") \(old?["lastName"] ?? "")"
///       }
///     }
public final class Migration {
  /// The classes before the migration.
  public let oldSchema: Schema
  /// The classes after the migration.
  public let newSchema: Schema
  private let migration: StoreMigration
  private let old: FrozenCore
  private let new: MigratingCore

  private init(_ migration: StoreMigration, for core: LiveCore) {
    self.migration = migration
    oldSchema = migration.old.catalogue.schema
    newSchema = core.schema
    old = FrozenCore(before: migration.old, of: core)
    new = MigratingCore(migration, before: old, of: core)
  }

  /// Runs a migration block, and invalidates its objects afterwards.
  static func run(
    _ migration: StoreMigration, for core: LiveCore, _ block: ThrowingMigrationBlock
  ) throws {
    let running = Migration(migration, for: core)
    defer { running.new.end() }
    try $stores.withValue(stores.union([core.file.path])) {
      try block(running, migration.old.versions.schema)
      // Errors of reads and writes in the block that cannot throw.
      if let error = running.new.failure ?? running.old.readError { throw error }
    }
  }

  /// The paths of the stores whose migration blocks the current task runs.
  @TaskLocal static var stores: Set<String> = []

  // MARK: Objects

  /// Runs a block with the old and the new instance of each object of a class.
  ///
  /// Objects created or deleted in the migration are omitted. The old instance is nil for a new class; the
  /// new instance is nil for a removed class.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class.
  ///   - block: Receives the instances.
  /// - Complexity: O(n) for n objects, with one to three statements for each.
  public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
    requireRunning()
    guard old.classes[typeName] != nil else {
      if let table = new.listedTable(named: typeName) {
        // Reads all keys first, because the block may create objects, which are omitted.
        let keys = new.read(.rows, or: []) {
          try $0.keys(table.layout, after: ObjectKey(0), limit: .max)
        }
        for key in keys {
          if let object = new.existing(table, key) { block(nil, object) }
        }
      }
      return
    }
    let isKept = new.classes[typeName] != nil
    if let before = old.table(named: typeName) {
      let after = new.listedTable(named: typeName)
      forEachKey(in: before, stillIn: after) { key, object in
        if object == nil, isKept { return }
        block(old.dynamicObject(before, key), object)
      }
    }
    guard old.schema[typeName]?.isEmbedded == true else { return }
    for (owner, path) in EmbeddedPaths(old.schema).leading(to: typeName) {
      guard let before = old.table(named: owner) else { continue }
      let after = new.listedTable(named: owner)
      forEachKey(in: before, stillIn: after) { key, owner in
        let was = old.dynamicObject(before, key).embedded(at: path)
        guard let was else { return }
        let object = owner?.embedded(at: path)
        if object == nil, isKept { return }
        block(was, object)
      }
    }
  }

  /// Runs a block with the key of each old object and the new object with that key, if there is one.
  private func forEachKey(
    in table: ManagedTable, stillIn after: ManagedTable?,
    _ body: (ObjectKey, DynamicObject?) -> Void
  ) {
    func keys(_ table: ManagedTable, of core: RealmCore, after last: ObjectKey) -> [ObjectKey] {
      core.read(.rows, or: []) { try $0.keys(table.layout, after: last, limit: Self.batch) }
    }
    var last = ObjectKey(0)
    while true {
      let visited = keys(table, of: old, after: last)
      // Nearly all old objects exist in the new store with the same keys.
      let found = new.currentGeneration
      var present = (after.map { keys($0, of: new, after: last) } ?? [])[...]
      for key in visited {
        present = present.drop { $0.rawValue < key.rawValue }
        body(key, after.flatMap { object($0, key, wasThere: present.first == key, since: found) })
      }
      guard let end = visited.last else { return }
      last = end
    }
  }

  /// Returns the new object with a key, whose existence was checked in a generation; nil if there is none.
  private func object(
    _ table: ManagedTable, _ key: ObjectKey, wasThere: Bool, since found: UInt64
  ) -> DynamicObject? {
    guard wasThere else { return nil }
    return table.containsStill(key, since: found)
      ? new.dynamicObject(table, key) : new.existing(table, key)
  }

  /// The number of keys in a batch.
  private static let batch = 1000

  /// Adds an object.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class in the new schema.
  ///   - value: The properties, see ``Object/init(value:)``.
  /// - Returns: The object.
  @discardableResult
  public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
    requireRunning()
    return new.create(typeName, value)
  }

  /// Deletes a new object.
  public func delete(_ object: MigrationObject) {
    requireRunning()
    new.delete(object)
  }

  /// Deletes all objects of a class, and also the class if the program no longer has it.
  ///
  /// Without this call, the objects of a removed class stay in the store.
  ///
  /// - Returns: Whether the class existed.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool {
    requireRunning()
    let wasThere = new.attempt(or: false) { try migration.deleteData(of: typeName) }
    new.discardTables()
    return wasThere
  }

  /// Renames a property, which keeps its values.
  ///
  /// The process stops if the old property does not exist or is still declared, if the new one does not
  /// exist, or if the values do not fit.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class.
  ///   - oldName: The column in the old schema.
  ///   - newName: The column in the new schema.
  public func renameProperty(
    onType typeName: String, from oldName: String, to newName: String
  ) {
    requireRunning()
    new.releaseReaders()
    new.attempt(or: ()) {
      do throws(StoreError) {
        try migration.renameProperty(of: typeName, from: oldName, to: newName)
      } catch {
        if case .migrationFailed = error.reason { ProgrammingError.stop("\(error)") }
        throw error
      }
    }
  }

  /// Allows the deletion of a property that the class no longer declares, with its values.
  ///
  /// The call is needed only if ``Realm/Configuration/deletesUnusedColumns`` is false; otherwise undeclared
  /// properties are deleted with a warning in the log. The process stops if the property does not exist or is
  /// still declared.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class.
  ///   - name: The property in the old schema.
  public func deleteProperty(onType typeName: String, named name: String) {
    requireRunning()
    new.attempt(or: ()) {
      do throws(StoreError) {
        try migration.deleteProperty(of: typeName, named: name)
      } catch {
        if case .migrationFailed = error.reason { ProgrammingError.stop("\(error)") }
        throw error
      }
    }
  }

  private func requireRunning() {
    guard new.transaction != nil else {
      ProgrammingError.stop(
        "A Migration can only be used inside the migration block that it was given to.")
    }
  }
}

// Not Sendable: its write transaction is confined to the thread that opens the Realm.
@available(*, unavailable)
extension Migration: Sendable {}

extension LiveCore {
  /// Migrates the store to the schema version of the configuration.
  func prepare() throws {
    guard configuration.schemaVersion != .max else {
      throw Realm.Error(
        .invalidInput, "Cannot set schema version to \(UInt64.max): it must be less",
        configuration.fileURL)
    }
    guard !Migration.stores.contains(file.path) else {
      ProgrammingError.stop(
        "A store cannot be opened in its own migration block: use the objects that the migration gives."
      )
    }
    try LiveRealms.refuseOtherVersion(file, configuration)
    var defaults = DeclaredDefaults()
    try file.prepare(
      for: schema, version: configuration.schemaVersion,
      resetting: configuration.deleteRealmIfMigrationNeeded,
      initialValues: { stored in
        defaults = DeclaredDefaults(classes.values, over: stored)
        return defaults.shared
      }
    ) { migration in
      Logger.write(
        .detail, .storage,
        "migrating '\(file.path)' to schema version \(configuration.schemaVersion)")
      let block = configuration.migrationBlock
      if block != nil || defaults.needsObjects {
        try Migration.run(migration, for: self) { [defaults] running, version in
          defaults.set(in: running)
          try block?(running, version)
        }
      }
      let removed = try migration.removedProperties
      guard configuration.deletesUnusedColumns || removed.isEmpty else {
        throw StoreError(
          .migrationFailed(
            removed.map {
              "'\($0)' and its values would be deleted: rename it, or allow it by deleteProperty in the "
                + "migration block, or set deletesUnusedColumns."
            }), path: file.path)
      }
      for property in removed {
        Logger.write(
          .detail, .storage,
          "the migration of '\(file.path)' removes '\(property)' and its values; copy or rename them "
            + "in the migration block to keep them")
      }
    }
  }
}

extension Realm {
  /// Migrates a store to the schema version of a configuration, or creates a missing store, without opening a
  /// Realm.
  ///
  /// - Parameter configuration: The store, and its migration block.
  /// - Throws: ``Realm/Error``, or the error of the block; the store is unchanged then.
  public static func performMigration(
    for configuration: Configuration = .defaultConfiguration
  ) throws {
    try Error.translating {
      _ = try LiveCore(configuration, confinement: Confinement.current(nil))
    }
  }
}

/// The paths from classes with a table to objects embedded in their rows.
struct EmbeddedPaths {
  private let schema: Schema

  init(_ schema: Schema) { self.schema = schema }

  /// Returns the paths to the embedded objects of a class: the owner's class and the columns.
  func leading(to className: String) -> [(owner: String, columns: [String])] {
    let apart = schema.embeddedClassesWithTable
    return schema.objectSchema.filter { !$0.isEmbedded || apart.contains($0.className) }
      .flatMap { owner in
        ways(from: owner, to: className).map { (owner.className, $0) }
      }
  }

  // Terminates because a recursive class is not stored in its owner's row.
  private func ways(from owner: ObjectSchema, to className: String) -> [[String]] {
    owner.properties.filter(schema.isInline).flatMap { property -> [[String]] in
      guard let target = schema.target(of: property) else { return [] }
      let further = ways(from: target, to: className).map { [property.columnName] + $0 }
      return (target.className == className ? [[property.columnName]] : []) + further
    }
  }
}

extension DynamicObject {
  /// Returns the object at the end of a path of columns; nil if there is none.
  func embedded(at columns: [String]) -> DynamicObject? {
    var object = self
    for column in columns {
      guard
        let index = object.objectSchema.properties.firstIndex(where: { $0.columnName == column }),
        object.objectSchema.properties[index].type == .object,
        !object.objectSchema.properties[index].isCollection,
        let next = object.linkedObject(index) as? DynamicObject
      else { return nil }
      object = next
    }
    return object
  }
}

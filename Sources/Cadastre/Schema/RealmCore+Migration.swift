import CadastreEngine
import CadastreModel
import CadastreStore
import Foundation

/// The two sides of a migration: the old store, and the store in migration.
extension RealmCore {
  /// The role of a Realm in a migration.
  enum MigrationSide {
    /// A Realm that reads the old store.
    case before
    /// A Realm that changes the store; `before` reads the old store.
    case after(StoreMigration, before: RealmCore)
  }

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
        .info, .storage, "migrating '\(file.path)' to schema version \(configuration.schemaVersion)"
      )
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
          .warn, .storage,
          "the migration of '\(file.path)' removes '\(property)' and its values; copy or rename them "
            + "in the migration block to keep them")
      }
    }
  }

  /// Invalidates the objects of a migration.
  func endMigration() {
    releaseReaders()
    write = .none
    side = nil
    invalidateAll()
  }

  /// Returns the dynamic object with a key; nil if there is none.
  func existing(_ table: ManagedTable, _ key: ObjectKey) -> DynamicObject? {
    guard readRow(or: false, { try $0.contains(table.layout, key) }) else { return nil }
    return dynamicObject(table, key)
  }

  /// Adds an object in a migration; objects of classes that become embedded have separate rows until
  /// its end.
  func createInMigration(_ typeName: String, _ value: Any) -> DynamicObject {
    let table = requiredTable(typeName)
    let value = inNewStore(value) ?? [String: Any]()
    guard table.info.type is EmbeddedObject.Type, !table.layout.schema.isEmbedded else {
      return Realm(core: self).dynamicCreate(typeName, value: value)
    }
    let object = table.info.type.init()
    table.info.fill(object, from: value)
    let key = ObjectWriter(self).addOwned(object, table)
    return dynamicObject(table, key)
  }

  /// Allows changes of the primary keys of a class, in a migration.
  ///
  /// - Returns: Whether the Realm is in a migration.
  func allowsNewKeys(of className: String) -> Bool {
    guard case .after(let migration, _) = side else { return false }
    attempt(or: ()) { try migration.transaction.deferKey(of: className) }
    return true
  }

  // MARK: From the store before

  /// Returns a value in which new objects replace old ones, and dictionaries replace old embedded objects.
  func inNewStore(_ value: Any?) -> Any? {
    guard case .after(_, let before) = side, let value, !DynamicValue.isNull(value) else {
      return value
    }
    switch value {
    // The most frequent types, before the more expensive casts.
    case is String, is Int, is Double, is Bool, is Date: return value
    case let object as DynamicObject:
      return object.position?.row.core === before ? counterpart(of: object) : object
    case let value as AnyRealmValue: return inNewStore(value.dynamicValue)
    case let values as [String: Any?]: return values.mapValues(inNewStore)
    case let map as any DynamicMap:
      return Dictionary(
        map.dynamicEntries.map { ($0.0, inNewStore($0.1)) }, uniquingKeysWith: { $1 })
    case let values as [Any?]: return values.map(inNewStore)
    case let collection as any RealmCollection: return elements(of: collection)
    default: return value
    }
  }

  /// Returns the elements of a collection without deleted objects, which the store also removes.
  private func elements(of collection: some RealmCollection) -> [Any?] {
    collection.compactMap { element -> Any?? in
      let value = inNewStore(element)
      return value == nil && element is DynamicObject ? nil : .some(value)
    }
  }

  private func counterpart(of object: DynamicObject) -> Any? {
    guard let position = object.position else { return nil }
    let schema = object.objectSchema
    guard position.embeddedLayout == nil, !schema.isEmbedded else {
      return Dictionary(
        schema.properties.enumerated().map { ($1.name, inNewStore(object.dynamicValue($0))) },
        uniquingKeysWith: { $1 })
    }
    return listedTable(named: schema.className).flatMap { existing($0, position.row.key) }
  }

  /// Sets a link to an object whose class becomes embedded, which the Swift property cannot represent;
  /// returns false for other properties.
  func setLinkInMigration(_ property: Int, of object: DynamicObject, to value: Any?) -> Bool {
    guard case .after = side, object.classInfo.schema.properties[property].type == .object,
      let position = object.position, case .link(let column) = position.field(property),
      let target = object.targetTable(of: property, in: self),
      target.info.type is EmbeddedObject.Type
    else { return false }
    guard let value, !DynamicValue.isNull(value) else {
      position.row.set(column, .null)
      return true
    }
    let linked =
      DynamicValue.object(value) as? DynamicObject
      ?? createInMigration(target.info.schema.className, value)
    guard let row = linked.position?.row, row.core === self,
      row.table.info.schema.className == target.info.schema.className
    else { return false }
    position.row.set(column, .link(row.key))
    return true
  }
}

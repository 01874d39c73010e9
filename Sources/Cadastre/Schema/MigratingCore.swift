import CadastreModel
import CadastreQuery
import CadastreStore
import Foundation

/// The Realm of a store in migration.
final class MigratingCore: RealmCore {
  /// The Realm of the old store; nil after the migration.
  private var before: FrozenCore?

  init(_ migration: StoreMigration, before: FrozenCore, of core: LiveCore) {
    self.before = before
    super.init(core.configuration, core.file, core.confinement, core.classes, core.schema)
    write = .begun(migration.transaction)
    version = migration.old.version
    migration.transaction.record(in: generation)
  }

  override var hasOnlyDynamicObjects: Bool { true }

  override func requireLive(or sentence: String) -> LiveCore {
    ProgrammingError.stop(
      "The Realm of a migration has one write transaction, which begins and ends with the migration block: "
        + "open the store afterwards to observe it or to write again.")
  }

  override func frozen() -> FrozenCore {
    checkThread()
    if let before { return before }
    do throws(StoreError) {
      _ = try committedVersion()
      return try frozenWithSnapshot()
    } catch {
      return FrozenCore(.failure(error), of: self)
    }
  }

  /// Ends the migration, and invalidates its objects.
  func end() {
    endWrite()
    before = nil
    invalidateAll()
    // The end of the migration changes the tables.
    discardTables()
  }

  /// Returns the dynamic object with a key; nil if there is none.
  func existing(_ table: ManagedTable, _ key: ObjectKey) -> DynamicObject? {
    guard readRow(or: false, { try $0.contains(table.layout, key) }) else { return nil }
    return dynamicObject(table, key)
  }

  /// Adds an object; objects of classes that become embedded have separate rows until the end of the migration.
  func create(_ typeName: String, _ value: Any) -> DynamicObject {
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

  /// Allows changes of the primary keys of a class.
  func allowNewKeys(of className: String) {
    attempt(or: ()) { try transaction?.deferKey(of: className) }
  }

  // MARK: From the store before

  /// Returns a value in which new objects replace old ones, and dictionaries replace old embedded objects.
  func inNewStore(_ value: Any?) -> Any? {
    guard let value, !DynamicValue.isNull(value) else { return value }
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
  func setLink(_ property: Int, of object: DynamicObject, to value: Any?) -> Bool {
    guard object.classInfo.schema.properties[property].type == .object,
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
      ?? create(target.info.schema.className, value)
    guard let row = linked.position?.row, row.core === self,
      row.table.info.schema.className == target.info.schema.className
    else { return false }
    position.row.set(column, .link(row.key))
    return true
  }
}

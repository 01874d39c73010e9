public import CadastreModel
import CadastreStore
public import Dispatch
public import Foundation

/// A store and its objects, confined to an actor, queue, thread or task.
///
/// A Realm reads one version of its store: the newest version at opening, and later the version of its last
/// write or refresh. A Realm and its objects are confined to the actor, queue, thread or task that opened the
/// Realm. A Realm opened on the main thread is confined to the main actor.
///
///     let realm = try Realm()
///     try realm.write {
///       realm.add(Airport(value: ["icao": "LFPG", "country": "FR"]))
///     }
///     let french = realm.objects(Airport.self).where { $0.country == "FR" }
public struct Realm {
  let core: RealmCore

  init(core: RealmCore) { self.core = core }

  /// Opens the store of the default configuration, and creates a missing store.
  ///
  /// The Realm is confined to the actor, the task or the thread of the caller.
  /// - Parameters:
  ///   - queue: The serial queue to which the Realm is confined, and on which the caller must run.
  ///   - isolation: The actor of the caller.
  /// - Throws: ``Realm/Error``.
  public init(queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue, isolation: isolation)
  }

  /// Opens the store of a configuration, and creates a missing store.
  ///
  /// The Realm is confined to the actor, the task or the thread of the caller.
  /// - Parameters:
  ///   - configuration: The configuration of the store.
  ///   - queue: The serial queue to which the Realm is confined, and on which the caller must run.
  ///   - isolation: The actor of the caller.
  /// - Throws: ``Realm/Error``.
  public init(
    configuration: Configuration, queue: DispatchQueue? = nil,
    isolation: (any Actor)? = #isolation
  ) throws {
    let confinement = queue.map(Confinement.current) ?? Confinement.current(isolation)
    core = try Error.translating { try LiveRealms.core(configuration, confinement) }
    if let limit = configuration.columnMemoryLimit { core.file.columns.budget = limit }
  }

  /// Opens a file with the classes of the default configuration.
  ///
  /// - Throws: ``Realm/Error``.
  public init(fileURL: URL, isolation: (any Actor)? = #isolation) throws {
    var configuration = Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration, isolation: isolation)
  }

  /// The configuration of the Realm.
  public var configuration: Configuration { core.configuration }

  /// The classes that the Realm manages.
  public var schema: Schema { core.schema }

  /// Whether the store has no objects of these classes.
  public var isEmpty: Bool {
    schema.objectSchema.allSatisfy { schema in
      schema.isEmbedded || core.readRow(or: 0, { try $0.rowCount(schema.className) }) == 0
    }
  }

  // MARK: Reading

  /// Returns all objects of a class, for filtering with `filter` or `where`.
  ///
  /// For a ``Projection``, returns a projection of each object of the root class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    Results(QueryResult(core, core.table(type.fetchedClass)))
  }

  /// Returns all objects of a class by its name.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    Results(QueryResult(core, core.requiredTable(typeName)))
  }

  /// Returns the object with a primary key; nil if there is none.
  ///
  /// A key of another type stops the process; for keys from outside see
  /// ``object(checking:forPrimaryKey:)``.
  ///
  /// - Complexity: O(log n).
  public func object<Element: Object, Key>(
    ofType type: Element.Type, forPrimaryKey key: Key
  ) -> Element? {
    object(type, core.table(type), forPrimaryKey: key)
  }

  /// Returns the object of a class, by its name, with a primary key; nil if there is none.
  public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
    object(DynamicObject.self, core.requiredTable(typeName), forPrimaryKey: key)
  }

  private func object<Element: Object, Key>(
    _ type: Element.Type, _ table: ManagedTable, forPrimaryKey key: Key
  ) -> Element? {
    let name = table.className
    guard let property = table.info.schema.primaryKeyProperty else {
      ProgrammingError.stop("'\(name)' does not have a primary key defined.")
    }
    guard let value = DynamicValue.value(ofKey: key), property.isOptional || !value.isNull,
      value.isNull || value.type == property.type
    else {
      ProgrammingError.stop(
        "Invalid value '\(key)' of type '\(Swift.type(of: key))' for '\(property.typeDescription)' primary "
          + "key '\(name).\(property.name)'.")
    }
    return object(type, table, value)
  }

  /// Returns the object with the stored value of a primary key.
  func object<Element: Object>(
    _ type: Element.Type, _ table: ManagedTable, _ value: Value
  ) -> Element? {
    let found = core.readRow(or: nil) { try table.values.key(primaryKey: value, $0, core) }
    guard let found else { return nil }
    return core.object(type, table, found)
  }

  /// Moves to the newest version of the store, and notifies observers.
  ///
  /// Does nothing in a write transaction, in a notification, and for a frozen Realm.
  /// - Returns: Whether there was a newer version.
  @discardableResult
  public func refresh() -> Bool { core.live?.refresh() ?? false }

  /// Whether the Realm moves to new versions automatically, if its confinement is an actor, a queue or a
  /// thread with a run loop.
  ///
  /// If false, the Realm stays at its version until `refresh()` or a write.
  public var autorefresh: Bool {
    get { core.live?.autorefresh ?? false }
    nonmutating set {
      core.checkThread()
      guard !core.isFrozen else {
        ProgrammingError.stop("A frozen Realm cannot refresh: its version never changes.")
      }
      core.live?.autorefresh = newValue
      if newValue { core.live?.requestWake() }
    }
  }

  /// Ends the read transaction, so that the store can reclaim the version.
  ///
  /// Existing objects and results are invalidated, and an open write transaction is rolled back. Observers
  /// are notified of later commits. Does nothing for a frozen Realm, and in a migration.
  public func invalidate() { core.live?.invalidate() }

  // MARK: Writing

  /// Whether a write transaction is open.
  public var isInWriteTransaction: Bool { core.isInWriteTransaction }

  /// Runs a block in a write transaction and commits; rolls back if the block throws.
  ///
  /// Other writers, also of other processes, wait. The Realm first moves to the newest version. If a change
  /// fails, for example on a full disk, later changes are ignored and `write` throws the error.
  ///
  /// - Parameters:
  ///   - tokens: Tokens of observers that are not notified of the changes.
  ///   - block: Makes the changes; the block may commit or cancel the transaction.
  /// - Returns: The result of the block.
  /// - Throws: The error of the block, or ``Realm/Error``.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    try beginTransaction()
    return try finishWrite(block) { try commitWrite(withoutNotifying: tokens) }
  }

  /// Runs a block in the open transaction, and commits with a closure unless the block has ended the transaction.
  func finishWrite<Result>(
    _ block: () throws -> Result, committing commit: () throws -> Void
  ) throws -> Result {
    let result: Result
    do {
      result = try block()
    } catch {
      if isInWriteTransaction { cancelWrite() }
      throw error
    }
    if isInWriteTransaction { try commit() }
    return result
  }

  /// Opens a write transaction; `commitWrite()` or `cancelWrite()` ends it.
  ///
  /// If the transaction cannot be opened, for example after a timeout for the write lock, changes are ignored
  /// and `commitWrite()` throws the error.
  public func beginWrite() {
    do {
      try beginTransaction()
    } catch {
      core.failWrite(error)
    }
  }

  private func beginTransaction() throws { try Error.translating { try core.beginWrite() } }

  /// Commits the write transaction durably, see ``Configuration/durability``.
  ///
  /// - Parameter tokens: Tokens of observers that are not notified of the changes.
  /// - Throws: ``Realm/Error``; the transaction is then rolled back. In the block of an asynchronous write it may also
  ///   be committed, if the disk fails afterwards; the error says so.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    try Error.translating { try core.commitWrite(withoutNotifying: tokens) }
  }

  /// Rolls back the write transaction.
  ///
  /// Instances of objects that the transaction created or deleted are permanently invalidated.
  public func cancelWrite() { core.cancelWrite() }

  /// The policy for adding an object whose primary key exists.
  public enum UpdatePolicy: Int, Sendable {
    /// Stop the process.
    case error = 1
    /// Set the properties of the existing object that differ.
    case modified = 3
    /// Set all properties of the existing object.
    case all = 2
  }

  /// Adds an object and the objects that it links to, and makes the instances managed.
  ///
  /// In a long sequence of insertions without an `update` policy, rows are stored together. An existing primary
  /// key then stops the process at the latest at the next query or at the commit.
  public func add(_ object: Object, update policy: UpdatePolicy = .error) {
    requireWrite("add")
    ObjectWriter(core).add(object, policy)
  }

  /// Adds several objects.
  public func add<Objects: Sequence>(
    _ objects: Objects, update policy: UpdatePolicy = .error
  ) where Objects.Element: Object {
    let writer = ObjectWriter(core, keepsRows: false)
    for object in objects {
      requireWrite("add")
      writer.add(object, policy)
    }
  }

  /// Adds a new object with the properties of a value, see ``Object/init(value:)``.
  ///
  /// Unmanaged objects in the value are copied and stay unmanaged.
  @discardableResult
  public func create<Element: Object>(
    _ type: Element.Type, value: Any = [String: Any](), update policy: UpdatePolicy = .error
  ) -> Element {
    requireWrite("create")
    if let object = core.update(type, from: value, policy) { return object }
    let info = core.table(type).info
    let object = type.init()
    let specified = info.create(object, from: value)
    ObjectWriter(core, copying: DynamicValue.object(value) as? Object, to: object)
      .add(object, policy, specified)
    return object
  }

  /// Adds a new object of a class by its name.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: Any = [String: Any](), update policy: UpdatePolicy = .error
  ) -> DynamicObject {
    let table = core.requiredTable(typeName)
    guard let type = table.info.type as? Object.Type else {
      ProgrammingError.stop(
        "Embedded objects cannot be created directly: '\(typeName)' is embedded.")
    }
    let created = create(type, value: value, update: policy)
    guard let object = DynamicObject.sameRow(as: created) else {
      ProgrammingError.stop("'\(typeName)' could not be created.")
    }
    return object
  }

  /// Deletes an object; links to the object become nil, and lists and sets remove it.
  public func delete(_ object: ObjectBase) {
    requireWrite("delete")
    core.delete(object)
  }

  /// Deletes several objects.
  public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
    for object in Array(objects) { delete(object) }
  }

  /// Deletes the objects of a result.
  public func delete<Element>(_ results: Results<Element>) { deleteObjects(of: results) }

  /// Deletes the objects of a list, which becomes empty.
  public func delete<Element>(_ list: List<Element>) { deleteObjects(of: list) }

  /// Deletes the objects of a set, which becomes empty.
  public func delete<Element>(_ set: MutableSet<Element>) { deleteObjects(of: set) }

  /// Deletes the objects of a collection of any kind.
  public func delete<Element>(_ collection: AnyRealmCollection<Element>) {
    deleteObjects(of: collection)
  }

  /// Deletes the objects of a map, whose keys keep nil.
  public func delete<Key, Value>(_ map: Map<Key, Value>) { deleteObjects(map.handle) }

  private func deleteObjects(of collection: some RealmCollection) {
    deleteObjects(collection.handle)
  }

  private func deleteObjects(_ handle: CollectionHandle) {
    requireWrite("delete")
    guard let source = handle.source, source.core === core else {
      ProgrammingError.stop("Can only delete objects from the Realm they belong to.")
    }
    guard let table = source.table else {
      ProgrammingError.stop("Cannot delete values: only objects can be deleted from a Realm.")
    }
    core.delete(table, source.distinctKeys)
  }

  /// Deletes all objects of all classes.
  public func deleteAll() {
    requireWrite("delete")
    core.deleteAll()
  }

  func requireWrite(_ what: String) {
    core.checkThread()
    if !isInWriteTransaction { core.stopOutsideTransaction(what) }
  }
}

extension Realm: Equatable {
  /// Returns whether both are the same store in the same confinement.
  public static func == (first: Realm, second: Realm) -> Bool { first.core === second.core }
}

// Not Sendable: a Realm is confined.
@available(*, unavailable)
extension Realm: Sendable {}

/// A type that a Realm can fetch: a class of objects, or a projection.
public protocol RealmFetchable: RealmCollectionValue {
  /// The class of the fetched rows.
  @_documentation(visibility: internal)
  static var fetchedClass: ObjectBase.Type { get }
}

@_documentation(visibility: internal)
extension Object: RealmFetchable {
  /// The class itself.
  public static var fetchedClass: ObjectBase.Type { self }
}

extension Realm {
  /// The memory use of the column cache.
  ///
  /// All Realms of a store in a process share the cache.
  public struct ColumnMemory: Hashable, Sendable {
    /// The approximate size in bytes of the cached columns and of the cached nodes of spatial indexes.
    public let byteCount: Int
    /// The limit in bytes, see ``Realm/Configuration/columnMemoryLimit``.
    public let limit: Int
    /// The peak size in bytes.
    public let peakByteCount: Int
    /// Bytes by the name of the class.
    public let byteCountByClass: [String: Int]
    /// Bytes by the name of the class and the name of the column, such as `address.city`.
    ///
    /// The memory for the keys of the rows is not included.
    public let byteCountByColumn: [String: [String: Int]]
  }

  /// The current memory use of the store's column cache.
  public var columnMemory: ColumnMemory {
    let report = core.file.columns.report
    let catalogue = core.catalogue
    var byteCountByColumn: [String: [String: Int]] = [:]
    for (className, columns) in report.byteCountByColumn {
      guard let names = catalogue.layout(className)?.columns.map(\.name) else { continue }
      for (column, bytes) in columns where names.indices.contains(column) {
        byteCountByColumn[className, default: [:]][names[column]] = bytes
      }
    }
    return ColumnMemory(
      byteCount: report.byteCount, limit: report.budget, peakByteCount: report.peakByteCount,
      byteCountByClass: report.byteCountByClass, byteCountByColumn: byteCountByColumn)
  }
}

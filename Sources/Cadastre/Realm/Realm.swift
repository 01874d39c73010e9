public import CadastreModel
import CadastreStore
public import Dispatch
public import Foundation

/// A store and its objects, as one actor, queue, thread or task sees them.
///
/// A Realm reads one version of its store, the newest when it was opened; it moves on when it
/// writes or refreshes. Realms and the objects in them belong to the actor, queue, thread or task that
/// opened them; those that were opened on the main thread belong to the main actor.
///
///     let realm = try Realm()
///     try realm.write {
///       realm.add(Airport(value: ["icao": "LFPG", "country": "FR"]))
///     }
///     let french = realm.objects(Airport.self).where { $0.country == "FR" }
public struct Realm {
  let core: RealmCore

  init(core: RealmCore) { self.core = core }

  /// Opens the store of the default configuration, making it if it is missing.
  ///
  /// The Realm belongs to the actor that runs the caller, or to the task or the thread that calls.
  /// - Parameters:
  ///   - queue: The serial queue that the Realm belongs to, on which the caller must be.
  ///   - isolation: The actor of the caller.
  /// - Throws: ``Realm/Error``.
  public init(queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue, isolation: isolation)
  }

  /// Opens the store of a configuration, making it if it is missing.
  ///
  /// The Realm belongs to the actor that runs the caller, or to the task or the thread that calls.
  /// - Parameters:
  ///   - configuration: Which store.
  ///   - queue: The serial queue that the Realm belongs to, on which the caller must be.
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

  /// How the Realm was opened.
  public var configuration: Configuration { core.configuration }

  /// The classes that it manages.
  public var schema: Schema { core.schema }

  /// Whether there are no objects of these classes.
  public var isEmpty: Bool {
    schema.objectSchema.allSatisfy { schema in
      schema.isEmbedded || core.read(or: 0, { try $0.rowCount(schema.className) }) == 0
    }
  }

  // MARK: Reading

  /// Returns all objects of a class, to be narrowed by `filter` or `where`.
  ///
  /// Of a ``Projection``, one for each object of its root class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    Results(QueryResult(core, core.table(type.fetchedClass)))
  }

  /// Returns all objects of a class that is known by its name only.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    Results(QueryResult(core, core.requiredTable(typeName)))
  }

  /// Returns the object with a value of its class's primary key; nil when there is none.
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

  /// Returns the object with a value of its class's primary key, the class known by its name only.
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
    let found = core.read(or: nil) { try table.rows.key(primaryKey: value, $0, core) }
    guard let found else { return nil }
    return core.object(type, table, found)
  }

  /// Moves to the newest version of the store, and notifies observers.
  ///
  /// Does nothing in a write transaction, in a notification, and for a frozen Realm.
  /// - Returns: Whether there was a newer version.
  @discardableResult
  public func refresh() -> Bool { core.refresh() }

  /// Whether the Realm moves to new versions by itself, where it belongs to an actor, a queue or a
  /// thread with a run loop.
  ///
  /// Without it the Realm stays at its version until `refresh()` or a write.
  public var autorefresh: Bool {
    get { core.autorefresh && !core.isFrozen }
    nonmutating set {
      core.checkThread()
      guard !core.isFrozen else {
        ProgrammingError.stop("A frozen Realm cannot refresh: its version never changes.")
      }
      core.autorefresh = newValue
      if newValue { core.requestWake() }
    }
  }

  /// Ends the read transaction, so that the store can reclaim the version.
  ///
  /// Objects and results read so far are invalidated; an open write transaction is cancelled. Observers are notified of
  /// later commits.
  public func invalidate() { core.invalidate() }

  // MARK: Writing

  /// Whether a write transaction is open.
  public var isInWriteTransaction: Bool { core.isInWriteTransaction }

  /// Runs a block in a write transaction, and commits; a block that throws changes nothing.
  ///
  /// Other writers wait, those of other processes too. The Realm moves to the newest version first.
  /// Where a change fails, as on a full disk, later changes are ignored and the error is thrown at
  /// the end.
  ///
  /// - Parameters:
  ///   - tokens: Tokens of observers that are not notified of the changes.
  ///   - block: Makes the changes; it may commit or cancel by itself.
  /// - Returns: The result of the block.
  /// - Throws: The error of the block, or ``Realm/Error``.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    try beginTransaction()
    return try finishWrite(tokens, block)
  }

  /// Runs a block in the open transaction, and commits.
  func finishWrite<Result>(
    _ tokens: [NotificationToken], _ block: () throws -> Result
  ) throws -> Result {
    let result: Result
    do {
      result = try block()
    } catch {
      if isInWriteTransaction { cancelWrite() }
      throw error
    }
    if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
    return result
  }

  /// Opens a write transaction, to be ended by `commitWrite()` or `cancelWrite()`.
  ///
  /// Where it cannot be opened, as when another process does not release the write lock in time,
  /// changes are ignored and `commitWrite()` throws the error.
  public func beginWrite() {
    do {
      try beginTransaction()
    } catch {
      core.failWrite(error)
    }
  }

  private func beginTransaction() throws { try Error.translating { try core.beginWrite() } }

  /// Makes the changes of the write transaction durable and visible to others.
  ///
  /// - Parameter tokens: Tokens of observers that are not notified of the changes.
  /// - Throws: ``Realm/Error``; nothing is changed then.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    try Error.translating { try core.commitWrite(withoutNotifying: tokens) }
  }

  /// Rolls back the write transaction.
  ///
  /// Instances of objects that it created or deleted are invalidated for ever.
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

  /// Adds an object and the objects it links to; the instance is managed from then on.
  ///
  /// Of many objects that are added one after the other, without an `update` policy, a second thread stores
  /// the rows. A primary key that exists stops the process at the latest when the transaction is used in
  /// another way or committed then.
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

  /// Adds a new object with the given properties, see ``Object/init(value:)``.
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
    info.create(object, from: value)
    ObjectWriter(core, copying: DynamicValue.object(value) as? Object, to: object)
      .add(object, policy)
    return object
  }

  /// Adds a new object of a class that is known by its name only.
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

  /// Deletes an object; links to it become nil, and it leaves lists and sets.
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

  /// Deletes the objects of a list, which is empty then.
  public func delete<Element>(_ list: List<Element>) { deleteObjects(of: list) }

  /// Deletes the objects of a set, which is empty then.
  public func delete<Element>(_ set: MutableSet<Element>) { deleteObjects(of: set) }

  /// Deletes the objects of a collection of any kind.
  public func delete<Element>(_ collection: AnyRealmCollection<Element>) {
    deleteObjects(of: collection)
  }

  /// Deletes the objects of a map, whose keys stay with nil.
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
  /// Equal when they are the same store where the same actor, queue, thread or task uses it.
  public static func == (first: Realm, second: Realm) -> Bool { first.core === second.core }
}

// Not Sendable: its snapshot belongs to the thread that opened it.
@available(*, unavailable)
extension Realm: Sendable {}

/// A type whose instances a Realm can fetch: a class of objects, or a projection of one.
public protocol RealmFetchable: RealmCollectionValue {
  /// The class whose rows are read.
  @_documentation(visibility: internal)
  static var fetchedClass: ObjectBase.Type { get }
}

@_documentation(visibility: internal)
extension Object: RealmFetchable {
  /// The class itself.
  public static var fetchedClass: ObjectBase.Type { self }
}

extension Realm {
  /// The use of memory by cached columns, which queries read instead of the file.
  ///
  /// All Realms of a process that have the store open share the cache.
  public struct ColumnMemory: Hashable, Sendable {
    /// The size of the cached columns in bytes, about.
    public let bytes: Int
    /// The limit in bytes, see ``Realm/Configuration/columnMemoryLimit``.
    public let limit: Int
    /// The largest size so far in bytes.
    public let mostBytes: Int
    /// Bytes by the name of the class.
    public let bytesByClass: [String: Int]
    /// Bytes by the name of the class and the name of the column, such as `address.city`.
    ///
    /// The memory for the keys of the rows is not among them.
    public let bytesByColumn: [String: [String: Int]]
  }

  /// The current use of memory by cached columns of the store.
  public var columnMemory: ColumnMemory {
    let report = core.file.columns.report
    let catalogue = core.catalogue
    var bytesByColumn: [String: [String: Int]] = [:]
    for (className, columns) in report.bytesByColumn {
      guard let names = catalogue.layout(className)?.columns.map(\.name) else { continue }
      for (column, bytes) in columns where names.indices.contains(column) {
        bytesByColumn[className, default: [:]][names[column]] = bytes
      }
    }
    return ColumnMemory(
      bytes: report.byteCount, limit: report.budget, mostBytes: report.mostBytes,
      bytesByClass: report.bytesByClass, bytesByColumn: bytesByColumn)
  }
}

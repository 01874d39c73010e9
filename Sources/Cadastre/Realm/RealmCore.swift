import CadastreModel
import CadastreQuery
import CadastreStore
import Foundation

/// What the `Realm` values of one file in one confinement share: the classes, and the snapshot or the write
/// transaction that is read.
///
/// A core is a `LiveCore`, a `FrozenCore` or a `MigratingCore`.
// The members that reads and writes of properties use are final: they are called without dynamic dispatch.
// Properties that each read of an object uses are `@exclusivity(unchecked)`, here and in rows and
// columns: no code that runs during an access reaches the property again, so accesses never
// overlap, and the dynamic check would cost more than the access.
class RealmCore {
  final let configuration: Realm.Configuration
  final let file: StoreFile
  final let confinement: Confinement
  /// The thread of the confinement, for a fast check; nil for other confinements.
  private final let thread: pthread_t?
  /// The confinement, `generation` and the newest of `revocations`, shared with objects.
  final let readState: UnsafeMutablePointer<ReadState>
  /// The classes and their tables.
  final let tables: ClassTables
  /// The number by which cached rows and results are validated.
  final let generation = Generation()
  /// The objects whose instances are invalidated although their rows exist or may exist again.
  final let revocations = Revocations()
  /// The generation of the last invalidation of the Realm; results created before it are invalid.
  final private(set) var validSince: UInt64 = 0
  /// The snapshot that is read; nil before the first read, and in a transaction.
  final private(set) var snapshot: Snapshot?
  /// The lock for reads through a snapshot that several threads share; nil for an unshared snapshot.
  final private(set) var sharing: NSRecursiveLock?
  /// The version of the store that the Realm has moved to; nil before the first read.
  final var version: Int64?
  /// The catalogue that is used if no version can be read.
  final var lastCatalogue = Catalogue.empty
  /// The write of the Realm; a frozen one has none, or one that could not begin.
  @exclusivity(unchecked) final var write = RealmWrite.none
  /// The first read error outside of transactions from a function that cannot throw.
  final var readError: Realm.Error?
  /// The last key of a row that a failed transaction did not insert.
  final var lastRefusedKey: Int64 = 0
  /// The last generation of an embedded object.
  private final var lastGeneration: Int64 = 0
  /// The use of the store, which ends last.
  private final let use: StoreUse

  init(
    _ configuration: Realm.Configuration, _ file: StoreFile, _ confinement: Confinement,
    _ classes: [String: ClassInfo], _ schema: Schema
  ) {
    self.configuration = configuration
    self.file = file
    use = StoreUse(of: file)
    self.confinement = confinement
    thread = confinement.thread
    readState = .allocate(capacity: 1)
    readState.initialize(
      to: ReadState(
        generation: generation.address, thread: confinement.thread,
        executor: confinement.executor?.identity ?? 0))
    tables = ClassTables(classes, schema: schema, generation, revocations)
  }

  deinit { readState.deallocate() }

  // MARK: Roles

  /// Returns the Realm if it is live; stops the process with a sentence if it is frozen, and with another one in a
  /// migration.
  func requireLive(or sentence: String) -> LiveCore {
    guard let live else { ProgrammingError.stop(sentence) }
    return live
  }

  /// Waits for the write lock, moves to the newest version, and opens a transaction.
  func beginWrite() throws {
    checkThread()
    requireNoWrite()
    try liveForWrites().beginTransaction()
  }

  /// This version of the store for all threads; in a transaction, the version before it.
  ///
  /// If the store cannot be read, returns a Realm whose reads report the error.
  func frozen() -> RealmCore { self }

  /// Whether links lead to dynamic objects: in a migration, because the classes of the program may not fit the store.
  var hasOnlyDynamicObjects: Bool { false }

  /// Opens the version that the Realm reads from now on.
  func openSnapshot() throws(StoreError) -> Snapshot {
    let opened = try file.snapshot()
    try requireOwnClasses(opened.catalogue)
    adopt(opened)
    return opened
  }

  /// Replaces the snapshot, and moves to its version.
  func adopt(_ next: Snapshot) {
    releaseReaders()
    use(next)
    version = next.version
  }

  /// Returns the changes of the commits between two versions; nil if they are not available.
  func commits(after base: Int64, through version: Int64) -> ChangeRange? {
    file.changes(after: base, through: version)
  }
}

extension RealmCore {
  /// Whether the Realm is frozen: its version never changes, and several threads may read it.
  var isFrozen: Bool { self is FrozenCore }

  /// The Realm if it is live; nil for a frozen one and in a migration.
  var live: LiveCore? { self as? LiveCore }

  /// Stops the process if the objects of the Realm never change.
  func requireChangeableObjects() {
    if let frozen = self as? FrozenCore { ProgrammingError.stop(frozen.refusal) }
  }

  /// Returns the live Realm for a write; stops the process if the Realm is frozen or read-only.
  func liveForWrites() -> LiveCore {
    checkThread()
    let live = requireLive(
      or: "Can't perform transactions on a frozen Realm: thaw() gives a live one.")
    if configuration.readOnly {
      ProgrammingError.stop("Can't perform transactions on read-only Realms.")
    }
    return live
  }

  /// Returns the live Realm for an observer; stops the process if the Realm never changes.
  func liveForObservers() -> LiveCore {
    requireLive(or: "Frozen Realms do not change and do not have change notifications.")
  }

  /// Returns the live Realm of the same store in the caller's confinement; a Realm that is not frozen returns itself.
  ///
  /// - Parameter isolation: The actor to which the caller is isolated.
  /// - Returns: The live Realm; if the store cannot be opened, a Realm whose reads report the error.
  func thawed(_ isolation: (any Actor)?) -> RealmCore {
    isFrozen ? sibling(isolation) : self
  }

  /// Returns the live Realm of the same store in the caller's confinement, also for a live Realm.
  func sibling(_ isolation: (any Actor)?) -> RealmCore {
    do {
      return try LiveRealms.core(configuration, Confinement.current(isolation))
    } catch let error as StoreError {
      return FrozenCore(.failure(error), of: self)
    } catch {
      // The configuration opened this Realm, so the caller must have opened the store with a different
      // configuration.
      ProgrammingError.stop("\(error)")
    }
  }

  // MARK: Classes

  /// The classes of this Realm.
  var classes: [String: ClassInfo] { tables.classes }

  /// The classes of this Realm as a schema.
  var schema: Schema { tables.schema }

  /// The current number of `generation`.
  var currentGeneration: UInt64 { readState.pointee.generation.pointee }

  /// Returns whether the Realm manages exactly these classes.
  func manages(_ types: [ObjectBase.Type]) -> Bool {
    Set(types.map(ObjectIdentifier.init)) == Set(classes.values.map { ObjectIdentifier($0.type) })
  }

  /// Stops the process if the caller is outside of the confinement of the Realm.
  func checkThread() {
    // Fast path: each read of a property runs this check, mostly on one thread.
    if let thread, pthread_equal(thread, pthread_self()) != 0 { return }
    confinement.check()
  }

  // MARK: Reading

  /// Returns a reader of all rows and indexes.
  func currentReader() throws(StoreError) -> any StoreReader { try reader(.indexes) }

  /// Returns the flushed write transaction or the snapshot; the first read opens the snapshot.
  ///
  /// - Parameter extent: The changes of the transaction that the caller reads.
  /// - Returns: The reader, until the next write.
  /// - Throws: `StoreError`.
  func reader(_ extent: FlushExtent) throws(StoreError) -> any StoreReader {
    checkThread()
    if let transaction { return try transaction.flush(extent) }
    return try currentSnapshot()
  }

  /// Returns a reader of single rows, which does not flush the write transaction.
  func rowReader() throws(StoreError) -> any RowReader {
    checkThread()
    if let transaction { return transaction }
    return try currentSnapshot()
  }

  private func currentSnapshot() throws(StoreError) -> Snapshot {
    if let snapshot { return snapshot }
    return try openSnapshot()
  }

  /// Replaces the snapshot.
  ///
  /// - Parameters:
  ///   - next: The snapshot; nil to open one with the next read.
  ///   - lock: The lock for its reads if several threads share it.
  func use(_ next: Snapshot?, sharing lock: NSRecursiveLock? = nil) {
    snapshot = next
    sharing = lock
  }

  /// Returns a frozen Realm that shares the snapshot of this one.
  ///
  /// - Throws: ``StoreError`` `busy` in a transaction, which has no snapshot.
  func frozenWithSnapshot() throws(StoreError) -> FrozenCore {
    guard let snapshot else { throw StoreError(.busy, path: file.path) }
    let lock = sharing ?? NSRecursiveLock()
    use(snapshot, sharing: lock)
    return FrozenCore(.success(snapshot), of: self, sharing: lock)
  }

  /// Runs a closure while no other thread reads through the same snapshot.
  func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let sharing else { return try body() }
    sharing.lock()
    defer { sharing.unlock() }
    return try body()
  }

  /// The catalogue of the transaction or the snapshot.
  var catalogue: Catalogue {
    checkThread()
    if let transaction { return transaction.catalogue }
    if let snapshot { return snapshot.catalogue }
    return attempt(or: lastCatalogue) { try rowReader().catalogue }
  }

  /// Checks that a version of the store still has the classes of this Realm.
  ///
  /// - Throws: `StoreError` `schemaChanged` if another process has migrated it.
  func requireOwnClasses(_ catalogue: Catalogue) throws(StoreError) {
    if try tables.check(catalogue, path: file.path) { discardTables() }
    lastCatalogue = catalogue
  }

  /// Discards the tables, after their layouts may have changed.
  func discardTables() {
    releaseReaders()
    tables.discardTables()
    generation.restart()
  }

  /// Releases the snapshot in read-ahead buffers, before the reader changes.
  func releaseReaders() {
    generation.advance()
    tables.releaseReaders()
  }

  /// Returns the table of a class; an unmanaged class stops the process.
  func table(_ type: ObjectBase.Type) -> ManagedTable {
    exclusively {
      guard let managed = tables.managed(type, in: catalogue) else {
        stopForUnmanaged(type.className())
      }
      return ManagedTable(self, managed)
    }
  }

  /// Returns the table of a class by its name; nil if the store has no such class, or its objects are stored
  /// in their owners' rows.
  func table(named name: String) -> ManagedTable? {
    managedClass(named: name).map { ManagedTable(self, $0) }
  }

  /// Returns the managed class with a name, which does not retain this core; nil if the store has none.
  func managedClass(named name: String) -> ManagedClass? {
    exclusively { tables.managed(named: name, in: catalogue) }
  }

  /// Returns the table of a class by its name; nil if this Realm does not list it.
  func listedTable(named name: String) -> ManagedTable? {
    tables.classes[name] == nil ? nil : table(named: name)
  }

  /// Returns the table of a class by its name; a class that this Realm does not list stops the process.
  func requiredTable(_ name: String) -> ManagedTable {
    guard let table = listedTable(named: name) else { stopForUnmanaged(name) }
    return table
  }

  private func stopForUnmanaged(_ name: String) -> Never {
    ProgrammingError.stop(
      "Object type '\(name)' is not managed by the Realm. If using a custom objectTypes array in "
        + "Realm.Configuration, add '\(name)' to it.")
  }

  /// Returns the locations of the links of a linking-objects property.
  func linkLocations(of property: Property) -> [LinkLocation] {
    exclusively { tables.links(of: property, in: catalogue) }
  }

  /// Creates a managed instance for a row.
  func object<Instance: ObjectBase>(
    _ type: Instance.Type, _ table: ManagedTable, _ key: ObjectKey
  ) -> Instance? {
    table.info.makeInstance(of: type, table, key) as? Instance
  }

  /// Creates a dynamic object for a row.
  func dynamicObject(_ table: ManagedTable, _ key: ObjectKey) -> DynamicObject {
    let object = DynamicObject()
    object.refer(to: ObjectPosition(ManagedRow(table, key)), table.info)
    return object
  }

  /// Creates a managed instance for an embedded object in its owner's row.
  func object(_ type: ObjectBase.Type, at position: ObjectPosition) -> ObjectBase? {
    guard let layout = position.embeddedLayout else { return nil }
    return exclusively { tables.info(of: layout.schema) }.makeInstance(of: type, at: position)
  }

  /// Returns the object at an address; nil if the object or its table does not exist.
  func object(at address: ObjectAddress) -> ObjectBase? {
    guard let table = table(named: address.className),
      readRow(or: false, { try $0.contains(table.layout, address.key) })
    else { return nil }
    guard !hasOnlyDynamicObjects else { return dynamicObject(table, address.key) }
    return object(ObjectBase.self, table, address.key)
  }

  /// Invalidates all instances and results.
  func invalidateAll() {
    generation.restart()
    revokeAll()
    validSince = currentGeneration
    tables.forgetRows()
  }

  /// Invalidates all instances.
  func revokeAll() {
    revocations.revokeAll(at: currentGeneration)
    readState.pointee.newestRevocation = revocations.newest
  }

  /// Returns a generation that distinguishes a new embedded object from the earlier ones of its owner's
  /// field.
  func nextGeneration(after previous: Value) -> Int64 {
    var next = max(lastGeneration + 1, transaction?.version ?? version ?? 0)
    if case .int(let number) = previous { next = max(next, number + 1) }
    lastGeneration = next
    return next
  }
}

extension RealmCore: QueryContext {
  var queryThreads: QueryThreads { QueryThreads(maximum: configuration.maximumQueryThreads) }

  /// Returns the committed version that the Realm reads; in a transaction, the version before the
  /// transaction.
  func committedVersion() throws(StoreError) -> Int64 {
    if let transaction { return transaction.version - 1 }
    return try currentSnapshot().version
  }

  /// Returns the changes since a generation at a version, including those of the current transaction; nil if they
  /// are not available.
  func changes(since cached: UInt64, _ version: Int64) throws(StoreError) -> ChangeRange? {
    guard !generation.isRolledBack(cached), let committed = try changes(after: version) else {
      return nil
    }
    guard let transaction else { return committed }
    let all = committed.followed(by: transaction.changes)
    return all.changesSchema ? nil : all
  }

  /// Returns the changes of the commits from a version to the committed version that the Realm reads, merged once
  /// for all callers; nil if they are not available, or if classes or indexes have changed.
  func changes(after version: Int64) throws(StoreError) -> ChangeRange? {
    commits(after: version, through: try committedVersion()).flatMap {
      $0.changesSchema ? nil : $0
    }
  }
}

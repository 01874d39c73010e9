import CadastreEngine
import CadastreModel
import CadastrePlanner
import CadastreStore
import Foundation

/// The state that all `Realm` values of one file in one confinement share: the snapshot or the write
/// transaction, and the coordination of their changes.
// Properties that each read of an object uses are `@exclusivity(unchecked)`, here and in rows and
// columns: no code that runs during an access reaches the property again, so accesses never
// overlap, and the dynamic check would cost more than the access.
final class RealmCore {
  let configuration: Realm.Configuration
  let file: StoreFile
  let confinement: Confinement
  /// The thread of the confinement, for a fast check; nil for other confinements.
  private let thread: pthread_t?
  /// Whether the Realm is frozen at its version.
  let isFrozen: Bool
  /// The confinement, `generation` and the newest of `revocations`, shared with objects.
  let readState: UnsafeMutablePointer<ReadState>
  /// The classes and their tables.
  let tables: ClassTables
  var snapshot: Snapshot?
  /// The write of the Realm.
  @exclusivity(unchecked) var write = RealmWrite.none
  /// The first read error outside of transactions from a function that cannot throw.
  var readError: Realm.Error?
  /// The error that left this Realm without a readable version, for example a failed freeze.
  private(set) var unavailable: StoreError?
  /// The version of the store that the Realm has moved to; nil before the first read.
  var version: Int64?
  /// The changes that lead to the version that the Realm reads.
  var recentChanges = RecentChanges()
  /// The newest version that this Realm committed.
  var lastOwnVersion: Int64 = 0
  /// The number by which cached rows and results are validated.
  let generation = Generation()
  /// The objects whose instances are invalidated although their rows exist or may exist again.
  let revocations = Revocations()
  /// The generation of the last invalidation of the Realm; results created before it are invalid.
  var validSince: UInt64 = 0
  /// The outcome of the open transaction; nil before its first use.
  var outcome: TransactionOutcome?
  /// The last catalogue.
  private var lastCatalogue = Catalogue.empty
  /// A reference that does not retain the core.
  private(set) lazy var reference = CoreReference(self)
  /// The last frozen Realm.
  var lastFrozen: CoreReference?
  /// The last key of a row that a failed transaction did not insert.
  var lastRefusedKey: Int64 = 0
  /// The last generation of an embedded object.
  private var lastGeneration: Int64 = 0
  /// The lock for reads through a snapshot that several threads share; nil for an unshared snapshot.
  var sharing: NSRecursiveLock?
  /// The role of the Realm in a migration; nil outside of one.
  var side: MigrationSide?
  /// The observers of changes.
  let observers = Observers()
  /// The queue of asynchronous writes.
  let asyncWrites = AsyncWrites()
  /// Whether the Realm refreshes automatically.
  var autorefresh = true

  /// Opens a live Realm.
  convenience init(_ configuration: Realm.Configuration, confinement: Confinement) throws {
    let (classes, schema) = Self.classes(configuration.managedTypes)
    let file = try configuration.store()
    self.init(configuration, file, confinement, classes, file.shared(schema))
    try prepare()
    let opened = try file.snapshot()
    lastCatalogue = opened.catalogue
    if !configuration.readOnly { observers.watch(self, after: opened.version) }
  }

  /// Creates a frozen Realm of a version, for all threads.
  convenience init(frozen snapshot: Snapshot, of core: RealmCore, sharing: NSRecursiveLock) {
    self.init(core.configuration, core.file, .unconfined, core.classes, core.schema)
    freeze(at: snapshot, sharing)
  }

  /// Creates a Realm without a readable version, whose reads report the error.
  convenience init(unavailable error: StoreError, of core: RealmCore) {
    self.init(core.configuration, core.file, .unconfined, core.classes, core.schema)
    lastCatalogue = core.lastCatalogue
    unavailable = error
  }

  /// Creates the Realm of the old store in a migration.
  convenience init(before snapshot: Snapshot, of core: RealmCore) {
    let schema = snapshot.catalogue.schema
    let classes = Dictionary(
      schema.objectSchema.map { ($0.className, ClassInfo(stored: $0)) }, uniquingKeysWith: { $1 })
    self.init(core.configuration, core.file, .unconfined, classes, schema)
    freeze(at: snapshot, NSRecursiveLock())
    side = .before
  }

  /// Creates the Realm of the store in migration.
  convenience init(migrating migration: StoreMigration, before old: RealmCore, of core: RealmCore) {
    self.init(core.configuration, core.file, core.confinement, core.classes, core.schema)
    write = .begun(migration.transaction)
    version = migration.old.version
    migration.transaction.record(in: generation)
    side = .after(migration, before: old)
  }

  private init(
    _ configuration: Realm.Configuration, _ file: StoreFile, _ confinement: Confinement,
    _ classes: [String: ClassInfo], _ schema: Schema
  ) {
    self.configuration = configuration
    self.file = file
    self.confinement = confinement
    thread = confinement.thread
    isFrozen = confinement.isUnconfined
    readState = .allocate(capacity: 1)
    readState.initialize(
      to: ReadState(
        generation: generation.address, thread: confinement.thread,
        executor: confinement.executor?.identity ?? 0))
    tables = ClassTables(classes, schema: schema, generation, revocations)
  }

  /// Returns the descriptions of classes by their names; classes that break a rule stop the process.
  private static func classes(
    _ types: [ObjectBase.Type]
  ) -> (classes: [String: ClassInfo], schema: Schema) {
    var classes: [String: ClassInfo] = [:]
    for type in types {
      let info = ClassInfo.of(type)
      classes[info.schema.className] = info
    }
    let schema = Schema(classes.values.map(\.schema))
    let errors = SchemaRules.errors(of: schema)
    guard errors.isEmpty else {
      ProgrammingError.stop(
        "Schema validation failed due to the following errors:\n"
          + errors.map { "- \($0)" }.joined(separator: "\n"))
    }
    return (classes, schema)
  }

  deinit {
    reference.end()
    readState.deallocate()
  }

  /// Reads a version that never changes, also on several threads.
  private func freeze(at snapshot: Snapshot, _ sharing: NSRecursiveLock) {
    self.snapshot = snapshot
    version = snapshot.version
    self.sharing = sharing
  }

  /// The classes of this Realm.
  var classes: [String: ClassInfo] { tables.classes }

  /// The classes of this Realm as a schema.
  var schema: Schema { tables.schema }

  /// The current number of `generation`.
  var currentGeneration: UInt64 { readState.pointee.generation.pointee }

  /// The sentence for a write to an object of a frozen Realm.
  var sentenceForFrozenObjects: String {
    if case .before = side {
      return "Old objects of a migration can only be read: set properties of the new one."
    }
    return "Attempting to modify a frozen object - call thaw on the Object instance first."
  }

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
    if let unavailable { throw unavailable }
    let opened = try file.snapshot()
    try requireOwnClasses(opened.catalogue)
    adopt(opened)
    return opened
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
    guard side == nil else { return }
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
    return object(ObjectBase.self, table, address.key)
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
    let range = recentChanges.range(after: version, through: try committedVersion()) {
      file.changes(after: $0, through: $1)
    }
    return range.flatMap { $0.changesSchema ? nil : $0 }
  }
}

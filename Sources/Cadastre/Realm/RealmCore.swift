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
  /// The thread on which the Realm may be used without a further check; nil if there is none.
  private let thread: pthread_t?
  /// Whether the Realm stays at its version for ever.
  let isFrozen: Bool
  /// The thread or executor and the epochs of `ledger` and `revocations`, for objects.
  let readState: UnsafeMutablePointer<ReadState>
  /// The classes and their tables.
  let tables: ClassTables
  var snapshot: Snapshot?
  @exclusivity(unchecked) var transaction: WriteTransaction?
  /// The first error of the open transaction that could not be thrown.
  @exclusivity(unchecked) var failure: (any Error)?
  /// The first error of a read outside of transactions that could not be thrown.
  var readError: Realm.Error?
  /// The error for which this Realm has no version of the store to read, as where it could not be
  /// frozen.
  let unavailable: StoreError?
  /// The version of the store that the Realm has moved to; nil before the first read.
  var version: Int64?
  /// The newest version that this Realm committed.
  var lastOwnVersion: Int64 = 0
  /// The epochs by which cached rows and results are validated.
  let ledger = VersionLedger()
  /// The objects whose instances are invalidated although their rows exist or may exist again.
  @exclusivity(unchecked) var revocations = Revocations() {
    didSet { readState.pointee.newestRevocation = revocations.newest }
  }
  /// The epoch of the last invalidation of the Realm; results made before it are invalid.
  var validSince: UInt64 = 0
  /// The outcome of the open transaction; nil until the first use.
  var outcome: TransactionOutcome?
  /// The catalogue that was read last.
  private var lastCatalogue = Catalogue.empty
  /// A reference that does not retain the core.
  private(set) lazy var reference = CoreReference(self)
  /// The frozen Realm that was made last.
  var lastFrozen: CoreReference?
  /// The generation of the embedded object that was stored last.
  private var lastGeneration: Int64 = 0
  /// Held while the store is read through a snapshot that other threads read too; nil for a
  /// snapshot of its own.
  var sharing: NSRecursiveLock?
  /// The role of the Realm in a migration; nil outside of one.
  var side: MigrationSide?
  /// The observers of changes.
  let observers = Observers()
  /// The writes that wait for the write lock.
  let asyncWrites = AsyncWrites()
  /// Whether the Realm refreshes by itself.
  var autorefresh = true

  /// Creates a Realm that moves from version to version.
  init(_ configuration: Realm.Configuration, confinement: Confinement) throws {
    self.configuration = configuration
    self.confinement = confinement
    thread = confinement.thread
    isFrozen = confinement.isUnconfined
    readState = Self.makeReadState(ledger, confinement)
    var classes: [String: ClassInfo] = [:]
    for type in configuration.managedTypes {
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
    file = try configuration.store()
    tables = ClassTables(classes, schema: file.shared(schema))
    unavailable = nil
    try prepare()
    let opened = try file.snapshot()
    lastCatalogue = opened.catalogue
    if !configuration.readOnly { observers.watch(self, after: opened.version) }
  }

  /// Creates a frozen Realm: one version of the store that another one reads, for all threads.
  init(frozen snapshot: Snapshot, of core: RealmCore, sharing: NSRecursiveLock) {
    configuration = core.configuration
    confinement = .unconfined
    thread = confinement.thread
    isFrozen = confinement.isUnconfined
    readState = Self.makeReadState(ledger, confinement)
    tables = ClassTables(core.tables.classes, schema: core.schema)
    file = core.file
    unavailable = nil
    self.snapshot = snapshot
    version = snapshot.version
    self.sharing = sharing
  }

  /// Creates a Realm that cannot be read: reads report the error.
  init(unavailable error: StoreError, of core: RealmCore) {
    configuration = core.configuration
    confinement = .unconfined
    thread = confinement.thread
    isFrozen = confinement.isUnconfined
    readState = Self.makeReadState(ledger, confinement)
    tables = ClassTables(core.tables.classes, schema: core.schema)
    file = core.file
    lastCatalogue = core.lastCatalogue
    unavailable = error
  }

  deinit {
    reference.end()
    readState.deallocate()
  }

  private static func makeReadState(
    _ ledger: VersionLedger, _ confinement: Confinement
  ) -> UnsafeMutablePointer<ReadState> {
    let state = UnsafeMutablePointer<ReadState>.allocate(capacity: 1)
    state.initialize(
      to: ReadState(
        epoch: ledger.epochAddress, thread: confinement.thread,
        executor: confinement.executor?.identity ?? 0))
    return state
  }

  /// The store before a migration.
  init(before snapshot: Snapshot, of core: RealmCore) {
    configuration = core.configuration
    confinement = .unconfined
    thread = confinement.thread
    isFrozen = confinement.isUnconfined
    readState = Self.makeReadState(ledger, confinement)
    let schema = snapshot.catalogue.schema
    tables = ClassTables(
      Dictionary(
        schema.objectSchema.map { ($0.className, ClassInfo(stored: $0)) }, uniquingKeysWith: { $1 }),
      schema: schema)
    file = core.file
    unavailable = nil
    self.snapshot = snapshot
    version = snapshot.version
    sharing = NSRecursiveLock()
    side = .before
  }

  /// The store that is being migrated.
  init(migrating migration: StoreMigration, before old: RealmCore, of core: RealmCore) {
    configuration = core.configuration
    confinement = core.confinement
    thread = confinement.thread
    isFrozen = confinement.isUnconfined
    readState = Self.makeReadState(ledger, confinement)
    tables = ClassTables(core.tables.classes, schema: core.schema)
    file = core.file
    unavailable = nil
    transaction = migration.transaction
    version = migration.old.version
    side = .after(migration, before: old)
  }

  /// The classes of this Realm.
  var classes: [String: ClassInfo] { tables.classes }

  /// The classes of this Realm as a schema.
  var schema: Schema { tables.schema }

  /// The current epoch.
  var epoch: UInt64 { readState.pointee.epoch.pointee }

  /// The reason why an object of a Realm that does not change cannot be set.
  var sentenceForFrozenObjects: String {
    if case .before = side {
      return "Old objects of a migration can only be read: set properties of the new one."
    }
    return "Attempting to modify a frozen object - call thaw on the Object instance first."
  }

  /// Returns whether another configuration names the same classes.
  func manages(_ types: [ObjectBase.Type]) -> Bool {
    Set(types.map(ObjectIdentifier.init)) == Set(classes.values.map { ObjectIdentifier($0.type) })
  }

  /// Stops the process if the caller is not where the Realm is confined.
  func checkThread() {
    // Each read of a property checks it, mostly on the main thread.
    if let thread, pthread_equal(thread, pthread_self()) != 0 { return }
    confinement.check()
  }

  // MARK: Reading

  /// Returns the write transaction, or the snapshot, which is opened by the first read.
  func currentReader() throws(StoreError) -> any StoreReader {
    checkThread()
    if let transaction { return transaction }
    if let snapshot { return snapshot }
    if let unavailable { throw unavailable }
    let opened = try file.snapshot()
    try requireOwnClasses(opened)
    try adopt(opened)
    return opened
  }

  /// Runs a closure while no other thread reads through the same snapshot.
  func exclusively<Result>(_ body: () -> Result) -> Result {
    guard let sharing else { return body() }
    sharing.lock()
    defer { sharing.unlock() }
    return body()
  }

  /// The catalogue of the transaction or the snapshot; before the first read, the one read last.
  var catalogue: Catalogue {
    checkThread()
    if let transaction { return transaction.catalogue }
    if let snapshot { return snapshot.catalogue }
    return attempt(or: lastCatalogue) { try currentReader().catalogue }
  }

  /// Checks that a version of the store still has the classes of this Realm.
  ///
  /// - Throws: `StoreError` `schemaChanged` if another process has migrated it.
  func requireOwnClasses(_ reader: any StoreReader) throws(StoreError) {
    guard side == nil else { return }
    if try tables.check(reader.catalogue, path: file.path) { discardTables() }
    lastCatalogue = reader.catalogue
  }

  /// Discards the tables, after their layouts may have changed.
  func discardTables() {
    releaseReaders()
    tables.discardTables()
    ledger.discardAll()
  }

  /// Ends the use of the snapshot by read-ahead buffers, before another reader replaces it.
  func releaseReaders() {
    ledger.advance()
    tables.releaseReaders()
  }

  /// Returns the table of a class; one that this Realm does not manage stops the process.
  func table(_ type: ObjectBase.Type) -> ManagedTable {
    exclusively {
      guard let managed = tables.managed(type, in: catalogue) else {
        stopForUnmanaged(type.className())
      }
      return ManagedTable(self, managed)
    }
  }

  /// Returns the table of a class by its name; nil if the store does not have it, or where its objects are
  /// all kept in their owners' rows.
  func table(named name: String) -> ManagedTable? {
    managedClass(named: name).map { ManagedTable(self, $0) }
  }

  /// Returns the class of a name without a reference to this core; nil if the store has none.
  func managedClass(named name: String) -> ManagedClass? {
    exclusively { tables.managed(named: name, in: catalogue) }
  }

  /// Returns the table of a class by its name; nil if this Realm does not list it.
  func listedTable(named name: String) -> ManagedTable? {
    tables.classes[name] == nil ? nil : table(named: name)
  }

  /// Returns the table of a class by its name; one that this Realm does not list stops the process.
  func requiredTable(_ name: String) -> ManagedTable {
    guard let table = listedTable(named: name) else { stopForUnmanaged(name) }
    return table
  }

  private func stopForUnmanaged(_ name: String) -> Never {
    ProgrammingError.stop(
      "Object type '\(name)' is not managed by the Realm. If using a custom objectTypes array in "
        + "Realm.Configuration, add '\(name)' to it.")
  }

  /// Returns the locations of the links that a property of linking objects contains.
  func linkLocations(of property: Property) -> [LinkLocation] {
    exclusively { tables.links(of: property, in: catalogue) }
  }

  /// Returns a managed instance for a row.
  func object<Instance: ObjectBase>(
    _ type: Instance.Type, _ table: ManagedTable, _ key: ObjectKey
  ) -> Instance? {
    table.info.makeInstance(of: type, table, key) as? Instance
  }

  /// Returns a managed instance without its Swift class for a row.
  func dynamicObject(_ table: ManagedTable, _ key: ObjectKey) -> DynamicObject {
    let object = DynamicObject()
    object.refer(to: ObjectPosition(ManagedRow(table, key)), table.info)
    return object
  }

  /// Returns a managed instance for an embedded object in its owner's row.
  func object(_ type: ObjectBase.Type, at position: ObjectPosition) -> ObjectBase? {
    guard let layout = position.embeddedLayout else { return nil }
    return exclusively { tables.info(of: layout.schema) }.makeInstance(of: type, at: position)
  }

  /// Returns the object at an address; nil if there is none, or its class is not managed.
  func object(at address: ObjectAddress) -> ObjectBase? {
    guard let table = table(named: address.className),
      read(or: false, { try $0.contains(table.layout, address.key) })
    else { return nil }
    return object(ObjectBase.self, table, address.key)
  }

  /// Returns whether the row of an instance was revoked: its Realm was invalidated, or a transaction that
  /// added or deleted the row was cancelled.
  func isRevoked(_ table: ManagedTable, _ key: ObjectKey, since birth: UInt64) -> Bool {
    // The first comparison nearly always decides.
    birth < readState.pointee.newestRevocation
      && revocations.contains(table.className, key, since: birth)
  }

  /// Returns whether the embedded object whose generation is in a column of a row was revoked: a transaction
  /// that removed it from the row was cancelled.
  func isRevoked(_ column: Int, in row: ManagedRow, since birth: UInt64) -> Bool {
    birth < readState.pointee.newestRevocation
      && revocations.contains(row.table.className, row.key, member: column, since: birth)
  }

  /// Returns a number that distinguishes a new embedded object from those that its owner's field held before.
  func nextGeneration(after previous: Value) -> Int64 {
    var next = max(lastGeneration + 1, transaction?.version ?? version ?? 0)
    if case .int(let number) = previous { next = max(next, number + 1) }
    lastGeneration = next
    return next
  }
}

extension RealmCore: QueryContext {
  var queryThreads: QueryThreads { QueryThreads(maximum: configuration.maximumQueryThreads) }

  /// Returns the version of the store below the changes of the current transaction.
  func committedVersion() throws(StoreError) -> Int64 {
    if let transaction { return transaction.version - 1 }
    return try currentReader().version
  }

  /// Returns the changes since an epoch at a version of the store, those of the current transaction included;
  /// nil if they are not known.
  func changes(since epoch: UInt64, _ version: Int64) throws(StoreError) -> ChangeSet? {
    guard !ledger.isRolledBack(epoch),
      var changes = file.changes(after: version, through: try committedVersion())
    else { return nil }
    if let transaction { changes.append(transaction.changes) }
    return changes.changesSchema ? nil : changes
  }
}

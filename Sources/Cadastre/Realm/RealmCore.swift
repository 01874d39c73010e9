import CadastreModel
import CadastreStore
import Foundation

/// What the instances of `Realm` for one file on one thread share: the snapshot, the write
/// transaction, and what they have changed.
// Properties that each read of an object looks at are `@exclusivity(unchecked)`, here and in rows and
// columns: nothing that runs while one is read or changed reaches it again, so that no two accesses
// overlap, and the check takes longer than they do.
final class RealmCore {
  let configuration: Realm.Configuration
  let file: StoreFile
  let confinement: Confinement
  /// The thread that the Realm is confined to; nil where it is confined to something else.
  private let thread: pthread_t?
  let classes: [String: ClassInfo]
  /// The classes of this Realm.
  let schema: Schema
  // Not the tables themselves, which keep the core open.
  private var managed: [ObjectIdentifier: ManagedClass] = [:]
  private var managedByName: [String: ManagedClass] = [:]
  /// The places of links, by the class and the property that has them.
  private var linkPlacesByOrigin: [String: [LinkPlace]] = [:]
  var snapshot: Snapshot?
  var transaction: WriteTransaction?
  /// The version of the store that the Realm has come to; nil before it has read anything.
  var version: Int64?
  /// The newest version that this Realm made itself.
  var lastOwnVersion: Int64 = 0
  /// Counts the states that this Realm has seen: versions of the store, and its own writes.
  @exclusivity(unchecked) var epoch: UInt64 = 1
  /// The first state from which rows read are still good unless they were written themselves.
  private var baseEpoch: UInt64 = 1
  /// The states in transactions that came to nothing.
  private var undone: [ClosedRange<UInt64>] = []
  /// The state in which the last transaction was opened.
  var epochBeforeWrite: UInt64 = 1
  /// What leads here without keeping the core open.
  private(set) lazy var reference = CoreReference(self)
  /// The frozen Realm of a version that was asked for last.
  var lastFrozen: CoreReference?
  /// The state after the last write to each row since.
  private var writes: [String: [ObjectKey: UInt64]] = [:]
  /// The number of rows in `writes`.
  private var writtenRows = 0
  /// The states after the last writes to classes and columns.
  private var log = WriteLog()
  /// The rows that instances may no longer stand for.
  @exclusivity(unchecked) var revocations = Revocations()
  /// The number of the embedded object that was stored last.
  private var lastGeneration: Int64 = 0
  /// Held while the store is read through a snapshot that other threads read too; nil for one's own.
  var sharing: NSRecursiveLock?
  /// What the Realm does in a migration; nil outside of one.
  var side: MigrationSide?
  /// The last version of the catalogue that was found to have the classes of this Realm.
  private var knownCatalogue: Int64?
  /// Who is told of changes.
  let observers = Observers()
  /// The writes that wait for their turn.
  let asyncWrites = AsyncWrites()
  /// Whether the Realm moves to new versions by itself.
  var autorefresh = true

  /// A Realm that moves from version to version.
  init(_ configuration: Realm.Configuration, confinement: Confinement) throws {
    self.configuration = configuration
    self.confinement = confinement
    thread = confinement.thread
    var classes: [String: ClassInfo] = [:]
    for type in configuration.managedTypes {
      let info = ClassInfo.of(type)
      classes[info.schema.className] = info
    }
    self.classes = classes
    schema = Schema(classes.values.map(\.schema))
    let errors = SchemaRules.errors(of: schema)
    guard errors.isEmpty else {
      Misuse.stop(
        "Schema validation failed due to the following errors:\n"
          + errors.map { "- \($0)" }.joined(separator: "\n"))
    }
    file = try configuration.store()
    try prepare()
    if !configuration.readOnly { observers.watch(self) }
  }

  /// A frozen Realm: one version of the store that another one reads, for all threads.
  init(frozen snapshot: Snapshot, of core: RealmCore, sharing: NSRecursiveLock) {
    configuration = core.configuration
    confinement = .nowhere
    thread = confinement.thread
    classes = core.classes
    schema = core.schema
    file = core.file
    self.snapshot = snapshot
    version = snapshot.version
    self.sharing = sharing
  }

  deinit { reference.end() }

  /// The store before a migration, for whoever migrates it.
  init(before snapshot: Snapshot, of core: RealmCore) {
    configuration = core.configuration
    confinement = .nowhere
    thread = confinement.thread
    schema = snapshot.catalogue.schema
    classes = Dictionary(
      schema.objectSchema.map { ($0.className, ClassInfo(stored: $0)) }, uniquingKeysWith: { $1 })
    file = core.file
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
    classes = core.classes
    schema = core.schema
    file = core.file
    transaction = migration.transaction
    version = migration.old.version
    side = .after(migration, before: old)
  }

  /// Why an object of a Realm that does not change cannot be set.
  var sentenceForFrozenObjects: String {
    if case .before = side {
      return "Old objects of a migration can only be read: set properties of the new one."
    }
    return "Attempting to modify a frozen object - call thaw on the Object instance first."
  }

  /// Whether the Realm stays at its version for ever.
  var isFrozen: Bool { if case .nowhere = confinement { true } else { false } }

  /// Whether another configuration names the same classes.
  func manages(_ types: [ObjectBase.Type]) -> Bool {
    Set(types.map(ObjectIdentifier.init)) == Set(classes.values.map { ObjectIdentifier($0.type) })
  }

  func checkThread() {
    // Most Realms are of a thread, and this is asked for each value that is read.
    if let thread, pthread_equal(thread, pthread_self()) != 0 { return }
    confinement.check()
  }

  // MARK: Reading

  /// What rows are read from.
  var reader: any StoreReader {
    checkThread()
    if let transaction { return transaction }
    if let snapshot { return snapshot }
    let opened = Misuse.orStop { () throws(StoreError) in
      let opened = try file.snapshot()
      try requireOwnClasses(opened)
      return opened
    }
    adopt(opened)
    return opened
  }

  /// Reads the store, alone where other threads read through the same snapshot.
  func read<Result>(_ body: (any StoreReader) throws -> Result) -> Result {
    exclusively { Misuse.orStop { try body(reader) } }
  }

  /// Keeps other threads from reading through the same snapshot, if there are any.
  func exclusively<Result>(_ body: () -> Result) -> Result {
    guard let sharing else { return body() }
    sharing.lock()
    defer { sharing.unlock() }
    return body()
  }

  /// Makes sure that a version of the store still has the classes of this Realm.
  ///
  /// - Throws: ``StoreError`` `schemaChanged` where somebody else has migrated it.
  func requireOwnClasses(_ reader: any StoreReader) throws(StoreError) {
    guard side == nil, reader.catalogue.version != knownCatalogue else { return }
    for (name, info) in classes {
      guard let stored = reader.catalogue.schema[name], stored.isEmbedded == info.schema.isEmbedded,
        stored.properties.map(\.withoutIndexes) == info.schema.properties.map(\.withoutIndexes)
      else {
        throw StoreError(.schemaChanged(className: name), path: file.path)
      }
    }
    if knownCatalogue != nil { forgetTables() }
    knownCatalogue = reader.catalogue.version
  }

  /// Forgets how the classes are laid out, after that may have changed.
  func forgetTables() {
    letGoOfReaders()
    managed = [:]
    managedByName = [:]
    linkPlacesByOrigin = [:]
    forget()
  }

  /// The table of a class; one that this Realm does not manage stops the process.
  func table(_ type: ObjectBase.Type) -> ManagedTable {
    exclusively {
      if let known = managed[ObjectIdentifier(type)] { return ManagedTable(self, known) }
      let table = requiredTable(type.className())
      managed[ObjectIdentifier(type)] = managedByName[table.className]
      return table
    }
  }

  /// The table of a class by its name; nil where this Realm does not manage it, or where its objects
  /// are all kept in their owners' rows.
  func table(named name: String) -> ManagedTable? {
    exclusively {
      if let known = managedByName[name] { return ManagedTable(self, known) }
      guard let info = classes[name], let layout = reader.catalogue.layout(name) else { return nil }
      let made = ManagedClass(info: info, layout: layout)
      managedByName[name] = made
      return ManagedTable(self, made)
    }
  }

  /// The table of a class by its name; one that this Realm does not manage stops the process.
  func requiredTable(_ name: String) -> ManagedTable {
    guard let table = table(named: name) else {
      Misuse.stop(
        "Object type '\(name)' is not managed by the Realm. If using a custom objectTypes array in "
          + "Realm.Configuration, add '\(name)' to it.")
    }
    return table
  }

  /// Where the links are that lead to the objects with a property of linking objects.
  func linkPlaces(of property: Property) -> [LinkPlace] {
    guard let origin = property.linkOriginPropertyName, let name = property.objectClassName else {
      return []
    }
    return exclusively {
      if let known = linkPlacesByOrigin["\(name).\(origin)"] { return known }
      let places = reader.catalogue.places(of: origin, in: name)
      linkPlacesByOrigin["\(name).\(origin)"] = places
      return places
    }
  }

  /// A managed instance for a row.
  func object<Instance: ObjectBase>(
    _ type: Instance.Type, _ table: ManagedTable, _ key: ObjectKey
  ) -> Instance? {
    let position = ObjectPosition(ManagedRow(table, key))
    return table.info.makeInstance(of: type, at: position) as? Instance
  }

  /// A managed instance for an embedded object in its owner's row.
  func object(_ type: ObjectBase.Type, at position: ObjectPosition) -> ObjectBase? {
    guard let layout = position.embeddedLayout, let info = classes[layout.schema.className] else {
      return nil
    }
    return info.makeInstance(of: type, at: position)
  }

  /// The object at an address; nil where there is none, or its class is not managed.
  func object(at address: ObjectAddress) -> ObjectBase? {
    guard let table = table(named: address.className),
      read({ try $0.contains(table.layout, address.key) })
    else { return nil }
    return object(ObjectBase.self, table, address.key)
  }

  /// Whether the row of an instance was taken from it: its Realm was invalidated, or a transaction
  /// that added or deleted the row was cancelled.
  func isRevoked(_ table: ManagedTable, _ key: ObjectKey, since birth: UInt64) -> Bool {
    // The first comparison copies no tables, and nearly always settles it.
    birth < revocations.newest && revocations.contains(table.className, key, since: birth)
  }

  /// Whether a row read in some state is still good.
  func isUnchanged(_ table: ManagedTable, _ key: ObjectKey, since read: UInt64) -> Bool {
    guard read >= baseEpoch else { return false }
    return (writes[table.className]?[key] ?? 0) <= read
  }

  // MARK: States

  /// Lets go of what the store was read through, before something else takes its place.
  func letGoOfReaders() {
    // What was read is told apart by the state of the Realm.
    epoch += 1
    for table in managedByName.values { table.columns.letGo() }
  }

  /// Nothing that was read before is good any more.
  func forget() {
    epoch += 1
    baseEpoch = epoch
    writes = [:]
    writtenRows = 0
    log = WriteLog()
  }

  /// What was found in some states cannot be brought up to date.
  func forgetFound(_ first: UInt64, through last: UInt64) {
    guard first <= last else { return }
    if undone.count >= Self.mostUndone {
      undone = [undone[0].lowerBound...undone[undone.count - 1].upperBound]
    }
    undone.append(first...last)
  }

  private static let mostUndone = 32

  /// Notes what has changed in the store since the version before.
  func note(_ changes: ChangeSet) {
    guard !changes.changesSchema, writtenRows + changes.rowCount <= Self.mostWrittenRows else {
      return forget()
    }
    epoch += 1
    for (className, changed) in changes.classes {
      for key in changed.deleted { noteWrite(className, ObjectKey(key)) }
      for (key, columns) in changed.modified {
        noteWrite(className, ObjectKey(key))
        log.noteUpdate(className, columns, at: epoch)
      }
      if !changed.inserted.isEmpty || !changed.deleted.isEmpty {
        log.noteInsertion(className, at: epoch)
      }
    }
  }

  private func noteWrite(_ className: String, _ key: ObjectKey) {
    if writes[className, default: [:]].updateValue(epoch, forKey: key) == nil { writtenRows += 1 }
  }

  /// Rows whose last writes are remembered one by one; beyond that, all are read again.
  private static let mostWrittenRows = 20_000

  /// The version of the store below the changes of the current transaction.
  var committedVersion: Int64 { transaction.map { $0.version - 1 } ?? reader.version }

  /// What has changed since a state of this Realm at a version of the store, the changes of the current
  /// transaction included; nil where that is not known.
  func changes(since epoch: UInt64, _ version: Int64) -> ChangeSet? {
    guard !undone.contains(where: { $0.contains(epoch) }),
      var changes = file.changes(after: version, through: committedVersion)
    else { return nil }
    if let transaction { changes.append(transaction.changes) }
    return changes.changesSchema ? nil : changes
  }

  // MARK: Writing

  private func requireTransaction(_ what: String) -> WriteTransaction {
    checkThread()
    requireLive(
      for: "Attempting to modify a frozen object - call thaw on the Object instance first.")
    guard let transaction else {
      Misuse.stop(
        "Can only \(what) in a write transaction: call it inside realm.write { … }.")
    }
    return transaction
  }

  func insert(_ table: ManagedTable, _ row: [Value]) -> ObjectKey {
    let transaction = requireTransaction("add objects")
    epoch += 1
    do throws(StoreError) {
      let key = try transaction.insert(table.className, row)
      revocations.noteInserted(table.className, key)
      log.noteInsertion(table.className, at: epoch)
      return key
    } catch {
      if case .duplicateKey = error.reason { stopForDuplicate(table, row) }
      Misuse.stop("\(error)")
    }
  }

  private func stopForDuplicate(_ table: ManagedTable, _ row: [Value]) -> Never {
    let schema = table.info.schema
    let value = schema.primaryKeyProperty.flatMap(table.layout.column).map { row[$0] }
    Misuse.stop(
      "Attempting to create an object of type '\(schema.className)' with an existing primary key "
        + "value '\(value?.dynamicValue ?? "null")'. Use update: .modified to change the existing "
        + "object.")
  }

  /// Sets columns of a row; false where there is none.
  func update(
    _ table: ManagedTable, _ key: ObjectKey, _ changes: [(column: Int, value: Value)]
  ) -> Bool {
    let transaction = requireTransaction("change objects")
    let isThere = Misuse.orStop {
      try transaction.update(table.className, key, changes)
    }
    guard isThere else { return false }
    epoch += 1
    noteWrite(table.className, key)
    log.noteUpdate(table.className, changes.map(\.column), at: epoch)
    return true
  }

  /// Whether the answer to a question, found in some state, is still good.
  func isUnchanged(_ dependencies: QueryDependencies, since read: UInt64) -> Bool {
    read >= baseEpoch && log.isUnchanged(dependencies, since: read)
  }

  func delete(_ object: ObjectBase) {
    let transaction = requireTransaction("delete objects")
    guard let position = object.position else {
      Misuse.stop("Can only delete an object from the Realm it belongs to: this one has none.")
    }
    guard position.row.core === self else {
      Misuse.stop("Can only delete an object from the Realm it belongs to.")
    }
    guard position.isValid else { return }
    if let layout = position.embeddedLayout {
      release(layout, of: position.row)
      position.row.set(layout.columns.map { ($0, .null) })
    } else {
      delete(position.row.table, [position.row.key], transaction)
    }
  }

  func delete(_ table: ManagedTable, _ keys: [ObjectKey]) {
    delete(table, keys, requireTransaction("delete objects"))
  }

  private func delete(
    _ table: ManagedTable, _ keys: [ObjectKey], _ transaction: WriteTransaction
  ) {
    Misuse.orStop {
      for key in keys { try transaction.delete(table.className, key) }
    }
    revocations.noteDeleted(table.className, keys)
    // Links to what is gone are null now, wherever they are.
    forget()
  }

  func deleteAll() {
    let transaction = requireTransaction("delete objects")
    Misuse.orStop { try transaction.deleteAll() }
    revocations.noteDeletedAll()
    forget()
  }

  /// Changes the elements of a collection.
  func change<Result>(
    _ layout: CollectionLayout, removesEmbedded: Bool = false,
    _ body: (WriteTransaction) throws -> Result
  ) -> Result {
    let transaction = requireTransaction("change collections")
    let result = Misuse.orStop { try body(transaction) }
    epoch += 1
    log.noteUpdate(layout.ownerClass, [layout.countColumn], at: epoch)
    // Embedded objects that were among the elements are gone.
    if removesEmbedded, layout.isOwning { forget() }
    return result
  }

  /// Removes what an embedded object in its owner's row has outside of that row.
  func release(_ layout: EmbeddedLayout, of row: ManagedRow) {
    guard !layout.fields.collections.isEmpty || !layout.fields.ownedColumns.isEmpty else { return }
    let transaction = requireTransaction("change embedded objects")
    Misuse.orStop {
      try transaction.releaseMembers(of: layout, in: row.table.className, row.key)
    }
    forget()
  }

  /// Removes an embedded object with a row of its own.
  func deleteOwned(_ object: ObjectAddress) {
    let transaction = requireTransaction("change embedded objects")
    Misuse.orStop { try transaction.deleteOwned(object) }
    forget()
  }

  /// A number that tells a new embedded object from those that were in its place before.
  func nextGeneration(after previous: Value) -> Int64 {
    var next = max(lastGeneration + 1, reader.version)
    if case .int(let number) = previous { next = max(next, number + 1) }
    lastGeneration = next
    return next
  }
}

import CadastreQuery
import CadastreStore
import Foundation

/// A live Realm: it moves between the versions of the store, writes, and notifies observers.
final class LiveCore: RealmCore {
  /// The observers of changes.
  let observers = Observers()
  /// The queue of asynchronous writes.
  let asyncWrites = AsyncWrites()
  /// Whether the Realm refreshes automatically.
  var autorefresh = true
  /// The changes that lead to the version that the Realm reads.
  private var recentChanges = RecentChanges()
  /// The newest version that this Realm committed.
  var lastOwnVersion: Int64 = 0
  /// The outcome of the open transaction; nil before its first use.
  var outcome: TransactionOutcome?
  /// The last frozen Realm.
  private var lastFrozen: CoreReference<FrozenCore>?
  /// A reference that does not retain the core.
  private(set) lazy var reference = CoreReference(self)

  /// Opens a Realm.
  init(_ configuration: Realm.Configuration, confinement: Confinement) throws {
    let (classes, schema) = Self.classes(configuration.managedTypes)
    let file = try configuration.store()
    super.init(configuration, file, confinement, classes, file.shared(schema))
    try prepare()
    let opened = try file.snapshot()
    lastCatalogue = opened.catalogue
    if !configuration.readOnly { observers.watch(self, after: opened.version) }
  }

  deinit {
    if isInWriteTransaction { AbandonedWrites.note(file.path) }
    reference.end()
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

  // MARK: Versions

  /// Replaces the snapshot, and applies the changes up to its version.
  override func adopt(_ next: Snapshot) {
    let (previous, lock) = (snapshot, sharing)
    releaseReaders()
    use(next)
    move(to: next.version, comparing: previous, lockedBy: lock, next)
  }

  override func commits(after base: Int64, through version: Int64) -> ChangeRange? {
    recentChanges.range(after: base, through: version) { file.changes(after: $0, through: $1) }
  }

  override func frozen() -> FrozenCore {
    checkThread()
    do throws(StoreError) {
      let version = try committedVersion()
      if let known = lastFrozen?.core, known.version == version { return known }
      let made = try makeFrozen(version)
      lastFrozen = made.reference
      return made
    } catch {
      return FrozenCore(.failure(error), of: self)
    }
  }

  private func makeFrozen(_ version: Int64) throws(StoreError) -> FrozenCore {
    if let twin = try newSnapshot(of: version) { return FrozenCore(.success(twin), of: self) }
    // Only the snapshot of this Realm reads its version.
    return try frozenWithSnapshot()
  }

  /// Returns a snapshot of a version that no other Realm reads; nil where there are later commits.
  private func newSnapshot(of version: Int64) throws(StoreError) -> Snapshot? {
    let opened = try file.snapshot()
    return opened.version == version ? opened : nil
  }

  /// Moves to another version: merges the changes in between once, for the generation, the observers and the
  /// results.
  ///
  /// - Parameters:
  ///   - next: The version.
  ///   - previous: The snapshot of the current version, if observers may need changes that the history lacks.
  ///   - lock: The lock of a previous snapshot that other threads read too; nil for others.
  ///   - reader: A snapshot of the next version, with which it is compared. If that fails, the error is reported
  ///     and the changes are not available.
  func move(
    to next: Int64, comparing previous: Snapshot?, lockedBy lock: NSRecursiveLock? = nil,
    _ reader: @autoclosure () -> Snapshot?
  ) {
    guard let base = version, base != next else {
      version = next
      return
    }
    var range = file.changes(after: base, through: next)
    var failure: StoreError?
    if range == nil, !observers.isEmpty, let previous, previous.version == base,
      let reader = reader()
    {
      lock?.lock()
      defer { lock?.unlock() }
      do throws(StoreError) {
        range = try file.recordChanges(from: previous, to: reader)
      } catch {
        failure = error
      }
    }
    version = next
    recentChanges.replace(with: range, after: base, through: next)
    if let range { generation.apply(range) } else { generation.restart() }
    if let failure { report(failure) }
  }

  /// Moves to the newest version.
  ///
  /// - Parameter opened: A snapshot of the newest version; nil to open one.
  /// - Returns: Whether there was a newer version.
  func moveToNewest(_ opened: Snapshot? = nil) -> Bool {
    guard let version else { return false }
    let hasMoved = attempt(or: false) {
      let next = try opened ?? file.snapshot()
      // After a migration by another process, the Realm stays at the version before the migration while its
      // snapshot is open.
      guard (try? requireOwnClasses(next.catalogue)) != nil else { return false }
      guard next.version != version else {
        if snapshot == nil || file.hasLongLog { adopt(next) }
        return false
      }
      adopt(next)
      return true
    }
    if hasMoved { observers.notifyRealmObservers(.didChange, self) }
    return hasMoved
  }

  /// Moves to the newest version, and delivers notifications.
  ///
  /// - Returns: Whether there was a newer version.
  func refresh() -> Bool {
    checkThread()
    if configuration.readOnly { ProgrammingError.stop("Can't refresh a read-only Realm.") }
    guard !isInWriteTransaction, !observers.isDelivering else { return false }
    readError = nil
    let hasMoved = moveToNewest()
    observers.deliver(in: self)
    return hasMoved
  }

  /// Refreshes after a commit, if autorefresh is on.
  ///
  /// If the Realm cannot refresh now, the observation wakes it again.
  ///
  /// - Returns: Whether the Realm has processed the newest version.
  @discardableResult
  func wake() -> Bool {
    guard let observation = observers.observation else { return processNewest() }
    return observation.process(processNewest)
  }

  private func processNewest() -> Bool {
    guard !isInWriteTransaction, !observers.isDelivering, confinement.isCurrent,
      let newest = try? file.snapshot()
    else { return false }
    let isBehind = version.map { $0 < newest.version } ?? false
    var isProcessed = true
    if autorefresh {
      // A Realm whose store was migrated stays at its version. A Realm at the newest version counts as
      // refreshed.
      isProcessed =
        moveToNewest(newest) || !isBehind || (try? requireOwnClasses(newest.catalogue)) == nil
    } else if isBehind {
      observers.notifyRealmObservers(.refreshRequired, self)
    }
    observers.deliver(in: self)
    return isProcessed
  }

  /// Schedules a refresh in the confinement of the Realm.
  func requestWake() { observers.requestWake() }

  /// Releases the snapshot and invalidates all instances and results; the next read opens a new snapshot.
  func invalidate() {
    checkThread()
    if isInWriteTransaction { cancelWrite() }
    releaseReaders()
    use(nil)
    invalidateAll()
  }

  /// Begins to read at the version of a frozen Realm; a Realm that reads an older version refreshes instead.
  func moveToVersion(of frozen: RealmCore) {
    guard version == nil, !configuration.readOnly, !isInWriteTransaction,
      let snapshot = frozen.snapshot, let lock = frozen.sharing,
      (try? requireOwnClasses(snapshot.catalogue)) != nil
    else { return catchUp(with: frozen) }
    if let twin = try? newSnapshot(of: snapshot.version) {
      use(twin)
    } else {
      // Only the snapshot of the frozen Realm reads its version.
      use(snapshot, sharing: lock)
    }
    version = snapshot.version
    // The observers have not been notified of a newer version, which the store may have.
    observers.requestWake()
  }

  /// Refreshes if the Realm is at an older version than another Realm.
  func catchUp(with other: RealmCore) {
    guard !configuration.readOnly, !isInWriteTransaction, let theirs = other.version,
      attempt(or: false, { try version ?? committedVersion() < theirs })
    else { return }
    _ = refresh()
  }
}

import CadastreEngine
import CadastreStore
import Foundation

/// How a Realm moves from version to version of its store, and stays at one.
extension RealmCore {
  /// Makes a snapshot the reader.
  func adopt(_ next: Snapshot) throws(StoreError) {
    let previous = snapshot
    releaseReaders()
    snapshot = next
    sharing = nil
    try move(to: next.version, previous, next)
  }

  /// Applies the changes between the current version and another to the ledger.
  func move(to next: Int64, _ previous: Snapshot?, _ reader: Snapshot?) throws(StoreError) {
    guard version != next else { return }
    defer { version = next }
    guard let version else { return }
    var changes = file.changes(after: version, through: next)
    if changes == nil, !observers.isEmpty, let previous, previous.version == version, let reader {
      // Commits of other processes: observers need to know what they changed.
      do throws(StoreError) {
        try file.recordChanges(from: previous, to: reader)
      } catch {
        ledger.discardAll()
        throw error
      }
      changes = file.changes(after: version, through: next)
    }
    if let changes { ledger.apply(changes) } else { ledger.discardAll() }
  }

  /// Moves to the newest version.
  ///
  /// - Parameter opened: A snapshot of it; nil to open one.
  /// - Returns: Whether there was a newer one.
  func moveToNewest(_ opened: Snapshot? = nil) -> Bool {
    guard let version else { return false }
    let hasMoved = attempt(or: false) {
      let next = try opened ?? file.snapshot()
      // A store that another process has migrated is read at the version before, as long as that is
      // held.
      guard (try? requireOwnClasses(next)) != nil else { return false }
      guard next.version != version else {
        if snapshot == nil || file.hasLongLog { try adopt(next) }
        return false
      }
      try adopt(next)
      return true
    }
    if hasMoved { observers.notifyRealmObservers(.didChange, self) }
    return hasMoved
  }

  /// Moves to the newest version, and delivers notifications.
  ///
  /// - Returns: Whether there was a newer one.
  func refresh() -> Bool {
    checkThread()
    guard !isFrozen else { return false }
    if configuration.readOnly { ProgrammingError.stop("Can't refresh a read-only Realm.") }
    guard !isInWriteTransaction, !observers.isDelivering else { return false }
    readError = nil
    let hasMoved = moveToNewest()
    deliver()
    return hasMoved
  }

  /// Refreshes after a commit, if the Realm does so by itself.
  ///
  /// A Realm that cannot do so now is woken again.
  ///
  /// - Returns: Whether the Realm has processed the newest version.
  @discardableResult
  func wake() -> Bool {
    var isProcessed = false
    observers.process {
      isProcessed = processNewest()
      return isProcessed
    }
    return isProcessed
  }

  private func processNewest() -> Bool {
    guard !isInWriteTransaction, !observers.isDelivering, confinement.isCurrent,
      let newest = try? file.snapshot()
    else { return false }
    let isBehind = version.map { $0 < newest.version } ?? false
    var isProcessed = true
    if autorefresh {
      // A Realm whose store was migrated stays at its version. One at the newest version opens it once more.
      isProcessed = moveToNewest(newest) || !isBehind || (try? requireOwnClasses(newest)) == nil
    } else if isBehind {
      observers.notifyRealmObservers(.refreshRequired, self)
    }
    deliver()
    return isProcessed
  }

  /// Delivers the changes up to the Realm's version to its observers.
  func deliver() {
    guard !isInWriteTransaction, !observers.isDelivering else { return }
    if observers.deliver(in: self) { requestWake() }
  }

  /// Schedules a refresh where the Realm is confined.
  func requestWake() { observers.requestWake() }

  /// Releases the snapshot and invalidates all instances and results; the next read opens a new snapshot.
  func invalidate() {
    checkThread()
    guard !isFrozen else { return }
    if isInWriteTransaction { cancelWrite() }
    releaseReaders()
    snapshot = nil
    sharing = nil
    invalidateAll()
  }

  /// Invalidates all instances and results.
  func invalidateAll() {
    ledger.discardAll()
    revocations.revokeAll(at: epoch)
    validSince = epoch
  }

  // MARK: Frozen Realms

  /// This version of the store for all threads; in a transaction, the version before it.
  ///
  /// Where the store cannot be read, a Realm whose reads report the error.
  func frozen() -> RealmCore {
    checkThread()
    if isFrozen { return self }
    do throws(StoreError) {
      let version = try committedVersion()
      if let known = lastFrozen?.core, known.version == version { return known }
      let made = try makeFrozen(version)
      lastFrozen = made.reference
      return made
    } catch {
      return RealmCore(unavailable: error, of: self)
    }
  }

  private func makeFrozen(_ version: Int64) throws(StoreError) -> RealmCore {
    let twin = try file.snapshot()
    if twin.version == version {
      return RealmCore(frozen: twin, of: self, sharing: NSRecursiveLock())
    }
    // Other commits came since: only the connection of this Realm still sees its version.
    guard let snapshot else { throw StoreError(.busy, path: file.path) }
    let lock = sharing ?? NSRecursiveLock()
    sharing = lock
    return RealmCore(frozen: snapshot, of: self, sharing: lock)
  }

  /// Returns the live Realm of the same store where the caller is.
  ///
  /// - Parameter isolation: The actor that the caller is isolated to.
  /// - Returns: The live one; where the store cannot be opened, a Realm whose reads report the
  ///   error.
  func live(_ isolation: (any Actor)?) -> RealmCore {
    isFrozen ? sibling(isolation) : self
  }

  /// Returns the live Realm of the same store where the caller is, whether this one is there or not.
  func sibling(_ isolation: (any Actor)?) -> RealmCore {
    do {
      return try LiveRealms.core(configuration, Confinement.current(isolation))
    } catch let error as StoreError {
      return RealmCore(unavailable: error, of: self)
    } catch {
      // The configuration opened this Realm, so the caller has opened the store with another one.
      ProgrammingError.stop("\(error)")
    }
  }

  /// Refreshes if the Realm is at an older version than another.
  func catchUp(with other: RealmCore) {
    guard !isFrozen, !configuration.readOnly, !isInWriteTransaction, let theirs = other.version,
      attempt(or: false, { try version ?? currentReader().version < theirs })
    else { return }
    _ = refresh()
  }
}

extension Realm {
  /// Whether the Realm is frozen: it never changes its version, and may be used anywhere.
  public var isFrozen: Bool { core.isFrozen }

  /// Returns the version that the Realm reads now, for all threads; in a write transaction the one
  /// before it.
  ///
  /// A frozen version keeps the store's log from shrinking: release it when it is not needed any
  /// more.
  public func freeze() -> Realm { Realm(core: core.frozen()) }

  /// Returns the live Realm of the same store where the caller is; a live Realm returns itself.
  ///
  /// - Parameter isolation: The actor of the caller.
  /// - Returns: The live Realm.
  public func thaw(isolation: (any Actor)? = #isolation) -> Realm {
    Realm(core: core.live(isolation))
  }

  /// Returns a frozen copy of an object or a collection, which never changes and may be used
  /// anywhere.
  public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined {
    confined.freeze()
  }

  /// Returns the live object or collection of a frozen one; nil if it was deleted.
  public func thaw<Confined: ThreadConfined>(
    _ confined: Confined, isolation: (any Actor)? = #isolation
  ) -> Confined? {
    confined.thaw(isolation: isolation)
  }

  /// Resolves a reference from another thread, task or actor; nil if the value was deleted.
  ///
  /// The Realm refreshes if it is at an older version. A reference can be resolved once.
  public func resolve<Confined: ThreadConfined>(
    _ reference: ThreadSafeReference<Confined>
  ) -> Confined? {
    core.checkThread()
    return reference.resolve(in: core)
  }
}

import CadastreEngine
import CadastreStore
import Foundation

/// Moves between the versions of the store, and frozen versions.
extension RealmCore {
  /// Replaces the snapshot, and applies the changes up to its version.
  func adopt(_ next: Snapshot) {
    let previous = snapshot
    releaseReaders()
    snapshot = next
    sharing = nil
    move(to: next.version, comparing: previous, next)
  }

  /// Moves to another version: merges the changes in between once, for the generation, the observers and the
  /// results.
  ///
  /// - Parameters:
  ///   - next: The version.
  ///   - previous: The snapshot of the current version, if observers may need changes that the history lacks.
  ///   - reader: A snapshot of the next version, with which it is compared. If that fails, the error is reported
  ///     and the changes are not available.
  func move(
    to next: Int64, comparing previous: Snapshot?, _ reader: @autoclosure () -> Snapshot?
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
    guard !isFrozen else { return false }
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
    guard !isFrozen else { return }
    if isInWriteTransaction { cancelWrite() }
    releaseReaders()
    snapshot = nil
    sharing = nil
    invalidateAll()
  }

  /// Invalidates all instances and results.
  func invalidateAll() {
    generation.restart()
    revokeAll()
    validSince = currentGeneration
    tables.forgetRows()
  }

  // MARK: Frozen Realms

  /// This version of the store for all threads; in a transaction, the version before it.
  ///
  /// If the store cannot be read, returns a Realm whose reads report the error.
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
    // There are later commits: only the snapshot of this Realm reads its version.
    guard let snapshot else { throw StoreError(.busy, path: file.path) }
    let lock = sharing ?? NSRecursiveLock()
    sharing = lock
    return RealmCore(frozen: snapshot, of: self, sharing: lock)
  }

  /// Returns the live Realm of the same store in the caller's confinement.
  ///
  /// - Parameter isolation: The actor to which the caller is isolated.
  /// - Returns: The live Realm; if the store cannot be opened, a Realm whose reads report the error.
  func live(_ isolation: (any Actor)?) -> RealmCore {
    isFrozen ? sibling(isolation) : self
  }

  /// Returns the live Realm of the same store in the caller's confinement, also for a live Realm.
  func sibling(_ isolation: (any Actor)?) -> RealmCore {
    do {
      return try LiveRealms.core(configuration, Confinement.current(isolation))
    } catch let error as StoreError {
      return RealmCore(unavailable: error, of: self)
    } catch {
      // The configuration opened this Realm, so the caller must have opened the store with a different
      // configuration.
      ProgrammingError.stop("\(error)")
    }
  }

  /// Refreshes if the Realm is at an older version than another Realm.
  func catchUp(with other: RealmCore) {
    guard !isFrozen, !configuration.readOnly, !isInWriteTransaction, let theirs = other.version,
      attempt(or: false, { try version ?? committedVersion() < theirs })
    else { return }
    _ = refresh()
  }
}

extension Realm {
  /// Whether the Realm is frozen: its version never changes, and it may be used on any thread.
  public var isFrozen: Bool { core.isFrozen }

  /// Returns a frozen Realm of the current version; in a write transaction, of the version before the
  /// transaction.
  ///
  /// The store's log cannot shrink while a frozen version is in use.
  public func freeze() -> Realm { Realm(core: core.frozen()) }

  /// Returns the live Realm of the same store in the caller's confinement; a live Realm returns itself.
  ///
  /// - Parameter isolation: The actor of the caller.
  /// - Returns: The live Realm.
  public func thaw(isolation: (any Actor)? = #isolation) -> Realm {
    Realm(core: core.live(isolation))
  }

  /// Returns a frozen copy of an object or a collection, which never changes and may be used on any thread.
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

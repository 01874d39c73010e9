import CadastreStore
import Foundation

/// How a Realm moves from version to version of its store, and stays at one.
extension RealmCore {
  /// Takes a snapshot as what is read from now on.
  func adopt(_ next: Snapshot) {
    let previous = snapshot
    letGoOfReaders()
    snapshot = next
    sharing = nil
    move(to: next.version, previous, next)
  }

  /// Notes what has changed between the version before and another.
  private func move(to next: Int64, _ previous: Snapshot?, _ reader: Snapshot?) {
    guard version != next else { return }
    defer { version = next }
    guard let version else { return }
    if file.changes(after: version, through: next) == nil, !observers.isEmpty,
      let previous, previous.version == version, let reader
    {
      // Somebody else's commits: those who are told of changes need to know which.
      Misuse.orStop { try file.learnChanges(from: previous, to: reader) }
    }
    if let changes = file.changes(after: version, through: next) { note(changes) } else { forget() }
  }

  /// Moves to the newest version; true if there was a newer one.
  private func moveToNewest() -> Bool {
    guard let version else { return false }
    let next = Misuse.orStop { try file.snapshot() }
    // A store that somebody else has migrated is read at the version before, as long as that is held.
    guard (try? requireOwnClasses(next)) != nil else { return false }
    guard next.version != version else {
      if snapshot == nil { adopt(next) }
      return false
    }
    adopt(next)
    observers.tellOfRealm(.didChange, self)
    return true
  }

  /// Moves to the newest version, and tells of what has changed; true if there was a newer one.
  func refresh() -> Bool {
    checkThread()
    guard !isFrozen else { return false }
    if configuration.readOnly { Misuse.stop("Can't refresh a read-only Realm.") }
    guard transaction == nil, !observers.isDelivering else { return false }
    let hasMoved = moveToNewest()
    deliver()
    return hasMoved
  }

  /// Looks at what is new, if the Realm does so by itself.
  func wake() {
    guard transaction == nil, !observers.isDelivering, confinement.isCurrent else { return }
    if autorefresh {
      _ = moveToNewest()
    } else if let version, let newest = try? file.snapshot().version, newest > version {
      observers.tellOfRealm(.refreshRequired, self)
    }
    deliver()
  }

  private func deliver(includingFirst: Bool = true) {
    guard transaction == nil, !observers.isDelivering else { return }
    if observers.deliver(in: self, includingFirst: includingFirst) { requestWake() }
  }

  /// Has the Realm look at what is new later, where it is confined.
  func requestWake() { observers.requestWake() }

  /// Lets go of the snapshot and of all instances; the next read takes a new snapshot.
  func invalidate() {
    checkThread()
    guard !isFrozen else { return }
    if transaction != nil { cancelWrite() }
    letGoOfReaders()
    snapshot = nil
    sharing = nil
    forget()
    revocations.revokeAll(at: epoch)
  }

  // MARK: Writing

  /// Whether a write transaction is open.
  var isInWriteTransaction: Bool { transaction != nil }

  /// Waits for the turn to write, moves to the newest version, and opens a transaction.
  func beginWrite() throws {
    requireNoTransaction()
    // A turn that is on its way already is taken, else it would come while this waits for another.
    var begun =
      try asyncWrites.takeTurnEarly()?.get()
      ?? WriteTurns.begin(file, timeout: configuration.writeWait)
    // What others changed before is told of first; they may go on changing meanwhile.
    for _ in 0..<Self.mostRefreshes where isBehind(begun) && !observers.isEmpty {
      guard !observers.isDelivering else { break }
      begun.rollback()
      _ = moveToNewest()
      deliver(includingFirst: false)
      requireNoTransaction()
      begun = try WriteTurns.begin(file, timeout: configuration.writeWait)
    }
    try open(begun)
  }

  /// Times that a writer lets others commit while it tells of what they have changed.
  private static let mostRefreshes = 4

  private func isBehind(_ begun: WriteTransaction) -> Bool {
    version.map { $0 != begun.version - 1 } ?? false
  }

  /// Stops the process where a transaction cannot be opened.
  func requireNoTransaction() {
    checkThread()
    requireWritable()
    guard transaction == nil else {
      Misuse.stop("The Realm is already in a write transaction; transactions cannot be nested.")
    }
    if let most = configuration.maximumNumberOfActiveVersions, most > 0 {
      let count = file.activeVersionCount
      guard count <= most else {
        Misuse.stop(
          "Number of active versions (\(count)) in the Realm exceeded the limit of \(most): let go of "
            + "frozen objects and of Realms that do not refresh.")
      }
    }
  }

  /// Stops the process where no transaction can ever be opened.
  func requireWritable() {
    requireLive(for: "Can't perform transactions on a frozen Realm: thaw() gives a live one.")
    if configuration.readOnly { Misuse.stop("Can't perform transactions on read-only Realms.") }
  }

  /// Takes over a transaction, whose turn has come.
  ///
  /// - Throws: ``StoreError`` `schemaChanged` where somebody else has migrated the store; the transaction has
  ///   ended then.
  func open(_ begun: WriteTransaction) throws(StoreError) {
    do throws(StoreError) {
      try requireOwnClasses(begun)
    } catch {
      begun.rollback()
      throw error
    }
    let base = begun.version - 1
    if isBehind(begun) {
      move(to: base, nil, nil)
      observers.tellOfRealm(.didChange, self)
    }
    letGoOfReaders()
    version = base
    snapshot = nil
    sharing = nil
    WriteTurns.note(begun, file)
    transaction = begun
    epochBeforeWrite = epoch
  }

  /// Commits the transaction.
  ///
  /// - Parameter skipped: Who is not told of what it changed.
  /// - Throws: ``StoreError``; nothing is changed then.
  func commitWrite(withoutNotifying skipped: [NotificationToken] = []) throws {
    let (transaction, notifiers) = endWrite("commit", skipped)
    do {
      let (changes, next) = try transaction.commit(reading: !observers.isEmpty)
      revocations.keepTransaction()
      if changes.version > changes.base { lastOwnVersion = changes.version }
      version = changes.version
      snapshot = next
    } catch {
      undo()
      throw error
    }
    for notifier in notifiers where notifier.hasBegun { notifier.skip() }
    observers.tellOfRealm(.didChange, self)
  }

  /// Undoes the transaction.
  func cancelWrite() {
    let (transaction, _) = endWrite("cancel", [])
    transaction.rollback()
    undo()
    requestWake()
  }

  private func endWrite(
    _ verb: String, _ skipped: [NotificationToken]
  ) -> (WriteTransaction, [Notifier]) {
    checkThread()
    guard let transaction else {
      Misuse.stop("Can't \(verb) a non-existing write transaction: call beginWrite() first.")
    }
    let notifiers = skipped.compactMap { $0.notifier(in: self) }
    letGoOfReaders()
    self.transaction = nil
    return (transaction, notifiers)
  }

  /// What was found in a transaction that came to nothing is no good.
  private func undo() {
    let last = epoch
    forget()
    forgetFound(epochBeforeWrite + 1, through: last)
    revocations.revokeTransaction(at: epoch)
  }

  // MARK: Frozen Realms

  /// This version of the store for all threads; in a transaction, the version before it.
  func frozen() -> RealmCore {
    checkThread()
    if isFrozen { return self }
    let version = committedVersion
    if let known = lastFrozen?.core, known.version == version { return known }
    let made = Misuse.orStop { try makeFrozen(version) }
    lastFrozen = made.reference
    return made
  }

  private func makeFrozen(_ version: Int64) throws -> RealmCore {
    let twin = try file.snapshot()
    if twin.version == version {
      return RealmCore(frozen: twin, of: self, sharing: NSRecursiveLock())
    }
    // Others have committed since: only the connection of this Realm still sees its version.
    guard let snapshot else {
      Misuse.stop("The version before the write transaction is no longer there to be frozen.")
    }
    let lock = sharing ?? NSRecursiveLock()
    sharing = lock
    return RealmCore(frozen: snapshot, of: self, sharing: lock)
  }

  /// The live Realm of the same store where the caller is.
  ///
  /// - Parameter isolation: The actor that the caller is isolated to.
  /// - Returns: The live one.
  func live(_ isolation: (any Actor)?) -> RealmCore {
    guard isFrozen else { return self }
    return Misuse.orStop {
      try LiveRealms.core(configuration, Confinement.current(isolation))
    }
  }

  /// Moves on if the Realm is at an older version than another.
  func catchUp(with other: RealmCore) {
    guard !isFrozen, !configuration.readOnly, transaction == nil, let theirs = other.version,
      (version ?? reader.version) < theirs
    else { return }
    _ = refresh()
  }
}

/// An object, collection or projection, which is confined like its Realm.
///
/// To use a value in another confinement, freeze it or send a ``ThreadSafeReference``.
public protocol ThreadConfined: SendableMetatype {
  /// The Realm that manages the value; nil for an unmanaged value.
  var realm: Realm? { get }
  /// Whether a managed value was deleted or invalidated.
  var isInvalidated: Bool { get }
  /// Returns the same value in another Realm of the store; nil if it does not exist there.
  ///
  /// - Complexity: O(log n) for an object; a query runs again when its results are read.
  @_documentation(visibility: internal)
  func counterpart(in realm: Realm) -> Self?
}

extension ThreadConfined {
  /// Whether the value is frozen: it never changes, and may be used on any thread.
  public var isFrozen: Bool { realm?.isFrozen ?? false }

  /// Returns a frozen copy, which never changes and may be used on any thread.
  ///
  /// In a write transaction the copy has the state before the transaction. A frozen value returns itself. An
  /// unmanaged or deleted value, or one created in the current write transaction, stops the process.
  public func freeze() -> Self {
    guard let realm else {
      ProgrammingError.stop(
        "Unmanaged objects cannot be frozen: add '\(Self.self)' to a Realm first.")
    }
    guard !isInvalidated else {
      ProgrammingError.stop(
        "A '\(Self.self)' that has been deleted or invalidated cannot be frozen.")
    }
    guard !realm.isFrozen else { return self }
    guard let frozen = counterpart(in: realm.freeze()) else {
      ProgrammingError.stop(
        "Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  /// Returns the live value in the Realm of the caller; nil if it does not exist in the version of that Realm.
  ///
  /// A live value returns itself; an unmanaged value stops the process. The version of the live Realm stays:
  /// a value that was created after it is nil until a refresh. If the store cannot be opened, reads of the
  /// value report the error.
  /// - Parameter isolation: The actor of the caller.
  /// - Returns: The live value.
  public func thaw(isolation: (any Actor)? = #isolation) -> Self? {
    guard let realm else { ProgrammingError.stop("Unmanaged objects cannot be thawed.") }
    guard realm.isFrozen else { return self }
    return counterpart(in: realm.thaw(isolation: isolation))
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
    Realm(core: core.thawed(isolation))
  }

  /// Returns a frozen copy of an object or a collection, which never changes and may be used on any thread.
  public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined {
    confined.freeze()
  }

  /// Returns the live object or collection of a frozen one; nil if it does not exist in the version of that Realm.
  public func thaw<Confined: ThreadConfined>(
    _ confined: Confined, isolation: (any Actor)? = #isolation
  ) -> Confined? {
    confined.thaw(isolation: isolation)
  }

  /// Resolves a reference from another thread, task or actor; nil if the value was deleted, or is of another store.
  ///
  /// The Realm refreshes if it is at an older version. A reference can be resolved once.
  public func resolve<Confined: ThreadConfined>(
    _ reference: ThreadSafeReference<Confined>
  ) -> Confined? {
    core.checkThread()
    return reference.resolve(in: core)
  }
}

extension RealmCore {
  /// Stops the process if another Realm has another store.
  func requireSameStore(as other: RealmCore) {
    guard file !== other.file else { return }
    ProgrammingError.stop(
      "A '\(other.configuration.storeName)' value was requested from the Realm of "
        + "'\(configuration.storeName)': both Realms must be of the same store.")
  }
}

extension ObjectPosition {
  /// Returns the position of the same object in another Realm; nil if it does not exist there.
  func counterpart(in core: RealmCore) -> ObjectPosition? {
    core.requireSameStore(as: row.core)
    guard let table = core.table(named: row.address.className) else { return nil }
    let row = ManagedRow(table, row.key)
    guard row.isValid else { return nil }
    return moved(to: row)
  }
}

@_documentation(visibility: internal)
extension ObjectBase: ThreadConfined {
  /// Returns the same object in another Realm of the store; nil if it does not exist there.
  public func counterpart(in realm: Realm) -> Self? {
    guard let position = position?.counterpart(in: realm.core) else { return nil }
    // The class of a dynamic object has other properties before a migration.
    let info =
      self is DynamicObject && position.embeddedLayout == nil
      ? position.row.table.info : classInfo
    return info.makeInstance(of: type(of: self), at: position) as? Self
  }
}

extension RealmCollection {
  /// Returns the source of the same collection in another Realm; nil if it does not exist there.
  func source(in realm: Realm) -> (any ElementSource)? {
    handle.source?.counterpart(in: realm.core)
  }
}

@_documentation(visibility: internal)
extension List {
  /// Returns the same list in another Realm of the store; nil if its owner does not exist there.
  public func counterpart(in realm: Realm) -> List? {
    (source(in: realm) as? any MutableElementSource).map { List($0) }
  }
}

@_documentation(visibility: internal)
extension MutableSet {
  /// Returns the same set in another Realm of the store; nil if its owner does not exist there.
  public func counterpart(in realm: Realm) -> MutableSet? {
    (source(in: realm) as? StoredSet).map { MutableSet($0) }
  }
}

@_documentation(visibility: internal)
extension Map {
  /// Returns the same map in another Realm of the store; nil if its owner does not exist there.
  public func counterpart(in realm: Realm) -> Map? {
    (handle.source?.counterpart(in: realm.core) as? any MapSource).map { Map($0) }
  }
}

@_documentation(visibility: internal)
extension LinkingObjects {
  /// Returns the same linking objects in another Realm of the store; nil if their target does not exist
  /// there.
  public func counterpart(in realm: Realm) -> LinkingObjects? {
    (source(in: realm) as? LinkSearch).map { LinkingObjects($0) }
  }
}

@_documentation(visibility: internal)
extension Results {
  /// Returns the results of the same query in another Realm of the store; nil if the queried collection does
  /// not exist there.
  public func counterpart(in realm: Realm) -> Results? {
    (source(in: realm) as? QueryResult).map { Results($0) }
  }
}

@_documentation(visibility: internal)
extension AnyRealmCollection {
  /// Returns the same collection in another Realm of the store; nil if its owner does not exist there.
  public func counterpart(in realm: Realm) -> AnyRealmCollection? {
    func counterpart(of base: some RealmCollection<Element>) -> AnyRealmCollection? {
      base.counterpart(in: realm).map { AnyRealmCollection($0) }
    }
    return counterpart(of: base)
  }
}

@_documentation(visibility: internal)
extension Projection {
  /// Returns a projection of the same object in another Realm of the store; nil if it does not exist there.
  public func counterpart(in realm: Realm) -> Self? {
    rootObject.counterpart(in: realm).map { Self(projecting: $0) }
  }
}

/// New instances for observers, whose subscriptions outlive invalidated instances.
///
/// The rollback of a deletion and `Realm.invalidate()` invalidate instances of existing objects.
extension ThreadConfined {
  /// The value, or a new instance if it was invalidated although its object exists.
  var renewed: Self {
    guard isInvalidated, let realm, let made = counterpart(in: realm) else { return self }
    return made
  }
}

extension ElementSource {
  /// The source, or a new one if it was invalidated although its object exists.
  var renewed: any ElementSource {
    guard !isValid, let made = counterpart(in: core) else { return self }
    return made
  }
}

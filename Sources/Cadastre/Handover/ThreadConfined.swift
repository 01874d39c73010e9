/// What belongs to a Realm, and so to the place that opened it.
///
/// To use it elsewhere, freeze it, or send a ``ThreadSafeReference``.
public protocol ThreadConfined: SendableMetatype {
  /// The Realm that manages it; nil for one that none does.
  var realm: Realm? { get }
  /// Whether it was managed, and what it belonged to is gone.
  var isInvalidated: Bool { get }
  /// The same thing in another Realm of the same store; nil where it is not there.
  ///
  /// - Complexity: O(log n) for an object; results are found again when they are read.
  func counterpart(in realm: Realm) -> Self?
}

extension ThreadConfined {
  /// Whether it stays as it is for ever, and may be used anywhere.
  public var isFrozen: Bool { realm?.isFrozen ?? false }

  /// The same thing as it is now, which stays so and may be used anywhere.
  ///
  /// In a write transaction it is as it was before. A frozen thing returns itself; one that no Realm
  /// manages, that is gone, or that was created in the current write transaction, stops the process.
  public func freeze() -> Self {
    guard let realm else {
      Misuse.stop("Unmanaged objects cannot be frozen: add '\(Self.self)' to a Realm first.")
    }
    guard !isInvalidated else {
      Misuse.stop("A '\(Self.self)' that has been deleted or invalidated cannot be frozen.")
    }
    guard !realm.isFrozen else { return self }
    guard let frozen = counterpart(in: realm.freeze()) else {
      Misuse.stop("Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  /// The same thing as it is now and will be, in the Realm of the caller; nil where it is gone.
  ///
  /// A thing that is not frozen returns itself; one that no Realm manages stops the process.
  /// - Parameter isolation: The actor of the caller.
  /// - Returns: The live thing.
  public func thaw(isolation: (any Actor)? = #isolation) -> Self? {
    guard let realm else { Misuse.stop("Unmanaged objects cannot be thawed.") }
    guard realm.isFrozen else { return self }
    let live = realm.thaw(isolation: isolation)
    live.core.catchUp(with: realm.core)
    return counterpart(in: live)
  }
}

extension RealmCore {
  /// Stops the process where another Realm reads another store.
  func requireSameStore(as other: RealmCore) {
    guard file !== other.file else { return }
    Misuse.stop(
      "A '\(other.configuration.storeName)' thing was asked for in the Realm of "
        + "'\(configuration.storeName)': both Realms must be of the same store.")
  }
}

extension ObjectPosition {
  /// The position of the same object in another Realm; nil where it is not there.
  func counterpart(in core: RealmCore) -> ObjectPosition? {
    core.requireSameStore(as: row.core)
    guard let table = core.table(named: row.address.className) else { return nil }
    let row = ManagedRow(table, row.key)
    guard row.isValid else { return nil }
    return moved(to: row)
  }
}

extension ObjectBase: ThreadConfined {
  /// The same object in another Realm of the same store; nil where it is not there.
  public func counterpart(in realm: Realm) -> Self? {
    guard let position = position?.counterpart(in: realm.core) else { return nil }
    return classInfo.makeInstance(of: type(of: self), at: position) as? Self
  }
}

extension RealmCollection {
  /// The source of the same collection in another Realm; nil where it is not there.
  func source(in realm: Realm) -> (any ElementSource)? {
    handle.source?.counterpart(in: realm.core)
  }
}

extension List {
  /// The same list in another Realm of the same store; nil where its owner is not there.
  public func counterpart(in realm: Realm) -> List? {
    (source(in: realm) as? any MutableElementSource).map { List($0) }
  }
}

extension MutableSet {
  /// The same set in another Realm of the same store; nil where its owner is not there.
  public func counterpart(in realm: Realm) -> MutableSet? {
    (source(in: realm) as? StoredSet).map { MutableSet($0) }
  }
}

extension Map {
  /// The same map in another Realm of the same store; nil where its owner is not there.
  public func counterpart(in realm: Realm) -> Map? {
    (handle.source?.counterpart(in: realm.core) as? any MapSource).map { Map($0) }
  }
}

extension LinkingObjects {
  /// The same linking objects in another Realm of the same store; nil where their target is not there.
  public func counterpart(in realm: Realm) -> LinkingObjects? {
    (source(in: realm) as? LinkSearch).map { LinkingObjects($0) }
  }
}

extension Results {
  /// The same question to another Realm of the same store; nil where what is asked is not there.
  public func counterpart(in realm: Realm) -> Results? {
    (source(in: realm) as? QueryResult).map { Results($0) }
  }
}

extension AnyRealmCollection {
  /// The same collection in another Realm of the same store; nil where its owner is not there.
  public func counterpart(in realm: Realm) -> AnyRealmCollection? {
    func counterpart(of base: some RealmCollection<Element>) -> AnyRealmCollection? {
      base.counterpart(in: realm).map { AnyRealmCollection($0) }
    }
    return counterpart(of: base)
  }
}

extension Projection {
  /// A view of the same object in another Realm of the same store; nil where it is not there.
  public func counterpart(in realm: Realm) -> Self? {
    rootObject.counterpart(in: realm).map { Self(projecting: $0) }
  }
}

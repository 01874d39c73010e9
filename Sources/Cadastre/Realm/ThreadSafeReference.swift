import CadastreModel

/// Carries an object or a collection to another thread, task or actor, where a Realm resolves it
/// once.
///
///     let reference = ThreadSafeReference(to: person)
///     let writing = Task.detached {
///       let realm = try Realm()
///       guard let person = realm.resolve(reference) else { return }  // it was deleted meanwhile
///       try realm.write { person.name = "Ada" }
///     }
///
/// Until it is resolved, it holds the version of the store in which it was made.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  private let content: OneTimeValue<Confined>

  /// Creates a reference to a managed value; an unmanaged or deleted one stops the process.
  ///
  /// Made in a write transaction, it can be resolved once the transaction has ended; it does not
  /// hold the version then. An object whose creation was rolled back is resolved to nil.
  public init(to confined: Confined) {
    guard confined.realm != nil else {
      ProgrammingError.stop(
        "Cannot construct reference to unmanaged object, which can be passed across threads directly."
      )
    }
    guard !confined.isInvalidated else {
      ProgrammingError.stop("Cannot construct reference to invalidated object.")
    }
    content = OneTimeValue(Transferred(confined))
  }

  /// Whether it has been resolved.
  public var isInvalidated: Bool { content.isEmpty }

  /// Returns the value in a Realm of the same store; nil if it was deleted.
  func resolve(in core: RealmCore) -> Confined? {
    guard let transferred = content.take() else {
      ProgrammingError.stop("Can only resolve a thread safe reference once.")
    }
    guard !core.isFrozen else {
      ProgrammingError.stop("A thread safe reference cannot be resolved in a frozen Realm.")
    }
    return transferred.resolved(in: core)
  }
}

/// A value on its way to another thread.
// Safe because a frozen value never changes, and of a live one only its constant key is used.
private struct Transferred<Confined: ThreadConfined>: @unchecked Sendable {
  /// The frozen value; in a write transaction, whose objects cannot be frozen yet, the live one.
  private let value: Confined
  private let isFrozen: Bool
  /// The outcome of the transaction that created the value; nil if it exists in a version of the store.
  private let outcome: TransactionOutcome?

  init(_ confined: Confined) {
    guard let realm = confined.realm, realm.isInWriteTransaction else {
      isFrozen = true
      value = confined.freeze()
      outcome = nil
      return
    }
    isFrozen = false
    value = confined
    let isNew = confined.counterpart(in: realm.freeze()) == nil
    outcome = isNew ? realm.core.outcomeOfTransaction : nil
  }

  /// Returns the value in the Realm of the caller; nil if it was deleted.
  func resolved(isolation: (any Actor)?) -> Confined? {
    value.realm.flatMap { resolved(in: $0.core.sibling(isolation)) }
  }

  /// Returns the value in another Realm; nil if it was deleted.
  func resolved(in core: RealmCore) -> Confined? {
    // The key of an object whose creation was rolled back is that of another object later.
    if outcome?.isRolledBack == true { return nil }
    if isFrozen {
      if let source = value.realm { core.catchUp(with: source.core) }
    } else if !core.isInWriteTransaction {
      _ = core.refresh()
    }
    return value.counterpart(in: Realm(core: core))
  }
}

/// A value that can be taken once.
private final class OneTimeValue<Confined: ThreadConfined>: Sendable {
  private let content: Guarded<Transferred<Confined>?>

  init(_ content: Transferred<Confined>) { self.content = Guarded(content) }

  var isEmpty: Bool { content.withLock { $0 == nil } }

  func take() -> Transferred<Confined>? {
    content.withLock { content in
      defer { content = nil }
      return content
    }
  }
}

/// A property that may be read on any thread, task or actor: each gets the object in its own Realm.
///
///     final class Delivery: @unchecked Sendable {
///       @ThreadSafe var airport: Airport?
///     }
///
/// The wrapper is safe; the compiler does not know it of a wrapped property, so that a class that
/// holds one must say so. Reading gives nil once the object has been deleted. An object that no
/// Realm manages stops the process.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
  private let content: Guarded<Transferred<Confined>?>

  /// Holds an object that a Realm manages, or nothing.
  public init(wrappedValue: Confined?) {
    content = Guarded(Self.transferred(wrappedValue))
  }

  /// The object in the Realm of the caller.
  public var wrappedValue: Confined? {
    get { content.withLock { $0 }?.resolved(isolation: nil) }
    set {
      let transferred = Self.transferred(newValue)
      content.withLock { $0 = transferred }
    }
  }

  private static func transferred(_ value: Confined?) -> Transferred<Confined>? {
    guard let value else { return nil }
    guard value.realm != nil else {
      ProgrammingError.stop(
        "Only managed objects may be wrapped as thread safe: add it to a Realm first.")
    }
    return Transferred(value)
  }
}

/// A frozen object or collection that may be sent to other threads, tasks and actors.
///
///     let found = Frozen(realm.objects(Airport.self).where { $0.country == "FR" })
///     let counting = Task.detached { print(found.value.count) }
///
/// Managed objects and collections are not `Sendable`, because a live one is confined to its Realm.
/// This type holds a frozen one only.
public struct Frozen<Value: ThreadConfined>: @unchecked Sendable {
  // Safe because a frozen value is read under the lock of its Realm, and never changes.
  public let value: Value

  /// Freezes an object or a collection, see ``ThreadConfined/freeze()``.
  public init(_ value: Value) { self.value = value.freeze() }

  /// Returns the live value in the Realm of the caller; nil if it was deleted.
  public func thaw(isolation: (any Actor)? = #isolation) -> Value? {
    value.thaw(isolation: isolation)
  }
}

extension Frozen: Equatable where Value: Equatable {}
extension Frozen: Hashable where Value: Hashable {}

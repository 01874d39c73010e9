import CadastreModel
import CadastreStore

/// A reference for the transfer of an object or a collection to another thread, task or actor, where a Realm
/// resolves it once.
///
///     let reference = ThreadSafeReference(to: person)
///     let writing = Task.detached {
///       let realm = try Realm()
///       guard let person = realm.resolve(reference) else { return }  // it was deleted meanwhile
///       try realm.write { person.name = "Ada" }
///     }
///
/// Until it is resolved, the reference retains the version of the store in which it was created. A Realm that has not
/// read yet begins with that version, so an object that was deleted since can be read until the Realm refreshes.
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  private let content: OneTimeValue<Confined>

  /// Creates a reference to a managed value; an unmanaged or deleted one stops the process.
  ///
  /// A reference created in a write transaction can be resolved after the transaction ends, and does not
  /// retain a version. An object whose creation was rolled back resolves to nil.
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

  /// Whether the reference has been resolved.
  public var isInvalidated: Bool { content.isEmpty }

  /// Resolves the value in a Realm; nil if it was deleted, and in a Realm of another store.
  func resolve(in core: RealmCore) -> Confined? {
    // In a Realm of another store the reference stays as it is.
    if let file = content.file, file !== core.file { return nil }
    guard let transferred = content.take() else {
      ProgrammingError.stop("Can only resolve a thread safe reference once.")
    }
    guard !core.isFrozen else {
      ProgrammingError.stop("A thread safe reference cannot be resolved in a frozen Realm.")
    }
    return transferred.resolved(in: core, atItsVersion: true)
  }
}

/// A value in transfer to another thread.
// Safe because a frozen value never changes, and only the constant key of a live value is used.
private struct Transferred<Confined: ThreadConfined>: @unchecked Sendable {
  /// The frozen value; the live value if it is from a write transaction, whose objects cannot be frozen.
  private let value: Confined
  private let isFrozen: Bool
  /// The outcome of the transaction that created the value; nil for a committed value.
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
    outcome = isNew ? realm.core.live?.outcomeOfTransaction : nil
  }

  /// The store of the value.
  var file: StoreFile? { value.realm?.core.file }

  /// Returns the value in the Realm of the caller; nil if it was deleted.
  func resolved(isolation: (any Actor)?) -> Confined? {
    value.realm.flatMap { resolved(in: $0.core.sibling(isolation), atItsVersion: false) }
  }

  /// Returns the value in another Realm, which refreshes if it is at an older version; nil if it was deleted.
  ///
  /// - Parameters:
  ///   - core: The Realm.
  ///   - isPinned: Whether a Realm that has not read yet begins with the version of a frozen value.
  /// - Returns: The value.
  func resolved(in core: RealmCore, atItsVersion isPinned: Bool) -> Confined? {
    // A later object may reuse the key of an object whose creation was rolled back.
    if outcome?.isRolledBack == true { return nil }
    if isFrozen {
      if let source = value.realm?.core {
        isPinned ? core.live?.moveToVersion(of: source) : core.live?.catchUp(with: source)
      }
    } else if !core.isInWriteTransaction {
      _ = core.live?.refresh()
    }
    return value.counterpart(in: Realm(core: core))
  }
}

/// A container whose value can be taken once.
private final class OneTimeValue<Confined: ThreadConfined>: Sendable {
  private let content: Guarded<Transferred<Confined>?>

  init(_ content: Transferred<Confined>) { self.content = Guarded(content) }

  var isEmpty: Bool { content.withLock { $0 == nil } }

  /// The store of the value.
  var file: StoreFile? { content.withLock { $0?.file } }

  func take() -> Transferred<Confined>? {
    content.withLock { content in
      defer { content = nil }
      return content
    }
  }
}

/// A property that may be read on any thread, task or actor, in the Realm of the reader.
///
///     final class Delivery: @unchecked Sendable {
///       @ThreadSafe var airport: Airport?
///     }
///
/// The wrapper is `Sendable`. The compiler does not infer this for a wrapped property, so the class requires
/// `@unchecked Sendable`. A deleted object is read as nil. An unmanaged object stops the process.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
  private struct Content: Sendable {
    var transferred: Transferred<Confined>?
    /// The version before a write transaction in which the object was accessed: a Realm refreshes until it has a newer
    /// one.
    var lastBase: Int64?
    /// The number of changes.
    var changes = 0
  }

  private let content: Guarded<Content>

  /// Creates the property with a managed object or nil.
  public init(wrappedValue: Confined?) {
    content = Guarded(Content(transferred: Self.transferred(wrappedValue)))
  }

  /// The object in the Realm of the caller; after an access in a write transaction, the next access elsewhere refreshes
  /// the Realm there.
  public var wrappedValue: Confined? {
    get {
      let held = content.withLock { $0 }
      guard let value = held.transferred?.resolved(isolation: nil) else { return nil }
      guard let core = value.realm?.core else { return value }
      if core.isInWriteTransaction {
        if held.lastBase != core.version {
          keep(held.transferred, lastBase: core.version, instead: held)
        }
        return value
      }
      guard let base = held.lastBase else { return value }
      _ = core.live?.refresh()
      guard !value.isInvalidated else { return nil }
      // Until the transaction has ended, the version is its base.
      if let version = core.version, version > base {
        keep(Transferred(value), lastBase: nil, instead: held)
      }
      return value
    }
    set {
      let transferred = Self.transferred(newValue)
      content.withLock { $0 = Content(transferred: transferred, changes: $0.changes + 1) }
    }
  }

  /// Replaces the content, unless another thread has replaced it before.
  private func keep(
    _ next: Transferred<Confined>?, lastBase: Int64?, instead held: Content
  ) {
    content.withLock { content in
      guard content.changes == held.changes else { return }
      content = Content(transferred: next, lastBase: lastBase, changes: held.changes + 1)
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

/// A frozen object or collection that can be sent to other threads, tasks and actors.
///
///     let found = Frozen(realm.objects(Airport.self).where { $0.country == "FR" })
///     let counting = Task.detached { print(found.value.count) }
///
/// Managed objects and collections are not `Sendable`, because live ones are confined. This type contains
/// only frozen values.
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

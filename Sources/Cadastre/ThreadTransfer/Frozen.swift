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

  /// Returns the live value in the Realm of the caller; nil where it was deleted.
  public func thaw(isolation: (any Actor)? = #isolation) -> Value? {
    value.thaw(isolation: isolation)
  }
}

extension Frozen: Equatable where Value: Equatable {}
extension Frozen: Hashable where Value: Hashable {}

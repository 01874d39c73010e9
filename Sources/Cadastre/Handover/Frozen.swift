/// A frozen thing that may be sent to other threads, tasks and actors.
///
///     let found = Frozen(realm.objects(Airport.self).where { $0.country == "FR" })
///     Task.detached { print(found.value.count) }
///
/// Managed objects and collections are not `Sendable`, since a live one belongs to its Realm; this is
/// one of which that is certain.
public struct Frozen<Value: ThreadConfined>: @unchecked Sendable {
  // Safe because a frozen thing is read under the lock of its Realm, and never changes.
  /// The frozen thing.
  public let value: Value

  /// Freezes a thing, see ``ThreadConfined/freeze()``.
  public init(_ value: Value) { self.value = value.freeze() }

  /// The thing in the Realm of the caller; nil where it is gone.
  public func thaw(isolation: (any Actor)? = #isolation) -> Value? {
    value.thaw(isolation: isolation)
  }
}

extension Frozen: Equatable where Value: Equatable {}
extension Frozen: Hashable where Value: Hashable {}

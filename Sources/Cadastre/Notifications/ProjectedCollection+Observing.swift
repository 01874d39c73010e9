public import Dispatch

extension ProjectedCollection {
  /// Calls a closure with the collection, then with the changes made by commits.
  ///
  /// A change of the projected property of an object is a modification.
  /// - Parameters:
  ///   - queue: The serial queue on which the closure is called; nil for where the Realm is
  ///     confined.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource() }, block)
  }

  /// Calls a closure with the collection's changes, on an actor.
  public func observe<Target: Actor>(
    on actor: Target, isolation: isolated (any Actor)? = #isolation,
    _ block:
      @escaping @Sendable (isolated Target, RealmCollectionChange<ProjectedCollection>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource() }, block)
  }

  /// The collection's changes, for `for await`.
  public func changes() -> Changes<RealmCollectionChange<ProjectedCollection>> {
    Changes(changeSource())
  }

  private func changeSource() -> CollectionChangeSource<ProjectedCollection> {
    CollectionChangeSource(self, elementSource, [propertyName])
  }
}

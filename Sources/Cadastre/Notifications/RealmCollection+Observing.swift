public import Dispatch

extension RealmCollection {
  /// Calls a closure with the collection, then with the changes made by commits.
  ///
  ///     token = results.observe { change in
  ///       switch change {
  ///       case .initial(let results): …
  ///       case .update(let results, let deletions, let insertions, let modifications): …
  ///       case .error: break
  ///       }
  ///     }
  ///
  /// Commits during a delivery are combined. The cost of a notification is proportional to the change, not to
  /// the collection; for lists it includes a comparison of the elements.
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are modifications, also of linked objects, as in `dog.name`;
  ///     nil for all properties of the elements and of objects up to four links away, an empty array for none.
  ///   - queue: The serial queue of the calls, which receive a collection of that queue; nil for the
  ///     confinement of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the collection's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are modifications; nil for all.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives a collection of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Returns the collection and then its changes, for `for await`.
  ///
  /// Commits during the processing of a change are combined.
  /// - Parameter keyPaths: The properties whose changes are modifications; nil for all.
  /// - Returns: The sequence.
  public func changes(keyPaths: [String]? = nil) -> Changes<RealmCollectionChange<Self>> {
    Changes(changeSource(keyPaths))
  }

  private func changeSource(_ keyPaths: [String]?) -> CollectionChangeSource<Self> {
    guard let source = handle.source else {
      ProgrammingError.stop(
        "Only objects and collections managed by a Realm have change notifications.")
    }
    return CollectionChangeSource(self, source, keyPaths)
  }
}

extension RealmCollection where Element: KeypathSortable {
  /// Returns the collection and then its changes, see ``changes(keyPaths:)``.
  public func changes(
    keyPaths: [PartialKeyPath<Element>]
  ) -> Changes<RealmCollectionChange<Self>> {
    changes(keyPaths: keyPaths.map { Element.propertyName(of: $0) })
  }

  /// Calls a closure with the collection's changes, see ``observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the collection's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are modifications; nil for all.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives a collection of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, RealmCollectionChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: actor, isolation: isolation,
      block)
  }
}

extension Map {
  /// Calls a closure with the map, then with the changed keys.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of objects in the map whose changes are modifications; nil for
  ///     all.
  ///   - queue: The serial queue on which the closure is called; nil for the confinement of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the map's changes, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the map, then with the changed keys, see ``observe(keyPaths:on:_:)``.
  public func observe<Element>(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken where Value == Element?, Element: KeypathSortable {
    observe(keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the map's changes, on an actor.
  public func observe<Element, Target: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken where Value == Element?, Element: KeypathSortable {
    await observe(
      keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: actor, isolation: isolation,
      block)
  }

  /// Returns the map and then its changes, for `for await`.
  public func changes(keyPaths: [String]? = nil) -> Changes<RealmMapChange<Map>> {
    Changes(changeSource(keyPaths))
  }

  private func changeSource(_ keyPaths: [String]?) -> MapChangeSource<Map> {
    guard let source = handle.source as? any MapSource else {
      ProgrammingError.stop(
        "Only objects and collections managed by a Realm have change notifications.")
    }
    return MapChangeSource(self, source, keyPaths)
  }
}

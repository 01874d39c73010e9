public import Dispatch

extension ThreadConfined where Self: ProjectionProtocol {
  /// Calls a closure with the projected properties that commits have changed, and when the object
  /// is deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The names of the observed properties, of the projection or of the root class; nil
  ///     or none for all.
  ///   - queue: The serial queue on which the closure is called; nil for where the Realm is
  ///     confined.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the projection's changes, see ``observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Self.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the changes of some properties of the root class.
  public func observe(
    keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Root.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the projection's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The names of the observed properties; nil or none for all.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives a projection of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// The projection's changes, for `for await`, which ends when the object is deleted.
  public func changes(keyPaths: [String]? = nil) -> Changes<ObjectChange<Self>> {
    Changes(changeSource(keyPaths))
  }

  private func changeSource(_ keyPaths: [String]?) -> ObjectChangeSource<Self> {
    let fields = ProjectionInfo.fields(of: self)
    let names = keyPaths.flatMap { $0.isEmpty ? nil : $0 }
    for name in names ?? [] where !fields.contains(where: { $0.isNamed(name) }) {
      ProgrammingError.stop(
        "Property '\(name)' in KeyPath '\(name)' is not a valid property in \(Self.self).")
    }
    let watched = fields.filter { field in names?.contains(where: field.isNamed) ?? true }
    return ObjectChangeSource(self, rootObject, watched.map { ($0.label, $0.propertyName) })
  }
}

extension ProjectionInfo.Field {
  /// Whether a name is that of the projected property, or of the property of the root class.
  fileprivate func isNamed(_ name: String) -> Bool { name == label || name == propertyName }
}

public import Dispatch

extension ThreadConfined where Self: ObjectBase {
  /// Calls a closure with the changed properties of the object after commits, and when the object is deleted.
  ///
  ///     token = person.observe { change in
  ///       if case .change(_, let properties) = change {
  ///         for property in properties { print(property.name, property.newValue ?? "nil") }
  ///       }
  ///     }
  ///
  /// Setting a property to its current value counts as a change.
  /// - Parameters:
  ///   - keyPaths: The observed properties, also of linked objects; nil for all properties of the object, an
  ///     empty array for none, so that only the deletion is reported.
  ///   - queue: The serial queue of the calls, which receive an object of that queue; nil for the confinement
  ///     of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the object's changes, see ``observe(keyPaths:on:_:)-(_,_,_)``.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Self.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the object's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The observed properties; nil for all properties of the object.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives an object of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the object's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The observed properties; nil for all properties of the object.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives an object of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { Self.propertyName(of: $0) }, on: actor, isolation: isolation, block)
  }

  /// Returns the changes of the object, for `for await`; the sequence ends when the object is deleted.
  ///
  /// - Parameter keyPaths: The observed properties; nil for all properties of the object.
  /// - Returns: The sequence.
  public func changes(keyPaths: [String]? = nil) -> Changes<ObjectChange<Self>> {
    Changes(changeSource(keyPaths))
  }

  fileprivate func changeSource(_ keyPaths: [String]?) -> ObjectChangeSource<Self> {
    ObjectChangeSource(
      self, self,
      keyPaths.map { names in names.map { (String($0.prefix { $0 != "." }), [$0]) } })
  }
}

extension ThreadConfined where Self: ObjectBase {
  /// Calls a closure with the object's changes as those of a superclass.
  ///
  /// The process stops if the object is not of that class.
  @_disfavoredOverload
  public func observe<Superclass: ObjectBase>(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Superclass>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }) { change in
      block(change.cast())
    }
  }

  /// Calls a closure with the object's changes as those of a superclass.
  ///
  /// The process stops if the object is not of that class.
  @_disfavoredOverload
  public func observe<Superclass: ObjectBase>(
    keyPaths: [PartialKeyPath<Superclass>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Superclass>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Superclass.propertyName(of: $0) }, on: queue, block)
  }
}

extension ObjectChange {
  /// Casts the object of the change to another class.
  fileprivate func cast<Other>() -> ObjectChange<Other> {
    switch self {
    case .change(let object, let properties):
      guard let object = object as? Other else {
        ProgrammingError.stop("An object of '\(Value.self)' is not a '\(Other.self)'.")
      }
      return .change(object, properties)
    case .deleted: return .deleted
    case .error(let error): return .error(error)
    }
  }
}

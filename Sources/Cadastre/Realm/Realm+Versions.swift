extension Realm {
  /// Whether the Realm stays at its version for ever, and may be used anywhere.
  public var isFrozen: Bool { core.isFrozen }

  /// The version that the Realm reads now, for all threads; in a write transaction the one before it.
  ///
  /// A version that is held keeps the store's log from being emptied: let go of it when it has served.
  public func freeze() -> Realm { Realm(core: core.frozen()) }

  /// The live Realm of the same store where the caller is; a Realm that is not frozen returns itself.
  ///
  /// - Parameter isolation: The actor of the caller.
  /// - Returns: The live Realm.
  public func thaw(isolation: (any Actor)? = #isolation) -> Realm {
    Realm(core: core.live(isolation))
  }

  /// An object, or a collection, as it is now, which stays so and may be used anywhere.
  public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined {
    confined.freeze()
  }

  /// A frozen object, or collection, as it is now and will be; nil where it is gone.
  public func thaw<Confined: ThreadConfined>(
    _ confined: Confined, isolation: (any Actor)? = #isolation
  ) -> Confined? {
    confined.thaw(isolation: isolation)
  }

  /// What a reference from another thread, task or actor leads to; nil where it is gone.
  ///
  /// The Realm moves on if it is at an older version. A reference is resolved once.
  public func resolve<Confined: ThreadConfined>(
    _ reference: ThreadSafeReference<Confined>
  ) -> Confined? {
    core.checkThread()
    return reference.resolve(in: core)
  }
}

extension Realm {
  /// Whether the Realm is frozen: it never changes its version, and may be used anywhere.
  public var isFrozen: Bool { core.isFrozen }

  /// Returns the version that the Realm reads now, for all threads; in a write transaction the one
  /// before it.
  ///
  /// A frozen version keeps the store's log from shrinking: release it when it is not needed any
  /// more.
  public func freeze() -> Realm { Realm(core: core.frozen()) }

  /// Returns the live Realm of the same store where the caller is; a live Realm returns itself.
  ///
  /// - Parameter isolation: The actor of the caller.
  /// - Returns: The live Realm.
  public func thaw(isolation: (any Actor)? = #isolation) -> Realm {
    Realm(core: core.live(isolation))
  }

  /// Returns a frozen copy of an object or a collection, which never changes and may be used
  /// anywhere.
  public func freeze<Confined: ThreadConfined>(_ confined: Confined) -> Confined {
    confined.freeze()
  }

  /// Returns the live object or collection of a frozen one; nil where it was deleted.
  public func thaw<Confined: ThreadConfined>(
    _ confined: Confined, isolation: (any Actor)? = #isolation
  ) -> Confined? {
    confined.thaw(isolation: isolation)
  }

  /// Resolves a reference from another thread, task or actor; nil where the value was deleted.
  ///
  /// The Realm refreshes if it is at an older version. A reference can be resolved once.
  public func resolve<Confined: ThreadConfined>(
    _ reference: ThreadSafeReference<Confined>
  ) -> Confined? {
    core.checkThread()
    return reference.resolve(in: core)
  }
}

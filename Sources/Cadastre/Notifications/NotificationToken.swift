import CadastreModel
import CadastreQuery
import Dispatch

/// A subscription to changes, which ends when the token is released or `invalidate()` is called.
///
///     token = results.observe { change in … }
///     …
///     token?.invalidate()
public final class NotificationToken: Sendable {
  // Safe because this type only ends the notifier, which is allowed on any thread.
  private struct State: @unchecked Sendable {
    var notifier: Notifier?
    var isInvalidated = false
  }

  private let state = Guarded(State())

  /// Creates a token without a subscription.
  public init() {}

  init(_ notifier: Notifier) { state.withLock { $0.notifier = notifier } }

  deinit { invalidate() }

  /// Ends the subscription; no callback begins afterwards.
  ///
  /// May be called on any thread.
  ///
  /// - Returns: Whether the subscription had not ended before.
  @discardableResult
  public func invalidate() -> Bool {
    state.withLock { state in
      let hadNotEnded = !state.isInvalidated
      state.isInvalidated = true
      state.notifier?.end()
      state.notifier = nil
      return hadNotEnded
    }
  }

  /// Takes ownership of a subscription; ends it if the token is already invalidated.
  func hold(_ notifier: sending Notifier) {
    let held = State(notifier: notifier)
    state.withLock { state in
      if state.isInvalidated { held.notifier?.end() } else { state.notifier = held.notifier }
    }
  }

  /// Returns the notifier; a notifier of another Realm stops the process.
  func notifier(in core: LiveCore) -> Notifier? {
    let notifier = state.withLock { State(notifier: $0.notifier) }.notifier
    guard notifier == nil || notifier?.core === core else {
      ProgrammingError.stop(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
    }
    return notifier
  }
}

/// The start of subscriptions to changes.
enum Subscription {
  /// Calls a closure with the changes of an object or a collection.
  ///
  /// - Parameters:
  ///   - confined: The object or collection.
  ///   - queue: The serial queue on which the closure is called; nil for the confinement of the Realm.
  ///   - source: Creates the source of changes in the Realm of the queue or actor.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  static func start<Confined: ThreadConfined, Change>(
    _ confined: Confined, on queue: DispatchQueue?,
    _ source: @escaping (Confined) -> ChangeSource<Change>, _ block: @escaping (Change) -> Void
  ) -> NotificationToken {
    // Evaluated by the caller, so that an invalid key path stops the process at the call.
    let own = source(confined)
    guard let queue else { return NotificationToken(notifier(own, block)) }
    let pending = PendingSubscription(confined, source, block)
    let token = NotificationToken()
    queue.async { [weak token] in
      guard let token else { return }
      pending.start(Confinement.current(queue), token)
    }
    return token
  }

  /// Calls a closure with the changes of an object or a collection, on an actor; never in a cancelled task.
  static func start<Confined: ThreadConfined, Change, Target: Actor>(
    on actor: Target, from isolation: isolated (any Actor)?, _ confined: Confined,
    _ source: @escaping (Confined) -> ChangeSource<Change>,
    _ block: @escaping @Sendable (isolated Target, Change) -> Void
  ) async -> NotificationToken {
    let pending = PendingSubscription(confined, source) { [weak actor] change in
      actor?.call(block, with: change)
    }
    let token = NotificationToken()
    // A task that is cancelled, before or meanwhile, gets a token without a subscription.
    await actor.run {
      if Task.isCancelled {
        token.invalidate()
      } else {
        pending.start(Confinement.current($0), token)
      }
    }
    return token
  }

  fileprivate static func notifier<Change>(
    _ source: ChangeSource<Change>, _ block: @escaping (Change) -> Void
  ) -> Notifier {
    let core = source.core
    core.requireObservable()
    source.block = block
    core.observers.add(source)
    if source.deliversFirstState { core.requestWake() } else { _ = source.advance() }
    return source
  }
}

/// A subscription on its transfer to the queue or actor of the callbacks.
// Safe because the value is frozen, and the closures run only on the target queue or actor.
private struct PendingSubscription<Confined: ThreadConfined, Change>: @unchecked Sendable {
  private let frozen: Frozen<Confined>
  private let source: (Confined) -> ChangeSource<Change>
  private let block: (Change) -> Void

  init(
    _ confined: Confined, _ source: @escaping (Confined) -> ChangeSource<Change>,
    _ block: @escaping (Change) -> Void
  ) {
    _ = confined.realm?.core.liveForObservers()
    frozen = Frozen(confined)
    self.source = source
    self.block = block
  }

  func start(_ confinement: Confinement, _ token: NotificationToken) {
    guard let origin = frozen.value.realm?.core else { return }
    let core: LiveCore
    do {
      core = try LiveRealms.core(origin.configuration, confinement)
    } catch {
      return origin.report(error)
    }
    core.catchUp(with: origin)
    guard let confined = frozen.value.counterpart(in: Realm(core: core)) else { return }
    token.hold(Subscription.notifier(source(confined), block))
  }
}

extension LiveCore {
  /// Stops the process if changes of the Realm cannot be delivered.
  func requireObservable() {
    checkThread()
    if configuration.readOnly {
      ProgrammingError.stop("Read-only Realms do not change and do not have change notifications.")
    }
    guard transaction == nil || generation.transactionIsUnchanged else {
      ProgrammingError.stop(
        "Cannot create asynchronous query after making changes in a write transaction: observe before "
          + "the transaction, or after it.")
    }
    if observers.observation == nil {
      observers.watch(self, after: version ?? 0)
      // The commits since that version have not been delivered.
      requestWake()
    }
    guard observers.observation != nil else {
      ProgrammingError.stop(
        "Can only add notification blocks from within runloops: on a thread without one, and in a task "
          + "that runs on no actor, name a queue or an actor, as in observe(on: queue), or read changes."
      )
    }
  }
}

extension Actor {
  fileprivate func run(_ body: @Sendable (isolated Self) -> Void) { body(self) }

  /// Calls a closure isolated to this actor, which is the actor of the caller.
  fileprivate nonisolated func call<Argument>(
    _ block: @Sendable (isolated Self, Argument) -> Void, with argument: Argument
  ) {
    let held = IsolatedArgument(argument: argument)
    assumeIsolated { block($0, held.argument) }
  }
}

/// An argument that does not leave its actor.
// Safe because the argument is created and used in the same isolation.
private struct IsolatedArgument<Argument>: @unchecked Sendable { let argument: Argument }

import CadastreModel

/// A subscription to changes, which ends when the token is released or `invalidate()` is called.
///
///     token = results.observe { change in … }
///     …
///     token?.invalidate()
public final class NotificationToken: Sendable {
  // Safe because a notifier is only ended here, which is allowed on any thread.
  private struct State: @unchecked Sendable {
    var notifier: Notifier?
    var isInvalidated = false
  }

  private let state = Guarded(State())

  /// Creates a token of no subscription.
  public init() {}

  init(_ notifier: Notifier) { state.withLock { $0.notifier = notifier } }

  deinit { invalidate() }

  /// Ends the subscription; no callback begins after that, on whatever thread it is called.
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

  /// Takes over a subscription, unless it has ended already.
  func hold(_ notifier: sending Notifier) {
    let held = State(notifier: notifier)
    state.withLock { state in
      if state.isInvalidated { held.notifier?.end() } else { state.notifier = held.notifier }
    }
  }

  /// The notifier of a Realm; one of another Realm stops the process.
  func notifier(in core: RealmCore) -> Notifier? {
    let notifier = state.withLock { State(notifier: $0.notifier) }.notifier
    guard notifier == nil || notifier?.core === core else {
      ProgrammingError.stop(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
    }
    return notifier
  }
}

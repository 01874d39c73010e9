import CadastreModel

/// Notifies observers of new versions of a store.
final class CommitSignal: Sendable {
  private struct State {
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Calls a closure after each commit until the observation is released.
  ///
  /// The closure runs on the thread that made or detected the commit.
  func observe(_ body: @escaping @Sendable () -> Void) -> CommitObservation {
    let number = state.withLock { state in
      state.next += 1
      state.observers[state.next] = body
      return state.next
    }
    return CommitObservation { [weak self] in
      self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }
  }

  /// Calls all observers.
  func fire() {
    for body in state.withLock({ Array($0.observers.values) }) { body() }
  }
}

/// An observation of commits, which ends when it is released.
package final class CommitObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

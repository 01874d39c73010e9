import CadastreModel

/// Notifies observers of new versions of a store.
final class CommitSignal: Sendable {
  private struct State {
    var observers: [(number: UInt64, body: @Sendable () -> Void)] = []
    var next: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Calls a closure after each commit until the observation is released.
  ///
  /// The closure runs on the thread that made or detected the commit.
  func observe(_ body: @escaping @Sendable () -> Void) -> CommitObservation {
    let number = state.withLock { state in
      state.next += 1
      state.observers.append((state.next, body))
      return state.next
    }
    return CommitObservation { [weak self] in
      self?.state.withLock { $0.observers.removeAll { $0.number == number } }
    }
  }

  /// Calls all observers.
  func fire() {
    for observer in state.withLock({ $0.observers }) { observer.body() }
  }
}

/// An observation of commits, which ends when it is released.
package final class CommitObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

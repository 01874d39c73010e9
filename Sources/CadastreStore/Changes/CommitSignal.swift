import CadastreModel

/// Tells who wants to know that there is a new version of a store.
final class CommitSignal: Sendable {
  private struct State {
    var observers: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
  }

  private let state = Guarded(State())

  /// Calls a closure after each commit, on whatever thread made or noticed it, for as long as the
  /// observation is kept.
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

  func fire() {
    for body in state.withLock({ Array($0.observers.values) }) { body() }
  }
}

/// Keeps an observer of commits; it ends with its last reference.
package final class CommitObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

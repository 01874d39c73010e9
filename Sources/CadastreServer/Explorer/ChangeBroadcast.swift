import CadastreModel
import CadastreStore

/// Delivers the commits of a store to subscribed clients.
final class ChangeBroadcast: Sendable {
  /// A commit: the version and the changed visible classes, or nil for unknown classes.
  struct Change: Sendable {
    let version: Int64
    let classes: [String]?
  }

  private struct State {
    var version: Int64
    var clients: [Int: AsyncStream<Change>.Continuation] = [:]
    var next = 0
    var observation: CommitObservation?
  }

  private let file: StoreFile
  private let visibility: Visibility
  private let state: Guarded<State>

  init(_ file: StoreFile, _ visibility: Visibility) throws(StoreError) {
    (self.file, self.visibility) = (file, visibility)
    state = Guarded(State(version: try file.snapshot().version))
  }

  /// Begins to observe the store, at the first subscription.
  private func observe() {
    let observation = file.observeCommits(after: state.withLock { $0.version }) { [weak self] in
      guard let self else { return }
      state.withLock { $0.observation }?.process { self.deliver() }
    }
    state.withLock { $0.observation = observation }
    observation.process { deliver() }
  }

  /// Delivers the commits since the last call; returns false if the store cannot be read.
  private func deliver() -> Bool {
    guard let snapshot = try? file.snapshot() else { return false }
    let now = snapshot.version
    state.withLock { state in
      guard now > state.version else { return }
      let changes = file.changes(after: state.version, through: now)
      state.version = now
      let visible = visibility.schema(snapshot.catalogue.schema)
      let classes = changes?.classes.names.filter { visible[$0] != nil }.sorted()
      // A commit that changes only hidden classes is hidden too.
      if let changes, !changes.classes.isEmpty, classes?.isEmpty == true { return }
      let change = Change(version: now, classes: classes)
      for client in state.clients.values { client.yield(change) }
    }
    return true
  }

  /// The maximum number of undelivered changes of a client; older changes are dropped.
  private static let mostPending = 16

  /// Subscribes to the changes after this call.
  func changes() -> AsyncStream<Change> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Change.self, bufferingPolicy: .bufferingNewest(Self.mostPending))
    let (number, isFirst) = state.withLock { state in
      state.next += 1
      state.clients[state.next] = continuation
      return (state.next, state.observation == nil)
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.clients.removeValue(forKey: number) }
    }
    if isFirst { observe() }
    return stream
  }

  /// Ends the streams of all clients.
  func end() {
    let clients = state.withLock { state in
      defer { state.clients = [:] }
      return Array(state.clients.values)
    }
    for client in clients { client.finish() }
  }
}

import CadastreStore

/// The changes of an object or a collection, for `for await`.
///
///     for await change in results.changes() {
///       if case .update(let results, _, let insertions, _) = change { … }
///     }
///
/// It works on actors, and in tasks without an actor. One change covers all commits until it is
/// requested. The sequence ends with its task, or with the object.
public struct Changes<Change>: AsyncSequence {
  private let source: ChangeSource<Change>

  init(_ source: ChangeSource<Change>) {
    source.core.checkThread()
    source.core.requireLive()
    self.source = source
  }

  /// Begins to wait for changes.
  public func makeAsyncIterator() -> Iterator { Iterator(source) }

  /// Waits for one change after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let source: ChangeSource<Change>
    private let observation: CommitObservation
    /// Registers the iterator as an observer of the Realm.
    private let presence: Notifier
    private var commits: AsyncStream<Void>.Iterator
    private var isAtEnd = false

    fileprivate init(_ source: ChangeSource<Change>) {
      self.source = source
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      presence = Notifier(source.core)
      source.core.observers.add(presence)
      observation = source.core.file.observeCommits(after: source.core.version ?? 0) {
        continuation.yield()
      }
      commits = stream.makeAsyncIterator()
      if !source.deliversFirstState { _ = source.advance() }
    }

    /// The next change; nil when the task is cancelled, or the object was deleted.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Change? {
      while !isAtEnd, !Task.isCancelled {
        var change: Change?
        observation.process {
          let isCurrent = !source.core.autorefresh || source.core.wake()
          change = source.advance()
          return isCurrent
        }
        if let change {
          isAtEnd = source.isAtEnd
          return change
        }
        guard await commits.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }

    /// The next change, for callers that say nothing of where they are.
    public mutating func next() async -> Change? { await next(isolation: nil) }
  }
}

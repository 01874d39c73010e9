import CadastreStore
public import Foundation

/// A change of a collection.
///
/// Indexes are in ascending order. Those of deletions and modifications refer to the collection
/// before the change, those of insertions to the collection after it: delete in descending order,
/// then insert in ascending order. An element whose position among the others has changed is
/// deleted and inserted.
public enum RealmCollectionChange<Collection> {
  /// The collection as it is at the beginning.
  case initial(Collection)
  /// The collection after some commits.
  case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
  /// Never delivered; it exists for code written for Realm.
  case error(any Error)
}

/// A change of a map.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
  /// The map as it is at the beginning.
  case initial(Collection)
  /// The map after some commits: the deleted and the inserted keys, and those with modified values,
  /// each in byte order.
  case update(
    Collection, deletions: [Collection.Key], insertions: [Collection.Key],
    modifications: [Collection.Key])
  /// Never delivered; it exists for code written for Realm.
  case error(any Error)
}

/// A change of an object.
public enum ObjectChange<Value> {
  /// Properties have changed.
  case change(Value, [PropertyChange])
  /// The object has been deleted; this is the last notification.
  case deleted
  /// Never delivered; it exists for code written for Realm.
  case error(any Error)
}

/// A change of a property of an object.
public struct PropertyChange {
  /// The property.
  public let name: String
  /// The value before; nil for collections, and for changes made by the observing Realm itself.
  public let oldValue: Any?
  /// The value now; nil for collections.
  public let newValue: Any?
}

/// A change of sectioned results.
///
/// A path is the index of a section and of an element in it. Deletions and modifications refer to
/// the sections before the change, insertions to those after it; the elements of a deleted section
/// are not listed.
public enum SectionedResultsChange<Collection> {
  /// The sections as they are at the beginning.
  case initial(Collection)
  /// The sections after some commits.
  case update(
    Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

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

    /// Returns the next change; nil when the task is cancelled, or the object was deleted.
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

    /// Returns the next change, for callers that say nothing of where they are.
    public mutating func next() async -> Change? { await next(isolation: nil) }
  }
}

import CadastreStore
public import Foundation

/// A change of a collection.
///
/// Indexes are ascending. The indexes of deletions and modifications refer to the collection before the
/// change; those of insertions refer to the collection after the change. To apply a change, delete in
/// descending order, then insert in ascending order. An element that moves is deleted and inserted.
public enum RealmCollectionChange<Collection> {
  /// The initial collection.
  case initial(Collection)
  /// The collection after commits, and the indexes that changed.
  case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
  /// Never delivered; it exists for code written for Realm.
  case error(any Error)
}

/// A change of a map.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
  /// The initial map.
  case initial(Collection)
  /// The map after commits, with the deleted and inserted keys and the keys of modified values, each in byte
  /// order.
  case update(
    Collection, deletions: [Collection.Key], insertions: [Collection.Key],
    modifications: [Collection.Key])
  /// Never delivered; it exists for code written for Realm.
  case error(any Error)
}

/// A change of an object.
public enum ObjectChange<Value> {
  /// Commits changed properties of the object.
  case change(Value, [PropertyChange])
  /// The object was deleted; this is the last notification.
  case deleted
  /// Never delivered; it exists for code written for Realm.
  case error(any Error)
}

/// A change of a property of an object.
public struct PropertyChange {
  /// The name of the property.
  public let name: String
  /// The old value; nil for collections, and for commits of the observing Realm.
  public let oldValue: Any?
  /// The new value; nil for collections.
  public let newValue: Any?
}

/// A change of sectioned results.
///
/// An index path consists of the index of a section and the index of an element in the section. Deletions and
/// modifications refer to the sections before the change, insertions to the sections after it. The elements
/// of a deleted section are not listed.
public enum SectionedResultsChange<Collection> {
  /// The initial sections.
  case initial(Collection)
  /// The sections after commits, and the index paths and sections that changed.
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
/// The sequence can be used on actors, and in tasks without an actor. A change covers all commits since the
/// previous change. The sequence ends if its task is cancelled or the object is deleted.
public struct Changes<Change>: AsyncSequence {
  private let source: ChangeSource<Change>

  init(_ source: ChangeSource<Change>) {
    source.core.checkThread()
    self.source = source
  }

  /// Begins the observation.
  public func makeAsyncIterator() -> Iterator { Iterator(source) }

  /// The iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let source: ChangeSource<Change>
    private let observation: CommitObservation
    /// The registration of the iterator as an observer of the Realm.
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

    /// Waits for the next change; returns nil if the task is cancelled or the object was deleted.
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

    /// Waits for the next change, for callers without isolation.
    public mutating func next() async -> Change? { await next(isolation: nil) }
  }
}

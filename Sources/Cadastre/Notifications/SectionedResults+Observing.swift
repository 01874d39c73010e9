import CadastreQuery
import CadastreStore
public import Dispatch
import Foundation

extension SectionedResults {
  /// Calls a closure with the sections, then with the changes made by commits.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are modifications; nil for all, an empty array for none.
  ///   - queue: The serial queue on which the closure is called; nil for the confinement of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  /// - Complexity: O(n) for each change of a collection of n elements, because all section keys are
  ///   recomputed.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the changes of the sections, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block:
      @escaping @Sendable (isolated Target, SectionedResultsChange<SectionedResults>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Returns the sections and then their changes, for `for await`.
  public func changes(
    keyPaths: [String]? = nil
  ) -> Changes<SectionedResultsChange<SectionedResults>> { Changes(changeSource(keyPaths)) }

  private func changeSource(
    _ keyPaths: [String]?
  ) -> ChangeSource<SectionedResultsChange<SectionedResults>> {
    SectionChangeSource(self, sectioning, keyPaths)
  }
}

extension SectionedResults where Element: KeypathSortable {
  /// Calls a closure with the sections, then with their changes, see ``observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the changes of the sections, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block:
      @escaping @Sendable (isolated Target, SectionedResultsChange<SectionedResults>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: actor, isolation: isolation,
      block)
  }
}

extension ResultsSection where Element: KeypathSortable {
  /// Calls a closure with one section, then with its changes, see ``observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the changes of one section, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block:
      @escaping @Sendable (isolated Target, SectionedResultsChange<ResultsSection>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { Element.propertyName(of: $0) }, on: actor, isolation: isolation,
      block)
  }
}

extension ResultsSection {
  /// Calls a closure with one section, then with its changes made by commits.
  ///
  /// The index paths begin with the index of the section before the change, or after the change for a new
  /// section.
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are modifications; nil for all, an empty array for none.
  ///   - queue: The serial queue on which the closure is called; nil for the confinement of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the changes of one section, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block:
      @escaping @Sendable (isolated Target, SectionedResultsChange<ResultsSection>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Returns the section and then its changes, for `for await`.
  public func changes(
    keyPaths: [String]? = nil
  ) -> Changes<SectionedResultsChange<ResultsSection>> { Changes(changeSource(keyPaths)) }

  private func changeSource(
    _ keyPaths: [String]?
  ) -> ChangeSource<SectionedResultsChange<ResultsSection>> {
    SectionChangeSource(self, sectioning, keyPaths, only: elementKey)
  }
}

/// The changes of all sections or of one section.
private final class SectionChangeSource<
  Collection: ThreadConfined, Key: Persistable & Hashable, Element: RealmCollectionValue
>: ChangeSource<SectionedResultsChange<Collection>> {
  private var collection: Collection
  private var sectioning: Sectioning<Key, Element>
  private let only: ElementKey<Key>?
  private let watch: any ElementObserver
  private var last = Layout()

  /// The index paths of the elements of a result.
  private struct Layout {
    var keys: [ElementKey<Key>] = []
    /// The index path of each element of the result.
    var paths: [IndexPath] = []

    init() {}

    init(_ sections: Sectioning<Key, Element>.Sections) {
      keys = sections.keys.map { ElementKey($0) }
      let count = sections.indexes.values.reduce(0) { $0 + $1.count }
      paths = Array(repeating: [], count: count)
      for (section, key) in keys.enumerated() {
        for (item, index) in (sections.indexes[key] ?? []).enumerated() {
          paths[index] = [section, item]
        }
      }
    }

    func key(at path: IndexPath) -> ElementKey<Key> { keys[path[0]] }
  }

  init(
    _ collection: Collection, _ sectioning: Sectioning<Key, Element>, _ keyPaths: [String]?,
    only: ElementKey<Key>? = nil
  ) {
    self.collection = collection
    self.sectioning = sectioning
    self.only = only
    watch = sectioning.results.queryResult.watch(keyPaths)
    super.init(sectioning.results.queryResult.core)
  }

  override func begin() -> SectionedResultsChange<Collection>? {
    watch.begin()
    last = Layout(sectioning.sections)
    return .initial(collection)
  }

  override func change(_ commits: ChangeRange?) throws -> SectionedResultsChange<Collection>? {
    let change = try watch.change(commits)
    guard !change.isEmpty else { return nil }
    if sectioning.results.isInvalidated,
      let renewed = sectioning.counterpart(in: Realm(core: core))
    {
      sectioning = renewed
    }
    collection = collection.renewed
    let (before, now) = (last, Layout(sectioning.sections))
    last = now
    let (old, new) = (Set(before.keys), Set(now.keys))
    let gone = IndexSet(before.keys.indices.filter { !new.contains(before.keys[$0]) })
    let come = IndexSet(now.keys.indices.filter { !old.contains(now.keys[$0]) })
    guard change.difference.leads(from: before.paths.count, to: now.paths.count) else {
      // A read of the sections has failed, now or before: they are replaced as a whole.
      return update(
        deletions: before.paths.filter { !gone.contains($0[0]) }, insertions: now.paths,
        modifications: [], before, now, come, gone)
    }
    var (deleted, inserted) = (change.difference.deletions, change.difference.insertions)
    // An element of both results may have moved to another section.
    var moved: Set<Int> = []
    change.difference.forEachKept(before.paths.count) { old, new in
      guard before.key(at: before.paths[old]) != now.key(at: now.paths[new]) else { return }
      moved.insert(old)
      deleted.append(old)
      inserted.append(new)
    }
    let modified = change.modifications.filter { !moved.contains($0) }
    return update(
      deletions: deleted.map { before.paths[$0] }.filter { !gone.contains($0[0]) },
      insertions: inserted.map { now.paths[$0] },
      modifications: modified.map { before.paths[$0] }, before, now, come, gone)
  }

  /// Returns the change to deliver; nil if the observed section has not changed.
  private func update(
    deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath], _ before: Layout,
    _ now: Layout, _ come: IndexSet, _ gone: IndexSet
  ) -> SectionedResultsChange<Collection>? {
    guard let only else {
      return .update(
        collection, deletions: deletions.sorted(), insertions: insertions.sorted(),
        modifications: modifications.sorted(), sectionsToInsert: come, sectionsToDelete: gone)
    }
    let (was, after) = (before.keys.firstIndex(of: only), now.keys.firstIndex(of: only))
    func own(_ paths: [IndexPath], _ section: Int?) -> [IndexPath] {
      paths.filter { $0[0] == section }.sorted()
    }
    let (deleted, inserted) = (own(deletions, was), own(insertions, after))
    let modified = own(modifications, was)
    let hasCome = was == nil && after != nil
    let hasGone = was != nil && after == nil
    guard hasCome || hasGone || !deleted.isEmpty || !inserted.isEmpty || !modified.isEmpty else {
      return nil
    }
    return .update(
      collection, deletions: deleted, insertions: inserted, modifications: modified,
      sectionsToInsert: hasCome ? IndexSet([after ?? 0]) : [],
      sectionsToDelete: hasGone ? IndexSet([was ?? 0]) : [])
  }
}

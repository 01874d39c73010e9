public import Dispatch

/// A collection of one property of each element of a list or a set.
///
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsNames
///
/// A computed property depends on the persisted properties that it reads from its object. The collection is live if the list is. Setting an element sets the property of the object, in a write
/// transaction.
public struct ProjectedCollection<Element: RealmCollectionValue> {
  private let base: any ProjectedBase<Element>

  fileprivate init(_ base: any ProjectedBase<Element>) { self.base = base }

  /// Returns the index of the first element equal to a value; nil if there is none.
  ///
  /// - Complexity: O(n).
  public func index(of element: Element) -> Int? { firstIndex { $0 == element } }
}

extension ProjectedCollection: RandomAccessCollection {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { base.count }

  /// The property of the object at an index; an index out of bounds stops the process.
  public subscript(index: Int) -> Element {
    get { base.element(at: index) }
    nonmutating set { base.set(newValue, at: index) }
  }
}

extension ProjectedCollection: ThreadConfined {
  /// The Realm that manages the collection; nil for an unmanaged collection.
  public var realm: Realm? { base.handle.source.map { Realm(core: $0.core) } }

  /// Returns the same collection in another Realm of the store; nil if its owner does not exist there.
  @_documentation(visibility: internal)
  public func counterpart(in realm: Realm) -> ProjectedCollection? {
    func counterpart(of base: some ProjectedBase<Element>) -> ProjectedCollection? {
      base.counterpart(in: realm).map { ProjectedCollection($0) }
    }
    return counterpart(of: base)
  }

  /// Whether the object of a managed collection was deleted or invalidated.
  public var isInvalidated: Bool { base.handle.source.map { !$0.isValid } ?? false }
}

extension ProjectedCollection: CustomStringConvertible {
  /// At most 100 elements.
  public var description: String {
    let name = "ProjectedCollection<\(Element.self)>"
    return isInvalidated ? "\(name) (invalidated)" : ObjectDescription.text(of: self, name: name)
  }
}

// Not Sendable: the collection is confined.
@available(*, unavailable)
extension ProjectedCollection: Sendable {}

/// The elements of a collection, for projection to one of their properties.
@dynamicMemberLookup
public struct ElementProjection<Collection: RealmCollection>
where Collection.Element: KeypathSortable {
  fileprivate let collection: Collection

  /// One property of each element.
  public subscript<Value: RealmCollectionValue>(
    dynamicMember keyPath: KeyPath<Collection.Element, Value>
  ) -> ProjectedCollection<Value> {
    ProjectedCollection(KeyPathElements(collection: collection, keyPath: keyPath))
  }
}

extension List where Element: KeypathSortable {
  /// The objects, for projection to one of their properties.
  public var projectTo: ElementProjection<List> { ElementProjection(collection: self) }
}

extension MutableSet where Element: KeypathSortable {
  /// The objects, for projection to one of their properties.
  public var projectTo: ElementProjection<MutableSet> { ElementProjection(collection: self) }
}

/// The type-erased base of a projected collection.
protocol ProjectedBase<Element> {
  associatedtype Element
  var handle: CollectionHandle { get }
  var count: Int { get }
  /// The paths of the persisted properties on which the projected property depends, names joined by dots.
  var dependencies: [String] { get }
  func element(at index: Int) -> Element
  func set(_ value: Element, at index: Int)
  func counterpart(in realm: Realm) -> Self?
}

private struct KeyPathElements<Collection: RealmCollection, Element>: ProjectedBase
where Collection.Element: KeypathSortable {
  let collection: Collection
  let keyPath: KeyPath<Collection.Element, Element>

  var handle: CollectionHandle { collection.handle }
  var count: Int { collection.count }

  func counterpart(in realm: Realm) -> Self? {
    collection.counterpart(in: realm).map { Self(collection: $0, keyPath: keyPath) }
  }

  var dependencies: [String] { Collection.Element.dependencies(of: keyPath) }

  func element(at index: Int) -> Element { collection[index][keyPath: keyPath] }

  func set(_ value: Element, at index: Int) {
    guard let writable = keyPath as? ReferenceWritableKeyPath<Collection.Element, Element> else {
      ProgrammingError.stop(
        "KeyPath is not writable: it leads through an optional, or to a property that is read only."
      )
    }
    collection[index][keyPath: writable] = value
  }
}

/// A projected collection with a type-erased element.
protocol ProjectedElements {
  /// The paths of the persisted properties on which the projected property depends.
  var dependencies: [String] { get }
  /// The elements.
  var contents: [RowContent] { get }
}

extension ProjectedCollection: ProjectedElements {
  var dependencies: [String] { base.dependencies }

  var contents: [RowContent] { map { RowContent(unmanaged: Element.content(of: $0)) } }

  /// The source of the projected elements; an unmanaged collection cannot be observed.
  var elementSource: any ElementSource {
    guard let source = base.handle.source else {
      ProgrammingError.stop(
        "Only objects and collections managed by a Realm have change notifications.")
    }
    return source
  }
}

extension ProjectedCollection {
  /// Calls a closure with the collection, then with the changes made by commits.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the elements of the root whose changes are modifications, an empty array for
  ///     none; nil for the projected property.
  ///   - queue: The serial queue on which the closure is called; nil for the confinement of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the collection's changes, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block:
      @escaping @Sendable (isolated Target, RealmCollectionChange<ProjectedCollection>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Returns the collection and then its changes, for `for await`.
  public func changes() -> Changes<RealmCollectionChange<ProjectedCollection>> {
    Changes(changeSource(nil))
  }

  private func changeSource(
    _ keyPaths: [String]?
  ) -> CollectionChangeSource<ProjectedCollection> {
    CollectionChangeSource(self, elementSource, keyPaths ?? dependencies)
  }
}

/// A type-erased collection: a list, a set, results or linking objects.
///
///     class ViewController {
///       let collection: AnyRealmCollection<MyModel>
///
///       init<C: RealmCollection & _ObjcBridgeable>(collection: C) where C.ElementType == MyModel {
///         self.collection = AnyRealmCollection(collection)
///       }
///     }
///
/// Every operation is forwarded to the collection, at its cost. It is as live as the collection.
public struct AnyRealmCollection<Element: RealmCollectionValue> {
  let base: any RealmCollection<Element>

  /// Hides the kind of a collection.
  public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
    // A wrapper of a wrapper would only add a level of forwarding.
    self.base = (base as? AnyRealmCollection<Element>)?.base ?? base
  }

  private static func iterator(
    of collection: some RealmCollection<Element>
  ) -> AnyIterator<Element> {
    AnyIterator(collection.makeIterator())
  }

  /// Whether two collections are of one kind and equal.
  private static func isEqual<Collection: RealmCollection>(
    _ first: Collection, _ second: any RealmCollection<Element>
  ) -> Bool {
    (second as? Collection).map { $0 == first } ?? false
  }
}

extension AnyRealmCollection: RealmCollection {
  /// The source of the elements.
  @_documentation(visibility: internal)
  public var handle: CollectionHandle { base.handle }
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { base.count }
  /// The number of elements.
  public var count: Int { base.count }
  /// Whether there are no elements.
  public var isEmpty: Bool { base.isEmpty }
  /// The description of the collection.
  public var description: String { base.description }

  /// The element at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element { base[index] }

  /// Iterates over the current elements; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<Element> { Self.iterator(of: base) }

  /// Equal when the collections are of one kind and equal.
  public static func == (first: AnyRealmCollection, second: AnyRealmCollection) -> Bool {
    isEqual(first.base, second.base)
  }
}

/// A constraint beside ``RealmCollection`` in code written for Realm; every collection conforms.
@_documentation(visibility: internal)
public protocol _ObjcBridgeable {}

extension AnyRealmCollection: _ObjcBridgeable {}
extension LinkingObjects: _ObjcBridgeable {}
extension List: _ObjcBridgeable {}
extension Map: _ObjcBridgeable {}
extension MutableSet: _ObjcBridgeable {}
extension Results: _ObjcBridgeable {}

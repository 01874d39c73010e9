import CadastreModel

/// The requirements of each collection with access by index.
public protocol RealmCollectionBase<Element>: RandomAccessCollection, LazyCollectionProtocol,
  CustomStringConvertible, ThreadConfined
where Index == Int, Element: RealmCollectionValue {
  /// The type of the elements.
  typealias ElementType = Element
}

/// A collection of values or objects with access by index.
///
/// `Results`, `List`, `MutableSet`, `LinkingObjects` and `AnyRealmCollection` are such collections:
///
///     func operateOn<C: RealmCollection>(collection: C) {
///       print("operating on collection containing \(collection.count) objects")
///     }
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable {
  /// The source of the elements, for use by the library.
  @_documentation(visibility: internal)
  var handle: CollectionHandle { get }
}

/// A collection of values with keys.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: MapKeyType
  /// The type of the values.
  associatedtype Value: RealmCollectionValue
  /// The source of the elements, for use by the library.
  @_documentation(visibility: internal)
  var handle: CollectionHandle { get }
  /// The number of entries.
  var count: Int { get }
  /// The keys.
  var keys: [Key] { get }
  /// The values.
  var values: [Value] { get }
  /// The value under a key.
  subscript(key: Key) -> Value? { get set }
}

extension RealmCollection {
  /// The Realm that manages the collection; nil for an unmanaged collection.
  public var realm: Realm? { handle.source.map { Realm(core: $0.core) } }

  /// Whether the object of a managed collection was deleted or invalidated.
  public var isInvalidated: Bool { handle.source.map { !$0.isValid } ?? false }

  /// The first element; nil if there is none.
  public var first: Element? {
    guard let source = handle.source else { return isEmpty ? nil : self[startIndex] }
    return source.firstValue().map { StoredElement.make($0, source.context(at: 0)) }
  }

  /// The last element; nil if there is none.
  public var last: Element? {
    guard let source = handle.source else { return isEmpty ? nil : self[endIndex - 1] }
    return source.lastValue().map { StoredElement.make($0, source.context(at: source.count - 1)) }
  }
}

extension RealmKeyedCollection {
  /// The Realm that manages the collection; nil for an unmanaged collection.
  public var realm: Realm? { handle.source.map { Realm(core: $0.core) } }

  /// Whether the object of a managed collection was deleted or invalidated.
  public var isInvalidated: Bool { handle.source.map { !$0.isValid } ?? false }
}

extension PropertyShape {
  /// Returns the shape of a collection property.
  static func collection<Element: RealmCollectionValue>(
    _ kind: CollectionKind, of type: Element.Type
  ) -> PropertyShape {
    var shape = type.propertyShape
    // The elements of a list of a type that is mapped to an embedded object are not null.
    if shape.objectType != nil, kind != .map, !(type is any OptionalValue.Type) {
      shape.isOptional = false
    }
    shape.collection = kind
    return shape
  }
}

extension RealmCollection where Element: Encodable {
  /// Writes the elements, in order, into an unkeyed container.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

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
/// The wrapper forwards every operation to the collection, at the same cost, and is live if the collection
/// is.
public struct AnyRealmCollection<Element: RealmCollectionValue> {
  let base: any RealmCollection<Element>

  /// Wraps a collection.
  public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
    // A wrapper of a wrapper would only add a level of forwarding.
    self.base = (base as? AnyRealmCollection<Element>)?.base ?? base
  }

  private static func iterator(
    of collection: some RealmCollection<Element>
  ) -> AnyIterator<Element> {
    AnyIterator(collection.makeIterator())
  }

  /// Returns whether two collections are of the same type and equal.
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
  /// The index of the first element: 0.
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

  /// Returns whether both collections are of the same type and equal.
  public static func == (first: AnyRealmCollection, second: AnyRealmCollection) -> Bool {
    isEqual(first.base, second.base)
  }
}

/// A constraint in code written for Realm; every collection conforms.
@_documentation(visibility: internal)
public protocol _ObjcBridgeable {}

extension AnyRealmCollection: _ObjcBridgeable {}
extension LinkingObjects: _ObjcBridgeable {}
extension List: _ObjcBridgeable {}
extension Map: _ObjcBridgeable {}
extension MutableSet: _ObjcBridgeable {}
extension Results: _ObjcBridgeable {}

extension AnyRealmCollection: Encodable where Element: Encodable {}

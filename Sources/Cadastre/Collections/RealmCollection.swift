import CadastreModel

/// The requirements of every collection that is read by index.
public protocol RealmCollectionBase<Element>: RandomAccessCollection, LazyCollectionProtocol,
  CustomStringConvertible, ThreadConfined
where Index == Int, Element: RealmCollectionValue {
  /// The type of the elements.
  typealias ElementType = Element
}

/// A collection of values or objects, read by index.
///
/// `Results`, `List`, `MutableSet`, `LinkingObjects` and `AnyRealmCollection` are such collections:
///
///     func operateOn<C: RealmCollection>(collection: C) {
///       print("operating on collection containing \(collection.count) objects")
///     }
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable {
  /// The source of the elements, used by the library.
  @_documentation(visibility: internal)
  var handle: CollectionHandle { get }
}

/// A collection of values under keys.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  /// The type of the keys.
  associatedtype Key: MapKeyType
  /// The type of the values.
  associatedtype Value: RealmCollectionValue
  /// The source of the elements, used by the library.
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
  /// The Realm that manages the collection; nil for one that none does.
  public var realm: Realm? { handle.source.map { Realm(core: $0.core) } }

  /// Whether the collection was managed, and its object was deleted or invalidated.
  public var isInvalidated: Bool { handle.source.map { !$0.isValid } ?? false }

  /// The first element; nil where there is none.
  public var first: Element? {
    guard let source = handle.source else { return isEmpty ? nil : self[startIndex] }
    return source.firstValue().map { StoredElement.make($0, source.context(at: 0)) }
  }

  /// The last element; nil where there is none.
  public var last: Element? {
    guard let source = handle.source else { return isEmpty ? nil : self[endIndex - 1] }
    return source.lastValue().map { StoredElement.make($0, source.context(at: source.count - 1)) }
  }
}

extension RealmKeyedCollection {
  /// The Realm that manages the collection; nil for one that none does.
  public var realm: Realm? { handle.source.map { Realm(core: $0.core) } }

  /// Whether the collection was managed, and its object was deleted or invalidated.
  public var isInvalidated: Bool { handle.source.map { !$0.isValid } ?? false }
}

extension PropertyShape {
  /// The shape of a collection of some elements.
  static func collection<Element: RealmCollectionValue>(
    _ kind: CollectionKind, of type: Element.Type
  ) -> PropertyShape {
    var shape = type.propertyShape
    // A mapped type over an embedded object needs no null among the elements of a list.
    if shape.objectType != nil, kind != .map, !(type is any OptionalValue.Type) {
      shape.isOptional = false
    }
    shape.collection = kind
    return shape
  }
}

import CadastreModel
import CadastrePredicate

/// A type of property that holds any number of elements, which a type-safe condition can look at.
@_documentation(visibility: internal)
public protocol QueryableCollection {
  /// The element type in conditions: the values, for a map.
  associatedtype QueryElement: Persistable
}

@_documentation(visibility: internal)
extension List: QueryableCollection {
  /// The elements.
  public typealias QueryElement = Element
}

@_documentation(visibility: internal)
extension MutableSet: QueryableCollection {
  /// The elements.
  public typealias QueryElement = Element
}

@_documentation(visibility: internal)
extension LinkingObjects: QueryableCollection {
  /// The objects.
  public typealias QueryElement = Element
}

@_documentation(visibility: internal)
extension AnyRealmCollection: QueryableCollection {
  /// The elements.
  public typealias QueryElement = Element
}

@_documentation(visibility: internal)
extension Map: QueryableCollection {
  /// The values.
  public typealias QueryElement = Value
}

extension Query where Value: QueryableCollection {
  /// A property of any of the objects in the collection.
  public subscript<Member: Persistable>(
    dynamicMember keyPath: KeyPath<Value.QueryElement, Member>
  ) -> Query<Member> where Value.QueryElement: ObjectBase { appending(keyPath) }

  /// A property of any of the objects in the collection; those that are nil have none.
  public subscript<Wrapped: ObjectBase, Member: Persistable>(
    dynamicMember keyPath: KeyPath<Wrapped, Member>
  ) -> Query<Member> where Value.QueryElement == Wrapped? { appending(keyPath) }

  /// The number of elements.
  public var count: Query<Int> { Query<Int>(.result(way.count)) }

  /// Holds a value.
  public func contains(_ element: Value.QueryElement) -> Query<Bool> { self == element }

  /// Holds the value of another property.
  public func contains(_ other: Query<Value.QueryElement>) -> Query<Bool> { self == other }

  /// Holds one of some values at least; none of no values.
  public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
  where Values.Element == Value.QueryElement {
    among(values)
  }
}

extension Query {
  /// The element of a list at an index; where there is none, nothing matches.
  ///
  /// A negative index is an error of the condition.
  public subscript<Element: RealmCollectionValue>(index: Int) -> Query<Element>
  where Value == List<Element> {
    Query<Element>(.way(way.subscripted(.index(index))))
  }
}

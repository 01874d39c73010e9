import CadastreModel
import CadastrePredicate

/// A type of values in queries: the type of a property, or a collection.
@_documentation(visibility: internal)
public protocol QueryableValue {
  /// The query of an element of a collection; `Query<Never>` for a single value.
  ///
  /// The operators with an element are generic over its type and take it from here. A parameter of the type
  /// `Value.QueryElement` would hide errors: the compiler takes any operand for the element of a type that is
  /// no collection, and then reports the missing collection, not the wrong operand.
  associatedtype ElementQuery = Query<Never>
}

@_documentation(visibility: internal)
extension Optional: QueryableValue where Wrapped: OptionalPersistable {}

/// A collection type with conditions on its elements in queries.
@_documentation(visibility: internal)
public protocol QueryableCollection: QueryableValue {
  /// The element type in conditions: the values, for a map.
  associatedtype QueryElement: Persistable
}

@_documentation(visibility: internal)
extension List: QueryableCollection {
  /// The elements.
  public typealias QueryElement = Element
  /// The query of an element.
  public typealias ElementQuery = Query<Element>
}

@_documentation(visibility: internal)
extension MutableSet: QueryableCollection {
  /// The elements.
  public typealias QueryElement = Element
  /// The query of an element.
  public typealias ElementQuery = Query<Element>
}

@_documentation(visibility: internal)
extension LinkingObjects: QueryableCollection {
  /// The objects.
  public typealias QueryElement = Element
  /// The query of an object.
  public typealias ElementQuery = Query<Element>
}

@_documentation(visibility: internal)
extension AnyRealmCollection: QueryableCollection {
  /// The elements.
  public typealias QueryElement = Element
  /// The query of an element.
  public typealias ElementQuery = Query<Element>
}

@_documentation(visibility: internal)
extension Map: QueryableCollection {
  /// The values.
  public typealias QueryElement = Value
  /// The query of a value.
  public typealias ElementQuery = Query<Value>
}

extension Query where Value: QueryableCollection {
  /// A property of any of the objects in the collection.
  public subscript<Member: Persistable>(
    dynamicMember keyPath: KeyPath<Value.QueryElement, Member>
  ) -> Query<Member> where Value.QueryElement: ObjectBase { appending(keyPath) }

  /// A property of any of the objects in the collection; nil elements are skipped.
  public subscript<Wrapped: ObjectBase, Member: Persistable>(
    dynamicMember keyPath: KeyPath<Wrapped, Member>
  ) -> Query<Member> where Value.QueryElement == Wrapped? { appending(keyPath) }

  /// The number of elements.
  public var count: Query<Int> { Query<Int>(.result(queryPath.count)) }

  /// Matches collections that contain a value.
  public func contains(_ element: Value.QueryElement) -> Query<Bool> {
    node.compared(.equal, element)
  }

  /// Matches collections that contain the value of another property.
  @_disfavoredOverload
  public func contains(_ other: Query<Value.QueryElement>) -> Query<Bool> {
    compared(.equal, with: other)
  }

  /// Matches collections that contain at least one of `values`; an empty sequence matches nothing.
  public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
  where Values.Element == Value.QueryElement {
    among(values)
  }
}

extension Query {
  /// The element of a list at an index; a missing element matches nothing.
  ///
  /// A negative index makes the condition invalid.
  public subscript<Element: RealmCollectionValue>(index: Int) -> Query<Element>
  where Value == List<Element> {
    Query<Element>(.path(queryPath.subscripted(.index(index))))
  }
}

extension Query where Value: RealmKeyedCollection {
  /// Any key of the map.
  public var keys: Query<String> { Query<String>(.path(queryPath.keys)) }

  /// Any value of the map.
  public var values: Query<Value.Value> { Query<Value.Value>(.path(queryPath.values)) }

  /// The value of a key; null for a missing key.
  public subscript(key: Value.Key) -> Query<Value.Value> {
    Query<Value.Value>(.path(queryPath.subscripted(.key(key.mapKey))))
  }
}

extension Query where Value: RealmKeyedCollection, Value.Value: OptionalPersistable {
  /// The value of a key as an optional; nil for a missing key.
  @_disfavoredOverload
  public subscript(key: Value.Key) -> Query<Value.Value?> {
    Query<Value.Value?>(.path(queryPath.subscripted(.key(key.mapKey))))
  }
}

extension Query where Value == AnyRealmValue {
  /// The value of a key of a map; a missing key matches nothing.
  public subscript(key: String) -> Query<AnyRealmValue> {
    Query(.path(queryPath.subscripted(.key(key))))
  }

  /// The element of a list at an index; a missing element matches nothing.
  ///
  /// A negative index makes the condition invalid.
  public subscript(index: Int) -> Query<AnyRealmValue> {
    Query(.path(queryPath.subscripted(.index(index))))
  }

  /// Any element of a list, or any value of a map.
  public var any: Query<AnyRealmValue> { Query(.path(queryPath.every)) }
}

extension Query where Value: QueryableCollection, Value.QueryElement: MinMaxType {
  /// The smallest of the values; null for an empty collection.
  public var min: Query<Value.QueryElement> { .aggregate(.min, of: queryPath) }

  /// The largest of the values; null for an empty collection.
  public var max: Query<Value.QueryElement> { .aggregate(.max, of: queryPath) }
}

extension Query where Value: QueryableCollection, Value.QueryElement: AddableType {
  /// The sum of the values; 0 for an empty collection.
  public var sum: Query<Value.QueryElement> { .aggregate(.sum, of: queryPath) }

  /// The average of the values; null for an empty collection.
  public var avg: Query<Value.QueryElement> { .aggregate(.average, of: queryPath) }
}

extension Query
where Value: QueryableCollection, Value.QueryElement: AddableType & MinMaxType {
  /// The average of the values as a `Double`.
  @_disfavoredOverload
  public var avg: Query<Double?> { .aggregate(.average, of: queryPath) }
}

/// Aggregates of a property of the objects in a collection; a path without a collection stops the process.
extension Query where Value: MinMaxType {
  /// The smallest value of the property; null for no objects.
  public var min: Query { .aggregate(.min, of: queryPath) }

  /// The largest value of the property; null for no objects.
  public var max: Query { .aggregate(.max, of: queryPath) }
}

extension Query where Value: AddableType {
  /// The sum of the property's values; 0 for no objects.
  public var sum: Query { .aggregate(.sum, of: queryPath) }

  /// The average of the property's values; null for no objects.
  public var avg: Query { .aggregate(.average, of: queryPath) }
}

extension Query where Value: AddableType & MinMaxType {
  /// The average of the property's values as a `Double`.
  @_disfavoredOverload
  public var avg: Query<Double?> { .aggregate(.average, of: queryPath) }
}

/// Aggregates of mapped types, computed from their stored values.
extension Query
where
  Value: QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: MinMaxType
{
  /// The smallest of the values; null for an empty collection.
  @_disfavoredOverload
  public var min: Query<Value.QueryElement> { .aggregate(.min, of: queryPath) }

  /// The largest of the values; null for an empty collection.
  @_disfavoredOverload
  public var max: Query<Value.QueryElement> { .aggregate(.max, of: queryPath) }
}

extension Query
where
  Value: QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: AddableType
{
  /// The sum of the values; 0 for an empty collection.
  @_disfavoredOverload
  public var sum: Query<Value.QueryElement> { .aggregate(.sum, of: queryPath) }

  /// The average of the values; null for an empty collection.
  @_disfavoredOverload
  public var avg: Query<Value.QueryElement> { .aggregate(.average, of: queryPath) }
}

extension Query where Value: MappedPersistable, Value.StoredType: MinMaxType {
  /// The smallest value of the property; null for no objects.
  @_disfavoredOverload
  public var min: Query { .aggregate(.min, of: queryPath) }

  /// The largest value of the property; null for no objects.
  @_disfavoredOverload
  public var max: Query { .aggregate(.max, of: queryPath) }
}

extension Query where Value: MappedPersistable, Value.StoredType: AddableType {
  /// The sum of the property's values; 0 for no objects.
  @_disfavoredOverload
  public var sum: Query { .aggregate(.sum, of: queryPath) }

  /// The average of the property's values; null for no objects.
  @_disfavoredOverload
  public var avg: Query { .aggregate(.average, of: queryPath) }
}

extension Query {
  fileprivate static func aggregate(
    _ operation: Aggregate.Operation, of queryPath: QueryPath
  ) -> Query { Query(.result(queryPath.aggregate(operation))) }
}

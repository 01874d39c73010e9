/// A mapped type, or the optional of one.
@_documentation(visibility: internal)
public protocol MappedPersistable {
  /// The stored type.
  associatedtype StoredType: Persistable
}

extension Optional: MappedPersistable
where Wrapped: MappedPersistable, Wrapped.StoredType: OptionalPersistable {
  /// The optional of the stored type.
  public typealias StoredType = Wrapped.StoredType?
}

extension Query where Value: MappedPersistable {
  /// The stored value of the property, for its members and operators.
  public var persistableValue: Query<Value.StoredType> { Query<Value.StoredType>(node) }
}

extension Query
where
  Value: RealmCollection & QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: Hashable
{
  /// The stored values of the elements, for their members and operators.
  public var persistableValue: Query<AnyRealmCollection<Value.QueryElement.StoredType>> {
    Query<AnyRealmCollection<Value.QueryElement.StoredType>>(node)
  }
}

extension Query
where
  Value: RealmKeyedCollection, Value.Value: MappedPersistable, Value.Value.StoredType: Hashable
{
  /// The stored values under the keys, for their members and operators.
  public var persistableValue: Query<Map<Value.Key, Value.Value.StoredType>> {
    Query<Map<Value.Key, Value.Value.StoredType>>(node)
  }
}

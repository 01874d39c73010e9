/// A mapped type, or the optional of one.
public protocol MappedPersistable {
  /// What is stored.
  associatedtype StoredType: Persistable
}

extension Optional: MappedPersistable
where Wrapped: MappedPersistable, Wrapped.StoredType: OptionalPersistable {
  /// The optional of what is stored.
  public typealias StoredType = Wrapped.StoredType?
}

extension Query where Value: MappedPersistable {
  /// The stored value of the property, for its members and operators.
  public var persistableValue: Query<Value.StoredType> { Query<Value.StoredType>(node) }
}

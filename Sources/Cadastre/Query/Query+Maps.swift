import CadastreModel

extension Query where Value: RealmKeyedCollection {
  /// The keys, any of them.
  public var keys: Query<String> { Query<String>(.way(way.keys)) }

  /// The values, any of them.
  public var values: Query<Value.Value> { Query<Value.Value>(.way(way.values)) }

  /// The value under a key; null where there is none.
  public subscript(key: Value.Key) -> Query<Value.Value> {
    Query<Value.Value>(.way(way.subscripted(.key(key.mapKey))))
  }
}

extension Query where Value: RealmKeyedCollection, Value.Value: OptionalPersistable {
  /// The value under a key, which compares with nil where the key is missing.
  @_disfavoredOverload
  public subscript(key: Value.Key) -> Query<Value.Value?> {
    Query<Value.Value?>(.way(way.subscripted(.key(key.mapKey))))
  }
}
